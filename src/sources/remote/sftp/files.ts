// The requests to an SFTP server that a drop folder is made of. A rename never replaces a file (version 3 of the protocol says
// so); what the server answers is a RemoteFault, but for a status that was expected.
import type { FileEntryWithStats, Stats } from 'ssh2'
import { assertEnds, RemoteFault, type RemoteEntry } from '../session.ts'
import { type SftpConnection, STATUS, statusOf } from './connection.ts'

const TYPE = 0o170000
const WHAT: Readonly<Record<number, string>> = {
  0o100000: 'file',
  0o040000: 'a folder',
  0o120000: 'a symbolic link',
  0o010000: 'a named pipe',
  0o140000: 'a socket',
}

const entryOf = (name: string, { mode, size, mtime }: Stats): RemoteEntry => ({
  name,
  what: WHAT[mode & TYPE] ?? 'a device',
  bytes: size,
  // Seconds are all that the protocol has: the last moment of this one.
  writtenAt: mtime * 1000 + 999,
  version: `sftp:${size}:${mtime}`,
})

/** Paths are made by `path`. */
export interface Files {
  path(...parts: string[]): string
  stat(path: string): Promise<RemoteEntry | undefined>
  /** Names and all; undefined where there is no such folder. */
  read(path: string): Promise<readonly RemoteEntry[] | undefined>
  download(path: string, entry: Pick<RemoteEntry, 'bytes'>, to: string): Promise<void>
  upload(from: string, path: string): Promise<void>
  /** A short text under a name that is free. */
  write(path: string, text: string): Promise<void>
  /** Never over another file; false where the name is taken or nothing is there to be moved. */
  rename(from: string, to: string): Promise<boolean>
  makeFolder(path: string, mode: number): Promise<boolean>
  removeFolder(path: string): Promise<void>
  remove(path: string): Promise<void>
  overwrite(from: string, to: string): Promise<void>
}

function refused(error: unknown): unknown {
  const status = statusOf(error)
  if (status === undefined) return error
  if (status === STATUS.denied)
    return new RemoteFault('SOURCE_DENIED', 'the server denies the user that (permission)')
  if (status === STATUS.missing)
    return new RemoteFault('SOURCE_FAILED', 'a file or folder is no longer there')
  return new RemoteFault('SOURCE_FAILED', `the server reports a failure (status ${status})`)
}

type Done<T> = (error?: Error | null, value?: T) => void

/** Asks; an answer of these statuses gives undefined, every other failure is a fault. */
type Ask = <T>(work: (done: Done<T>) => void, statuses?: readonly number[]) => Promise<T | undefined>

const asker =
  ({ call }: SftpConnection): Ask =>
  async (work, statuses = []) => {
    try {
      return await call(work)
    } catch (error) {
      const status = statusOf(error)
      if (status !== undefined && statuses.includes(status)) return undefined
      throw refused(error)
    }
  }

/** Whether it was done: not, where the answer is one of these statuses. */
const isDone = async (ask: Ask, work: (done: Done<true>) => void, statuses: readonly number[]) =>
  (await ask<true>((done) => work((error) => done(error, true)), statuses)) === true

type Transfers = Pick<Files, 'download' | 'upload' | 'write' | 'overwrite'>

