// Records, rejects and open changes as people look at them, and the search for a person. Read-only, by keyset.
import { givenUpOf, withoutMarks } from '../../core/change/given-up.ts'
import type { OpenEdit } from '../../core/change/others/hand-edits.ts'
import type { Operation } from '../../core/change/operation.ts'
import type {
  OpenFilter,
  Page,
  PageRequest,
  PersonView,
  RecordView,
  RejectView,
  StateViews,
} from '../../core/views.ts'
import type { Connection } from '../file/database.ts'
import { type EditRow, openEdit } from '../journal/contacts/hand-edits.ts'
import {
  operationOf,
  type OperationRow,
  parseAssertions,
  parseContact,
  parseRecord,
  parseUnsure,
  SELECT_OPERATION,
} from '../journal/rows.ts'
import { createRejectLookUp } from '../journal/rejects.ts'
import { isKeyed } from '../file/state-sets.ts'
import { createHeldAskList } from './views-brakes.ts'
import { pageOf, rowNumber } from './views-page.ts'

export interface RejectViewRow {
  id: number
  pipeline: string
  run_id: string
  key: string | null
  code: string
  reason: string
  file: string
  line: number
  header: string
  record: string
}

export const SELECT_REJECT = `
SELECT reject.id, reject.pipeline, input.run_id, key, code, reason, file, line, reject.header, record
FROM reject JOIN input ON input.id = reject.input_id AND input.state <> 'reading'`

/** Values beyond the header have no name; a missing value is left out. */
function columns(header: readonly string[], values: readonly string[]): RejectView['columns'] {
  return values.map((value, index) => ({ name: header[index] ?? `(${index + 1})`, value }))
}

export const rejectView = (row: RejectViewRow): RejectView => ({
  id: row.id,
  pipeline: row.pipeline,
  runId: row.run_id,
  key: row.key ?? undefined,
  code: row.code,
  reason: row.reason,
  file: row.file,
  line: row.line,
  columns: columns(JSON.parse(row.header) as string[], parseRecord(row.record).values),
})

function createRejectList(db: Connection): (...asked: Parameters<StateViews['rejects']>) => Page<RejectView> {
  const where = (ids: string) =>
    db.prepare<[Record<string, unknown>], RejectViewRow>(
      `${SELECT_REJECT} WHERE reject.id IN (${ids} AND id < @before AND (@code IS NULL OR code = @code) ORDER BY id DESC LIMIT @limit) ORDER BY reject.id DESC`,
    )
  const ofPipeline = where('SELECT id FROM reject INDEXED BY reject_by_pipeline WHERE pipeline = @pipeline')
  const ofRun = where('SELECT id FROM reject WHERE input_id IN (SELECT id FROM input WHERE run_id = @runId)')
  return ({ pipelines = [], runId, code = null }, { from, limit }) => {
    const asked = { before: rowNumber(from) ?? Number.MAX_SAFE_INTEGER, code, limit: limit + 1 }
    const rows =
      runId === undefined
        ? pipelines.flatMap((pipeline) => ofPipeline.all({ ...asked, pipeline }))
        : ofRun.all({ ...asked, runId })
    rows.sort((left, right) => right.id - left.id)
    return pageOf(rows.slice(0, limit + 1).map(rejectView), limit, ({ id }) => String(id))
  }
}

const OPEN = `
${SELECT_OPERATION} WHERE operation.pipeline = @pipeline AND state <> 'planned' AND operation.id > @after
AND state IN (SELECT value FROM json_each(@states)) AND (@run IS NULL OR run_id = @run)
AND (@guard IS NULL OR coalesce(guard, '') = @guard) AND (@kind IS NULL OR kind = @kind) ORDER BY operation.id LIMIT @limit`

function createOpenList(db: Connection): (filter: OpenFilter, page: PageRequest) => Page<Operation> {
  const open = db.prepare<[Record<string, unknown>], OperationRow>(OPEN)
  const asks = createHeldAskList(db)
  return ({ states, pipelines, runId, guard, kind }, { from, limit }) => {
    if (guard === 'brake') return asks({ pipelines, runId, kind }, { from, limit })
    const asked = {
      after: rowNumber(from) ?? 0,
      states: JSON.stringify(states),
      run: runId ?? null,
      guard: guard === undefined ? null : (guard ?? ''),
      kind: kind ?? null,
      limit: limit + 1,
    }
    // Each pipeline in the order of its index; merged here.
    const rows = pipelines.flatMap((pipeline) => open.all({ ...asked, pipeline }))
    rows.sort((left, right) => left.id - right.id)
    return pageOf(rows.slice(0, limit + 1).map(operationOf), limit, ({ id }) => String(id))
  }
}

