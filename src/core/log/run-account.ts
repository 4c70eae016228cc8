// Control totals of one run: what its entries in the sync log come to, record by record, beside what the run counted.
// A record that a run counted as created or updated has entries; one that was rejected by the mapping, skipped or
// unchanged has none, because nothing was to be done about it.
import { saysAsking } from '../change/others/hand-edits.ts'
import { undoneRun } from './audit.ts'
import type { LoggedEntry } from './audit-chain.ts'
import type { Counts } from '../outcome/summary.ts'

type Told = 'created' | 'updated' | 'unchanged' | 'rejected' | 'failed' | 'held' | 'in_doubt' | 'deleted'

export type LogAccount = Record<Told, number> & {
  readonly entries: number
  /**
   * Changes of terms alone whose values were destroyed, by their outcome: whether their records had gone from the source is gone
   * as well, so they are counted nowhere else.
   */
  readonly unclear: Readonly<Record<Told, number>>
  /** Those of them that may be of a record that counts already: the run had done something else to the same person before. */
  readonly unclearAgain: number
}

const RECORD_ACTIONS = ['create', 'update', 'terms', 'link']

const nothing = (): Record<Told, number> => ({
  created: 0,
  updated: 0,
  unchanged: 0,
  rejected: 0,
  failed: 0,
  held: 0,
  in_doubt: 0,
  deleted: 0,
})

/** What became of a change, by the entries of its steps, oldest first. */
function outcomeOf(entries: readonly LoggedEntry[]): Told {
  const { outcome: last = 'unchanged', next } = entries.at(-1) ?? {}
  // The run ended before its last step: it counts as failed, and the next run continues with it.
  if (next !== undefined) return 'failed'
  if (last !== 'done' && last !== 'unchanged') return last
  // A contact that was found is no change of it.
  const done = entries.filter(({ action, outcome }) => action !== 'link' && outcome === 'done')
  if (done.some(({ action }) => action === 'create')) return 'created'
  // A field of it waits for an operator, whatever became of the others.
  if (entries.some(({ reason }) => saysAsking(reason))) return 'held'
  return done.length > 0 ? 'updated' : 'unchanged'
}

/** An operation that failed and was retried by the same run counts twice there: as failed, and by its later outcome. */
function attempts(entries: readonly LoggedEntry[]): (readonly LoggedEntry[])[] {
  const end = entries.findIndex(({ outcome, next }) => outcome === 'failed' && next === undefined) + 1
  return end === 0 || end === entries.length
    ? [entries]
    : [entries.slice(0, end), ...attempts(entries.slice(end))]
}

/** What only gives or takes terms, for a record that is at hand. */
const isOfTermsAlone = (entries: readonly LoggedEntry[]): boolean =>
  entries.every(
    ({ action, planned_by: by, source }) => action === 'terms' && by === undefined && (source?.line ?? 0) > 0,
  )

/**
 * A brake gives a record its term after its other changes, by an operation of its own and from the same line: the record counts
 * once.
 */
function withLaterTerms(operations: readonly (readonly LoggedEntry[])[]): (readonly LoggedEntry[])[] {
  const records: (readonly LoggedEntry[])[] = []
  for (const entries of operations) {
    const [{ key, pipeline, source } = {}] = entries
    const earlier = !isOfTermsAlone(entries)
      ? -1
      : records.findIndex(
          ([first]) =>
            first?.planned_by === undefined &&
            first?.key === key &&
            first?.pipeline === pipeline &&
            first?.source?.file === source?.file &&
            first?.source?.line === source?.line,
        )
    const record = records[earlier]
    if (record === undefined) records.push(entries)
    else records[earlier] = [...record, ...entries]
  }
  return records
}

/**
 * A record that has gone from a full source has no line, and neither has an update whose edit at the service has ended, nor an undo
 * of either. A delete that takes back a create follows, or leads to, another step.
 */
const isOfMissing = (entries: readonly LoggedEntry[]): boolean =>
  entries.some(
    (entry) =>
      entry.action === 'delete' ||
      (entry.action === 'terms' && entry.source?.line === 0 && undoneRun(entry) === undefined),
  ) && !entries.some(({ next }) => next === 'delete' || next === 'create')