function transfersOf({ sftp, call }: SftpConnection, ask: Ask): Transfers {
  const flush = async (path: string): Promise<void> => {
    const handle = await call<Buffer>((done) => sftp.open(path, 'r+', done))
    try {
      await call((done) => sftp.ext_openssh_fsync(handle, done))
    } catch (error) {
      // A server without that flushes when it likes.
      if (error instanceof RemoteFault) throw error
    } finally {
      await call((done) => sftp.close(handle, done))
    }
  }
  return {
    async download(path, { bytes }, to) {
      await ask((done) => {
        // Of a file that ends before that, ssh2 asks for the rest again and again, without end.
        const step = (_total: number, came: number): void => {
          if (came === 0) done(new RemoteFault('SOURCE_FAILED', 'a file became shorter while it was fetched'))
        }
        sftp.fastGet(path, to, { fileSize: bytes, step } as object, (error) => done(error))
      })
    },
    async upload(from, path) {
      await ask((done) => sftp.fastPut(from, path, { mode: 0o640 }, (error) => done(error)))
      await flush(path)
    },
    async write(path, text) {
      const how = { flag: 'wx', mode: 0o640 } as const
      await ask((done) => sftp.writeFile(path, text, how, (error) => done(error)))
    },
    async overwrite(from, to) {
      try {
        await call((done) => sftp.ext_openssh_rename(from, to, done))
      } catch (error) {
        const status = statusOf(error)
        if (error instanceof RemoteFault || (status !== undefined && status !== STATUS.unsupported))
          throw refused(error)
        // A server without that: for a moment nothing has the name.
        await ask((done) => sftp.unlink(to, done), [STATUS.missing])
        await ask((done) => sftp.rename(from, to, done))
      }
    },
  }
}

/** Part by part: ssh2 would collect a listing without end. */
async function namesIn({ sftp }: SftpConnection, ask: Ask, handle: Buffer): Promise<FileEntryWithStats[]> {
  const names: FileEntryWithStats[] = []
  try {
    for (let parts = 0; ; parts += 1) {
      assertEnds(names.length + parts)
      const part = await ask<FileEntryWithStats[]>((done) => sftp.readdir(handle, done), [STATUS.end])
      if (part === undefined) return names
      names.push(...part)
    }
  } finally {
    await ask((done) => sftp.close(handle, done)).catch(() => undefined)
  }
}

export function filesOf(connection: SftpConnection, root: string): Files {
  const { sftp } = connection
  const ask = asker(connection)
  const stat = async (path: string): Promise<RemoteEntry | undefined> => {
    const stats = await ask<Stats>((done) => sftp.lstat(path, done), [STATUS.missing])
    return stats && entryOf(path.split('/').at(-1) ?? '', stats)
  }
  return {
    ...transfersOf(connection, ask),
    path: (...parts) => [root.replace(/\/$/, ''), ...parts].filter((part) => part !== '').join('/') || '/',
    stat,
    async read(path) {
      const handle = await ask<Buffer>((done) => sftp.opendir(path, done), [STATUS.missing, STATUS.failed])
      if (handle === undefined && (await stat(path))?.what === 'a folder')
        throw new RemoteFault('SOURCE_FAILED', 'the server does not list a folder')
      if (handle === undefined) return undefined
      const listed = await namesIn(connection, ask, handle)
      // A server may say what it likes: such a name would lead out of a folder of this machine.
      const own = listed.filter(({ filename }) => !/[/\0]|^\.{0,2}$/.test(filename))
      // A name may come twice where files are renamed meanwhile.
      return [...new Map(own.map(({ filename, attrs }) => [filename, entryOf(filename, attrs)])).values()]
    },
    async rename(from, to) {
      // Some servers do replace: only this program writes under names with the id of a run.
      if ((await stat(to)) !== undefined) return false
      return isDone(ask, (done) => sftp.rename(from, to, done), [STATUS.missing, STATUS.failed])
    },
    makeFolder: (path, mode) => isDone(ask, (done) => sftp.mkdir(path, { mode }, done), [STATUS.failed]),
    async removeFolder(path) {
      await ask((done) => sftp.rmdir(path, done), [STATUS.missing, STATUS.failed])
    },
    async remove(path) {
      await ask((done) => sftp.unlink(path, done), [STATUS.missing])
    },
  }
}

/** Moves a file to the first of these names that is free. Throws RemoteFault. */
export async function moveToFree(
  files: Files,
  from: string,
  place: string,
  names: (turn: number) => string,
): Promise<string> {
  for (let turn = 1; ; turn += 1) {
    const name = names(turn)
    if (await files.rename(from, files.path(place, name))) return name
    if ((await files.stat(files.path(place, name))) === undefined)
      throw new RemoteFault(
        'SOURCE_FAILED',
        `the server does not move a file to ${place === '' ? 'its folder' : place}`,
      )
  }
}
