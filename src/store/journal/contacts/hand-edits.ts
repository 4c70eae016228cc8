// What was sent to contacts, as far as their links do not say it, and which values at the service were edited by hand.
// Whose links a contact has decides whether anything is noted: what was last pushed by its only link is what was last sent.
import {
  assertedOnceReleased,
  DELETE_RELEASED_REASON,
  type EditsOfRecord,
  type HandEdit,
  type HandEditStore,
  isTermField,
  type JudgedEdits,
  keptAtCreate,
  openAfterTerms,
  type OpenEdit,
  type SentValues,
} from '../../../core/change/others/hand-edits.ts'
import type { Operation, Settled } from '../../../core/change/operation.ts'
import { stepFields } from '../../../core/change/steps.ts'
import type { Contact, FieldValue } from '../../../core/mapping/contact.ts'
import type { Connection } from '../../file/database.ts'
import { assertionsJson, parseAssertions, parseContact, parseValue } from '../rows.ts'

interface SentRow {
  readonly last: string
  readonly open: string
}

const NOTHING_SENT: SentRow = { last: '{}', open: '[]' }

type Attempts = SentValues['open']

const parseAttempts = (json: string): Attempts => JSON.parse(json) as Attempts

const valueText = (value: FieldValue | null): string | null => (value === null ? null : JSON.stringify(value))

function createSentRows(db: Connection) {
  const row = db.prepare<[number], SentRow>('SELECT last, open FROM sent_values WHERE contact_id = ?')
  const put = db.prepare(
    'INSERT INTO sent_values VALUES (@id, @last, @open) ON CONFLICT (contact_id) DO UPDATE SET last = excluded.last, open = excluded.open',
  )
  const remove = db.prepare('DELETE FROM sent_values WHERE contact_id = ?')
  return {
    of: (id: number): SentRow => row.get(id) ?? NOTHING_SENT,
    put(id: number, last: Contact, open: Attempts): void {
      if (Object.keys(last).length + open.length === 0) remove.run(id)
      else put.run({ id, last: JSON.stringify(last), open: JSON.stringify(open) })
    },
  }
}

/** Each pair once. */
function withAttempts(open: Attempts, fields: Contact): Attempts {
  const all = [...open, ...Object.entries(fields)]
  return [...new Map(all.map((pair) => [JSON.stringify(pair), pair])).values()]
}

/** The fields of a step that reached the contact; none where nothing did. */
function fieldsThatArrived({ operation, settlement, sent, status }: Settled): Contact {
  if (settlement.kind !== 'done' || operation.kind === 'terms' || operation.kind === 'delete') return {}
  const { mail_status: _, ...fields } = status === 'ignored' ? {} : (sent ?? stepFields(operation))
  return fields
}

/** What a create has sent without a clear answer, whose contact was then found by its mail: it may be what that shows. */
function fieldsThatMayHaveArrived({ settlement, operation }: Settled): Contact {
  const { kind, sent, fields } = operation
  return kind === 'create' && settlement.kind === 'settled' && sent > 0 ? fields : {}
}

/** Of a contact, the fields that another has as well, with another value. */
const common = (contact: Contact, other: Contact): Contact =>
  Object.fromEntries(
    Object.entries(contact).filter(
      ([field, value]) =>
        Object.hasOwn(other, field) && JSON.stringify(value) !== JSON.stringify(other[field]),
    ),
  )

/** The contact that a step was about, or has found. */
export const contactOf = ({ settlement, operation }: Settled): number | undefined =>
  'contactId' in settlement ? settlement.contactId : operation.contactId

/** What may have been sent counts as sent, beside what was. Within a transaction of the caller. */
export function createNoteAttempt(db: Connection): (id: number, fields: Contact) => void {
  const rows = createSentRows(db)
  return (id, fields) => {
    const { last, open } = rows.of(id)
    rows.put(id, parseContact(last), withAttempts(parseAttempts(open), fields))
  }
}