/** The line of its record is gone with the values. */
const isUnclear = (entries: readonly LoggedEntry[]): boolean =>
  entries.every(({ action, values }) => action === 'terms' && values === 'erased')

/**
 * Adds up the entries of a run, as `entriesOfRun` gives them: those of one person together. What a person decided about
 * the run afterwards is no part of it.
 */
export async function runAccount(
  entries: AsyncIterable<LoggedEntry> | Iterable<LoggedEntry>,
): Promise<LogAccount> {
  const account = { ...nothing(), entries: 0, unclear: nothing(), unclearAgain: 0 }
  let person: string | null = null
  let records = new Map<string, LoggedEntry[]>()
  const close = (): void => {
    const operations = [...records.values()]
    const mayCount = operations.some((entries) => !entries.every(({ action }) => action === 'terms'))
    for (const ofRecord of withLaterTerms(operations).flatMap(attempts)) {
      // A delete counts in the run in which it is known to be done, whichever run planned it.
      if (isOfMissing(ofRecord)) {
        if (ofRecord.at(-1)?.outcome === 'done') account.deleted += 1
        continue
      }
      // What an earlier run had planned was counted there; a step of it that this run added counts here.
      if (!ofRecord.some(({ planned_by: by }) => by === undefined)) continue
      const isOpen = isUnclear(ofRecord)
      const counts = isOpen ? account.unclear : account
      counts[outcomeOf(ofRecord)] += 1
      if (isOpen && mayCount) account.unclearAgain += 1
    }
    records = new Map()
  }
  for await (const entry of entries) {
    account.entries += 1
    if (entry.person === null || ![...RECORD_ACTIONS, 'delete'].includes(entry.action)) continue
    // Entries of the log's older form do not tell the operation; where their values are gone, nor the key.
    const key = String(entry.operation ?? entry.key ?? entry.person)
    // A person who turned out to be two has two tokens.
    if (entry.person !== person && !records.has(key)) close()
    person = entry.person
    records.set(key, [...(records.get(key) ?? []), entry])
  }
  close()
  return account
}

export interface ControlTotal {
  readonly what: Told
  /** Undefined for a run that was killed: it never came to count. */
  readonly run: number | undefined
  readonly log: number
  /** Whether the log must tell of every one of them. */
  readonly isExact: boolean
  readonly agrees: boolean
}

/**
 * What is unclear counts as the run has it, as far as that goes; what else was done to terms was done to records that had gone,
 * or was given by a brake to records that count already.
 */
function clearedUp(account: LogAccount, counts: Counts | undefined): Record<Told, number> {
  const { unclear } = account
  const taken = (what: Told): number =>
    Math.min(unclear[what], Math.max(0, (counts?.[what] ?? Infinity) - account[what]))
  const updated = taken('updated')
  const gone = account.deleted + unclear.updated - updated
  const again = Math.min(account.unclearAgain, Math.max(0, gone - (counts?.deleted ?? Infinity)))
  return {
    ...account,
    updated: account.updated + updated,
    deleted: gone - again,
    unchanged: account.unchanged + taken('unchanged'),
    failed: account.failed + taken('failed'),
    held: account.held + taken('held'),
    in_doubt: account.in_doubt + taken('in_doubt'),
  }
}

/** Creates, updates and deletes are in the log, each one; of the others the log may tell fewer. */
export function controlTotals(counts: Counts | undefined, account: LogAccount): readonly ControlTotal[] {
  const all: readonly Told[] = [
    'created',
    'updated',
    'deleted',
    'unchanged',
    'rejected',
    'failed',
    'held',
    'in_doubt',
  ]
  const told = clearedUp(account, counts)
  return all.map((what) => {
    const isExact = what === 'created' || what === 'updated' || what === 'deleted'
    const run = counts?.[what]
    const log = told[what]
    // What was left alone just before it would have been sent counts as skipped; its entry says that nothing was changed.
    const skipped = what === 'unchanged' ? (counts?.skipped ?? 0) : 0
    const agrees = run === undefined || (isExact ? run === log : run + skipped >= log)
    return { what, run, log, isExact, agrees }
  })
}
