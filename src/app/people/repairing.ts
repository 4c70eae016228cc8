// Plans what puts back values that others changed at the service: a decision, whose plan is held until an operator releases it.
// It reads the state alone; each contact is read again right before anything is sent to it. Part of the composition.
import { requiredApprovals } from '../../core/change/waiting/approval.ts'
import { DRIFT_REPAIR, repairChange } from '../../core/change/others/repair.ts'
import { REPAIR_INPUT } from '../../core/change/own-inputs.ts'
import { planEntry } from '../../core/log/other-entries.ts'
import type { PipelineSettings } from '../../core/settings.ts'
import type { StagedEntry, StagedInput } from '../../core/state.ts'
import { SyncError } from '../../core/words/errors.ts'
import { plural } from '../../core/words/format.ts'
import type { RepairableContact } from '../run/service/drift.ts'
import type { Desk } from '../run/desk.ts'

/** What is held of a repair. */
export interface HeldRepair {
  readonly pipeline: string
  /** Null where nothing is to be put back. */
  readonly run_id: string | null
  readonly changes: number
  /** Contacts that differ and are not in the plan: another change of them is open, or what they had is no longer certain. */
  readonly left: number
}

interface Asked {
  readonly pipeline: string
  readonly contacts: readonly RepairableContact[]
}

const PAGE = 200

/** Records of which a change is open: it goes first, and the next look shows what differs then. */
async function openKeys(pipeline: string, { state }: Desk): Promise<ReadonlySet<string>> {
  const open = new Set((await state.leftOpen('failed', pipeline)).map(({ key }) => key))
  for await (const { key, guard } of state.held([pipeline])) if (guard !== 'brake') open.add(key)
  return open
}

async function entriesOf(
  contacts: readonly RepairableContact[],
  { pipeline, state }: { readonly pipeline: string } & Pick<Desk, 'state'>,
): Promise<readonly StagedEntry[]> {
  const known = await state.known(
    pipeline,
    contacts.map(({ key }) => key),
  )
  const sent = await state.sentValues(known.map(({ link }) => link?.contactId ?? 0))
  return contacts.flatMap(({ key, names }, index): StagedEntry[] => {
    const { link, inDoubt = true } = known[index] ?? {}
    if (link === undefined || inDoubt || link.gone || link.merged) return []
    const change = repairChange(names, link, sent[index] ?? { last: {} })
    if (change === undefined) return []
    const linked = { linkId: link.id, contactId: link.contactId, undoes: DRIFT_REPAIR }
    return [
      {
        kind: 'operation',
        key,
        record: { source: { file: REPAIR_INPUT, line: 0 }, values: [], text: undefined, fingerprint: '' },
        desired: { contact: link.fields, terms: change.terms?.asserts },
        operation: { state: 'planned', kind: 'update', ...linked, ...change },
      },
    ]
  })
}

/** Everything of it is held, and for approvers where the pipeline's rules ask for them. */
async function hold(
  staged: StagedInput,
  { changes, settings }: { readonly changes: number; readonly settings: PipelineSettings },
  desk: Desk,
): Promise<void> {
  const { state } = desk
  const { at, configHash } = desk.about(settings.name)
  const numbers = await state.inputNumbers(staged, Number.MAX_SAFE_INTEGER)
  const judged = { ...numbers, newTerms: 0, given: numbers.terms }
  const rules = settings.approvals?.rules ?? []
  const required = requiredApprovals(judged, rules, await state.termAliases())
  const reason = `${plural(changes, 'contact')} at the service would be set back to what was last sent`
  const guard = {
    guard: 'drift',
    holds: 'all',
    number: changes,
    threshold: 'drift --repair',
    reason,
  } as const
  await state.holdPlan(staged, guard, { at, configHash })
  if (required.length > 0) await state.holdForApproval(staged, required, { at, configHash })
}

/** Throws USAGE where the configuration has no such pipeline. */
export async function holdRepair(desk: Desk, { pipeline, contacts }: Asked): Promise<HeldRepair> {
  const { state } = desk
  const settings = desk.settings.pipelines.find(({ name }) => name === pipeline)
  if (settings === undefined)
    throw new SyncError('USAGE', `the configuration has no pipeline ${pipeline}`, {
      hint: 'See contact-sync status.',
    })
  const about = desk.about(pipeline)
  // Of one that was begun by an owner that was killed: nothing of it counts.
  for (const begun of await state.unfinishedInputs(pipeline))
    if (begun.input.name === REPAIR_INPUT) await state.discardInput(begun)
  const open = await openKeys(pipeline, desk)
  const free = contacts.filter(({ key }) => !open.has(key))
  const input = { name: REPAIR_INPUT, version: `${REPAIR_INPUT} ${about.runId}`, bytes: 0 }
  const staged = await state.beginInput({ runId: about.runId, pipeline, input, header: [] })
  let changes = 0
  for (let from = 0; from < free.length; from += PAGE) {
    const entries = await entriesOf(free.slice(from, from + PAGE), { pipeline, state })
    await state.stageBatch(staged, { entries })
    changes += entries.length
  }
  const left = contacts.length - changes
  if (changes === 0) {
    await state.discardInput(staged)
    await desk.conclude([], [])
    return { pipeline, run_id: null, changes, left }
  }
  await hold(staged, { changes, settings }, desk)
  const reason = `drift: ${plural(changes, 'change')} to put back what was last sent, held for release`
  await desk.conclude([{ do: 'hold', staged }], [planEntry({ action: 'hold', reason }, about)])
  return { pipeline, run_id: about.runId, changes, left }
}
