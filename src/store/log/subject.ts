// All that the state holds about one person beside the sync log, for a request for information and for
// an erasure: rows by pipeline and key, and rejected records that name the person's mail.
import { type Contact, mailKey } from '../../core/mapping/contact.ts'
import { heldValues, mailNaming, type Subject } from '../../core/erasing.ts'
import type { LoggedPerson } from '../../core/log/sync-log.ts'
import type { Connection } from '../file/connection.ts'
import { DESIRED } from '../file/desired.ts'
import { createPresentName } from './former-names.ts'

interface LinkRow {
  readonly pipeline: string
  readonly key: string
  readonly contact_id: number
  readonly known: string
  readonly terms: string | null
}

export type NamedPerson = Pick<LoggedPerson, 'keys' | 'contactIds' | 'mails'>

/** The person with what links and open operations say besides: the log may be younger than they are. */
export function subjectOf(db: Connection, people: readonly NamedPerson[]): Subject {
  const ofContact = db.prepare<[number], LinkRow>('SELECT * FROM link WHERE contact_id = ?')
  const ofKey = db.prepare<[string, string], LinkRow>('SELECT * FROM link WHERE pipeline = ? AND key = ?')
  // Rows are kept under the name that the pipeline has now, entries of the log under the one that it had then.
  const present = createPresentName(db)
  const named = people
    .flatMap(({ keys }) => keys)
    .flatMap((one) => [one, { ...one, pipeline: present(one.pipeline) }])
  const ofKeys = named.flatMap(({ pipeline, key }) => ofKey.all(pipeline, key))
  const ids = new Set([
    ...people.flatMap(({ contactIds }) => contactIds),
    ...ofKeys.map((row) => row.contact_id),
  ])
  const links = [...ids].flatMap((id) => ofContact.all(id))
  const keys = new Map(
    [...named, ...links].map(({ pipeline, key }) => [JSON.stringify([pipeline, key]), { pipeline, key }]),
  )
  const wanted = db.prepare<[string, string], string>(
    `SELECT ${DESIRED} FROM operation WHERE pipeline = ? AND key = ?`,
  )
  const desired = [...keys.values()].flatMap(({ pipeline, key }) => wanted.pluck().all(pipeline, key))
  const contacts = [...links.map(({ known }) => known), ...desired].map((text) => JSON.parse(text) as Contact)
  const mails = [
    ...people.flatMap((person) => person.mails),
    ...contacts.map(({ mail }) => (typeof mail === 'string' ? mail : '')),
  ]
  return {
    keys: [...keys.values()],
    contactIds: [...ids],
    mails: [...new Set(mails.filter((mail) => mail !== '').map(mailKey))],
    values: contacts.flatMap(heldValues),
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Everything that a kept record says. */
export const recordTexts = (record: string): readonly string[] => textsIn(JSON.parse(record))

interface Looked {
  readonly table: 'reject' | 'operation'
  /** Of the rows that are looked at. */
  readonly where?: string
  /** In these pipelines a record with a key belongs to whom the key says, whatever mail it has. */
  readonly households?: readonly string[]
}

/** Which rows hold a record in which one of the mails stands. */
export function rowsNaming(
  db: Connection,
  { table, where = 'true', households = [] }: Looked,
  mails: readonly string[],
): readonly number[] {
  if (mails.length === 0) return []
  const isNamed = mailNaming({ mails })
  const rows = db.prepare<[], { id: number; pipeline: string; key: string | null; record: string }>(
    `SELECT id, pipeline, key, record FROM ${table} WHERE ${where}`,
  )
  const found: number[] = []
  for (const { id, pipeline, key, record } of rows.iterate()) {
    if (key !== null && households.includes(pipeline)) continue
    if (isNamed(recordTexts(record))) found.push(id)
  }
  return found
}

/** Of the names those under which rejects and operations are kept: of such records the log may know nothing. */
export function namedInRows(
  db: Connection,
  { keys, mails }: Pick<Subject, 'keys' | 'mails'>,
): Pick<Subject, 'keys' | 'mails'> {
  const tables = ['reject', 'operation'] as const
  const hasKey = [
    ...tables,
    'passed',
    'household',
    'hand_edit',
    'dropped',
    'approval',
    'correction',
    'brake_ask',
  ].map((table) =>
    db.prepare<[string, string], number>(`SELECT 1 FROM ${table} WHERE pipeline = ? AND key = ? LIMIT 1`),
  )
  return {
    keys: keys.filter(({ pipeline, key }) => hasKey.some((one) => one.get(pipeline, key) !== undefined)),
    mails: mails.filter((mail) => tables.some((table) => rowsNaming(db, { table }, [mail]).length > 0)),
  }
}

type Row = Readonly<Record<string, unknown>>

/** Columns about the work of the program, with no personal data. */
const INNER = [
  'id',
  'input_id',
  'link_id',
  'person',
  'fingerprint',
  'rank',
  'absent_reads',
  'not_before',
  'swallowed',
  'mail_key',
]

/** Columns of JSON. Any other text may begin as JSON does: a key like {3F25...}, say. */
const JSON_COLUMNS = [
  ...['known', 'terms', 'unsure', 'fields', 'desired', 'evidence', 'undoes', 'header', 'record'],
  ...['sent', 'service', 'source', 'raw', 'was'],
]

function readable(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => !INNER.includes(name))
      .map(([name, value]) => {
        const isJson = typeof value === 'string' && JSON_COLUMNS.includes(name) && /^[[{]/.test(value)
        return [name, isJson ? (JSON.parse(value) as unknown) : value]
      }),
  )
}

/** Every row that is about the person. */
export function holdings(db: Connection, { keys, mails }: Subject) {
  const byKey = (table: string, columns = '*'): Row[] => {
    const select = db.prepare<[string, string], Row>(
      `SELECT ${columns} FROM ${table} WHERE pipeline = ? AND key = ?`,
    )
    return keys.flatMap(({ pipeline, key }) => select.all(pipeline, key)).map(readable)
  }
  const reject = db.prepare<[number], Row>('SELECT * FROM reject WHERE id = ?')
  const naming = rowsNaming(db, { table: 'reject', where: 'key IS NULL' }, mails)
  return {
    links: byKey('link'),
    // The later of two columns of one name counts.
    open_operations: byKey('operation', `*, ${DESIRED} AS desired`),
    edits: byKey('hand_edit'),
    corrections: byKey('correction'),
    rejects: [...byKey('reject'), ...naming.flatMap((id) => reject.all(id)).map(readable)],
  }
}
