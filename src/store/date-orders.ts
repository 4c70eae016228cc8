// What the columns of a pipeline have proved about the order of day and month (`date: auto`), as a row of `meta` that goes
// with the pipeline when it is renamed or given up.
import type { DateOrders, DateOrderStore } from '../core/mapping/values/dates/date-order.ts'
import type { Connection } from './file/database.ts'

const nameFor = (pipeline: string): string => `date_order:${pipeline}`

export function createKeepDateOrders(db: Connection): (pipeline: string, orders: DateOrders) => void {
  const write = db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)')
  return (pipeline, orders) => void write.run(nameFor(pipeline), JSON.stringify(orders))
}

export function createDateOrderStore(db: Connection): DateOrderStore {
  const read = db.prepare<[string], string>('SELECT value FROM meta WHERE name = ?').pluck()
  const keep = createKeepDateOrders(db)
  return {
    async dateOrders(pipeline) {
      const value = read.get(nameFor(pipeline))
      return value === undefined ? {} : (JSON.parse(value) as DateOrders)
    },
    keepDateOrders: async (pipeline, orders) => keep(pipeline, orders),
  }
}
