// Removes files from `processed` and `failed` that were put there long enough ago. Only what archive.ts put there: regular
// files, directly inside, whose name bears the id of a run. The id, too, tells when that was: a file's own time of change
// is that of its exporter.
import { opendir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SyncError } from '../../core/words/errors.ts'
import { RUN_ID_PATTERN } from '../../core/words/run-id.ts'
import { describeFault, faultCode } from '../fault.ts'
import { entryPath } from '../file-name.ts'

/** An id of a run between dots, with what `reserve` appends to it. */
const RUN_ID = new RegExp(`(?<=\\.)${RUN_ID_PATTERN}(?=-\\d+(?:\\.|$)|\\.|$)`, 'g')

/** When the file was archived, milliseconds since the epoch; undefined for files without a run's id. */
export function archivedAt(name: Buffer): number | undefined {
  const times = [...name.toString('latin1').matchAll(RUN_ID)].map((match) => {
    const [year = 0, month = 0, ...rest] = match.slice(1).map(Number)
    return Date.UTC(year, month - 1, ...rest)
  })
  // A corrected file that was dropped again has the ids of several runs: the newest archived it.
  return times.length === 0 ? undefined : Math.max(...times)
}

/**
 * Removes at most `limit` files of one of the two folders; how many. A folder that is not there has none.
 * Throws ARCHIVE_FAILED.
 * @param before milliseconds since the epoch
 */
export async function removeOldFiles(
  folder: string,
  which: 'processed' | 'failed',
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  const place = join(folder, which)
  try {
    const names = await oldNames(place, { before, limit })
    for (const name of names) await rm(entryPath(place, name), { force: true })
    return names.length
  } catch (error) {
    if (faultCode(error) === undefined) throw error
    const message = `${place} has old files that cannot be removed: ${describeFault(error)}`
    throw new SyncError('ARCHIVE_FAILED', message, { cause: error })
  }
}

async function oldNames(
  place: string,
  { before, limit }: { before: number; limit: number },
): Promise<Buffer[]> {
  const names: Buffer[] = []
  try {
    // The type of names follows the encoding, which the declarations do not know.
    for await (const entry of await opendir(place, { encoding: 'buffer' as BufferEncoding })) {
      const name = entry.name as unknown as Buffer
      const at = entry.isFile() ? archivedAt(name) : undefined
      if (at !== undefined && at < before) names.push(name)
      if (names.length === limit) break
    }
  } catch (error) {
    if (faultCode(error) !== 'ENOENT') throw error
  }
  return names
}

/** Files that accompany an archived file, and are not counted themselves. */
const BESIDE = /\.(?:reason\.txt|rejects\.csv|rejects\.jsonl)$/

export const isBeside = (name: string): boolean => BESIDE.test(name)

/** The name with which the file was dropped. */
export const nameBeforeRun = (name: string): string =>
  name.replaceAll(new RegExp(`\\.${RUN_ID.source}(-\\d+)?`, 'g'), '')

export interface FailedCount {
  readonly files: number
  /** When the first of them was put there. */
  readonly oldest: number | undefined
}

/** Of the regular files in `failed`, those that could not be taken. */
export function countFailed(names: readonly Buffer[]): FailedCount {
  let files = 0
  let oldest: number | undefined
  for (const name of names) {
    const text = name.toString('latin1')
    if (text.startsWith('.') || isBeside(text)) continue
    files += 1
    const at = archivedAt(name)
    if (at !== undefined && (oldest === undefined || at < oldest)) oldest = at
  }
  return { files, oldest }
}

/** The files that could not be taken and lie in `failed`. */
export async function failedFiles(folder: string): Promise<FailedCount> {
  const place = join(folder, 'failed')
  const names: Buffer[] = []
  try {
    for await (const entry of await opendir(place, { encoding: 'buffer' as BufferEncoding }))
      if (entry.isFile()) names.push(entry.name as unknown as Buffer)
  } catch (error) {
    if (faultCode(error) === 'ENOENT') return { files: 0, oldest: undefined }
    if (faultCode(error) === undefined) throw error
    const message = `${place} cannot be read: ${describeFault(error)}`
    throw new SyncError('ARCHIVE_FAILED', message, { cause: error })
  }
  return countFailed(names)
}
