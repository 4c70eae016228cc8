// Decisions of a person about what guards hold: to release it, to approve it where approvers have to, or to drop it. Part of the
// composition. All of them are entered into the sync log.
import { type Approved, approvedBy, printOfChange } from '../../core/change/waiting/approval.ts'
import { droppedOf } from '../../core/change/waiting/dropped.ts'
import type { Operation } from '../../core/change/operation.ts'
import type { ApprovedChange, Effect } from '../../core/decision.ts'
import { type AuditEntry } from '../../core/log/audit.ts'
import { planEntry } from '../../core/log/other-entries.ts'
import type { Settings } from '../../core/settings.ts'
import type { ApprovalTerms, HeldPlan } from '../../core/state.ts'
import { SyncError } from '../../core/words/errors.ts'
import { plural } from '../../core/words/format.ts'
import type { Desk } from '../run/desk.ts'

const namesOf = (settings: Settings): readonly string[] => settings.pipelines.map(({ name }) => name)

function changedSince(
  { pipeline, guard, number, left, configHash, needed }: HeldPlan,
  settings: Settings,
  remaining: boolean,
): string | undefined {
  const now = settings.pipelines.find(({ name }) => name === pipeline)
  // A term waits for what its contacts do, whatever the mapping is by then.
  if (guard === 'brake') return undefined
  if (now?.hash !== configHash) return `the mapping of ${pipeline} has changed since`
  // An approval is of each change: what is no longer the same is left out.
  return left === number || remaining || needed > 0
    ? undefined
    : `${number - left} of the ${number} changes are no longer the same`
}

/** What `held release` and `held drop` have done. */
export interface Released {
  readonly run_id: string
  readonly pipelines: readonly string[]
  readonly changes: number
  /** Changes that were released before, and are not sent yet; absent where there are none. */
  readonly released_before?: number
  /** Of changes that approvers must release; absent where there were none. */
  readonly approvals?: GivenApprovals
}

/** What became of the changes that approvers must release. */
export interface GivenApprovals {
  /** That this approver has approved now, and before. */
  readonly approved: number
  readonly again: number
  /** That still wait, and the most approvers that one of them lacks. */
  readonly waiting: number
  readonly missing: number
  /** Keys of what others have approved in this run, and has changed since. */
  readonly left_out: readonly string[]
}

/** In a text. */
const MOST_KEYS = 10

/** What became of changes that approvers must release, for the person who approves. */
function approvalLines({ run_id: run, approvals }: Released): readonly string[] {
  if (approvals === undefined) return []
  const { approved, again, waiting, missing, left_out: left } = approvals
  const more = `${plural(missing, 'more approver')} must release them: contact-sync held release ${run} --as NAME`
  return [
    ...(approved > 0 && waiting > again ? [`${plural(approved, 'change')} approved`] : []),
    ...(again > 0 ? [`${plural(again, 'change')} had your approval already`] : []),
    ...(waiting > 0 ? [`${plural(waiting, 'change still waits', 'changes still wait')}; ${more}`] : []),
    ...(left.length > 0
      ? [
          `left out, because they have changed since they were approved: ${left.slice(0, MOST_KEYS).join(', ')}${left.length > MOST_KEYS ? ` and ${left.length - MOST_KEYS} more` : ''}; they are held as what they are now: contact-sync held list`,
        ]
      : []),
  ]
}

/** What a release says besides how many changes it lets go. */
export function releaseLines(released: Released): readonly string[] {
  const { released_before: before = 0 } = released
  const [were, them] = before === 1 ? ['was', 'it'] : ['were', 'them']
  const line = `${plural(before, 'change')} ${were} released before; the next run sends ${them}`
  return [...(before > 0 ? [line] : []), ...approvalLines(released)]
}

/** A second release, or approval, of the same changes by the same person. */
export const isReleasedAgain = ({ changes, approvals, released_before: before = 0 }: Released): boolean =>
  changes === 0 && (approvals === undefined ? before > 0 : approvals.approved === 0)

