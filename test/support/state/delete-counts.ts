// Deletes over time in the state in memory: what is noted, by the hour.
import { UNCERTAIN } from '../../../src/core/change/states.ts'
import type { DeleteCounts } from '../../../src/core/deletes-over-time.ts'
import { HOUR_MS } from '../../../src/core/words/duration.ts'
import { type Row, rowsWhere, type Tables } from './tables.ts'

const hourOf = (at: number): number => Math.floor(at / HOUR_MS)

const countsOverTime = ({ cause, undoes, released }: Row): boolean =>
  cause === 'missing' && undoes === undefined && !released

const deletesOf = (counts: Tables['deleteCounts']): number =>
  counts.reduce((sum, { deletes }) => sum + deletes, 0)

const linksOf = (counts: Tables['deleteCounts']): number => Math.max(0, ...counts.map(({ links }) => links))

export function countDelete({ deleteCounts }: Tables, row: Row, at: number): void {
  if (countsOverTime(row))
    deleteCounts.push({ pipeline: row.pipeline, hour: hourOf(at), links: 0, deletes: 1 })
}

export function memoryDeleteCounts(tables: Tables): DeleteCounts {
  return {
    async noteLinks(pipeline, { at, links }) {
      tables.deleteCounts.push({ pipeline, hour: hourOf(at), links, deletes: 0 })
    },
    async deletedSince(pipeline, at) {
      const ofPipeline = tables.deleteCounts.filter((count) => count.pipeline === pipeline)
      const since = ofPipeline.filter(({ hour }) => hour >= hourOf(at))
      const before = ofPipeline.filter(({ hour }) => hour < hourOf(at))
      const last = Math.max(...before.map(({ hour }) => hour))
      const lastHour = before.filter(({ hour }) => hour === last)
      const open = rowsWhere(
        tables,
        (row) =>
          row.pipeline === pipeline &&
          row.kind === 'delete' &&
          countsOverTime(row) &&
          UNCERTAIN.some((state) => state === row.state),
      )
      return {
        deletes: deletesOf(since) + open.length,
        links: Math.max(linksOf(since), linksOf(lastHour) - deletesOf(lastHour)),
      }
    },
  }
}
