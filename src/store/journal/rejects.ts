// The records that could not be pushed, as they came and with the reason.
import type { ErrorCode } from '../../core/words/errors.ts'
import type { RejectRow } from '../../core/ports.ts'
import type { RunState } from '../../core/run-state.ts'
import type { RejectEntry, StateLists } from '../../core/state.ts'
import type { Connection } from '../file/database.ts'
import { parseRecord } from './rows.ts'

interface RejectedRow {
  reason: string
  file: string
  line: number
  record: string
}

interface Row extends RejectedRow {
  id: number
  pipeline: string
  code: ErrorCode
  key: string | null
  header: string
  input_id: number
  name: string
  sha256: string | null
}

function rejectRow(row: RejectedRow): RejectRow {
  const { values, text, rows } = parseRecord(row.record)
  return {
    values,
    ...(text === undefined ? {} : { text }),
    ...(rows === undefined ? {} : { rows }),
    reason: row.reason,
    file: row.file,
    line: row.line,
  }
}

const rejectEntry = (row: Row): RejectEntry => ({
  ...rejectRow(row),
  id: row.id,
  code: row.code,
  pipeline: row.pipeline,
  key: row.key ?? undefined,
  header: JSON.parse(row.header) as string[],
  input: { id: row.input_id, name: row.name, sha256: row.sha256 ?? '' },
})

/** None of an input that is still being read. */
const SELECT_READ =
  "SELECT reject.*, name, sha256 FROM reject JOIN input ON input.id = input_id WHERE state <> 'reading'"

export function createRejectLookUp(db: Connection): (id: number) => RejectEntry | undefined {
  const one = db.prepare<[number], Row>(`${SELECT_READ} AND reject.id = ?`)
  return (id) => {
    const row = one.get(id)
    return row && rejectEntry(row)
  }
}

export function createRejectStore(
  db: Connection,
): Pick<StateLists, 'rejects'> & Pick<RunState, 'rejectsOfInput'> {
  const page = db.prepare<[number], Row>(`${SELECT_READ} AND reject.id > ? ORDER BY reject.id LIMIT 500`)
  const pageOfInput = db.prepare<[number, number], Row>(
    `${SELECT_READ} AND input_id = ? AND reject.id > ? ORDER BY reject.id LIMIT 500`,
  )
  const ofInput = db.prepare<[number], RejectedRow>(
    'SELECT * FROM reject WHERE input_id = ? ORDER BY line, id',
  )
  return {
    async *rejects(pipelines, input) {
      // By pages: between two of them the caller may write.
      for (let last = 0; ;) {
        const rows = input === undefined ? page.all(last) : pageOfInput.all(input, last)
        for (const row of rows)
          if (pipelines === undefined || pipelines.includes(row.pipeline)) yield rejectEntry(row)
        if (rows.length === 0) return
        last = rows.at(-1)?.id ?? last
      }
    },
    async *rejectsOfInput(staged) {
      for (const row of ofInput.all(staged.id)) yield rejectRow(row)
    },
  }
}