interface HeldOfRun {
  readonly run: string
  /** These changes of the record alone. */
  readonly key?: string | undefined
  /** Beside the key: a brake holds records of several pipelines in one run. */
  readonly pipeline?: string | undefined
}

const noneHeld = ({ run, key }: HeldOfRun): SyncError =>
  new SyncError(
    'USAGE',
    `no guard holds changes of ${key === undefined ? 'a' : `record ${key} in`} run ${run}`,
    {
      hint: 'See contact-sync held list for runs with held changes. A change that is held individually ends when its source no longer gives the reason.',
    },
  )

/** A pipeline says whose record is meant; without one it would be lost on the way. */
function assertMeant({ key, pipeline }: HeldOfRun): void {
  if (pipeline === undefined || key !== undefined) return
  throw new SyncError('USAGE', '--pipeline says whose record is meant, and none is named', {
    hint: 'Name the record, too: --key KEY.',
  })
}

async function plansOf(
  { run, pipeline }: HeldOfRun,
  { settings, state }: Desk,
): Promise<readonly HeldPlan[]> {
  const names = pipeline === undefined ? namesOf(settings) : [pipeline]
  return (await state.heldPlans(names)).filter(({ runId: id }) => id === run)
}

function severalHold({ run, key = '' }: HeldOfRun, names: readonly string[]): SyncError {
  const message = `record ${key} of run ${run} is held for several pipelines: ${names.join(', ')}`
  return new SyncError('USAGE', message, { hint: 'Name the pipeline that is meant: --pipeline NAME.' })
}

/**
 * What guards hold in the run, of the record where one is named. Throws USAGE where several pipelines hold a record of that key,
 * and none is named: they may be different people.
 */
async function changesOf(
  { run, key, pipeline }: HeldOfRun,
  { settings, state }: Desk,
): Promise<readonly Operation[]> {
  const found: Operation[] = []
  for await (const operation of state.held(pipeline === undefined ? namesOf(settings) : [pipeline]))
    if (
      operation.guard !== undefined &&
      operation.runId === run &&
      (key === undefined || operation.key === key)
    )
      found.push(operation)
  const names = [...new Set(found.map((one) => one.pipeline))]
  if (key !== undefined && names.length > 1) throw severalHold({ run, key }, names)
  return found
}

/** An entry for each pipeline and guard; about one record where that is named. */
function heldEntries(
  { action, verb }: { action: 'release' | 'approve' | 'drop_changes'; verb: string },
  { run, key }: HeldOfRun,
  counts: readonly { readonly pipeline: string; readonly guard: string; readonly changes: number }[],
  desk: Desk,
) {
  return counts.map(({ pipeline, guard, changes }) => {
    const reason = `${plural(changes, 'change')} held by ${guard} ${changes === 1 ? 'was' : 'were'} ${verb}`
    const entry = planEntry({ action, reason }, { ...desk.about(pipeline), runId: run })
    return key === undefined ? entry : { ...entry, key }
  })
}

/** How many changes of each pipeline and guard. */
function countsOf(changes: readonly Operation[]) {
  const groups = Map.groupBy(changes, ({ pipeline, guard }) => `${guard} ${pipeline}`)
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ pipeline: first.pipeline, guard: first.guard ?? '', changes: others.length + 1 }],
  )
}

/** Users who may approve now. */
const approversOf = ({ server }: Settings): readonly string[] =>
  server.users.filter(({ role }) => role === 'approver').map(({ name }) => name)

/** Which approvals count now, for lists. */
export const countedApprovals = (settings: Settings): ApprovalTerms => ({
  approvers: approversOf(settings),
  settings: Object.fromEntries(
    settings.pipelines.map(({ name, approvals }) => [name, approvals?.settings ?? '']),
  ),
})

const isApprover = ({ decided: { by, role }, settings }: Desk): boolean =>
  role === 'approver' && approversOf(settings).includes(by)

