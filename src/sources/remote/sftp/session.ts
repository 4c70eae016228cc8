// A drop folder on an SFTP server. What is put away is written, or moved, under names that are free. A version is size and
// second: the content decides besides.
import type { SftpAddress } from '../address.ts'
import type { RemoteOptions } from '../options.ts'
import { type RemotePlace, RemoteFault, type RemoteSession } from '../session.ts'
import { type SftpConnection, connectSftp } from './connection.ts'
import { type Files, filesOf, moveToFree } from './files.ts'
import { giveBackOverSftp, takeFile } from './taking.ts'

/** One file at a time is replaced. */
const ERASING = '.erasing'

function sessionOver(files: Files, connection: SftpConnection): RemoteSession {
  const makeFolder = async (place: RemotePlace): Promise<void> => {
    const path = files.path(place)
    if (await files.makeFolder(path, 0o750)) return
    if ((await files.stat(path))?.what !== 'a folder')
      throw new RemoteFault('SOURCE_FAILED', `the folder ${place} cannot be made`)
  }
  const list: RemoteSession['list'] = async (place) => files.read(files.path(place))
  return {
    isExact: false,
    list,
    entry: (place, name) => files.stat(files.path(place, name)),
    fetch: (place, entry, to) => files.download(files.path(place, entry.name), entry, to),
    take: (entry, by) => takeFile(files, entry, by),
    makeFolder,
    async store(place, { writing, free }, from) {
      await makeFolder(place)
      const part = files.path(place, writing)
      try {
        await files.upload(from, part)
        return await moveToFree(files, part, place, free)
      } catch (error) {
        await files.remove(part).catch(() => undefined)
        throw error
      }
    },
    async storeNew(place, { name, writing }, from) {
      await makeFolder(place)
      const part = files.path(place, writing)
      await files.upload(from, part)
      if (await files.rename(part, files.path(place, name))) return 'stored'
      await files.remove(part)
      return 'taken'
    },
    async replace(place, name, from) {
      const part = files.path(place, ERASING)
      try {
        await files.upload(from, part)
        await files.overwrite(part, files.path(place, name))
      } catch (error) {
        await files.remove(part).catch(() => undefined)
        throw error
      }
    },
    remove: (place, name) => files.remove(files.path(place, name)),
    giveBackTaken: (isInput) => giveBackOverSftp(files, isInput),
    isAlive: () => connection.isAlive(),
    setUsed: (isUsed) => connection.setUsed(isUsed),
    close: () => connection.close(),
  }
}

/** Throws RemoteFault. */
export async function openSftp(address: SftpAddress, remote: RemoteOptions): Promise<RemoteSession> {
  const connection = await connectSftp(address, remote)
  return sessionOver(filesOf(connection, address.path), connection)
}
