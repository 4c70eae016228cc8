// What a process of many months must not let grow: its heap, its handles, and the state but for the sync log.
import { readdirSync } from 'node:fs'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import Database from 'better-sqlite3'

export interface Measures {
  /** In use after a collection, in bytes. */
  readonly heap: number
  readonly handles: number
  /** Pages of the state in use, in bytes: those of the sync log, which is kept permanently, and all others. */
  readonly log: number
  readonly state: number
}

/** Tables and indexes of the sync log, whatever else is in them. */
const OF_THE_LOG = /^(sqlite_autoindex_)?(audit|person|sealed|log_)/

export async function measure(statePath: string): Promise<Measures> {
  const { gc } = globalThis
  if (gc === undefined) throw new Error('start with --expose-gc')
  // What waits for the end of what was collected is cleared in a turn of its own.
  for (let times = 0; times < 4; times += 1) {
    gc()
    await turnOfTheLoop()
  }
  const heap = process.memoryUsage().heapUsed
  const handles = readdirSync('/proc/self/fd').length
  const db = new Database(statePath, { readonly: true })
  const tables = db
    .prepare<[], { name: string; bytes: number }>(
      'SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name',
    )
    .all()
  db.close()
  const sum = (isLog: boolean): number =>
    tables
      .filter(({ name }) => OF_THE_LOG.test(name) === isLog)
      .reduce((total, { bytes }) => total + bytes, 0)
  return { heap, handles, log: sum(true), state: sum(false) }
}