export interface RecordViewRow {
  pipeline: string
  key: string
  contact_id: number
  known: string
  unsure: string | null
  terms: string | null
  gone: number
  missing: number
}

export const recordView = (row: RecordViewRow): RecordView => ({
  pipeline: row.pipeline,
  key: row.key,
  contactId: row.contact_id,
  known: parseContact(row.known),
  unsure: withoutMarks(parseUnsure(row.unsure)),
  ...givenUpOf(parseUnsure(row.unsure)),
  terms: parseAssertions(row.terms),
  gone: row.gone === 1,
  missing: row.missing,
})

export const LINK_COLUMNS = 'pipeline, key, contact_id, known, unsure, terms, gone, missing'

/** Of one record there is rarely more than one; a list without end would be no page. */
const FEW = 20

/** More of one contact make no page; how many there are is counted. */
const MOST_OF_CONTACT = 100

function createPerson(db: Connection): (contactId: number) => PersonView {
  const links = db.prepare<[number], RecordViewRow>(
    `SELECT ${LINK_COLUMNS} FROM link WHERE contact_id = ?
     ORDER BY pipeline, key LIMIT ${MOST_OF_CONTACT}`,
  )
  const count = (table: 'link' | 'hand_edit') =>
    db.prepare<[number], number>(`SELECT count(*) FROM ${table} WHERE contact_id = ?`).pluck()
  const [linkCount, editCount] = [count('link'), count('hand_edit')]
  const open = db.prepare<[string, string], OperationRow>(
    `${SELECT_OPERATION} WHERE operation.pipeline = ? AND operation.key = ? AND ${isKeyed('operation')} ORDER BY operation.id LIMIT ${FEW}`,
  )
  const rejects = db.prepare<[string, string], RejectViewRow>(
    `${SELECT_REJECT} WHERE reject.pipeline = ? AND key = ? ORDER BY reject.id LIMIT ${FEW}`,
  )
  const edits = db.prepare<[number], EditRow>(
    `SELECT * FROM hand_edit WHERE contact_id = ? ORDER BY pipeline, key, field LIMIT ${MOST_OF_CONTACT}`,
  )
  return (contactId) => {
    const records = links.all(contactId).map(recordView)
    const edited = edits.all(contactId).map(openEdit)
    return {
      records,
      moreRecords: (linkCount.get(contactId) ?? 0) - records.length,
      edits: edited,
      moreEdits: (editCount.get(contactId) ?? 0) - edited.length,
      open: records.flatMap(({ pipeline, key }) => open.all(pipeline, key).map(operationOf)),
      rejects: records.flatMap(({ pipeline, key }) => rejects.all(pipeline, key).map(rejectView)),
    }
  }
}

function createEditList(db: Connection): (pipelines: readonly string[], page: PageRequest) => Page<OpenEdit> {
  const list = db.prepare<[{ pipelines: string; after: number; limit: number }], EditRow>(`
    SELECT * FROM hand_edit WHERE id > @after AND pipeline IN (SELECT value FROM json_each(@pipelines)) ORDER BY id LIMIT @limit`)
  return (pipelines, { from, limit }) => {
    const after = rowNumber(from) ?? 0
    const found = list.all({ pipelines: JSON.stringify(pipelines), after, limit: limit + 1 })
    const { rows, next } = pageOf(found, limit, ({ id }) => String(id))
    return { rows: rows.map(openEdit), next }
  }
}

export function createRecordViews(
  db: Connection,
): Pick<StateViews, 'rejects' | 'rejectById' | 'open' | 'person' | 'edits'> {
  const rejects = createRejectList(db)
  const byId = createRejectLookUp(db)
  const open = createOpenList(db)
  const person = createPerson(db)
  const edits = createEditList(db)
  return {
    rejects: async (filter, page) => rejects(filter, page),
    rejectById: async (id) => byId(id),
    open: async (filter, page) => open(filter, page),
    person: async (contactId) => person(contactId),
    edits: async (pipelines, page) => edits(pipelines, page),
  }
}
