// Sessions of the console beside a state at a server, for all workers. What a session holds is sealed under its id, which only
// the cookie of its browser has: a reader of the database, of a dump or of a replica learns neither who is signed in nor what
// was looked for, and cannot sign in with it. The clock is that of the server alone. A small pool of connections of its own,
// which does not stand in line with the transactions of runs, and on which no thread stands still.
import { createHash, randomBytes } from 'node:crypto'
import type { Pool, QueryResultRow } from 'pg'
import { SESSION_LIMITS, type SessionStore } from '../../core/console-sessions.ts'
import type { ServerPlace } from '../../core/state-place.ts'
import { stateText } from '../../core/state-place.ts'
import { createTextSeal, type TextSeal } from '../../core/words/secrets/text-seal.ts'
import { serverError, serverProblem } from './trouble.ts'

/**
 * Made by the first process that needs them, in a state that an earlier version has made, too. A form is claimed by a text of
 * chance, so that a claim whose answer was lost may be made again.
 */
const SESSION_TABLES = `
CREATE TABLE IF NOT EXISTS @.console_session (
  digest text COLLATE "C" PRIMARY KEY, holder text NOT NULL, account text, began bigint NOT NULL, seen bigint NOT NULL,
  refreshing jsonb NOT NULL, searches bigint NOT NULL, forms bigint NOT NULL);
CREATE TABLE IF NOT EXISTS @.console_search (
  session text COLLATE "C" NOT NULL REFERENCES @.console_session ON DELETE CASCADE, number bigint NOT NULL, box text NOT NULL,
  PRIMARY KEY (session, number));
CREATE TABLE IF NOT EXISTS @.console_form (
  session text COLLATE "C" NOT NULL REFERENCES @.console_session ON DELETE CASCADE, number bigint NOT NULL,
  token text COLLATE "C" NOT NULL, box text, claim text, outcome text, PRIMARY KEY (session, number), UNIQUE (session, token));`

/** Milliseconds since the epoch. */
const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** Of a use so long after the one that is noted, a new note is made; a session may last so much longer. */
const NOTED_MS = 60_000

const { idleMs, longestMs, most, searches, forms, refreshMs } = SESSION_LIMITS

const IS_OVER = `(seen < ${NOW} - ${idleMs + NOTED_MS} OR began < ${NOW} - ${longestMs})`

/** What another process is removing at the same moment is left to it. */
const REMOVE_EXPIRED = `DELETE FROM @.console_session WHERE digest IN (
  SELECT digest FROM @.console_session WHERE ${IS_OVER} FOR UPDATE SKIP LOCKED)`

const BEGIN = `WITH expired AS (${REMOVE_EXPIRED}), surplus AS (DELETE FROM @.console_session WHERE digest IN (
  SELECT digest FROM @.console_session ORDER BY began DESC, digest OFFSET ${most - 1} FOR UPDATE SKIP LOCKED))
INSERT INTO @.console_session VALUES ($1, $2, NULL, ${NOW}, ${NOW}, '{}', 0, 0) ON CONFLICT (digest) DO NOTHING`

const FIND = `WITH found AS (
  SELECT digest, holder, account, seen, coalesce((refreshing ->> $2)::bigint > ${NOW} - ${refreshMs}, false) AS refresh
  FROM @.console_session WHERE digest = $1 AND NOT ${IS_OVER}), used AS (
  UPDATE @.console_session s SET seen = ${NOW} FROM found
  WHERE s.digest = found.digest AND NOT found.refresh AND found.seen < ${NOW} - ${NOTED_MS})
SELECT holder, account, refresh FROM found`

const NOTE_REFRESH = `UPDATE @.console_session SET refreshing = (
  SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(refreshing)
  WHERE value::text::bigint > ${NOW} - ${refreshMs}) || jsonb_build_object($2::text, ${NOW}) WHERE digest = $1`

const ADD_SEARCH = `WITH numbered AS (
  UPDATE @.console_session SET searches = searches + 1 WHERE digest = $1 RETURNING digest, searches), dropped AS (
  DELETE FROM @.console_search o USING numbered n WHERE o.session = n.digest AND o.number <= n.searches - ${searches})
INSERT INTO @.console_search SELECT digest, searches, $2 FROM numbered RETURNING number`