/** Ends releases of terms, where any were let go. */
function createNoteTerms(db: Connection): (settled: readonly Settled[]) => void {
  const rows = createSentRows(db)
  const released = db
    .prepare<[string], number>(
      `SELECT CAST(value AS BIGINT) FROM json_each(?) WHERE EXISTS
         (SELECT 1 FROM sent_values WHERE contact_id = CAST(value AS BIGINT) AND open LIKE '%["term %')`,
    )
    .pluck()
  return (settled) => {
    const done = settled.flatMap((one) => {
      const id = contactOf(one)
      return one.settlement.kind !== 'done' || one.terms === undefined || id === undefined
        ? []
        : [{ id, terms: one.terms }]
    })
    if (done.length === 0) return
    const ids = new Set(released.all(JSON.stringify(done.map(({ id }) => id))))
    for (const { id, terms } of done) {
      if (!ids.has(id)) continue
      const { last, open } = rows.of(id)
      rows.put(id, parseContact(last), openAfterTerms(parseAttempts(open), terms))
    }
  }
}

/** Notes what a batch has sent, where a contact has other links or an attempt is noted. Within the transaction of its end. */
export function createNoteSent(db: Connection): (settled: readonly Settled[]) => void {
  const rows = createSentRows(db)
  const noted = db
    .prepare<[{ ids: string; pipeline: string }], number>(
      `SELECT id FROM (SELECT CAST(value AS BIGINT) AS id FROM json_each(@ids)) AS asked WHERE EXISTS (SELECT 1 FROM link WHERE contact_id = asked.id AND pipeline <> @pipeline)
         OR EXISTS (SELECT 1 FROM sent_values WHERE contact_id = asked.id)`,
    )
    .pluck()
  const hasOther = db
    .prepare<[number, string], number>('SELECT 1 FROM link WHERE contact_id = ? AND pipeline <> ? LIMIT 1')
    .pluck()
  const pushed = db
    .prepare<[number, string], string>(
      'SELECT known FROM link WHERE contact_id = ? AND pipeline <> ? ORDER BY id',
    )
    .pluck()
  /** A create may have been merged into a contact that others have filled: what they sent may be what it shows. */
  const before = (id: number, { operation }: Settled, last: Contact): readonly Contact[] =>
    operation.kind === 'create' ? [...pushed.all(id, operation.pipeline).map(parseContact), last] : []
  const noteTerms = createNoteTerms(db)
  const noteAttempt = createNoteAttempt(db)
  return (settled) => {
    noteTerms(settled)
    for (const one of settled) {
      const id = contactOf(one)
      const fields = fieldsThatMayHaveArrived(one)
      if (id !== undefined && Object.keys(fields).length > 0) noteAttempt(id, fields)
    }
    const sent = settled.flatMap((one) => {
      const id = contactOf(one)
      const fields = fieldsThatArrived(one)
      return id === undefined || Object.keys(fields).length === 0 ? [] : [{ id, fields, one }]
    })
    const pipeline = settled[0]?.operation.pipeline ?? ''
    if (sent.length === 0) return
    const ids = new Set(noted.all({ ids: JSON.stringify(sent.map(({ id }) => id)), pipeline }))
    for (const { id, fields, one } of sent) {
      if (!ids.has(id)) continue
      const { last, open } = rows.of(id)
      const others = before(id, one, parseContact(last))
      const stays = one.onlyAdds === true ? keptAtCreate(fields, others) : {}
      const kept =
        hasOther.get(id, pipeline) === undefined ? {} : { ...parseContact(last), ...fields, ...stays }
      // A create may have been merged, and then what was sent before it without an answer may be what the contact shows.
      const isMerged = one.operation.kind === 'create'
      const left = parseAttempts(open).filter(([field]) => isMerged || !Object.hasOwn(fields, field))
      const earlier = others.map((contact) => common(contact, fields))
      rows.put(id, kept, [...earlier, common(fields, stays)].reduce(withAttempts, left))
    }
  }
}

/**
 * Of a batch, what was sent to contacts that other pipelines have as well, before it is settled. Within the transaction of its
 * end.
 */
