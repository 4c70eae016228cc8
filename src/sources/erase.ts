// Removes one person's records from the archived files of a drop folder: in `processed` and `failed`, with the rejects
// and reasons beside them. What could not be searched, or may be about another person, is named and left unchanged.
import { lstat, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SyncError } from '../core/words/errors.ts'
import type { Theirs } from '../core/erasing.ts'
import type { SourceSettings } from '../core/settings.ts'
import { findRows } from './csv/erase.ts'
import { csvKind } from './csv/kind.ts'
import { csvOptions } from './csv/options.ts'
import { ERASING, type Found, replaceContent, type StoredFile } from './folder/erasing.ts'
import { describeFault } from './fault.ts'
import { displayName, entryPath } from './file-name.ts'
import { fileVersion } from './input-file.ts'
import type { SourceKind } from './kind.ts'
import { kindOf, SOURCE_KINDS } from './registry.ts'
import { clearCopies } from './remote/copies.ts'
import { isUnfinishedFetch } from './pull/spool.ts'
import { type RemoteFolder, remoteOf } from './remote/open.ts'
import { eachPutAway } from './remote/put-away.ts'
import { searchFile } from './folder/search-file.ts'

type Kinds = Readonly<Record<string, SourceKind>>

export interface LeftFile {
  readonly file: string
  readonly why: string
}

export interface ErasedFiles {
  readonly changed: readonly { readonly file: string; readonly records: number }[]
  /** Files that may hold the person still. */
  readonly left: readonly LeftFile[]
}

/** Our own rejects are CSV whatever the kind of the source. */
const OWN_REJECTS = /\.rejects\.csv$/i

interface Erasing {
  readonly settings: SourceSettings
  readonly theirs: Theirs
  readonly kinds: Kinds
}

function find(file: StoredFile, { settings, theirs, kinds }: Erasing): Promise<Found> {
  const { kind, options } = kindOf(settings, kinds)
  const isOwn = kind !== csvKind && OWN_REJECTS.test(file.name)
  const byRecords = isOwn
    ? () => findRows(file, csvOptions.parse({ folder: '.' }), theirs)
    : () => kind.find(file, options, theirs)
  return searchFile(file, byRecords, theirs)
}

/** Our own text about a file, which may quote a row of it. */
async function eraseReason(file: StoredFile, theirs: Theirs): Promise<number> {
  const text = await readFile(file.path, 'utf8')
  const left = theirs.withoutQuotes(text)
  if (left === text) return 0
  await replaceContent(file, [Buffer.from(`${left.trimEnd()}\n`)])
  return 1
}

interface Report {
  readonly changed: { file: string; records: number }[]
  readonly left: LeftFile[]
}

async function eraseIn(file: StoredFile, shown: string, erasing: Erasing, report: Report): Promise<void> {
  const { theirs } = erasing
  if (theirs.isNamed(file.input.name))
    report.left.push({ file: shown, why: 'its name contains the name of the person' })
  if (file.name.endsWith('.reason.txt')) {
    const records = await eraseReason(file, theirs)
    if (records > 0) report.changed.push({ file: shown, records })
    return
  }
  if (file.input.bytes === 0) return
  const { records, uncertain, content } = await find(file, erasing)
  if (records > 0) {
    await replaceContent(file, content())
    report.changed.push({ file: shown, records })
  }
  if (uncertain.length > 0) {
    const where = `line ${uncertain.join(', ')}`
    report.left.push({
      file: shown,
      why: `${where}: names a person with the same name or telephone number; check whether it is the same person`,
    })
  }
}

async function namesIn(folder: string): Promise<Buffer[]> {
  return readdir(folder, { encoding: 'buffer' }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  })
}

/** Erases in one entry of `processed` or `failed`. */
async function eraseEntry(folder: string, raw: Buffer, erasing: Erasing, report: Report): Promise<void> {
  const path = entryPath(join(String(erasing.settings['folder']), folder), raw)
  const name = raw.toString()
  const shown = join(folder, displayName(raw))
  // What a call left that was ended half-way: a part of a file that is still there as a whole.
  if (name.endsWith(ERASING)) return rm(path, { force: true })
  const stats = await lstat(path, { bigint: true })
  // Links are never followed: what lies behind them is not ours.
  if (!stats.isFile()) {
    report.left.push({ file: shown, why: 'it is not a regular file and was not searched' })
    return
  }
  const input = { name: displayName(raw), version: fileVersion(stats), bytes: Number(stats.size) }
  await eraseIn({ path, name, input, mode: Number(stats.mode) & 0o777 }, shown, erasing, report)
}

/** Why a file was not searched, or not written; of an error that is not known nothing is quoted. */
export function whyNot(error: unknown): string {
  const why = error instanceof SyncError ? error.message : describeFault(error)
  return `it was not searched: ${why}`
}

/**
 * The same on another machine: each file is fetched, searched here, and written back where something was taken out of it. What
 * cannot be reached is named.
 */
async function eraseThere(remote: RemoteFolder, erasing: Erasing, report: Report): Promise<void> {
  await clearCopies(remote.remote.spool, [])
  await eachPutAway(remote, {
    async look(mirror, folder, name) {
      const before = report.changed.length
      const here = { ...erasing, settings: { ...erasing.settings, folder: mirror } }
      await eraseEntry(folder, Buffer.from(name), here, report)
      return report.changed.length > before
    },
    failed(file, error, isChanged) {
      if (isChanged) report.changed.pop()
      report.left.push({ file, why: whyNot(error) })
    },
  })
}

/** What a killed fetch has left in the spool is no input: it goes whole, and what it had of the person is counted. */
async function eraseUnfinished(erasing: Erasing, report: Report): Promise<void> {
  const folder = String(erasing.settings['folder'])
  for (const raw of await namesIn(folder)) {
    if (!isUnfinishedFetch(raw.toString())) continue
    const path = entryPath(folder, raw)
    const stats = await lstat(path, { bigint: true })
    const name = displayName(raw)
    const input = { name, version: fileVersion(stats), bytes: Number(stats.size) }
    const { records } = await find({ path, name, input, mode: Number(stats.mode) & 0o777 }, erasing)
    await rm(path, { force: true })
    if (records > 0) report.changed.push({ file: name, records })
  }
}

/** Erases in all archived files of this source's folder. */
export async function eraseRecords(
  settings: SourceSettings,
  theirs: Theirs,
  kinds: Kinds = SOURCE_KINDS,
): Promise<ErasedFiles> {
  const report: Report = { changed: [], left: [] }
  const erasing = { settings, theirs, kinds }
  const remote = remoteOf(settings)
  if (remote !== undefined) {
    await eraseThere(remote, erasing, report)
    return report
  }
  if (kindOf(settings, kinds).kind.isPulled === true)
    await eraseUnfinished(erasing, report).catch((error: unknown) => {
      report.left.push({ file: 'unfinished fetches', why: whyNot(error) })
    })
  for (const folder of ['processed', 'failed']) {
    const names = await namesIn(join(String(settings['folder']), folder)).catch((error: unknown) => {
      report.left.push({ file: folder, why: whyNot(error) })
      return []
    })
    for (const raw of names.sort(Buffer.compare))
      await eraseEntry(folder, raw, erasing, report).catch((error: unknown) => {
        report.left.push({ file: join(folder, displayName(raw)), why: whyNot(error) })
      })
  }
  return report
}
