// The PostgreSQL server of the simulated fleet: one backend within this process, without a thread or a socket. All sessions
// share it, one statement at a time: the stores speak synchronously, so no session comes between the statements of another
// one's transaction, and each finds its settings and temporary tables as it left them. Its clock is that of the simulation.
//
// Not modelled: two transactions at once (locks that wait, rows that are locked, deadlocks), a crash that loses what was
// committed, and a server that refuses a commit.
import { PGlite, protocol } from '@electric-sql/pglite'
import type { Query, StatementAnswer } from '../../../src/store/postgres/channel.ts'
import type { ServerProblem } from '../../../src/store/postgres/trouble.ts'

const { serialize, Parser } = protocol

/** What a session was told, to be told again when it is its turn after another one. */
export interface Session {
  readonly number: number
  /** Behind the schema of the state. */
  readonly path: string
  schema: string
  fence: string
}

export interface SimulatedDatabase {
  open(): Session
  /** Every statement, in order; the problem is that of the first one that fails. */
  ask(
    session: Session,
    queries: readonly Query[],
    now: number,
  ): { answers: readonly StatementAnswer[]; problem: ServerProblem | undefined }
  /** Undoes what is open of it, and removes what goes with a session. */
  end(session: Session): void
  /** On no session's behalf: texts, row by row. */
  read(text: string, now: number): readonly (readonly (string | null)[])[]
  /** As it was before there was a state. */
  clear(): void
  close(): Promise<void>
}

const [BOOL, BYTEA, INT8, INT2, INT4, FLOAT4, FLOAT8, NUMERIC] = [16, 17, 20, 21, 23, 700, 701, 1700]
const NUMBERS: readonly number[] = [INT8, INT2, INT4, FLOAT4, FLOAT8, NUMERIC]

/** As connection-thread.ts gives a value. */
function cell(text: string | null, type: number): unknown {
  if (text === null) return null
  if (NUMBERS.includes(type)) return Number(text)
  if (type === BOOL) return text === 't' ? 1 : 0
  return type === BYTEA ? Buffer.from(text.slice(2), 'hex') : text
}

function parameter(value: unknown): string {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
  return String(value)
}

/** In front of the server's own clock, for every session. */
const CLOCK = `
CREATE SCHEMA simulated;
CREATE FUNCTION simulated.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT to_timestamp(current_setting('simulated.now')::float8 / 1000)
$$;`

interface Raw {
  columns: readonly string[]
  readonly rows: (readonly (string | null)[])[]
  types: readonly number[]
  readonly commands: string[]
  problem: ServerProblem | undefined
  /** The transaction takes nothing more. */
  isFailed: boolean
}

/** What the backend answers to each of several messages. */
function exchange(backend: PGlite, messages: readonly Uint8Array[]): readonly Raw[] {
  const fresh = (): Raw => ({
    columns: [],
    rows: [],
    types: [],
    commands: [],
    problem: undefined,
    isFailed: false,
  })
  const done: Raw[] = []
  let raw = fresh()
  new Parser().parse(backend.execProtocolRawSync(bytes(...messages)), (part) => {
    switch (part.name) {
      case 'rowDescription': {
        const { fields } = part as unknown as { fields: { name: string; dataTypeID: number }[] }
        raw.columns = fields.map(({ name }) => name)
        raw.types = fields.map(({ dataTypeID }) => dataTypeID)
        return
      }
      case 'dataRow':
        return void raw.rows.push((part as unknown as { fields: (string | null)[] }).fields)
      case 'commandComplete':
        return void raw.commands.push((part as unknown as { text: string }).text)
      case 'error': {
        const { code = '', message: text } = part as unknown as { code?: string; message: string }
        raw.problem ??= { code, message: text }
        return
      }
      case 'readyForQuery':
        raw.isFailed = (part as unknown as { status: string }).status === 'E'
        done.push(raw)
        raw = fresh()
        return
      default:
    }
  })
  return done
}

const bytes = (...parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts)

function messageOf({ text, values }: Query): Uint8Array {
  if (values.length === 0) return serialize.query(text)
  return bytes(
    serialize.parse({ text }),
    serialize.bind({ values: values.map(parameter) }),
    serialize.describe({ type: 'P' }),
    serialize.execute({}),
    serialize.sync(),
  )
}

