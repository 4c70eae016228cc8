// Writes what a fetch brings into a file of JSON lines, whole or not at all: under a hidden name, until it is safe on the
// disk. What a fetch brought before it failed is kept as a part; of one that the end of the run cut off, nothing is.
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Cursor, FetchOrder, KeptCursor } from '../../core/cursor.ts'
import type { Clock } from '../../core/ports.ts'
import type { TokenVault } from '../../core/token-vault.ts'
import { SyncError } from '../../core/words/errors.ts'
import { describeFault, faultCode } from '../fault.ts'
import { flushFolder } from '../folder/place.ts'
import type { Fetched, Fetcher } from './fetcher.ts'
import { writeNote } from './note.ts'

const BUFFER_CHARS = 256 * 1024
/** As files are named that a fetch has written, is writing, or tells of. */
const OURS = /^\.?fetch-\d{8}-\d{6}[\w-]*\.jsonl(\.fetch|\.part)?$|^\.tap-(catalog|state)\.json$/
/** Of these, what only a fetch that was killed leaves; the next one removes it. */
const UNFINISHED = /^\.(fetch-.*\.part|tap-.*)$/
const MOST_LABEL = 60

interface Spooling {
  readonly folder: string
  readonly fetcher: Fetcher
  readonly order: FetchOrder
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly tokens?: TokenVault | undefined
  /** More records are a fault of the source. */
  readonly mostRecords: number
}

interface Brought {
  records: number
  cursor: Cursor
  hasCursor: boolean
  isPart: boolean
}

const nameAt = (ms: number, label = ''): string => {
  const suffix = label.replaceAll(/[^\w]+/g, '-').slice(0, MOST_LABEL)
  const [day = '', time = ''] = new Date(ms).toISOString().split('T')
  return `fetch-${day.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}${suffix === '' ? '' : `-${suffix}`}.jsonl`
}

const identityOf = ({ identity }: Fetcher): string => createHash('sha256').update(identity).digest('hex')

/** Everything that a fetch yields, in pieces that are worth a write. */
async function writeAll(
  file: FileHandle,
  fetched: AsyncIterable<Fetched>,
  mostRecords: number,
  brought: Brought,
): Promise<void> {
  let text = ''
  const add = async (json: string): Promise<void> => {
    if (brought.records === mostRecords)
      throw new SyncError('SOURCE_ANSWER', `the source gives more than ${mostRecords} records`, {
        hint: 'Raise source.max_records if that is right.',
      })
    brought.records += 1
    text += `${json}\n`
    if (text.length <= BUFFER_CHARS) return
    await file.writeFile(text)
    text = ''
  }
  try {
    for await (const { json, isPart = false, ...moved } of fetched) {
      brought.isPart ||= isPart
      if (json !== undefined) await add(json)
      if ('cursor' in moved) Object.assign(brought, { cursor: moved.cursor, hasCursor: true })
    }
  } finally {
    // What came before a failure is a part.
    await file.writeFile(text)
  }
}

/** The failure of a fetch; everything else is a fault of the disk or of this program. */
async function failureOf(work: Promise<void>): Promise<SyncError | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof SyncError) return error
    throw error
  }
}

function reportedFault(folder: string, error: unknown): unknown {
  if (error instanceof SyncError || faultCode(error) === undefined) return error
  return new SyncError('SPOOL_FAILED', `${folder} cannot be written to: ${describeFault(error)}`, {
    cause: error,
  })
}

export const isUnfinishedFetch = (name: string): boolean => OURS.test(name) && UNFINISHED.test(name)

async function clear(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (OURS.test(name)) await rm(join(folder, name), { force: true })
}

const keptAs = (of: string, { cursor, hasCursor }: Brought): KeptCursor | undefined =>
  hasCursor && cursor !== undefined && cursor !== null ? { of, value: cursor } : undefined

/** Where a fetch without records came to; undefined where that is known. */
const movedBy = (order: FetchOrder, kept: KeptCursor | undefined): KeptCursor | undefined =>
  order.isFull || isDeepStrictEqual(kept, order.cursor) ? undefined : kept

async function spoolInto(
  file: FileHandle,
  { fetcher, order, signal, clock, tokens, mostRecords }: Spooling,
): Promise<{ brought: Brought; failure: SyncError | undefined; of: string }> {
  const of = identityOf(fetcher)
  const brought: Brought = { records: 0, cursor: undefined, hasCursor: false, isPart: false }
  const cursor = order.cursor?.of === of ? order.cursor.value : undefined
  const task = { cursor, signal, clock, tokens, tell: order.tell, log: order.log }
  const fetched = fetcher.fetch(task)
  const failure = await failureOf(writeAll(file, fetched, mostRecords, brought))
  await file.sync()
  return { brought, failure, of }
}

/**
 * Fetches into the folder, where nothing waits. With nothing new, nothing is written, and the cursor is given that it came to; a
 * full fetch that came to its end is written in any case. Throws what ended a fetch that brought nothing, and SPOOL_FAILED.
 */
export async function spool(spooling: Spooling): Promise<KeptCursor | undefined> {
  const { folder, order, signal, clock } = spooling
  const name = nameAt(clock.now(), spooling.fetcher.label)
  const part = join(folder, `.${name}.part`)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await clear(folder)
    const file = await open(part, 'wx', 0o600)
    const { brought, failure, of } = await spoolInto(file, spooling).finally(() => file.close())
    if (signal.aborted) return undefined
    if (brought.records === 0 && failure !== undefined) throw failure
    const isFull = order.isFull && !brought.isPart
    if (brought.records === 0 && !isFull) return movedBy(order, keptAs(of, brought))
    await writeNote(folder, name, {
      records: brought.records,
      isFull,
      before: order.cursor,
      accepted: order.accepted,
      cursor: keptAs(of, brought),
      problem: failure && { code: failure.code, message: failure.message },
    })
    await rename(part, join(folder, name))
    await flushFolder(folder)
    return undefined
  } catch (error) {
    throw reportedFault(folder, error)
  } finally {
    await rm(part, { force: true }).catch(() => undefined)
  }
}