function notApproved(run: string, changes: readonly Operation[], { settings }: Desk): SyncError {
  const most = Math.max(...changes.map(({ needed }) => needed))
  return new SyncError(
    'USAGE',
    `${plural(changes.length, 'change')} of run ${run} must be released by ${plural(most, 'approver')}`,
    {
      hint: `An approver of server.users (${approversOf(settings).join(', ')}) releases them: contact-sync held release ${run} --as NAME`,
    },
  )
}

interface Judged {
  readonly change: Operation
  readonly print: string
  readonly outcome: Approved
  /** How many more approvers it needs. */
  readonly missing: number
}

/** What the approval of this person makes of each change, and how many more it needs; of a person who approves nothing that alone counts. */
async function judged(changes: readonly Operation[], desk: Desk): Promise<readonly Judged[]> {
  const { decided, settings, state } = desk
  const approvers = approversOf(settings)
  const all: Judged[] = []
  for (const { name, approvals } of settings.pipelines) {
    const own = changes.filter(({ pipeline }) => pipeline === name)
    const given = await state.approvals(
      name,
      own.map(({ key }) => key),
    )
    const byPrint = Map.groupBy(given, ({ print }) => print)
    for (const change of own) {
      const print = printOfChange(change, approvals?.settings ?? '')
      const before = (byPrint.get(print) ?? []).map(({ by }) => by).filter((by) => approvers.includes(by))
      const { needed } = change
      const outcome = approvedBy(decided.by, { needed, before, approvers })
      const counted = isApprover(desk) ? [...before, decided.by] : before
      all.push({ change, print, outcome, missing: needed - new Set(counted).size })
    }
  }
  return all
}

const approvedChange = (
  { change: { id, pipeline, key }, print, outcome }: Judged,
  settings: Settings,
): ApprovedChange => ({
  ...{ operation: id, pipeline, key, print },
  releasedUnder:
    outcome === 'released'
      ? (settings.pipelines.find(({ name }) => name === pipeline)?.approvals?.settings ?? '')
      : undefined,
})

/** What others have approved in the run, and is held in another form by now. What was sent or dropped since is not held. */
async function leftOut(
  { run, key }: HeldOfRun,
  all: readonly Judged[],
  { settings, state }: Desk,
): Promise<readonly string[]> {
  const prints = new Set(all.map(({ print }) => print))
  const given = await state.approvalsIn(run)
  const moved = given.filter((one) => !prints.has(one.print) && (key === undefined || key === one.key))
  const names = new Set(moved.map((one) => one.key))
  const left = new Set<string>()
  if (names.size === 0) return []
  for await (const held of state.held(namesOf(settings)))
    if (held.guard !== undefined && names.has(held.key)) left.add(held.key)
  return [...names].filter((name) => left.has(name))
}

const releaseEffect = ({ run, key, pipeline }: HeldOfRun): Effect =>
  key === undefined ? { do: 'release', run } : { do: 'release', run, keys: [key], pipeline }

/** Releases as an approver; what needs no approval goes by any operator. */
async function approveHeld(desk: Desk, which: HeldOfRun, changes: readonly Operation[]): Promise<Released> {
  const { run } = which
  const open = changes.filter(({ needed }) => needed === 0)
  const waiting = changes.filter(({ needed }) => needed > 0)
  if (open.length === 0 && !isApprover(desk)) throw notApproved(run, waiting, desk)
  const all = await judged(waiting, desk)
  const given = isApprover(desk) ? all : []
  const of = (outcome: Approved): Operation[] =>
    given.filter((one) => one.outcome === outcome).map(({ change }) => change)
  const [done, approved, again] = [of('released'), of('approved'), of('again')]
  const released = countsOf([...open, ...done])
  const entries: AuditEntry[] = [
    ...heldEntries({ action: 'approve', verb: 'approved' }, which, countsOf([...done, ...approved]), desk),
    ...heldEntries({ action: 'release', verb: 'released' }, which, released, desk),
  ]
  const effects: Effect[] = [
    {
      do: 'approve',
      run,
      by: desk.decided.by,
      approved: given.flatMap((one) => (one.outcome === 'again' ? [] : [approvedChange(one, desk.settings)])),
    },
    ...(open.length === 0 ? [] : [releaseEffect(which)]),
  ]
  const left = await leftOut(which, all, desk)
  await desk.conclude(effects, entries)
  const still = isApprover(desk) ? approved.length + again.length : waiting.length
  const lacks = all.map(({ missing }) => missing)
  return {
    run_id: run,
    pipelines: [...new Set(changes.map(({ pipeline }) => pipeline))],
    changes: released.reduce((sum, one) => sum + one.changes, 0),
    approvals: {
      approved: done.length + approved.length,
      again: again.length,
      waiting: still,
      missing: Math.max(0, ...lacks),
      left_out: left,
    },
  }
}

