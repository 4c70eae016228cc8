// How often the process ended while it read an input: each reading is noted before it begins, and the note goes when it ends,
// however it ends. One row of `meta` for each pipeline.
import type { RunState } from '../../../core/run-state.ts'
import type { Connection } from '../../file/database.ts'

/** Inputs of one pipeline that are remembered at most: those that vanished would stay permanently. */
const MOST_REMEMBERED = 20

/** Version and number of readings, the newest last. */
type Begun = readonly (readonly [version: string, times: number])[]

export function createReadings(db: Connection): Pick<RunState, 'beginReading' | 'endReading'> {
  const read = db.prepare<[string], string>("SELECT value FROM meta WHERE name = 'reading:' || ?").pluck()
  const write = db.prepare("INSERT OR REPLACE INTO meta VALUES ('reading:' || ?, ?)")
  const drop = db.prepare("DELETE FROM meta WHERE name = 'reading:' || ?")
  const begunIn = (pipeline: string): Begun => JSON.parse(read.get(pipeline) ?? '[]') as Begun
  const others = (begun: Begun, version: string): Begun => begun.filter(([one]) => one !== version)
  return {
    beginReading: async (pipeline, version) =>
      db.transaction(() => {
        const begun = begunIn(pipeline)
        const [, times = 0] = begun.find(([one]) => one === version) ?? []
        const all: Begun = [...others(begun, version), [version, times + 1]]
        write.run(pipeline, JSON.stringify(all.slice(-MOST_REMEMBERED)))
        return times
      })(),
    async endReading(pipeline, version) {
      db.transaction(() => {
        const begun = begunIn(pipeline)
        const left = others(begun, version)
        if (left.length === begun.length) return
        if (left.length === 0) drop.run(pipeline)
        else write.run(pipeline, JSON.stringify(left))
      })()
    },
  }
}
