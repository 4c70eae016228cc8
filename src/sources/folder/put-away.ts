// Finds a file that a run has read: by its name and the run's id in the archive, or still in the inbox; and with certainty by
// its digest, which is computed again. The places of lines are noted, so that the whole need not be parsed for one row.
import { createHash } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { archivedName, entryPath, rawName } from '../file-name.ts'
import { fileVersion, type InputFile, openInputFile } from '../input-file.ts'

export interface WantedFile {
  /** As the state has it: the name in the inbox. */
  readonly name: string
  readonly sha256: string
  /** Runs that may have put it away, the likeliest first. */
  readonly runIds: readonly string[]
  /** Places of these lines are noted, counted from 1. */
  readonly lines: readonly number[]
}

export interface FoundFile {
  readonly file: InputFile
  /** In the order of `lines`; undefined for a line beyond the end. */
  readonly offsets: readonly (number | undefined)[]
  /** When its content was written, in milliseconds. */
  readonly writtenAt: number
}

/** So many files of the name that other runs have archived are tried. */
const MOST_OTHERS = 20
const CHUNK_BYTES = 1024 * 1024
const LINE_FEED = 0x0a

/** Where each line begins, and the digest of the whole, in one pass over one piece of memory. */
async function surveyed(
  file: InputFile,
  lines: readonly number[],
): Promise<{ offsets: (number | undefined)[]; sha256: string }> {
  const offsets = new Map<number, number>([[1, 0]])
  const wanted = new Set(lines)
  const last = Math.max(...lines, 1)
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  let line = 1
  for (let position = 0; position < file.bytes;) {
    const count = await file.readAt(buffer, position)
    if (count === 0) break
    const chunk = buffer.subarray(0, count)
    hash.update(chunk)
    for (let at = chunk.indexOf(LINE_FEED); at >= 0 && line < last; at = chunk.indexOf(LINE_FEED, at + 1)) {
      line += 1
      if (wanted.has(line)) offsets.set(line, position + at + 1)
    }
    position += count
  }
  return { offsets: lines.map((one) => offsets.get(one)), sha256: hash.digest('hex') }
}

/** Undefined where no regular file is there. */
async function opened(path: Buffer, name: string) {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined)
  if (stats?.isFile() !== true) return undefined
  const input = { name, version: fileVersion(stats), bytes: Number(stats.size) }
  const file = await openInputFile(path, input).catch(() => undefined)
  return file === undefined ? undefined : { file, writtenAt: Number(stats.mtimeMs) }
}

async function fitting(path: Buffer, wanted: WantedFile): Promise<FoundFile | undefined> {
  const found = await opened(path, wanted.name)
  if (found === undefined) return undefined
  try {
    const { offsets, sha256 } = await surveyed(found.file, wanted.lines)
    if (sha256 === wanted.sha256) return { ...found, offsets }
  } catch {
    // What cannot be read to its end is not the file.
  }
  await found.file.close()
  return undefined
}

/** Files in the folder whose names are made of the name and a run's id; of runs after the first one, the next first. */
async function othersIn(
  folder: string,
  raw: Buffer,
  { runIds: [first = ''] }: WantedFile,
): Promise<Buffer[]> {
  const names = await readdir(folder, { encoding: 'buffer' }).catch((): Buffer[] => [])
  const tag = '\u0000'
  const [before = '', after = ''] = archivedName(raw, tag).toString('latin1').split(tag)
  return names
    .map((name) => ({ name, text: name.toString('latin1') }))
    .filter(({ text }) => text.startsWith(before) && text.endsWith(after))
    .filter(({ text }) => text.slice(before.length) >= first)
    .sort((one, other) => (one.text < other.text ? -1 : 1))
    .slice(0, MOST_OTHERS)
    .map(({ name }) => entryPath(folder, name))
}

/** The file with this digest, open; undefined where it is gone, or what bears its name has another content. */
export async function findPutAway(folder: string, wanted: WantedFile): Promise<FoundFile | undefined> {
  const raw = rawName(wanted.name)
  if (raw === undefined) return undefined
  const folders = ['processed', 'failed'].map((name) => join(folder, name))
  const named = folders.flatMap((place) => wanted.runIds.map((id) => entryPath(place, archivedName(raw, id))))
  for (const path of [...named, entryPath(folder, raw)]) {
    const found = await fitting(path, wanted)
    if (found !== undefined) return found
  }
  for (const place of folders)
    for (const path of await othersIn(place, raw, wanted)) {
      const found = await fitting(path, wanted)
      if (found !== undefined) return found
    }
  return undefined
}
