// Looks into a drop folder: which entries match, which of them are ready, still growing, or no files at all.
// Looks only at what `lstat` tells; nothing is opened, followed or changed.
import { type BigIntStats, existsSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { extname, matchesGlob } from 'node:path'
import { SyncError } from '../../core/words/errors.ts'
import type { Clock, Source, SourceInput } from '../../core/ports.ts'
import { describeFault, faultCode } from '../fault.ts'
import { displayName, entryPath } from '../file-name.ts'
import { fileVersion } from '../input-file.ts'
import type { FolderOptions } from '../options.ts'

/** Endings that programs give to what they are still writing. */
const UNFINISHED = ['.part', '.tmp', '.filepart', '.crdownload', '.partial', '.swp', '~']

/** How names begin that are hidden, and those that Office gives to the mark beside a document that is open. */
const NO_EXPORT = ['.', '~$']

/** A modification time this far ahead is wrong rather than recent: such a file would not settle for a long time. */
const SKEW_MS = 60_000

export interface Listing {
  readonly ready: readonly SourceInput[]
  /** Still growing, with the time in milliseconds after which each may be ready. */
  readonly growing: readonly { readonly name: string; readonly waitMs: number }[]
  readonly refused: readonly { readonly name: string; readonly error: SyncError }[]
}

/**
 * Lists the folder in order of name (code units). Throws INPUT_FOLDER_MISSING or INPUT_UNREADABLE.
 * @param nowMs wall clock, compared with the files' times of change
 */
export async function listFolder(options: FolderOptions, nowMs: number): Promise<Listing> {
  const ready: SourceInput[] = []
  const growing: { name: string; waitMs: number }[] = []
  const refused: { name: string; error: SyncError }[] = []
  for (const { raw, name } of await matchingEntries(options)) {
    const stats = await statEntry(options.folder, raw)
    if (stats === undefined) continue
    if (!stats.isFile()) {
      // A folder without an ending is a user's subfolder, not a misplaced file.
      if (!stats.isDirectory() || extname(name) !== '')
        refused.push({ name, error: notAFile(name, whatItIs(stats)) })
      continue
    }
    const waitMs = settlesIn(changedAt(stats, nowMs), options.settle, nowMs)
    if (waitMs > 0) growing.push({ name, waitMs })
    else
      ready.push({
        name,
        version: fileVersion(stats),
        bytes: Number(stats.size),
        writtenAt: Number(stats.mtimeMs),
      })
  }
  return { ready, growing, refused }
}

/** What is ready; with `wait`, once those that were found have settled. */
export async function listSettled(
  look: () => Promise<Listing>,
  { wait, signal }: { readonly wait: boolean; readonly signal?: AbortSignal },
  clock: Pick<Clock, 'sleep'>,
): ReturnType<Source['list']> {
  let listing = await look()
  const found = new Set(listing.growing.map(({ name }) => name))
  while (wait && signal?.aborted !== true) {
    // Only those found at first: in a folder that never rests the wait would never end.
    const waits = listing.growing.filter(({ name }) => found.has(name)).map(({ waitMs }) => waitMs)
    if (waits.length === 0) break
    await clock.sleep(Math.ceil(Math.max(...waits)), signal)
    listing = await look()
  }
  return { ready: listing.ready, unsettled: listing.growing.length, refused: listing.refused }
}

/** Whether a name is for us at all: it matches a pattern, is not hidden and not of an unfinished or open file. */
export function isWanted(name: string, patterns: readonly string[]): boolean {
  const lower = name.toLowerCase()
  if (NO_EXPORT.some((start) => lower.startsWith(start))) return false
  if (UNFINISHED.some((ending) => lower.endsWith(ending))) return false
  return patterns.some((pattern) => matches(lowerEnding(name), lowerEnding(pattern)))
}

/** Nearly every pattern is `*.csv` or its like, and the first use of Node's patterns costs a start 5 ms. */
const matches = (name: string, pattern: string): boolean =>
  /^\*(?:\.\w+)+$/.test(pattern) ? name.endsWith(pattern.slice(1)) : matchesGlob(name, pattern)

function lowerEnding(name: string): string {
  // Of a packed file (`.csv.gz`) both.
  const dot = name.search(/\.[^.]*(?:\.gz)?$/i)
  return dot < 0 ? name : name.slice(0, dot) + name.slice(dot).toLowerCase()
}

async function matchingEntries(options: FolderOptions): Promise<{ raw: Buffer; name: string }[]> {
  const entries = await readFolder(options.folder)
  return entries
    .filter((raw) => isWanted(raw.toString('utf8'), options.files))
    .map((raw) => ({ raw, name: displayName(raw) }))
    .filter(({ name }) => name !== 'processed' && name !== 'failed')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The files, hidden and unfinished ones left out, that no pattern takes: they would stay there unnoticed. */
export async function unmatchedFiles(
  folder: string,
  patterns: readonly string[],
): Promise<readonly string[]> {
  const entries = await readdir(folder, { encoding: 'buffer', withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .filter(({ name: raw }) => {
      const name = raw.toString('utf8')
      return isWanted(name, ['*']) && !isWanted(name, patterns)
    })
    .map(({ name: raw }) => displayName(raw))
    .sort()
}

async function readFolder(folder: string): Promise<Buffer[]> {
  try {
    return await readdir(folder, { encoding: 'buffer' })
  } catch (error) {
    const code = faultCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      const text = existsSync(folder)
        ? `${folder} is a file, and no folder`
        : `The folder ${folder} is missing`
      throw new SyncError('INPUT_FOLDER_MISSING', text, { cause: error })
    }
    throw folderUnreadable(folder, error)
  }
}

async function statEntry(folder: string, raw: Buffer): Promise<BigIntStats | undefined> {
  try {
    return await lstat(entryPath(folder, raw), { bigint: true })
  } catch (error) {
    if (faultCode(error) === 'ENOENT') return undefined
    // One that cannot be looked at may be older than what could be read: nothing is taken, and an operator has to know which.
    throw folderUnreadable(folder, error, `${displayName(raw)}: `)
  }
}

/** How long until a file that was changed then counts as settled; 0 when it does. */
export function settlesIn(changedMs: number, settleMs: number, nowMs: number): number {
  const ageMs = nowMs - changedMs
  return ageMs < -SKEW_MS ? 0 : Math.max(0, settleMs - ageMs)
}

/** A copy may keep a time of change that lies ahead; the time of the entry's own change is the system's. */
const changedAt = ({ mtimeMs, ctimeMs }: BigIntStats, nowMs: number): number =>
  Number(mtimeMs) > nowMs ? Number(ctimeMs) : Number(mtimeMs)

export const notAFile = (name: string, what: string): SyncError =>
  new SyncError('INPUT_NOT_A_FILE', `${name} is ${what}; it was not opened and stays there`)

function whatItIs(stats: BigIntStats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link'
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a named pipe'
  if (stats.isSocket()) return 'a socket'
  return 'a device'
}

function folderUnreadable(folder: string, cause: unknown, which = ''): SyncError {
  const text = `The folder ${folder} cannot be read: ${which}${describeFault(cause)}`
  return new SyncError('INPUT_UNREADABLE', text, { cause })
}
