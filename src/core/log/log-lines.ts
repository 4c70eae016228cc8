// Entries of the sync log as they are given away: a line of JSON with all that it takes to check the chain, or rows of a
// table, one for each field or term that changed.
import type { LoggedEntry } from './audit-chain.ts'
import type { LogFilter, SyncLog } from './sync-log.ts'

const PAGE = 500

/** Everything that fits, oldest first. */
export async function* everyEntry(log: SyncLog, filter: LogFilter): AsyncGenerator<LoggedEntry> {
  let from = 0
  let page: readonly LoggedEntry[]
  do {
    page = await log.logPage(filter, { order: 'oldest', from, limit: PAGE })
    yield* page
    from = page.at(-1)?.seq ?? from
  } while (page.length === PAGE)
}

/** One line of an export. `entry`, `personal` and `salt` are what the hashes are made of, verbatim. */
export function exportLine(logged: LoggedEntry) {
  const { proof, field_names: names, ...entry } = logged
  return {
    seq: entry.seq,
    at: entry.at,
    run_id: entry.run_id,
    pipeline: entry.pipeline,
    key: entry.key,
    contact_id: entry.contact_id,
    action: entry.action,
    fields: entry.fields,
    terms: entry.terms,
    request: entry.request,
    outcome: entry.outcome,
    reason: entry.reason,
    source: entry.source,
    config_hash: entry.config_hash,
    ...(entry.by === undefined ? {} : { by: entry.by }),
    ...(entry.role === undefined ? {} : { role: entry.role }),
    ...(entry.note === undefined ? {} : { note: entry.note }),
    ...(entry.operation === undefined ? {} : { operation: entry.operation }),
    ...(entry.next === undefined ? {} : { next: entry.next }),
    ...(entry.planned_by === undefined ? {} : { planned_by: entry.planned_by }),
    person: entry.person,
    values: entry.values,
    ...(entry.values === 'open' ? {} : { field_names: names }),
    ...(entry.tokens === undefined ? {} : { tokens: entry.tokens }),
    ...(entry.up_to === undefined ? {} : { up_to: entry.up_to }),
    ...(entry.tombstones === undefined ? {} : { tombstones: entry.tombstones }),
    prev: entry.prev,
    hash: entry.hash,
    entry: proof.entry,
    personal: proof.personal ?? null,
    salt: proof.salt ?? null,
  }
}

const TABLE_COLUMNS = [
  'seq',
  'at',
  'run_id',
  'pipeline',
  'key',
  'contact_id',
  'action',
  'outcome',
  'what',
  'from',
  'to',
  'reason',
  'file',
  'line',
  'file_sha256',
  'method',
  'path',
  'status',
  'attempts',
  'config_hash',
  'person',
  'values',
  'by',
  'role',
  'note',
  'prev',
  'hash',
  'entry',
  'personal',
  'salt',
] as const

type Cell = string | number | null | undefined | readonly string[]

interface Change {
  readonly what: string
  readonly from: Cell
  readonly to: Cell
}

function changesOf({ fields, terms, values, field_names: names }: LoggedEntry): readonly Change[] {
  if (values === 'erased') return names.map((what) => ({ what, from: null, to: null }))
  return [
    ...Object.entries(fields).map(([what, { from, to }]) => ({ what, from, to })),
    ...terms.add.map((to) => ({ what: 'term', from: null, to })),
    ...terms.remove.map((from) => ({ what: 'term', from, to: null })),
  ]
}

/** What a spreadsheet would take for a formula is marked as text by an apostrophe; everything is quoted. */
function cellText(value: Cell): string {
  const text = Array.isArray(value) ? value.join('; ') : String(value ?? '')
  const isFormula = typeof value !== 'number' && /^[\s]*[=+\-@\t\r]/.test(text)
  return `"${(isFormula ? `'${text}` : text).replaceAll('"', '""')}"`
}

const rowText = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`

export const tableHead = (): string => rowText(TABLE_COLUMNS)

/** The rows of one entry: one for each change, and one where nothing changed. What proves them stands in the first. */
export function tableRows(logged: LoggedEntry): string {
  const { request, source, proof } = logged
  const changes: readonly Change[] = changesOf(logged)
  const shown = changes.length === 0 ? [{ what: null, from: null, to: null }] : changes
  return shown
    .map(({ what, from, to }, index) =>
      rowText([
        ...[logged.seq, logged.at, logged.run_id, logged.pipeline, logged.key, logged.contact_id],
        ...[logged.action, logged.outcome, what, from, to, logged.reason],
        ...[source?.file, source?.line, source?.sha256],
        ...[request?.method, request?.path, request?.status, request?.attempts],
        ...[logged.config_hash, logged.person, logged.values],
        ...[logged.by, logged.role, logged.note, logged.prev, logged.hash],
        ...(index === 0 ? [proof.entry, proof.personal, proof.salt] : [null, null, null]),
      ]),
    )
    .join('')
}
