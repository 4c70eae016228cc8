// The life of files in a drop folder: found, settled, claimed by their version, read, and moved away when every
// record in them has an outcome. A file stays where it is while it is worked on.
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises'
import { SyncError } from '../core/errors.ts'
import type { Clock, Source, SourceInput } from '../core/ports.ts'
import { displayName, isWanted } from './names.ts'

export interface DropFolderOptions {
  /** Absolute. */
  readonly folder: string
  readonly files: readonly string[]
  /** Milliseconds. */
  readonly settle: number
}

export interface ClaimedFile {
  readonly handle: FileHandle
  /** Throws INPUT_CHANGED when the file is no longer the one that was claimed. */
  assertUnchanged(): Promise<void>
}

export interface DropFolder {
  list: Source['list']
  isWaiting: Source['isWaiting']
  claim(input: SourceInput): Promise<ClaimedFile>
  /** The path of an input, whatever bytes its name is made of. */
  pathOf(name: string): Promise<Buffer>
}

interface Entry {
  readonly name: string
  readonly path: Buffer
}

interface Found {
  readonly input: SourceInput
  readonly modifiedMs: number
}

type Stats = Awaited<ReturnType<FileHandle['stat']>> & {
  size: bigint
  mtimeNs: bigint
  ino: bigint
  dev: bigint
}

const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'

const versionOf = (stats: Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeNs'>): string =>
  [stats.dev, stats.ino, stats.size, stats.mtimeNs].join('-')

const changed = (input: SourceInput): SyncError =>
  new SyncError('INPUT_CHANGED', `${input.name} was changed or replaced`)

function folderError(error: unknown, folder: string): SyncError {
  const code = errorCode(error)
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new SyncError('INPUT_FOLDER_MISSING', `the folder ${folder} is not there`, { cause: error })
  return new SyncError('INPUT_UNREADABLE', `the folder ${folder} cannot be read (${code})`, { cause: error })
}

async function entries({ folder, files }: DropFolderOptions): Promise<Entry[]> {
  const names = await readdir(folder, { encoding: 'buffer' }).catch((error: unknown) => {
    throw folderError(error, folder)
  })
  return names
    .map((raw) => ({ name: displayName(raw), path: Buffer.concat([Buffer.from(`${folder}/`), raw]) }))
    .filter(({ name }) => isWanted(name, files))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
}

const NOT_A_FILE = 'is no regular file (a link, a folder, a pipe or a device)'

async function look(entry: Entry): Promise<Found | SyncError | undefined> {
  const stats = await lstat(entry.path, { bigint: true }).catch(() => undefined)
  // Gone between listing and looking: somebody else was faster.
  if (stats === undefined) return undefined
  if (!stats.isFile()) return new SyncError('INPUT_NOT_A_FILE', NOT_A_FILE)
  const input = { name: entry.name, version: versionOf(stats), bytes: Number(stats.size) }
  return { input, modifiedMs: Number(stats.mtimeMs) }
}

async function survey(options: DropFolderOptions) {
  const found: Found[] = []
  const refused: { name: string; error: SyncError }[] = []
  for (const entry of await entries(options)) {
    const seen = await look(entry)
    if (seen instanceof SyncError) refused.push({ name: entry.name, error: seen })
    else if (seen !== undefined) found.push(seen)
  }
  return { found, refused }
}

/** NONBLOCK: opening a pipe that took the file's place must not hang. */
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

export function createDropFolder(options: DropFolderOptions, clock: Clock): DropFolder {
  const isSettled = ({ modifiedMs }: Found): boolean =>
    options.settle === 0 || clock.now() - modifiedMs >= options.settle

  const pathOf = async (name: string): Promise<Buffer> => {
    const plain = Buffer.from(name)
    if (displayName(plain) === name && !name.includes('\\u') && !name.includes('\uFFFD'))
      return Buffer.from(`${options.folder}/${name}`)
    return (
      (await entries(options)).find((entry) => entry.name === name)?.path ??
      Buffer.from(`${options.folder}/${name}`)
    )
  }
  const isWaiting = async (input: SourceInput): Promise<boolean> => {
    const stats = await lstat(await pathOf(input.name), { bigint: true }).catch(() => undefined)
    return stats !== undefined && versionOf(stats) === input.version
  }
  return {
    pathOf,
    isWaiting,
    async list({ wait, signal }) {
      for (;;) {
        const { found, refused } = await survey(options)
        const growing = found.filter((one) => !isSettled(one))
        if (!wait || growing.length === 0 || signal?.aborted === true) {
          const ready = found.filter(isSettled).map(({ input }) => input)
          return { ready, unsettled: growing.length, refused }
        }
        const newest = Math.max(...growing.map(({ modifiedMs }) => modifiedMs))
        // A time of change in the future would wait for ever: no longer than the settling time at once.
        await clock.sleep(
          Math.min(options.settle, Math.max(10, newest + options.settle - clock.now())),
          signal,
        )
      }
    },
    async claim(input) {
      const path = await pathOf(input.name)
      const handle = await open(path, READ_ONLY).catch((error: unknown) => {
        const code = errorCode(error)
        if (code === 'ENOENT') throw changed(input)
        if (code === 'ELOOP') throw new SyncError('INPUT_NOT_A_FILE', NOT_A_FILE)
        throw new SyncError('INPUT_UNREADABLE', `the file cannot be opened (${code})`, { cause: error })
      })
      const assertUnchanged = async (): Promise<void> => {
        const stats = await handle.stat({ bigint: true })
        if (versionOf(stats) !== input.version || !(await isWaiting(input))) throw changed(input)
      }
      try {
        if (!(await handle.stat()).isFile()) throw new SyncError('INPUT_NOT_A_FILE', NOT_A_FILE)
        await assertUnchanged()
        return { handle, assertUnchanged }
      } catch (error) {
        await handle.close()
        throw error
      }
    },
  }
}