function answerOf({ columns, rows, types, commands }: Raw): StatementAnswer {
  if (commands.length > 1) return { columns: [], rows: [], changes: 0, command: '' }
  const [name = '', ...rest] = (commands[0] ?? '').split(' ')
  return {
    columns,
    rows: rows.map((row) => row.map((text, index) => cell(text, types[index] ?? 0))),
    changes: Number(rest.at(-1) ?? 0),
    command: name,
  }
}

/** The same statement, for a session that has no backend of its own. */
function ownText(text: string, { number, path }: Session): string {
  return text
    .replaceAll('CREATE TEMP TABLE ', `CREATE TABLE session_${number}.`)
    .replaceAll(/\b(DECLARE|FROM|CLOSE) c(\d+)\b/g, `$1 s${number}_c$2`)
    .replaceAll(/SET search_path = ("\w+"), pg_catalog/g, `SET search_path = $1, ${path}`)
}

export async function openDatabase(): Promise<SimulatedDatabase> {
  const backend = await PGlite.create()
  let sessions = 0
  const open = new Set<number>()
  let last: Session | undefined
  let shownAt = 0
  let isFailed = false

  const plain = (text: string): Raw => {
    const [raw] = exchange(backend, [serialize.query(text)])
    if (raw === undefined) throw new Error(`no answer to ${text.slice(0, 200)}`)
    isFailed = raw.isFailed
    return raw
  }
  const must = (text: string): Raw => {
    const raw = plain(text)
    if (raw.problem !== undefined) throw new Error(`${raw.problem.message}: ${text.slice(0, 200)}`)
    return raw
  }
  must(CLOCK)

  /** A transaction that has failed takes nothing more, and needs no time. */
  function setClock(now: number): void {
    if (isFailed) return
    if (now !== shownAt) must(`SET simulated.now = '${now}'`)
    shownAt = now
  }
  function turnTo(session: Session): void {
    if (last === session) return
    last = session
    const { schema, path, fence } = session
    must(
      `SET search_path = ${schema === '' ? '' : `${schema}, `}${path}; SET contact_sync.fence = '${fence}'`,
    )
  }
  function note(session: Session, text: string): void {
    session.fence = /SET contact_sync\.fence = '(\d*)'/.exec(text)?.[1] ?? session.fence
    session.schema = /SET search_path = ("\w+"), /.exec(text)?.[1] ?? session.schema
  }
  const rollBack = (): void => {
    must('ROLLBACK')
    // What was set within it is undone.
    shownAt = 0
  }

  return {
    open() {
      sessions += 1
      open.add(sessions)
      must(`CREATE SCHEMA session_${sessions}`)
      return { number: sessions, path: `session_${sessions}, simulated, pg_catalog`, schema: '', fence: '' }
    },
    ask(session, queries, now) {
      turnTo(session)
      setClock(now)
      const raws = exchange(
        backend,
        queries.map((query) => messageOf({ ...query, text: ownText(query.text, session) })),
      )
      for (const [index, { text }] of queries.entries()) {
        if (raws[index]?.problem === undefined) note(session, text)
        // What was set within a transaction may be undone.
        if (/^(ROLLBACK|COMMIT)/.test(text)) shownAt = 0
      }
      isFailed = raws.at(-1)?.isFailed === true
      return { answers: raws.map(answerOf), problem: raws.find((raw) => raw.problem !== undefined)?.problem }
    },
    end(session) {
      turnTo(session)
      rollBack()
      for (const [name = ''] of must('SELECT name FROM pg_cursors').rows)
        if (name?.startsWith(`s${session.number}_`) === true) must(`CLOSE ${name}`)
      must(`DROP SCHEMA session_${session.number} CASCADE`)
      open.delete(session.number)
      last = undefined
    },
    read(text, now) {
      last = undefined
      must('SET search_path = contact_sync, simulated, pg_catalog')
      setClock(now)
      return must(text).rows
    },
    clear() {
      last = undefined
      must('DROP SCHEMA IF EXISTS contact_sync CASCADE')
      for (const number of open) must(`DROP SCHEMA session_${number} CASCADE`)
      open.clear()
    },
    close: () => backend.close(),
  }
}
