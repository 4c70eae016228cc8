// Fetches by a program of the administrator's own. It is never trusted to end, to yield what it should, or to say what
// went wrong in a way that may be logged.
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SyncError } from '../../core/words/errors.ts'
import { describeFault, faultCode } from '../fault.ts'
import type { Fetched, Fetcher, FetchTask } from '../pull/fetcher.ts'
import type { ModuleOptions } from './options.ts'
import type { ModuleSource } from './types.ts'
import { recordText, UnfitValue } from './values.ts'

const MOST_TOLD = 20
const MOST_CHARS = 500

/** What was thrown, without a stack: the first line of its message. */
function saidBy(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
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
    if (told <= MOST_TOLD) tell(String(text).slice(0, MOST_CHARS))
    if (told === MOST_TOLD + 1) tell('and more, not shown')
  }
}

const isWithCursor = (value: unknown): value is { record: unknown; cursor: unknown } =>
  typeof value === 'object' &&
  value !== null &&
  Object.hasOwn(value, 'record') &&
  typeof (value as { record: unknown }).record === 'object' &&
  Object.keys(value).every((name) => name === 'record' || name === 'cursor')

function cursorOf(value: { readonly cursor?: unknown }): { cursor?: unknown } {
  if (value.cursor === undefined || value.cursor === null) return {}
  // As it will be read again: what JSON cannot hold is detected now.
  const text = JSON.stringify(value.cursor) as string | undefined
  if (text === undefined) throw new UnfitValue('the cursor is no value that JSON can hold')
  return { cursor: JSON.parse(text) as unknown }
}

function fetchedOf(value: unknown): Fetched {
  if (!isWithCursor(value)) return { json: recordText(value) }
  return { json: recordText(value.record), ...cursorOf(value) }
}

/** The next value, unless it takes too long or the run ends before. */
async function nextWithin(
  next: () => Promise<IteratorResult<unknown>>,
  { timeout, path }: Pick<ModuleOptions, 'timeout' | 'path'>,
  { clock, signal }: FetchTask,
): Promise<IteratorResult<unknown>> {
  const settled = new AbortController()
  const late = clock.sleep(timeout, AbortSignal.any([signal, settled.signal])).then(() => 'late' as const)
  try {
    const first = await Promise.race([next(), late])
    if (first !== 'late') return first
  } finally {
    settled.abort()
  }
  throw failed(
    path,
    signal.aborted ? 'the run was ended' : 'it yielded nothing in the time of source.timeout',
  )
}

async function* yielded(options: ModuleOptions, task: FetchTask): AsyncGenerator<Fetched> {
  const { path } = options
  const source = await loaded(path)
  const givenUp = new AbortController()
  const tell = teller(task.tell)
  let records = 0
  let iterator: AsyncIterator<unknown> | undefined
  let isDone = false
  try {
    const signal = AbortSignal.any([task.signal, givenUp.signal])
    const context = { cursor: task.cursor, signal, log: { info: tell, warn: tell } }
    const iterable = source(options.options, context) as Partial<AsyncIterable<unknown>>
    const begun = iterable[Symbol.asyncIterator]?.()
    if (begun === undefined)
      throw failed(path, 'it gives nothing that can be iterated; write async function*')
    iterator = begun
    for (;;) {
      const next = await nextWithin(async () => begun.next(), options, task)
      if (next.done === true) break
      yield fetchedOf(next.value)
      records += 1
    }
    isDone = true
  } catch (error) {
    if (error instanceof SyncError) throw error
    if (error instanceof UnfitValue) throw failed(path, `record ${records + 1}: ${error.message}`)
    throw failed(path, `it failed after ${records} records: ${saidBy(error)}`, error)
  } finally {
    givenUp.abort()
    // Not waited for: what hangs may hang here, too.
    if (!isDone) void Promise.resolve(iterator?.return?.()).catch(() => undefined)
  }
}

export function moduleFetcher(options: ModuleOptions): Fetcher {
  return {
    identity: JSON.stringify(['module', options.path, options.options]),
    fetch: (task) => yielded(options, task),
  }
}