const ADD_FORM = `WITH numbered AS (
  UPDATE @.console_session SET forms = forms + 1 WHERE digest = $1 RETURNING digest, forms), dropped AS (
  DELETE FROM @.console_form o USING numbered n WHERE o.session = n.digest AND o.number <= n.forms - ${forms})
INSERT INTO @.console_form SELECT digest, forms, $2, $3, NULL, NULL FROM numbered ON CONFLICT (session, token) DO NOTHING`

/** Of two that ask at once, one waits for the row and then finds it claimed. */
const CLAIM = `UPDATE @.console_form SET claim = $3
WHERE session = $1 AND token = $2 AND coalesce(claim, $3) = $3 RETURNING number, box`

const FORGET_TEXTS = [
  'DELETE FROM @.console_search',
  'DELETE FROM @.console_form WHERE claim IS NULL OR outcome IS NOT NULL',
]

const CONNECTIONS = 2
/** A page does not wait for longer. */
const PATIENCE_MS = 5000
const IDLE_CONNECTION_MS = 60_000
const SWEEP_MS = 600_000

/** The connection was cut, or two processes stood in each other's way: nothing of the statement was done, or it may be done twice. */
const PASSING: readonly string[] = ['40P01', '57P01', 'ECONNRESET', 'EPIPE']

const digest = (secret: string): string => createHash('sha256').update(secret).digest('hex')

const sealOf = (id: string, ...about: readonly string[]): TextSeal =>
  createTextSeal(id, ['contact-sync console', ...about])

/** The driver is loaded when someone first signs in. */
async function openPool(server: ServerPlace): Promise<Pool> {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({
    connectionString: server.url,
    application_name: 'contact-sync',
    max: CONNECTIONS,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    allowExitOnIdle: true,
  })
  // A connection that is cut while it rests is left out of the pool.
  pool.on('error', () => undefined)
  return pool
}

/**
 * Makes the tables, unless they are there; a user who may make no schema can be given one. In the turn of those who write: another
 * worker may be making the state.
 */
