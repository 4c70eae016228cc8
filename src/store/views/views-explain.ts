// Looks for one record, for its explanation: by key, by mail, among rejects. Each look goes along an index.
import type { ExplainReads, RecordSearch } from '../../core/explain/explain-reads.ts'
import { mailKey } from '../../core/mapping/contact.ts'
import { createDefinitionStore } from '../custom-fields.ts'
import { createDateOrderStore } from '../date-orders.ts'
import type { Connection } from '../file/connection.ts'
import { isKeyed } from '../file/state-sets.ts'
import { createCorrectionStore } from '../journal/contacts/corrections.ts'
import { createFormerStatuses } from '../journal/contacts/former-statuses.ts'
import { createHandEditStore, type EditRow, openEdit } from '../journal/contacts/hand-edits.ts'
import { createSharers } from '../journal/contacts/others.ts'
import { createWithdrawals } from '../journal/contacts/withdrawals.ts'
import { operationOf, type OperationRow, SELECT_OPERATION } from '../journal/rows.ts'
import { createNames } from '../log/former-names.ts'
import {
  LINK_COLUMNS,
  type RecordViewRow,
  recordView,
  type RejectViewRow,
  rejectView,
  SELECT_REJECT,
} from './views-records.ts'
import { createMappingStore } from '../mappings.ts'
import { createTermNameStore } from '../term-names.ts'

const FEW = 20

/** The statements (+key: in order of keys it would read all links of the pipeline), so that a test can ask how each of them is carried out. */
export const RECORD_SEARCHES = {
  byKey: `SELECT ${LINK_COLUMNS} FROM link WHERE pipeline = ? AND key = ?`,
  byMail: `SELECT ${LINK_COLUMNS} FROM link WHERE mail_key = ? AND pipeline = ? ORDER BY +key LIMIT ${FEW}`,
  rejects: `${SELECT_REJECT} WHERE reject.pipeline = ? AND key = ? ORDER BY reject.id DESC LIMIT ${FEW}`,
  open: `${SELECT_OPERATION} WHERE operation.pipeline = ? AND operation.key = ? AND ${isKeyed('operation')} ORDER BY operation.id DESC LIMIT ${FEW}`,
  edits: `SELECT * FROM hand_edit WHERE pipeline = ? AND key = ? ORDER BY field LIMIT ${FEW}`,
  reader: `SELECT input.run_id FROM run CROSS JOIN input ON input.run_id = run.id
    WHERE run.pipeline = ? AND run.started_at <= ? AND run.files > 0 AND input.name = ? AND input.sha256 = ? AND input.bytes > 0
    ORDER BY run.started_at DESC LIMIT 1`,
} as const

export function createRecordSearch(db: Connection): RecordSearch {
  const byKey = db.prepare<[string, string], RecordViewRow>(RECORD_SEARCHES.byKey)
  const byMail = db.prepare<[string, string], RecordViewRow>(RECORD_SEARCHES.byMail)
  const rejects = db.prepare<[string, string], RejectViewRow>(RECORD_SEARCHES.rejects)
  const open = db.prepare<[string, string], OperationRow>(RECORD_SEARCHES.open)
  const edits = db.prepare<[string, string], EditRow>(RECORD_SEARCHES.edits)
  const reader = db.prepare<[string, number, string, string], string>(RECORD_SEARCHES.reader).pluck()
  const names = createNames(db)
  return {
    async linkedRecords(pipeline, text) {
      const own = byKey.all(pipeline, text)
      const found = own.length > 0 || !text.includes('@') ? own : byMail.all(mailKey(text), pipeline)
      return found.map(recordView)
    },
    rejectsOf: async (pipeline, key) => rejects.all(pipeline, key).map(rejectView),
    openOf: async (pipeline, key) => open.all(pipeline, key).map(operationOf),
    editsOf: async (pipeline, key) => edits.all(pipeline, key).map(openEdit),
    readerOf: async (pipeline, { name, sha256 }, before) => reader.get(pipeline, before, name, sha256),
    namesOf: async (pipeline) => names(pipeline),
  }
}

/** All that an explanation needs beside the sync log, for the console. */
export function createExplainViews(db: Connection): Omit<ExplainReads, 'logPage'> {
  const { seenDefinitions } = createDefinitionStore(db)
  const { dateOrders } = createDateOrderStore(db)
  const { keptMapping } = createMappingStore(db)
  const { openCorrections } = createCorrectionStore(db)
  const { sentValues } = createHandEditStore(db)
  const { withdrawnAt } = createWithdrawals(db)
  const { formerStatuses } = createFormerStatuses(db)
  return {
    ...createRecordSearch(db),
    ...createTermNameStore(db),
    ...{ openCorrections, seenDefinitions, dateOrders, keptMapping, sentValues },
    ...{ withdrawnAt, formerStatuses },
    sharers: createSharers(db),
  }
}