export function createSentByOthers(
  db: Connection,
): (settled: readonly Settled[]) => ReadonlyMap<number, Pick<SentValues, 'last' | 'pushed'>> {
  const rows = createSentRows(db)
  const others = db.prepare<[{ ids: string; pipeline: string }], { id: number; known: string }>(
    `SELECT contact_id AS id, known FROM json_each(@ids) CROSS JOIN link ON contact_id = CAST(value AS BIGINT) AND pipeline <> @pipeline
     ORDER BY link.id`,
  )
  return (settled) => {
    const setting = settled.filter(({ operation: { kind } }) => kind === 'update' || kind === 'create')
    const pipeline = setting[0]?.operation.pipeline
    if (pipeline === undefined) return new Map()
    const ids = JSON.stringify(setting.flatMap((one) => contactOf(one) ?? []))
    const pushed = Map.groupBy(others.all({ ids, pipeline }), ({ id }) => id)
    return new Map(
      [...pushed].map(([id, links]) => [
        id,
        { last: parseContact(rows.of(id).last), pushed: links.map(({ known }) => parseContact(known)) },
      ]),
    )
  }
}

/** Updates the list of edits with the result for one record. */
export function createKeepEdits(db: Connection): (judged: JudgedEdits, at: number) => void {
  const remove = db.prepare('DELETE FROM hand_edit WHERE pipeline = ? AND key = ? AND field = ?')
  const put = db.prepare(`
    INSERT INTO hand_edit (pipeline, key, field, contact_id, rule, sent, service, source, since, looked_at)
    VALUES (@pipeline, @key, @field, @contactId, @rule, @sent, @service, @source, @at, @at)
    ON CONFLICT (pipeline, key, field) DO UPDATE SET contact_id = excluded.contact_id, rule = excluded.rule, sent = excluded.sent, service = excluded.service,
      source = coalesce(excluded.source, hand_edit.source),
      since = iif(hand_edit.service = excluded.service, hand_edit.since, excluded.since), looked_at = @at`)
  return ({ pipeline, key, contactId, judged, open }, at) => {
    for (const { field, rule, sent, service, source } of open)
      put.run({
        ...{ pipeline, key, field, contactId, rule, at },
        ...{ sent: valueText(sent), service: JSON.stringify(service), source: valueText(source) },
      })
    const names = open.map(({ field }) => field)
    for (const field of judged) if (!names.includes(field)) remove.run(pipeline, key, field)
  }
}

/** Of a record that is missing, and of a contact that no link has any more. */
export function createForgetEdits(
  db: Connection,
): (of: Pick<Operation, 'pipeline' | 'key' | 'contactId'>) => void {
  const edits = db.prepare('DELETE FROM hand_edit WHERE pipeline = ? AND key = ?')
  const sent = db.prepare(
    'DELETE FROM sent_values WHERE contact_id = @id AND NOT EXISTS (SELECT 1 FROM link WHERE contact_id = @id)',
  )
  return ({ pipeline, key, contactId }) => {
    edits.run(pipeline, key)
    if (contactId !== undefined) sent.run({ id: contactId })
  }
}

export interface EditRow {
  readonly id: number
  readonly pipeline: string
  readonly key: string
  readonly field: string
  readonly contact_id: number
  readonly rule: HandEdit['rule']
  readonly sent: string | null
  readonly service: string
  readonly source: string | null
  readonly since: number
  /** 0 from its release to the next look (createReleaseEdits). */
  readonly looked_at: number
}

export const openEdit = ({
  pipeline,
  key,
  field,
  contact_id,
  rule,
  sent,
  service,
  source,
  since,
  looked_at: at,
}: EditRow): OpenEdit => ({
  ...{ pipeline, key, field, contactId: contact_id, rule, since },
  ...{ sent: parseValue(sent), service: parseValue(service) ?? '', source: parseValue(source) },
  ...(at === 0 ? { isReleased: true } : {}),
})

/** Of rows in the order of their keys: the fields of each. */
function byRecord(rows: readonly EditRow[]): readonly EditsOfRecord[] {
  const records = new Map<string, EditRow[]>()
  for (const row of rows) records.set(row.key, [...(records.get(row.key) ?? []), row])
  return [...records].map(([key, edits]) => ({
    key,
    contactId: edits[0]?.contact_id ?? 0,
    fields: edits.map(({ field, source }) => ({ field, source: parseValue(source) })),
  }))
}

/** Terms are read where their record is sent, not separately. */
const OF_FIELD = "field NOT LIKE 'term %'"

