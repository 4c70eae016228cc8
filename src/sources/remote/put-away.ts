// What was put away on another machine, looked at here one file at a time: to erase someone in it, or to explain a value of it.
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SyncError } from '../../core/words/errors.ts'
import { archivedName, displayName, rawName } from '../file-name.ts'
import { findPutAway, type FoundFile, type WantedFile } from '../folder/put-away.ts'
import { withWorkFolder } from './copies.ts'
import { type RemoteFolder, withSession } from './open.ts'
import { type RemotePlace, RemoteFault, type RemoteEntry, type RemoteSession } from './session.ts'

const PLACES = ['processed', 'failed'] as const

/** Fetches a file to the same place in a folder of this machine; its path. */
async function fetchInto(
  session: RemoteSession,
  { mirror, place, entry }: { mirror: string; place: RemotePlace; entry: RemoteEntry },
): Promise<string> {
  const folder = join(mirror, place)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, entry.name)
  await (await open(path, 'wx', 0o600)).close()
  await session.fetch(place, entry, path)
  return path
}

interface Visit {
  /** Whether the file was changed. */
  look(mirror: string, folder: string, name: string): Promise<boolean>
  /** `isChanged`: here, and not over there. */
  failed(file: string, error: unknown, isChanged: boolean): void
}

async function visitEntry(
  session: RemoteSession,
  { mirror, place, entry }: { mirror: string; place: (typeof PLACES)[number]; entry: RemoteEntry },
  { look, failed }: Visit,
): Promise<void> {
  const shown = join(place, displayName(Buffer.from(entry.name)))
  const fault = new SyncError('INPUT_NOT_A_FILE', `it is ${entry.what}`)
  if (entry.what !== 'file') return failed(shown, fault, false)
  let isChanged = false
  try {
    const path = await fetchInto(session, { mirror, place, entry })
    isChanged = await look(mirror, place, entry.name)
    if (isChanged) await session.replace(place, entry.name, path)
    await rm(path, { force: true })
  } catch (error) {
    const known = error instanceof RemoteFault ? new SyncError('ARCHIVE_FAILED', error.message) : error
    failed(shown, known, isChanged)
  }
}

/** Every file that was put away; what cannot be reached is told to `failed`. */
export async function eachPutAway(remote: RemoteFolder, visit: Visit): Promise<void> {
  try {
    await withSession(remote, 'ARCHIVE_FAILED', (session) =>
      withWorkFolder(remote.remote.spool, async (mirror) => {
        for (const place of PLACES)
          for (const entry of (await session.list(place)) ?? [])
            await visitEntry(session, { mirror, place, entry }, visit)
      }),
    )
  } catch (error) {
    if (!(error instanceof SyncError)) throw error
    visit.failed('processed', error, false)
    visit.failed('failed', error, false)
  }
}

/** Files that may be the wanted one, the likeliest first. */
async function candidates(
  session: RemoteSession,
  wanted: WantedFile,
  name: string,
): Promise<{ place: RemotePlace; entry: RemoteEntry }[]> {
  const tag = '\u0000'
  const [before = '', after = ''] = archivedName(Buffer.from(name), tag).toString().split(tag)
  const found: { place: RemotePlace; entry: RemoteEntry }[] = []
  for (const place of PLACES)
    for (const entry of (await session.list(place)) ?? [])
      if (entry.what === 'file' && entry.name.startsWith(before) && entry.name.endsWith(after))
        found.push({ place, entry })
  const waiting = await session.entry('', name)
  if (waiting?.what === 'file') found.push({ place: '', entry: waiting })
  const rank = ({ entry }: { entry: RemoteEntry }): number => {
    const at = wanted.runIds.findIndex((id) => entry.name.includes(id))
    return at < 0 ? wanted.runIds.length : at
  }
  return found.sort((one, other) => rank(one) - rank(other)).slice(0, MOST)
}

/** So many files are fetched to find one. */
const MOST = 20

/** The file with this digest, fetched and open; undefined where it is gone. The copy goes when `use` has ended. */
export async function withPutAway<T>(
  remote: RemoteFolder,
  wanted: WantedFile,
  use: (found: FoundFile) => Promise<T>,
): Promise<T | undefined> {
  const name = rawName(wanted.name)?.toString()
  if (name === undefined) return undefined
  return withSession(remote, undefined, (session) =>
    withWorkFolder(remote.remote.spool, async (mirror) => {
      for (const { place, entry } of await candidates(session, wanted, name)) {
        const path = await fetchInto(session, { mirror, place, entry })
        const found = await findPutAway(mirror, wanted)
        if (found !== undefined) return use({ ...found, writtenAt: entry.writtenAt })
        await rm(path, { force: true })
      }
      return undefined
    }),
  )
}
