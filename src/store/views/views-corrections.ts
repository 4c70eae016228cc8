// Corrections as the console lists them, with those that have ended, newest first.
import type { Correction } from '../../core/change/others/correction.ts'
import type { CorrectionFilter, Page, PageRequest, StateViews } from '../../core/views.ts'
import type { Connection } from '../file/database.ts'
import { correctionOf, type CorrectionTableRow } from '../journal/contacts/corrections.ts'
import { pageOf, rowNumber } from './views-page.ts'

const LIST = `
SELECT * FROM correction WHERE id < @before AND pipeline IN (SELECT value FROM json_each(@pipelines))
AND (@ended IS NULL OR iif(ended_at IS NOT NULL, 1, 0) = @ended) ORDER BY id DESC LIMIT @limit`

const endedOf = (state: CorrectionFilter['state']): number | null =>
  state === undefined ? null : Number(state === 'ended')

export function createCorrectionViews(db: Connection): Pick<StateViews, 'corrections' | 'correction'> {
  const list = db.prepare<[Record<string, unknown>], CorrectionTableRow>(LIST)
  const one = db.prepare<[number], CorrectionTableRow>('SELECT * FROM correction WHERE id = ?')
  return {
    async corrections(
      { pipelines, state }: CorrectionFilter,
      { from, limit }: PageRequest,
    ): Promise<Page<Correction>> {
      const before = rowNumber(from) ?? Number.MAX_SAFE_INTEGER
      const asked = { before, pipelines: JSON.stringify(pipelines), ended: endedOf(state), limit: limit + 1 }
      return pageOf(list.all(asked).map(correctionOf), limit, ({ id }) => String(id))
    },
    async correction(id) {
      const row = one.get(id)
      return row && correctionOf(row)
    },
  }
}
