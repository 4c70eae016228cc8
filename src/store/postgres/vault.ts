// OAuth tokens of sources beside a state at a server: whichever worker renews one, the next one to need it has the newest. The
// texts are sealed by those who use them. A connection of its own for each turn: they are rare, and may take as long as an answer.
import type { ServerPlace } from '../../core/state-place.ts'
import { stateText } from '../../core/state-place.ts'
import type { TokenVault } from '../../core/token-vault.ts'
import { SyncError } from '../../core/words/errors.ts'

export const TOKEN_TABLE =
  'CREATE TABLE IF NOT EXISTS token (name text COLLATE "C" PRIMARY KEY, box text NOT NULL);'

const POLL_MS = 50
const MOST_POLLS = 12_000

const unusable = (server: ServerPlace, what: string, cause?: unknown): SyncError =>
  new SyncError('SOURCE_TOKENS', `the tokens at ${stateText(server)} ${what}`, { cause })

/** The driver is loaded when a source first needs a token. */
async function connected(server: ServerPlace) {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: server.url, application_name: 'contact-sync' })
  // What is under way fails, too, and says it.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

type Client = Awaited<ReturnType<typeof connected>>

async function isTurn(client: Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ mine: boolean }>(
    'SELECT pg_try_advisory_xact_lock(hashtext($1)) AS mine',
    [`${schema} tokens`],
  )
  return rows[0]?.mine === true
}

export function createServerVault(server: ServerPlace): TokenVault {
  const table = `"${server.schema}".token`
  return {
    async exclusive(name, { clock, signal }, work) {
      let client: Client | undefined
      try {
        client = await connected(server)
        await client.query('SET synchronous_commit = on; BEGIN')
        for (let polls = 0; !(await isTurn(client, server.schema)); polls += 1) {
          if (signal.aborted || polls === MOST_POLLS) throw unusable(server, 'are in use by another process')
          await clock.sleep(POLL_MS, signal)
        }
        // A plan may need a token before there is a state.
        const { rowCount } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [
          server.schema,
        ])
        if (rowCount === 0) await client.query(`CREATE SCHEMA "${server.schema}"`)
        await client.query(TOKEN_TABLE.replace(' token ', ` ${table} `))
        const { rows } = await client.query<{ box: string }>(`SELECT box FROM ${table} WHERE name = $1`, [
          name,
        ])
        let kept: string | undefined
        const given = await work({ kept: rows[0]?.box, keep: (text) => (kept = text) })
        if (kept !== undefined)
          await client.query(
            `INSERT INTO ${table} VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET box = excluded.box`,
            [name, kept],
          )
        await client.query('COMMIT')
        return given
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
        if (error instanceof SyncError || code === undefined) throw error
        throw unusable(server, `cannot be used (${code})`, error)
      } finally {
        // What was begun and not committed is undone by that.
        await client?.end().catch(() => undefined)
      }
    },
  }
}
