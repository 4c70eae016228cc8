// Speaks with the server while the thread that asked stands still (channel.ts). What is asked together goes over the wire
// together.
import { isMainThread, type MessagePort, workerData } from 'node:worker_threads'
import type pg from 'pg'
import {
  type Statements,
  type Query,
  type Renewal,
  type ServerAnswer,
  SIGNAL,
  type StatementAnswer,
  THREAD_STATES,
  type Told,
  type WireData,
} from './channel.ts'
import { ownSession } from './pooler.ts'
import { createSilenceWatch, cut, isOfServer, newClient } from './silence.ts'
import { serverProblem } from './trouble.ts'

const [BOOL, BYTEA, INT8, INT2, INT4, FLOAT4, FLOAT8, NUMERIC] = [16, 17, 20, 21, 23, 700, 701, 1700]
const NUMBERS: readonly number[] = [INT8, INT2, INT4, FLOAT4, FLOAT8, NUMERIC]

const types = {
  getTypeParser: (type: number) => (text: string) => {
    if (NUMBERS.includes(type)) return Number(text)
    if (type === BOOL) return text === 't' ? 1 : 0
    return type === BYTEA ? Buffer.from(text.slice(2), 'hex') : text
  },
}

const problemOf = (error: unknown): ServerAnswer => ({ problem: serverProblem(error) })

/** So many compiled statements the server keeps for one connection. */
const MOST_COMPILED = 2000

/** Statements with values are compiled once by the server: for each setting, as they mean other tables under another one. */
function createNames(client: pg.Client) {
  const names = new Map<string, string>()
  let made = 0
  return (under: string, { text, values }: Query): { name?: string } => {
    if (values.length === 0) return {}
    const key = `${under} ${text}`
    const known = names.get(key)
    if (known !== undefined) return { name: known }
    if (names.size >= MOST_COMPILED) {
      names.clear()
      // Where a transaction has failed it is refused: what is kept is kept in vain.
      client.query('DEALLOCATE ALL').catch(() => undefined)
      // The driver would remember every name that it ever gave. None is given a second time.
      Object.assign((client as unknown as { connection: object }).connection, { parsedStatements: {} })
    }
    made += 1
    names.set(key, `s${made}`)
    return { name: `s${made}` }
  }
}

/** Gives what asks the server. */
function answeredBy(client: pg.Client): (asked: Statements) => Promise<ServerAnswer> {
  const nameOf = createNames(client)
  let current = ''

  const ask = async (under: string, query: Query): Promise<StatementAnswer> => {
    const config = {
      ...nameOf(under, query),
      text: query.text,
      values: [...query.values],
      rowMode: 'array' as const,
    }
    const result = await client.query<unknown[]>({ ...config, types })
    // Several statements at once have several results, which the declarations do not say.
    if (Array.isArray(result)) return { columns: [], rows: [], changes: 0, command: '' }
    const { fields, rows, rowCount, command } = result
    return { columns: fields.map(({ name }) => name), rows, changes: rowCount ?? 0, command }
  }

  async function turnTo(under: string): Promise<void> {
    if (under === current) return
    current = under
    try {
      await client.query(under)
    } catch (error) {
      current = ''
      throw error
    }
  }

  return async ({ queries, under }) => {
    // They are on their way together.
    const turned = turnTo(under)
    const settled = await Promise.allSettled([turned, ...queries.map(async (query) => ask(under, query))])
    const failed = settled.find((one) => one.status === 'rejected')
    if (failed !== undefined) return problemOf(failed.reason)
    return {
      answers: settled.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value] : [])),
    }
  }
}

/** A lock is not waited for: the row is renewed at the next turn, and others must not be late for it. */
const LOCKED = '55P03'

/** A session that is looked after waits for no lock. */
const LOOK = 'SELECT state FROM pg_stat_activity WHERE pid = $1'