/** What a second release finds done. */
function releasedBefore(
  { key }: HeldOfRun,
  plans: readonly HeldPlan[],
  changes: readonly Operation[],
): Pick<Released, 'released_before'> {
  const number =
    key === undefined
      ? plans.reduce(
          (sum, { left, ready, releasedAt }) => sum + ready + (releasedAt === undefined ? 0 : left),
          0,
        )
      : changes.filter(({ isReleased }) => isReleased === true).length
  return number === 0 ? {} : { released_before: number }
}

/**
 * Lets exactly the changes go that guards held in this run; of one record where `key` is given. What approvers must release
 * goes when enough of them have. Throws USAGE where there are none, or where the person may not release them, and HELD_CHANGED
 * where anything about them has changed since; `remaining`: those go that are still as they were.
 */
export async function releaseHeld(
  desk: Desk,
  { remaining, ...which }: HeldOfRun & { remaining: boolean },
): Promise<Released> {
  assertMeant(which)
  const { run, key } = which
  const plans = await plansOf(which, desk)
  const needsApproval = plans.some(({ needed }) => needed > 0)
  const changes = key === undefined && !needsApproval ? [] : await changesOf(which, desk)
  if (plans.length === 0 || (key !== undefined && changes.length === 0)) throw noneHeld(which)
  const changed = plans.flatMap(
    (plan) => changedSince(plan, desk.settings, remaining || key !== undefined) ?? [],
  )
  if (changed.length > 0)
    throw new SyncError(
      'HELD_CHANGED',
      `the held changes of run ${run} are not released: ${changed.join('; ')}`,
    )
  const open = changes.filter(({ isReleased }) => isReleased !== true)
  const before = releasedBefore(which, plans, changes)
  if (open.some(({ needed }) => needed > 0)) return { ...(await approveHeld(desk, which, open)), ...before }
  const counts =
    key === undefined
      ? plans.flatMap(({ pipeline, guard, left, releasedAt }) =>
          releasedAt === undefined ? [{ pipeline, guard, changes: left }] : [],
        )
      : countsOf(open)
  const entries = heldEntries({ action: 'release', verb: 'released' }, which, counts, desk)
  await desk.conclude(counts.length === 0 ? [] : [releaseEffect(which)], entries)
  return {
    run_id: run,
    pipelines: (key === undefined ? plans : changes).map(({ pipeline }) => pipeline),
    changes: counts.reduce((sum, one) => sum + one.changes, 0),
    ...before,
  }
}

/**
 * Gives up changes that guards held in this run: none of them is planned again before its record, or its absence, has
 * changed. Throws USAGE where there are none.
 */
export async function dropHeld(desk: Desk, which: HeldOfRun): Promise<Released> {
  assertMeant(which)
  const changes = await changesOf(which, desk)
  if (changes.length === 0) throw noneHeld(which)
  const counts = countsOf(changes)
  const entries = heldEntries({ action: 'drop_changes', verb: 'dropped' }, which, counts, desk)
  await desk.conclude([{ do: 'drop', dropped: changes.map(droppedOf) }], entries)
  return { run_id: which.run, pipelines: counts.map(({ pipeline }) => pipeline), changes: changes.length }
}