/** Its terms are compared again when its record is next read: as if this one had been in flight. */
function createCompareTerms(db: Connection): (edit: EditRow) => void {
  const unsettle = db.prepare(`${FORGET_FINGERPRINT} AND key = @key)`)
  const terms = db.prepare<[string, string], { id: number; terms: string | null }>(
    'SELECT id, terms FROM link WHERE pipeline = ? AND key = ?',
  )
  const doubt = db.prepare('UPDATE link SET terms = ? WHERE id = ?')
  return ({ pipeline, key, field }) => {
    unsettle.run({ pipeline, key })
    const link = terms.get(pipeline, key)
    if (link === undefined) return
    doubt.run(assertionsJson(assertedOnceReleased(parseAssertions(link.terms) ?? [], field)), link.id)
  }
}

const FORGET_FINGERPRINT =
  'DELETE FROM fingerprint WHERE pipeline = @pipeline AND link_id IN (SELECT id FROM link WHERE pipeline = @pipeline'

/** Within the transaction of the decision; how many. */
export function createReleaseEdits(
  db: Connection,
): (of: { pipeline: string; key: string; field?: string | undefined }) => number {
  const noteAttempt = createNoteAttempt(db)
  const edits = db.prepare<[{ pipeline: string; key: string; field: string | null }], EditRow>(
    'SELECT * FROM hand_edit WHERE pipeline = @pipeline AND key = @key AND field = coalesce(@field, field)',
  )
  const soon = db.prepare('UPDATE hand_edit SET looked_at = 0 WHERE pipeline = ? AND key = ? AND field = ?')
  const compareTerms = createCompareTerms(db)
  const reword = db.prepare(`
    UPDATE operation SET reason = @reason WHERE pipeline = @pipeline AND key = @key AND state = 'held' AND cause = 'missing' AND guard IS NULL
      AND NOT EXISTS (SELECT 1 FROM hand_edit WHERE pipeline = @pipeline AND key = @key AND looked_at <> 0)`)
  return ({ pipeline: name, key: record, field: asked = null }) => {
    const found = edits.all({ pipeline: name, key: record, field: asked })
    for (const edit of found) {
      const { pipeline, key, field, contact_id: id, service } = edit
      noteAttempt(id, { [field]: parseValue(service) ?? '' })
      soon.run(pipeline, key, field)
      if (isTermField(field)) compareTerms(edit)
    }
    reword.run({ pipeline: name, key: record, reason: DELETE_RELEASED_REASON })
    return found.length
  }
}

export function createHandEditStore(db: Connection): HandEditStore {
  const rows = createSentRows(db)
  const pushed = db
    .prepare<[number], string>('SELECT known FROM link WHERE contact_id = ? ORDER BY id')
    .pluck()
  const keepEdits = db.transaction(createKeepEdits(db))
  const releaseEdits = db.transaction(createReleaseEdits(db))
  const due = db.prepare<
    [{ pipeline: string; before: number; now: number; after: string; limit: number }],
    EditRow
  >(`
    SELECT * FROM hand_edit WHERE pipeline = @pipeline AND ${OF_FIELD} AND key IN (
      SELECT DISTINCT key FROM hand_edit
      WHERE pipeline = @pipeline AND (looked_at < @before OR looked_at > @now) AND key > @after AND ${OF_FIELD}
      ORDER BY key LIMIT @limit)
    ORDER BY key, field`)
  const ofPipeline = db.prepare<[string], EditRow>(
    'SELECT * FROM hand_edit WHERE pipeline = ? ORDER BY key, field',
  )
  return {
    async sentValues(contactIds) {
      return contactIds.map((id) => {
        const { last, open } = rows.of(id)
        return {
          last: parseContact(last),
          pushed: pushed.all(id).map(parseContact),
          open: parseAttempts(open),
        }
      })
    },
    keepEdits: async (judged, at) => keepEdits(judged, at),
    editsToLookAt: async (pipeline, { before, now, after = '', limit }) =>
      byRecord(due.all({ pipeline, before, now, after, limit })),
    openEdits: async (pipelines) => pipelines.flatMap((name) => ofPipeline.all(name)).map(openEdit),
    releaseEdits: async (of) => releaseEdits(of),
  }
}
