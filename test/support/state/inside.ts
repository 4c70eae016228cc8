// A PostgreSQL server within this process (PGlite), for states that are at a server where none is installed.
import type { Connection } from '../../../src/store/file/connection.ts'
import type { OpenChannel } from '../../../src/store/postgres/channel.ts'
import { connectToServer } from '../../../src/store/postgres/connection.ts'
import { serverError } from '../../../src/store/postgres/trouble.ts'
import { LEASE_MS } from '../../../src/store/postgres/workers.ts'
import { systemClock } from '../../../src/system.ts'
import { openDatabase } from '../../simulation/fleet/database.ts'

/** The way to a new one. No lease is renewed: it is for one state after the other. */
export async function openInside(): Promise<OpenChannel> {
  const database = await openDatabase()
  return (_url, place) => {
    const session = database.open()
    let settings = ''
    return {
      mark: '',
      crowd: () => 1,
      under: (text) => void (settings = text),
      ask(queries) {
        const all = settings === '' ? queries : [{ text: settings, values: [] }, ...queries]
        const { answers, problem } = database.ask(session, all, systemClock.now())
        if (problem !== undefined) throw serverError(problem, place)
        const own = answers.slice(all.length - queries.length)
        settings = ''
        return own
      },
      keepRenewing: () => undefined,
      close: () => database.end(session),
    }
  }
}

/** A state at such a server, as a worker has it. */
export async function connectInside(): Promise<Connection> {
  const place = { path: '', url: 'postgres://localhost/inside', schema: 'state' }
  const joining = { name: 'inside', machine: '', pid: 1, since: 0, leaseMs: LEASE_MS, alone: false }
  return connectToServer(place, joining, await openInside())
}
