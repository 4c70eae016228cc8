// Gives a connection to one piece of work, and to the next one if that comes soon: a login takes longer than most of them, and
// servers count logins. What speaks to the other side is loaded with the first connection.
import { SyncError } from '../../core/words/errors.ts'
import { isRemote } from '../../core/words/network/remote-folder.ts'
import type { SourceSettings } from '../../core/settings.ts'
import { readAddress } from './address.ts'
import type { RemoteOptions } from './options.ts'
import { RemoteFault, type RemoteSession } from './session.ts'

export interface RemoteFolder {
  /** The address: for people, too, as it holds no secret. */
  readonly folder: string
  readonly remote: RemoteOptions
}

/** The folder of a source where it lies on another machine. */
export function remoteOf(
  settings: Readonly<Record<string, unknown>> | SourceSettings,
): RemoteFolder | undefined {
  const { folder, remote } = settings as { folder?: unknown; remote?: unknown }
  if (typeof folder !== 'string' || !isRemote(folder)) return undefined
  // The configuration has checked and completed it.
  return { folder, remote: remote as RemoteOptions }
}

async function connect({ folder, remote }: RemoteFolder): Promise<RemoteSession> {
  const address = readAddress(folder)
  if (typeof address === 'string') throw new SyncError('CONFIG_INVALID', `source.folder ${address}`)
  if (address.kind === 's3') return (await import('./s3/session.ts')).openS3(address, remote)
  const { openSftp } = await import('./sftp/session.ts')
  return openSftp(address, remote)
}

const HINTS = {
  SOURCE_UNREACHABLE:
    'Check the address and the network. The files stay where they are; the next run takes them.',
  SOURCE_DENIED:
    'Check the user, its key or password, and what it may do there; after changing a secret: contact-sync reload, where start is running. The files stay where they are; the next run takes them.',
  SOURCE_FAILED: 'Look for the cause at the server. The files stay where they are; the next run takes them.',
} as const

/** Connections that are idle, or that have ended since. */
const idle = new Map<string, RemoteSession>()

async function obtain(key: string, folder: RemoteFolder): Promise<RemoteSession> {
  const kept = idle.get(key)
  if (kept === undefined) return connect(folder)
  idle.delete(key)
  kept.setUsed(true)
  if (await kept.isAlive()) return kept
  await kept.close()
  return connect(folder)
}

async function keep(key: string, session: RemoteSession): Promise<void> {
  if (idle.has(key)) return session.close()
  session.setUsed(false)
  idle.set(key, session)
}

/** `code`: what a fault means here, where it means more than that the folder could not be reached. */
export async function withSession<T>(
  folder: RemoteFolder,
  code: 'ARCHIVE_FAILED' | 'REMOTE_LOST' | undefined,
  work: (session: RemoteSession) => Promise<T>,
): Promise<T> {
  const key = JSON.stringify(folder)
  let session: RemoteSession | undefined
  try {
    session = await obtain(key, folder)
    const done = await work(session)
    await keep(key, session)
    return done
  } catch (error) {
    await session?.close()
    if (!(error instanceof RemoteFault)) throw error
    const hint = error.hint ?? HINTS[error.code]
    throw new SyncError(code ?? error.code, `${folder.folder}: ${error.message}`, { hint, cause: error })
  }
}