/** A connection beside the first one: says statements again and again, and tells whether a session is at work. */
function createBeside(url: string) {
  const timers = new Map<string, NodeJS.Timeout>()
  const underWay = new Set<string>()
  let opened: Promise<pg.Client> | undefined

  async function open(): Promise<pg.Client> {
    const client = newClient(url)
    try {
      await client.connect()
    } catch (error) {
      cut(client)
      throw error
    }
    return client
  }

  /** Over a new connection where the last one has failed. */
  async function ask(query: pg.QueryConfig): Promise<unknown[]> {
    const used = (opened ??= open())
    try {
      return (await (await used).query<object>(query)).rows
    } catch (error) {
      if (used === opened && serverProblem(error).code !== LOCKED) {
        opened = undefined
        used.then(cut).catch(() => undefined)
      }
      throw error
    }
  }

  /** A renewal that fails is tried again at the next turn. */
  async function renew({ renew: text, everyMs }: Renewal): Promise<void> {
    if (underWay.has(text)) return
    underWay.add(text)
    try {
      await ask({ text: `SET lock_timeout = ${Math.ceil(everyMs / 2)}; ${text}` })
    } catch {
      // At the next turn.
    } finally {
      underWay.delete(text)
    }
  }

  const stop = (text: string): void => {
    clearInterval(timers.get(text))
    timers.delete(text)
  }
  return {
    keep: (renewal: Renewal): void =>
      void timers.set(
        renewal.renew,
        setInterval(() => void renew(renewal), renewal.everyMs),
      ),
    stop,
    stopAll: () => [...timers.keys()].forEach(stop),
    /** Also where the server cannot say it now. */
    isAtWork: (pid: number | undefined): Promise<boolean> =>
      ask({ text: LOOK, values: [pid] }).then(
        ([session]) => (session as { state: string } | undefined)?.state === 'active',
        (error: unknown) => isOfServer(serverProblem(error).code),
      ),
    close: async (): Promise<void> => opened?.then(async (client) => client.end()).catch(() => undefined),
  }
}

/** The main thread does not wait for one that has ended. */
function sayWhenEnded(signal: Int32Array): void {
  process.once('exit', () => {
    Atomics.store(signal, SIGNAL.thread, THREAD_STATES.ended)
    Atomics.notify(signal, SIGNAL.thread)
    Atomics.store(signal, SIGNAL.answered, 1)
    Atomics.notify(signal, SIGNAL.answered)
  })
}

/** Answers until it is told to close. */
function serve({ url, port, signal }: WireData & { port: MessagePort }): void {
  sayWhenEnded(signal)
  const client = newClient(url, { pipeline: true })
  const beside = createBeside(url)
  let session: number | undefined
  const silence = createSilenceWatch({
    isAtWork: () => beside.isAtWork(session),
    giveUp: () => cut(client, Object.assign(new Error('the server did not answer'), { code: 'ETIMEDOUT' })),
  })
  // A worker that cannot write any more must not keep its lease.
  const broken = (): void => {
    Atomics.store(signal, SIGNAL.broken, 1)
    beside.stopAll()
  }
  client.on('end', broken)
  client.on('error', broken)
  const answered = answeredBy(client)

  function tell(answer: ServerAnswer): void {
    port.postMessage(answer)
    Atomics.store(signal, SIGNAL.answered, 1)
    Atomics.notify(signal, SIGNAL.answered)
  }

  async function close(): Promise<void> {
    beside.stopAll()
    await client.end().catch(() => undefined)
    await beside.close()
    tell({ answers: [] })
    port.close()
  }

  async function answer(asked: Statements): Promise<void> {
    silence.begin()
    const given = await answered(asked)
    silence.end()
    tell(given)
  }

  const connected = client.connect().then(async () => {
    session = await ownSession(client, url)
  })
  // Each statement says it: the first one may come long after.
  connected.catch(broken)
  Atomics.store(signal, SIGNAL.thread, THREAD_STATES.serving)
  Atomics.notify(signal, SIGNAL.thread)
  port.on('message', (told: Told) => {
    if (told !== 'close' && 'renew' in told) return beside.keep(told)
    if (told !== 'close' && 'renewNoMore' in told) return beside.stop(told.renewNoMore)
    void connected.then(
      async () => (told === 'close' ? close() : answer(told)),
      (error: unknown) => tell(problemOf(error)),
    )
  })
}

// Loaded by itself, it has nothing to serve.
if (!isMainThread) serve(workerData as WireData & { port: MessagePort })
