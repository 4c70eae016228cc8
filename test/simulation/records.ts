// What the program says of itself: counts that add up, logs without secrets and people, a state that is whole, and a sync
// log that is chained and explains every change that the ledger has.
import { hash } from 'node:crypto'
import { type Connection, connect } from '../../src/store/file/connection.ts'
import { controlTotals, runAccount } from '../../src/core/log/run-account.ts'
import { type Counts, OUTCOMES } from '../../src/core/outcome/summary.ts'
import { createLogReader } from '../../src/store/log/audit-read.ts'
import type { PipelineResult } from '../../src/sync/run.ts'
import { checkStatusLog } from './consent.ts'
import type { Effect, Ledger } from './ledger.ts'
import { MARKER_FIELD } from './setup.ts'

type Violated = (oracle: string, text: string) => void

/** O4: every record that was read has one outcome. */
export function checkResult(result: PipelineResult, violated: Violated): void {
  const sum = OUTCOMES.reduce((total, outcome) => total + result[outcome], 0)
  const negative = OUTCOMES.filter((outcome) => result[outcome] < 0)
  if (sum !== result.read)
    violated('O4', `${result.read} were read, ${sum} have an outcome: ${JSON.stringify(result)}`)
  if (negative.length > 0)
    violated('O4', `less than none are ${negative.join(', ')}: ${JSON.stringify(result)}`)
}

/** O7: nothing of a person and no key in what is logged. */
export function checkLogs(
  lines: readonly string[],
  isPrivate: (text: string) => boolean,
  violated: Violated,
): void {
  for (const line of lines.filter(isPrivate)) violated('O7', `logged: ${line}`)
}

interface Entry {
  readonly seq: number
  readonly action: string
  readonly contact_id: number | null
  readonly fields: Readonly<Record<string, { to: unknown }>>
  readonly terms: { readonly add: readonly string[]; readonly remove: readonly string[] }
  readonly outcome: string
  readonly reason: string | null
}

const START = '0'.repeat(64)

/** O8: the sync log as it stands in the state, each entry chained to the one before it. */
function checkChain(db: Connection, violated: Violated): void {
  const rows = db.prepare('SELECT seq, entry, prev, hash FROM audit ORDER BY seq').all() as {
    seq: number
    entry: string
    prev: string
    hash: string
  }[]
  let prev = START
  for (const row of rows) {
    if (row.prev !== prev || row.hash !== hash('sha256', `${prev}\n${row.entry}`, 'hex'))
      violated('O8', `entry ${row.seq} of the sync log is not chained to the one before it`)
    prev = row.hash
  }
}

/** O8: the values of the entries, as the program gives them, are those that the chain covers. */
function readSyncLog(db: Connection, { isErased, violated }: Told): readonly Entry[] {
  const entries = createLogReader(db).logPage({}, { order: 'oldest', limit: Number.MAX_SAFE_INTEGER })
  for (const { seq, contact_id: contact, proof } of entries) {
    // Destroyed: only those of a person who was erased.
    if (proof.personal === undefined && isErased !== undefined && (contact === null || isErased(contact)))
      continue
    const { digest } = JSON.parse(proof.entry) as { digest: string }
    if (hash('sha256', `${proof.salt ?? ''}\n${proof.personal ?? ''}`, 'hex') !== digest)
      violated('O8', `the values of entry ${seq} of the sync log are not those that were entered`)
  }
  return entries
}

const same = (left: unknown, right: unknown): boolean =>
  left === right || ((left === '' || left === null) && (right === '' || right === null))

const isNamedAsFilled = ({ reason }: Entry, field: string): boolean =>
  /the service does not clear ([\w, ]+)/
    .exec(reason ?? '')?.[1]
    ?.split(', ')
    .includes(field) === true

/** `isLost`: others deleted the contact that a create had made or met before the program could learn its id. */
function explainsFields(
  entries: readonly Entry[],
  { contact, fields, kind, stamp }: Effect,
  isLost: boolean,
): string[] {
  // An update in a bulk call may reach another contact of its mail, or make one: its entry names the one that was meant.
  const isByMail = kind !== 'write' && stamp === undefined
  const isAbout = ({ action, contact_id: id }: Entry): boolean => {
    if (action !== 'create' && action !== 'update') return false
    if (id === contact || (isByMail && action === 'update')) return true
    return kind !== 'write' && (id === null || (isLost && action === 'create'))
  }
  const about = entries.filter(isAbout)
  return (
    Object.entries(fields)
      .filter(([field]) => field !== MARKER_FIELD && !(isByMail && field === 'mail'))
      // A bulk call names its contact by its mail, which stays what it is.
      .filter(([field, { before, after }]) => !(kind === 'merge' && field === 'mail' && same(before, after)))
      .filter(
        ([field, { after }]) =>
          !about.some(
            (entry) =>
              (entry.fields[field] !== undefined && same(entry.fields[field].to, after)) ||
              (field === 'mail_status' &&
                entry.reason?.includes(`${field} ${String(after)} was sent with it`)) ||
              // Emptied, and filled by others before it was looked at: it looks as if it had never been emptied.
              (same(after, '') && isNamedAsFilled(entry, field)),
          ),
      )
      .map(([field, { after }]) => `${field} = ${JSON.stringify(after)}`)
  )
}

