// Takes one person's records out of the archived files of a drop folder: in `processed` and `failed`, with the rejects
// beside them. How records lie in a file, the source's kind knows; only reasons, and files that cannot be read as records,
// are dealt with here.
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SyncError } from '../core/errors.ts'
import type { SourceSettings } from '../core/settings.ts'
import { eraseRows } from './csv/erase.ts'
import { csvKind } from './csv/kind.ts'
import { csvOptions } from './csv/options.ts'
import { type ArchivedFile, ERASING, replaceContent, type Theirs } from './erasing.ts'
import { displayName } from './file-name.ts'
import { fileVersion } from './input-file.ts'
import type { SourceKind } from './kind.ts'
import { kindOf, SOURCE_KINDS } from './registry.ts'

type Kinds = Readonly<Record<string, SourceKind>>

export interface ErasedFiles {
  readonly changed: readonly { readonly file: string; readonly records: number }[]
  /** Files that may hold the person still. */
  readonly left: readonly { readonly file: string; readonly why: string }[]
}

async function putAway(folder: string): Promise<ArchivedFile[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  })
  const found: ArchivedFile[] = []
  for (const name of names.sort()) {
    const path = join(folder, name)
    const stats = await lstat(path, { bigint: true })
    // Links are never followed: what lies behind them is not ours.
    if (!stats.isFile() || name.endsWith(ERASING)) continue
    const shown = displayName(Buffer.from(name))
    const input = { name: shown, version: fileVersion(stats), bytes: Number(stats.size) }
    found.push({ path, name, input, mode: Number(stats.mode) & 0o777 })
  }
  return found
}

/** A file that cannot be read as records: its lines that name the person go. */
async function eraseLines(put: ArchivedFile, theirs: Theirs): Promise<number> {
  const text = (await readFile(put.path)).toString('latin1')
  const wide = text.replaceAll('\0', '')
  if (!theirs.isNamed(text)) {
    if (wide !== text && theirs.isNamed(wide)) throw new SyncError('INPUT_BINARY', 'it is no plain text')
    return 0
  }
  const lines = text.split(/(?<=\n)/)
  const kept = lines.map((line) => (theirs.isNamed(line) ? line.replaceAll(/[^\r\n]/g, '') : line))
  await replaceContent(put, [Buffer.from(kept.join(''), 'latin1')])
  return lines.filter((line) => theirs.isNamed(line)).length
}

async function eraseReason(put: ArchivedFile, theirs: Theirs): Promise<number> {
  const text = await readFile(put.path, 'utf8')
  const redacted = theirs.redacted(text)
  if (redacted === text) return 0
  await replaceContent(put, [Buffer.from(redacted)])
  return 1
}

/** Our own rejects are CSV whatever the kind of the source. */
const OWN_REJECTS = /\.rejects\.csv$/i

interface Erasing {
  readonly settings: SourceSettings
  readonly theirs: Theirs
  readonly kinds: Kinds
}

async function eraseIn(put: ArchivedFile, { settings, theirs, kinds }: Erasing): Promise<number> {
  if (put.name.endsWith('.reason.txt')) return eraseReason(put, theirs)
  const { kind, options } = kindOf(settings, kinds)
  try {
    if (kind !== csvKind && OWN_REJECTS.test(put.name))
      return await eraseRows(put, csvOptions.parse({ folder: '.' }), theirs)
    return await kind.erase(put, options, theirs)
  } catch (error) {
    // What was put into `failed` often is no file that could be read.
    const isKnown = (error instanceof SyncError && error.class === 'input') || error instanceof SyntaxError
    if (!isKnown) throw error
    return eraseLines(put, theirs)
  }
}

/** Erases in everything that this source's folder has put away. */
export async function eraseRecords(
  settings: SourceSettings,
  theirs: Theirs,
  kinds: Kinds = SOURCE_KINDS,
): Promise<ErasedFiles> {
  const changed: { file: string; records: number }[] = []
  const left: { file: string; why: string }[] = []
  const eraseOne = async (put: ArchivedFile, folder: string): Promise<void> => {
    const file = join(folder, put.input.name)
    const records = await eraseIn(put, { settings, theirs, kinds })
    if (records > 0) changed.push({ file, records })
    if (theirs.isNamed(put.input.name)) left.push({ file, why: 'its name names the person' })
  }
  for (const folder of ['processed', 'failed'])
    for (const put of await putAway(join(String(settings['folder']), folder)))
      await eraseOne(put, folder).catch((error: unknown) => {
        left.push({ file: join(folder, put.input.name), why: error instanceof Error ? error.message : '' })
      })
  return { changed, left }
}
