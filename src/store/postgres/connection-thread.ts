// Speaks with the server while the thread that asked stands still (channel.ts). What is asked together goes over the wire
// together.
import { isMainThread, type MessagePort, workerData } from 'node:worker_threads'
import pg from 'pg'
import {
  type ChannelData,
  type Query,
  type Renewal,
  type ServerAnswer,
  SIGNAL,
  type StatementAnswer,
  THREAD_STATES,
  type Told,
} from './channel.ts'
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

function newClient(url: string, pipeline: boolean): pg.Client {
  const made = new pg.Client({ connectionString: url, application_name: 'contact-sync', pipeline })
  // The statement that is under way fails, too, and says it.
  made.on('error', () => undefined)
  return made
}

const problemOf = (error: unknown): ServerAnswer => ({ problem: serverProblem(error) })

/** Gives what asks the server. */
function answeredBy(client: pg.Client): (queries: readonly Query[]) => Promise<ServerAnswer> {
  const names = new Map<string, string>()

  /** Statements with values are compiled once by the server. */
  function nameOf({ text, values }: Query): { name?: string } {
    if (values.length === 0) return {}
    const name = names.get(text) ?? `s${names.size}`
    names.set(text, name)
    return { name }
  }

  const ask = async (query: Query): Promise<StatementAnswer> => {
    const config = {
      ...nameOf(query),
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

  return async (queries) => {
    const settled = await Promise.allSettled(queries.map(ask))
    const failed = settled.find((one) => one.status === 'rejected')
    if (failed !== undefined) return problemOf(failed.reason)
    return { answers: settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])) }
  }
}

/** Says a statement again and again, over a connection of its own. */
function createRenewer(url: string) {
  let renewer: pg.Client | undefined
  let isRenewing = false

  /** A renewal that fails is tried again at the next turn, over a new connection. */
  async function renew(text: string): Promise<void> {
    if (isRenewing) return
    isRenewing = true
    try {
      if (renewer === undefined) {
        renewer = newClient(url, false)
        await renewer.connect()
      }
      await renewer.query(text)
    } catch {
      const broken = renewer
      renewer = undefined
      await broken?.end().catch(() => undefined)
    } finally {
      isRenewing = false
    }
  }
  return { renew, end: async () => renewer?.end().catch(() => undefined) }
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
function serve({ url, port, signal }: ChannelData & { port: MessagePort }): void {
  sayWhenEnded(signal)
  let renewing: NodeJS.Timeout | undefined
  const client = newClient(url, true)
  // A worker that cannot write any more must not keep its lease.
  client.on('end', () => clearInterval(renewing))
  client.on('error', () => clearInterval(renewing))
  const answered = answeredBy(client)
  const renewer = createRenewer(url)

  function tell(answer: ServerAnswer): void {
    port.postMessage(answer)
    Atomics.store(signal, SIGNAL.answered, 1)
    Atomics.notify(signal, SIGNAL.answered)
  }

  function keepRenewing({ renew: text, everyMs }: Renewal): void {
    renewing = setInterval(() => void renewer.renew(text), everyMs)
  }

  const isRenewal = (told: Told): told is Renewal => typeof told === 'object' && 'renew' in told

  const connected = client.connect()
  // Each statement says it: the first one may come long after.
  connected.catch(() => undefined)
  Atomics.store(signal, SIGNAL.thread, THREAD_STATES.serving)
  Atomics.notify(signal, SIGNAL.thread)
  port.on('message', (told: Told) => {
    if (isRenewal(told)) return keepRenewing(told)
    void connected.then(
      async () => {
        if (told !== 'close') return tell(await answered(told))
        clearInterval(renewing)
        await client.end().catch(() => undefined)
        await renewer.end()
        tell({ answers: [] })
        port.close()
      },
      (error: unknown) => tell(problemOf(error)),
    )
  })
}

// Loaded by itself, it has nothing to serve.
if (!isMainThread) serve(workerData as ChannelData & { port: MessagePort })
