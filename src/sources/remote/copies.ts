// Copies of files on another machine, beside the state: each is fetched once, and stays until the file was put away.
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { SourceInput } from '../../core/ports.ts'
import { SyncError } from '../../core/words/errors.ts'
import { describeFault, faultCode } from '../fault.ts'

const COPY = 'copy-'
const WORK = 'work-'

/** What the disk refuses is reported as SPOOL_FAILED. */
export async function onDisk<T>(spool: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SyncError || faultCode(error) === undefined) throw error
    throw new SyncError('SPOOL_FAILED', `${spool} cannot be written to: ${describeFault(error)}`, {
      cause: error,
    })
  }
}

const makeSpool = (spool: string): Promise<unknown> => mkdir(spool, { recursive: true, mode: 0o700 })

export function copyPath(spool: string, { name, version }: Pick<SourceInput, 'name' | 'version'>): string {
  const digest = createHash('sha256').update(`${name}\0${version}`).digest('hex')
  return join(spool, `${COPY}${digest.slice(0, 32)}`)
}

export const isThere = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined)) !== undefined

/** Whole or not at all: `bring` writes into a file for its owner alone. */
export async function makeCopy(
  spool: string,
  path: string,
  bring: (to: string) => Promise<void>,
): Promise<void> {
  await makeSpool(spool)
  const part = `${path}.${randomUUID()}.part`
  try {
    await (await open(part, 'wx', 0o600)).close()
    await bring(part)
    await rename(part, path)
  } finally {
    await rm(part, { force: true })
  }
}

/** A folder for one piece of work, removed after it. */
export async function withWorkFolder<T>(spool: string, work: (folder: string) => Promise<T>): Promise<T> {
  await makeSpool(spool)
  const folder = await mkdtemp(join(spool, WORK))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Writes parts into a file of its own, for its owner alone. */
export async function writeParts(
  path: string,
  parts: AsyncIterable<Buffer> | Iterable<string>,
): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const part of parts) await file.writeFile(part)
  } finally {
    await file.close()
  }
}

/** Removes all but the copies of these. */
export async function clearCopies(spool: string, kept: readonly string[]): Promise<void> {
  const names = await readdir(spool).catch((): string[] => [])
  const old = names
    .filter((name) => name.startsWith(COPY) || name.startsWith(WORK))
    .map((name) => join(spool, name))
  for (const path of old) if (!kept.includes(path)) await rm(path, { recursive: true, force: true })
}
