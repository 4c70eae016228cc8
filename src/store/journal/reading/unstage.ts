// `on_duplicate_key: last`: what was staged for the earlier records of a key is taken back, and what they asked a brake for.
import type { TermPlan } from '../../../core/mapping/terms.ts'
import type { RunState } from '../../../core/run-state.ts'
import type { Unstaged } from '../../../core/state.ts'
import type { Connection } from '../../file/database.ts'

interface TakenBack {
  kind: string
  state: string
  terms: string | null
  reason: string | null
}

function unstagedAs(operation: TakenBack | undefined): Unstaged {
  if (operation === undefined) return { was: 'unchanged', terms: undefined }
  const terms = operation.terms === null ? undefined : (JSON.parse(operation.terms) as TermPlan)
  if (operation.state === 'waiting') return { was: 'in_doubt', terms }
  if (operation.state === 'held') return { was: 'held', terms, reason: operation.reason ?? '' }
  return { was: operation.kind === 'create' ? 'created' : 'updated', terms }
}

export function createUnstage(db: Connection): RunState['unstage'] {
  // The key names the record, the line is for the index: records that are read again come from several files, and a file may
  // have all of its records on one line, which is gone through once for all keys.
  const take = db.prepare<{ input: number; line: number; keys: string }, TakenBack & { key: string }>(
    'DELETE FROM operation WHERE input_id = @input AND line = @line AND key IN (SELECT value FROM json_each(@keys)) RETURNING key, kind, state, terms, reason',
  )
  const forgetAsks = db.prepare<[number, string]>('DELETE FROM claim_ask WHERE input = ? AND key = ?')
  const unstageAll = db.transaction((input: number, records: Parameters<RunState['unstage']>[1]) => {
    const taken = new Map<string, TakenBack>()
    for (const [line, those] of Map.groupBy(records, (record) => record.line))
      for (const one of take.all({ input, line, keys: JSON.stringify(those.map(({ key }) => key)) }))
        taken.set(one.key, one)
    for (const { key } of records) forgetAsks.run(input, key)
    return records.map(({ key }) => unstagedAs(taken.get(key)))
  })
  return async (staged, records) => unstageAll(staged.id, records)
}
