// The records that could not be pushed, as they came and with the reason.
import type { RejectRow } from '../core/ports.ts'
import type { RejectEntry, RejectStore } from '../core/state.ts'
import type { Connection } from './database.ts'
import { parseRecord } from './rows.ts'

interface Row {
  pipeline: string
  key: string | null
  reason: string
  file: string
  line: number
  header: string
  record: string
}

function rejectRow(row: Row): RejectRow {
  const { values, text } = parseRecord(row.record)
  return {
    values,
    ...(text === undefined ? {} : { text }),
    reason: row.reason,
    file: row.file,
    line: row.line,
  }
}

const rejectEntry = (row: Row): RejectEntry => ({
  ...rejectRow(row),
  pipeline: row.pipeline,
  key: row.key ?? undefined,
  header: JSON.parse(row.header) as string[],
})

export function createRejectStore(db: Connection): RejectStore {
  const all = db.prepare<[], Row>(
    "SELECT reject.* FROM reject JOIN input ON input.id = reject.input_id WHERE input.state <> 'reading' ORDER BY reject.id",
  )
  const ofInput = db.prepare<[number], Row>('SELECT * FROM reject WHERE input_id = ? ORDER BY line, id')
  return {
    async *rejects(pipelines) {
      for (const row of all.iterate())
        if (pipelines === undefined || pipelines.includes(row.pipeline)) yield rejectEntry(row)
    },
    hasRejects: async (staged) => ofInput.get(staged.id) !== undefined,
    async *rejectsOfInput(staged) {
      for (const row of ofInput.all(staged.id)) yield rejectRow(row)
    },
  }
}
