// Fetches by a program of the administrator's own. It is never trusted to end, to yield what it should, or to say what
// went wrong in a way that may be logged.
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { SyncError } from '../../core/words/errors.ts'
import { describeFault, faultCode } from '../fault.ts'
import type { Fetched, Fetcher, FetchTask } from '../pull/fetcher.ts'
import type { ModuleOptions } from './options.ts'
import type { ModuleSource } from './types.ts'
import { type ModuleCall, outsideModule, withinModule } from './unhandled.ts'
import { recordText, UnfitValue } from './values.ts'

const MOST_TOLD = 20
const MOST_CHARS = 500

function textOf(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  } catch {
    return 'something that has no text'
  }
}

/** What was thrown, without a stack: the first line of its message. */
function saidBy(error: unknown): string {
  const text = textOf(error)
  return (text.split(/[\r\n]/)[0] ?? '').slice(0, MOST_CHARS)
}

const failed = (path: string, what: string, cause?: unknown): SyncError =>
  new SyncError('SOURCE_FAILED', `module ${basename(path)}: ${what}`, { cause })

/** A module that was changed is loaded again by the next fetch. */
async function loaded(path: string): Promise<ModuleSource> {
  let version: number
  try {
    version = (await stat(path)).mtimeMs
  } catch (error) {
    if (faultCode(error) === undefined) throw error
    throw failed(path, `${path} cannot be read: ${describeFault(error)}`, error)
  }
  const url = pathToFileURL(path)
  url.searchParams.set('version', String(version))
  const found: unknown = await import(url.href).catch((error: unknown) => {
    throw failed(path, `it cannot be loaded: ${saidBy(error)}`, error)
  })
  const source = (found as { default?: unknown }).default
  if (typeof source !== 'function') throw failed(path, 'it has no function as its default export')
  return source as ModuleSource
}

/** Tells so many lines, and that there were more. */
function teller(tell: FetchTask['tell']): (text: unknown) => void {
  let told = 0
  return (text) => {
    told += 1
    if (told <= MOST_TOLD) outsideModule(() => tell(String(text).slice(0, MOST_CHARS)))
    if (told === MOST_TOLD + 1) outsideModule(() => tell('and more, not shown'))
  }
}

const isWithCursor = (value: unknown): value is { record: unknown; cursor: unknown } =>
  typeof value === 'object' &&
  value !== null &&
  Object.hasOwn(value, 'record') &&
  typeof (value as { record: unknown }).record === 'object' &&
  Object.keys(value).every((name) => name === 'record' || name === 'cursor')

/** Undefined for what JSON cannot hold, a big integer or a circle among it. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

function cursorOf(value: { readonly cursor?: unknown }): { cursor?: unknown } {
  if (value.cursor === undefined || value.cursor === null) return {}
  // As it will be read again: what JSON cannot hold is detected now.
  const text = jsonOf(value.cursor)
  if (text === undefined) throw new UnfitValue('the cursor is no value that JSON can hold')
  return { cursor: JSON.parse(text) as unknown }
}

function fetchedOf(value: unknown): Fetched {
  if (!isWithCursor(value)) return { json: recordText(value) }
  return { json: recordText(value.record), ...cursorOf(value) }
}

interface Call extends ModuleCall {
  /** Rejected by the first error that the module does not handle. */
  readonly failure: Promise<never>
  /** From now on such an error is told: the fetch it could fail is over. */
  end(): void
}

function begunCall(path: string, tell: (text: unknown) => void): Call {
  const { promise, reject } = Promise.withResolvers<never>()
  // It is asked for with each record.
  promise.catch(() => undefined)
  let isOver = false
  return {
    failure: promise,
    end: () => void (isOver = true),
    report(error) {
      if (isOver)
        tell(`an unhandled error, after the end: ${error instanceof Error ? error.name : typeof error}`)
      else reject(failed(path, `an unhandled error: ${saidBy(error)}`, error))
    },
  }
}

/** What the module gives, unless it takes too long (`lateText`) or the run ends before. */
async function givenInTime<T>(
  give: () => Promise<T>,
  {
    lateText,
    timeout,
    path,
    failure,
  }: Pick<ModuleOptions, 'timeout' | 'path'> & Pick<Call, 'failure'> & { readonly lateText: string },
  { clock, signal }: FetchTask,
): Promise<T> {
  const settled = new AbortController()
  const late = clock.sleep(timeout, AbortSignal.any([signal, settled.signal])).then(() => 'late' as const)
  try {
    const first = await Promise.race([give(), failure, late])
    if (first !== 'late') return first
  } finally {
    settled.abort()
  }
  throw failed(path, signal.aborted ? 'the run was ended' : `${lateText} in the time of source.timeout`)
}

async function* yielded(options: ModuleOptions, task: FetchTask): AsyncGenerator<Fetched> {
  const { path } = options
  const tell = teller(task.tell)
  const call = begunCall(path, tell)
  const inTime = { ...options, failure: call.failure }
  // A module may wait, at its top level, for something that never comes.
  const load = async () => withinModule(call, async () => loaded(path))
  const source = await givenInTime(load, { ...inTime, lateText: 'it was not loaded' }, task)
  const givenUp = new AbortController()
  // Listeners of the module are called within its call, too.
  const giveUp = (): void => withinModule(call, () => givenUp.abort())
  task.signal.addEventListener('abort', giveUp)
  let records = 0
  let iterator: AsyncIterator<unknown> | undefined
  let isDone = false
  try {
    if (task.signal.aborted) giveUp()
    const context = { cursor: task.cursor, signal: givenUp.signal, log: { info: tell, warn: tell } }
    // A copy: what it changes must not be what the next fetch is given.
    const own = structuredClone(options.options)
    const iterable = withinModule(call, () => source(own, context)) as Partial<AsyncIterable<unknown>>
    const begun = withinModule(call, () => iterable[Symbol.asyncIterator]?.())
    if (begun === undefined)
      throw failed(path, 'it gives nothing that can be iterated; write async function*')
    iterator = begun
    const next = async () => withinModule(call, async () => begun.next())
    for (;;) {
      const step = await givenInTime(next, { ...inTime, lateText: 'it yielded nothing' }, task)
      if (step.done === true) break
      yield fetchedOf(step.value)
      records += 1
    }
    // A promise that it did not wait for is reported after those that are settled.
    await Promise.race([call.failure, nextTurn()])
    isDone = true
  } catch (error) {
    if (error instanceof SyncError) throw error
    if (error instanceof UnfitValue) throw failed(path, `record ${records + 1}: ${error.message}`)
    throw failed(path, `it failed after ${records} records: ${saidBy(error)}`, error)
  } finally {
    call.end()
    task.signal.removeEventListener('abort', giveUp)
    giveUp()
    // Not waited for: what hangs may hang here, too.
    if (!isDone) withinModule(call, () => void Promise.resolve(iterator?.return?.()).catch(() => undefined))
  }
}

export function moduleFetcher(options: ModuleOptions): Fetcher {
  return {
    identity: JSON.stringify(['module', options.path, options.options]),
    fetch: (task) => yielded(options, task),
  }
}
