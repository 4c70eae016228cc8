// `held list`, `held release` and `held drop`: changes held by a guard or for a reason of the record, and what an operator
// decides about them.
import { countedApprovals, type Released, releaseLines } from '../../app/people/releasing.ts'
import { openStateForReading } from '../../store/state-store.ts'
import type { Operation } from '../../core/change/operation.ts'
import type { Settings } from '../../core/settings.ts'
import type { HeldPlan } from '../../core/state.ts'
import type { StateStore } from '../../core/state-store.ts'
import { plural } from '../../core/words/format.ts'
import type { DecidingOptions } from '../decided-by.ts'
import { decided } from '../deciding.ts'
import { type CommonOptions, type Io, print, printJson } from '../io.ts'
import { chosenPipelines, commandSettings, warnOfOlderState } from '../settings.ts'

const change = ({ pipeline, runId, key, contactId, kind, cause, undoes, reason, source }: Operation) => ({
  pipeline,
  run_id: runId,
  action: kind === 'create' || kind === 'delete' ? kind : 'update',
  key,
  contact_id: contactId ?? null,
  reason: reason ?? '',
  file: source.file,
  line: cause === 'missing' && undoes === undefined ? null : source.line,
})

type Change = ReturnType<typeof change>

const heldPlan = (plan: HeldPlan) => ({
  pipeline: plan.pipeline,
  run_id: plan.runId,
  guard: plan.guard,
  number: plan.number,
  threshold: plan.threshold,
  // Absent where an operator may release it.
  ...(plan.needed === 0
    ? {}
    : { approvers_needed: plan.needed, to_approve: plan.toApprove, approved_by: plan.approvedBy }),
  reason: plan.reason,
  held_at: new Date(plan.heldAt).toISOString(),
  released_at: plan.releasedAt === undefined ? null : new Date(plan.releasedAt).toISOString(),
  changed_since: Math.max(0, plan.number - plan.left),
  // Absent where none was.
  ...(plan.ready === 0 ? {} : { released: plan.ready }),
})

/** In the text; a plan may hold a million. */
const SHOWN = 10

function place({ file, line }: Change): string {
  if (line === null) return `gone from ${file}`
  // What no row asked for has no line.
  return line === 0 ? file : `${file}:${line}`
}

type Plan = ReturnType<typeof heldPlan>

/** A run is released as a whole: what else it holds goes with the plan, also what waits for a brake. */
function whatGoes({ run_id: run, guard, pipeline }: Plan, plans: readonly Plan[]): string {
  const others = plans.filter(
    (one) =>
      one.run_id === run && one.released_at === null && (one.guard !== guard || one.pipeline !== pipeline),
  )
  if (others.length === 0) return 'exactly these'
  return `these and what else the run holds (${[...new Set(others.map((one) => one.guard))].join(', ')})`
}

function planLines(plan: Plan, plans: readonly Plan[], changes: readonly Change[]): string[] {
  const ready = plan.released ?? 0
  const more = plan.number - plan.changed_since + ready - changes.length
  const lines = changes.map(
    (one) =>
      `    ${one.action} ${one.key}${one.contact_id === null ? '' : ` (contact ${one.contact_id})`}, ${place(one)}`,
  )
  const needed = plan.approvers_needed ?? 0
  const remaining = plan.changed_since > 0 && needed === 0 ? ' --remaining' : ''
  const as = needed === 0 ? '' : ' --as NAME'
  const waiting = plan.to_approve ?? 0
  const part = waiting < plan.number - plan.changed_since ? `${waiting} of them ` : ''
  const next =
    plan.released_at === null
      ? `  to release ${whatGoes(plan, plans)}${needed === 0 ? '' : `, ${part}by ${plural(needed, 'approver')}`}: contact-sync held release ${plan.run_id}${remaining}${as}`
      : '  released; the next run sends them'
  return [
    `${plan.pipeline}: run ${plan.run_id}: ${plural(plan.number, 'change')} held by ${plan.guard}: ${plan.reason}`,
    ...lines,
    ...(plan.approved_by?.length ? [`  released so far by ${plan.approved_by.join(', ')}`] : []),
    ...(more > 0 ? [`    and ${more} more; --json lists them all`] : []),
    ...(ready > 0
      ? [
          `  ${ready} more ${ready === 1 ? 'is' : 'are'} released; the next run sends ${ready === 1 ? 'it' : 'them'}`,
        ]
      : []),
    ...(plan.changed_since > 0 ? [`  ${plan.changed_since} of them have changed since`] : []),
    next,
  ]
}

