// Whether a pooler between this process and the server (pgbouncer in transaction mode, say) hands out another session for each
// transaction. Settings and temporary tables of a session would be lost, or be those of another state.
import pg from 'pg'

const TURNS = 5

/** One that waits for a session for longer tells nothing. */
const PATIENCE_MS = 5000

async function sessionOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]?.pid
}

/** Whether two connections that are open at once are given sessions of each other. */
async function areMixed(client: pg.Client, url: string): Promise<boolean> {
  const another = new pg.Client({
    connectionString: url,
    application_name: 'contact-sync',
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  })
  another.on('error', () => undefined)
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

/** Throws an error with the code POOLED (trouble.ts) where the session is not kept. `client`: connected to `url`. */
export async function assertOwnSession(client: pg.Client, url: string): Promise<void> {
  // The server says itself which session it is when it is connected to; a pooler says something else.
  const { processID } = client as unknown as { processID: number | null }
  if ((await sessionOf(client)) === processID || !(await areMixed(client, url))) return
  throw Object.assign(new Error('two connections were given the same session'), { code: 'POOLED' })
}