async function makeTables(pool: Pool, schema: string): Promise<void> {
  const { rows } = await pool.query<{ found: string | null }>('SELECT to_regclass($1)::text AS found', [
    `"${schema}".console_form`,
  ])
  if (typeof rows[0]?.found === 'string') return
  const client = await pool.connect()
  try {
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtext('${schema}'))`)
    const known = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])
    if (known.rowCount === 0) await client.query(`CREATE SCHEMA "${schema}"`)
    await client.query(`${SESSION_TABLES.replaceAll('@', `"${schema}"`)} COMMIT`)
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** A statement that was cut off is said again, its effect is the same: each connection of the pool may have been cut as well. */
async function persistently<T>(work: () => Promise<T>): Promise<T> {
  for (let cut = 0; ; cut += 1) {
    try {
      return await work()
    } catch (error) {
      if (cut === CONNECTIONS || !PASSING.includes(serverProblem(error).code)) throw error
    }
  }
}

const isNoTable = (error: unknown): boolean => serverProblem(error).code === '42P01'

function createAsk(server: ServerPlace) {
  const { schema } = server
  let opened: Promise<Pool> | undefined
  let made: Promise<void> | undefined
  let sweeping: NodeJS.Timeout | undefined
  let isClosed = false

  async function rowsOf<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) {
    const pool = await (opened ??= openPool(server))
    return (await pool.query<Row>(text.replaceAll('@', `"${schema}"`), [...values])).rows
  }

  async function madeTables(): Promise<void> {
    made ??= (opened ??= openPool(server)).then((pool) => makeTables(pool, schema))
    try {
      await made
    } catch (error) {
      made = undefined
      throw error
    }
  }

  async function said<T>(work: () => Promise<T>): Promise<T> {
    try {
      if (isClosed) throw new Error('Connection terminated: it was closed')
      return await persistently(work)
    } catch (error) {
      // The schema was dropped meanwhile: the next one makes them.
      if (isNoTable(error)) made = undefined
      throw serverError(serverProblem(error), stateText(server))
    }
  }

  const ask = async <Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) =>
    said(async () => {
      await madeTables()
      sweeping ??= setInterval(() => void ask(REMOVE_EXPIRED).catch(() => undefined), SWEEP_MS).unref()
      return rowsOf<Row>(text, values)
    })

  return {
    ask,
    /** Makes no tables: where there are none, nothing is to be done. */
    askWhereMade: async (text: string): Promise<void> =>
      said(async () => {
        try {
          await rowsOf(text)
        } catch (error) {
          if (!isNoTable(error)) throw error
        }
      }),
    async close(): Promise<void> {
      isClosed = true
      clearInterval(sweeping)
      await (await opened)?.end()
    },
  }
}

/** Numbers of the server come as texts. */
interface Numbered {
  readonly number: string
}

const formSeal = (id: string, token: string): TextSeal => sealOf(id, 'form', digest(token))
const outcomeSeal = (id: string, number: number): TextSeal => sealOf(id, 'outcome', String(number))

export function createServerSessions(server: ServerPlace): SessionStore {
  const { ask, askWhereMade, close } = createAsk(server)
  return {
    async begin(id, holder) {
      await ask(BEGIN, [digest(id), sealOf(id, 'holder').seal(holder)])
    },
    async find(id, path) {
      const [found] = await ask<{ holder: string; account: string | null; refresh: boolean }>(FIND, [
        digest(id),
        path,
      ])
      const holder = found && sealOf(id, 'holder').open(found.holder)
      if (found === undefined || holder === undefined) return undefined
      return { holder, account: found.account ?? undefined, isRefresh: found.refresh }
    },
    async end(id) {
      await ask('DELETE FROM @.console_session WHERE digest = $1', [digest(id)])
    },
    async chooseAccount(id, account) {
      await ask('UPDATE @.console_session SET account = $2 WHERE digest = $1', [digest(id), account])
    },
    async noteRefresh(id, path) {
      await ask(NOTE_REFRESH, [digest(id), path])
    },
    async addSearch(id, text) {
      const [added] = await ask<Numbered>(ADD_SEARCH, [digest(id), sealOf(id, 'search').seal(text)])
      return added && Number(added.number)
    },
    async search(id, number) {
      const [kept] = await ask<{ box: string }>(
        'SELECT box FROM @.console_search WHERE session = $1 AND number = $2',
        [digest(id), number],
      )
      return kept && sealOf(id, 'search').open(kept.box)
    },
    async addForm(id, token, text) {
      await ask(ADD_FORM, [digest(id), digest(token), formSeal(id, token).seal(text)])
    },
    async claimForm(id, token) {
      const form = [digest(id), digest(token)]
      const claim = randomBytes(16).toString('hex')
      const [own] = await ask<Numbered & { box: string }>(CLAIM, [...form, claim])
      if (own !== undefined) return { number: Number(own.number), text: formSeal(id, token).open(own.box) }
      const [claimed] = await ask<Numbered>(
        'SELECT number FROM @.console_form WHERE session = $1 AND token = $2',
        form,
      )
      return claimed && { number: Number(claimed.number), text: undefined }
    },
    async settleForm(id, number, text) {
      const values = [digest(id), number, outcomeSeal(id, number).seal(text)]
      await ask(
        'UPDATE @.console_form SET outcome = $3, box = NULL WHERE session = $1 AND number = $2',
        values,
      )
    },
    async outcome(id, number) {
      const [form] = await ask<{ outcome: string | null }>(
        'SELECT outcome FROM @.console_form WHERE session = $1 AND number = $2 AND claim IS NOT NULL',
        [digest(id), number],
      )
      if (form === undefined) return undefined
      return { text: form.outcome === null ? undefined : outcomeSeal(id, number).open(form.outcome) }
    },
    async forgetTexts() {
      for (const text of FORGET_TEXTS) await askWhereMade(text)
    },
    close,
  }
}