async function collect(state: StateStore | undefined, pipelines: readonly string[], settings: Settings) {
  const plans = ((await state?.heldPlans(pipelines, countedApprovals(settings))) ?? []).map(heldPlan)
  const changes: { guard: string | null; change: Change }[] = []
  for await (const operation of state?.held(pipelines) ?? [])
    changes.push({ guard: operation.guard ?? null, change: change(operation) })
  return { plans, changes }
}

export async function listHeld(io: Io, options: CommonOptions, names: string[]): Promise<number> {
  const settings = await commandSettings(io, options)
  warnOfOlderState(io, settings)
  const pipelines = chosenPipelines(settings, names).map(({ name }) => name)
  const state = openStateForReading(settings.state)
  try {
    const { plans, changes } = await collect(state, pipelines, settings)
    const own = changes.filter(({ guard }) => guard === null).map((one) => one.change)
    // A run holds plans of several pipelines where they wait for a term of a brake.
    const ofPlan = ({ pipeline, run_id: run, guard }: Plan): Change[] =>
      changes
        .filter((one) => one.guard === guard && one.change.run_id === run && one.change.pipeline === pipeline)
        .map((one) => one.change)
    if (options.json === true) {
      const alone = own.map((one) => ({ ...one, guard: null, number: 1, threshold: null }))
      printJson(io, { held: [...plans.map((plan) => ({ ...plan, changes: ofPlan(plan) })), ...alone] })
      return 0
    }
    for (const plan of plans)
      for (const line of planLines(plan, plans, ofPlan(plan).slice(0, SHOWN))) print(io, line)
    for (const one of own) print(io, `${one.pipeline}: ${place(one)}: ${one.key}: ${one.reason}`)
    return 0
  } finally {
    await state?.close()
  }
}

function releasedText(released: Released): string[] {
  const { changes, approvals, released_before: before } = released
  const isOfBefore = changes === 0 && (approvals !== undefined || before !== undefined)
  return [...(isOfBefore ? [] : [goesText(released)]), ...releaseLines(released)]
}

function goesText({ changes, pipelines }: Released): string {
  const names = [...new Set(pipelines)].join(', ')
  return changes === 0
    ? `released; the file changes no contact of ${names}, and later files like it are accepted`
    : `${plural(changes, 'change')} of ${names} released; the next run sends ${changes === 1 ? 'it' : 'them'}, unless newer data arrives first`
}

interface DropOptions extends DecidingOptions {
  readonly key?: string
  readonly pipeline?: string
}

interface ReleaseOptions extends DropOptions {
  readonly remaining?: boolean
}

export async function releaseHeldPlan(
  io: Io,
  options: ReleaseOptions,
  [run = '']: string[],
): Promise<number> {
  const settings = await commandSettings(io, options)
  const { key, pipeline, remaining = false } = options
  const args = { run, key, pipeline, remaining }
  const released = await decided({ io, options, settings }, { kind: 'held release', args })
  if (options.json === true) printJson(io, released)
  else for (const line of releasedText(released)) print(io, line)
  return 0
}

export async function dropHeldPlan(io: Io, options: DropOptions, [run = '']: string[]): Promise<number> {
  const settings = await commandSettings(io, options)
  const dropped = await decided(
    { io, options, settings },
    { kind: 'held drop', args: { run, key: options.key, pipeline: options.pipeline } },
  )
  const names = [...new Set(dropped.pipelines)].join(', ')
  if (options.json === true) printJson(io, dropped)
  else
    print(
      io,
      `${plural(dropped.changes, 'change')} of ${names} dropped: not planned again before the record changes`,
    )
  return 0
}