/** `isWhole`: the list was sent as a whole, so it also changed what was changed by others since it was looked at. */
function isTermExplained(
  entries: readonly Entry[],
  { contact, term, kind }: Effect,
  { names, isWhole }: { names: Names; isWhole: boolean },
): boolean {
  const name = names.get(term)?.name ?? ''
  return entries.some(
    ({ action, contact_id: id, terms }) =>
      action === 'terms' &&
      id === contact &&
      (isWhole || (kind === 'term_on' ? [...terms.add] : [...terms.remove]).includes(name)),
  )
}

type Names = ReadonlyMap<number, { readonly name: string }>

/** Every effect of ours has an entry that names it, with the value that it had. */
function checkExplained(
  entries: readonly Entry[],
  { ledger, terms, lost = [0, 0], isErased, violated }: Told,
): void {
  for (const effect of ledger.effects) {
    if (effect.who !== 'connector') continue
    const { kind, contact, number } = effect
    const request = ledger.requests[effect.request - 1]
    // The program could not know of what was carried out when its sender had long given up, and everything had gone on since.
    if (request?.fault === 'late') continue
    if (effect.request > lost[0] && effect.request <= lost[1]) continue
    if (isErased?.(contact) === true) continue
    if (kind === 'create' || kind === 'merge' || kind === 'write') {
      const isLost = ledger.effects.some(
        (other) => other.kind === 'delete' && other.who === 'foreign' && other.contact === contact,
      )
      const left = explainsFields(entries, effect, isLost)
      if (left.length > 0)
        violated(
          'audit',
          `no entry of the sync log explains effect ${number} at contact ${contact}: ${left.join(', ')}`,
        )
    } else if (kind === 'term_on' || kind === 'term_off') {
      if (!isTermExplained(entries, effect, { names: terms, isWhole: request?.method === 'POST' }))
        violated(
          'audit',
          `no entry explains ${kind} ${terms.get(effect.term)?.name ?? ''} at contact ${contact}`,
        )
    } else if (kind === 'delete') {
      if (!entries.some(({ action, contact_id: id }) => action === 'delete' && id === contact))
        violated('audit', `no entry explains that contact ${contact} was deleted`)
    }
  }
}

/** Control totals: the log tells of every create, update and delete that a run counted, and of no more. */
async function checkAccounts(db: Connection, violated: Violated): Promise<void> {
  const reader = createLogReader(db)
  const runs = db.prepare('SELECT id, counts FROM run WHERE counts IS NOT NULL').all() as {
    id: string
    counts: string
  }[]
  for (const { id, counts } of runs) {
    const totals = controlTotals(JSON.parse(counts) as Counts, await runAccount(reader.entriesOfRun(id)))
    for (const { what, run, log } of totals.filter(({ agrees }) => !agrees))
      violated('audit', `run ${id}: ${run} ${what} were counted, the sync log tells of ${log}`)
  }
}

interface Told {
  readonly ledger: Ledger
  readonly terms: Names
  /** Requests of which a restored backup knows nothing: after the first number, up to the second. */
  readonly lost?: readonly [after: number, upTo: number] | undefined
  /** Contacts whose values are not in the log any more; undefined where no one was erased. */
  readonly isErased?: ((contact: number) => boolean) | undefined
  readonly violated: Violated
}

/** The sync log of a state: chained, explaining every effect, and in step with the counts of the runs. */
export async function checkSyncLog(db: Connection, told: Told): Promise<void> {
  const { ledger, violated } = told
  checkChain(db, violated)
  const entries = readSyncLog(db, told)
  checkExplained(entries, told)
  checkStatusLog(entries, ledger, violated)
  await checkAccounts(db, violated)
}

export async function checkState({ file, ...told }: Told & { readonly file: string }): Promise<void> {
  const db = connect(file, { readonly: true })
  try {
    const verdict = db.pragma('integrity_check', { simple: true })
    if (verdict !== 'ok') told.violated('O8', `integrity_check: ${String(verdict)}`)
    await checkSyncLog(db, told)
  } finally {
    db.close()
  }
}
