// Whether a pooler between this process and the server (pgbouncer in transaction mode, say) hands out another session for each
// transaction. Settings and temporary tables of a session would be lost, or be those of another state.
import type pg from 'pg'
import { newClient, PATIENCE_MS } from './silence.ts'

const TURNS = 5

async function sessionOf(client: pg.Client): Promise<number | undefined> {
  const query = { text: 'SELECT pg_backend_pid() AS pid', query_timeout: PATIENCE_MS }
  const { rows } = await client.query<{ pid: number }>(query)
  return rows[0]?.pid
}

/** Whether two connections that are open at once are given sessions of each other. */
async function areMixed(client: pg.Client, url: string): Promise<boolean> {
  // One that waits for a session for longer tells nothing.
  const another = newClient(url)
  try {
    await another.connect()
    const [own, other] = [await sessionOf(client), await sessionOf(another)]
    if (own === other) return true
    for (let turn = 0; turn < TURNS; turn += 1)
      if ((await sessionOf(client)) !== own || (await sessionOf(another)) !== other) return true
    return false
  } catch {
    return false
  } finally {
    await another.end().catch(() => undefined)
  }
}

/** Which session it is. Throws an error with the code POOLED (trouble.ts) where it is not kept. `client`: connected to `url`. */
export async function ownSession(client: pg.Client, url: string): Promise<number | undefined> {
  // The server says itself which session it is when it is connected to; a pooler says something else.
  const { processID } = client as unknown as { processID: number | null }
  const session = await sessionOf(client)
  if (session === processID || !(await areMixed(client, url))) return session
  throw Object.assign(new Error('two connections were given the same session'), { code: 'POOLED' })
}
