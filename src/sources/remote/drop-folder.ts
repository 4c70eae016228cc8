// The drop folder where it lies on another machine. A file is fetched once into a copy beside the state, which is then read
// like any file; it is put away over there. A connection that breaks leaves the file where it was, for the next run.
import { open, readdir, rm, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { RejectRow, SourceInput } from '../../core/ports.ts'
import { SyncError } from '../../core/words/errors.ts'
import { archivedName, displayName, rawName, WRITING } from '../file-name.ts'
import { digestOf } from '../folder/digest.ts'
import { contentWithout, type Destination, type DropFolder, type Find } from '../folder/drop-folder.ts'
import { isWanted, type Listing, listSettled, notAFile, settlesIn } from '../folder/folder-listing.ts'
import { leftoversAmong } from '../folder/leftovers.ts'
import { openPacked } from '../gzip.ts'
import { fileVersion, type InputFile, openInputFile } from '../input-file.ts'
import type { SourceDeps } from '../kind.ts'
import type { FolderOptions } from '../options.ts'
import type { RejectsLayout } from '../rejects.ts'
import { assertUnclaimed, type Claimant, claimInput, releaseClaim, releaseStale } from './claims.ts'
import { clearCopies, copyPath, isThere, makeCopy, onDisk, withWorkFolder, writeParts } from './copies.ts'
import { type RemoteFolder, withSession } from './open.ts'
import type { Names, RemoteEntry, RemoteSession, TakenFile } from './session.ts'

type Options = FolderOptions & RemoteFolder

/** What stands for a byte that is no UTF-8: the file cannot be asked for by such a name. */
const BROKEN = '\ufffd'

const nameOf = ({ name }: SourceInput): string => (rawName(name) ?? Buffer.from('input')).toString()

function namesFor(name: string, runId: string, ending?: string): Names {
  const raw = Buffer.from(name)
  return {
    free: (turn) => archivedName(raw, turn === 1 ? runId : `${runId}-${turn}`, ending).toString(),
    writing: archivedName(WRITING, runId, ending).toString(),
  }
}

function listed(entries: readonly RemoteEntry[], { files, settle }: FolderOptions, now: number): Listing {
  const listing = { ready: [] as SourceInput[], growing: [] as { name: string; waitMs: number }[] }
  const refused: { name: string; error: SyncError }[] = []
  const wanted = entries
    .filter(({ name }) => isWanted(name, files) && name !== 'processed' && name !== 'failed')
    .map((entry) => ({ entry, name: displayName(Buffer.from(entry.name)) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const { entry, name } of wanted) {
    const { what, version, bytes, writtenAt } = entry
    const waitMs = settle === 0 ? 0 : settlesIn(writtenAt, settle, now)
    if (what === 'a folder' && extname(name) === '') continue
    else if (what !== 'file') refused.push({ name, error: notAFile(name, what) })
    else if (entry.name.includes(BROKEN))
      refused.push({
        name,
        error: new SyncError('INPUT_UNREADABLE', `${name}: the name is not UTF-8; rename the file`),
      })
    else if (waitMs > 0) listing.growing.push({ name, waitMs })
    else listing.ready.push({ name, version, bytes, writtenAt })
  }
  return { ...listing, refused }
}

const changed = ({ name }: SourceInput): SyncError =>
  new SyncError('INPUT_CHANGED', `${name} was changed or moved while it was being read`)

async function assertThere(session: RemoteSession, input: SourceInput): Promise<RemoteEntry> {
  const entry = await session.entry('', nameOf(input))
  if (entry !== undefined && entry.what !== 'file') throw notAFile(input.name, entry.what)
  if (entry?.version !== input.version) throw changed(input)
  return entry
}

/** The copy, made where there is none yet. Throws INPUT_CHANGED, INPUT_NOT_A_FILE. */
async function copyOf(session: RemoteSession, input: SourceInput, spool: string): Promise<string> {
  const path = copyPath(spool, input)
  const entry = await assertThere(session, input)
  if (await isThere(path)) return path
  await makeCopy(spool, path, async (to) => {
    await session.fetch('', entry, to)
    await assertThere(session, input)
    if ((await stat(to)).size !== entry.bytes) throw changed(input)
  })
  return path
}

/** The copy as a file, with name and version of what it is a copy of. */
async function openCopy(
  path: string,
  input: SourceInput,
  assertSame: () => Promise<void>,
): Promise<InputFile> {
  const version = fileVersion(await stat(path, { bigint: true }))
  const file = await openInputFile(Buffer.from(path), { ...input, version })
  return {
    ...file,
    version: input.version,
    async assertUnchanged() {
      await file.assertUnchanged()
      await assertSame()
    },
  }
}

/** Whether what was taken is what was read; where nothing was read, the version has to do. */
async function isWhatWasRead(
  { taken, session }: { taken: TakenFile; session: RemoteSession },
  sha256: string | undefined,
  spool: string,
): Promise<boolean> {
  if (session.isExact || sha256 === undefined) return true
  return withWorkFolder(spool, async (folder) => {
    const path = join(folder, 'taken')
    await (await open(path, 'wx', 0o600)).close()
    await taken.fetch(path)
    return (await digestOf(path)) === sha256
  })
}

async function clearLeftovers(session: RemoteSession, name: string, runId: string): Promise<void> {
  for (const place of ['processed', 'failed'] as const) {
    const entries = (await session.list(place)) ?? []
    const empty = new Set(entries.filter(({ bytes }) => bytes === 0).map((entry) => entry.name))
    const names = entries.map((entry) => Buffer.from(entry.name))
    const left = await leftoversAmong(names, { raw: Buffer.from(name), runId }, (raw) =>
      Promise.resolve(empty.has(raw.toString())),
    )
    for (const one of left) await session.remove(place, one.toString())
  }
}

/** A folder that cannot be reached stays unchanged: the next listing reports it. */
async function unlessAway(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof SyncError)) throw error
  }
}

const KIND_OF_REJECTS = ['.rejects.csv', '.rejects.jsonl']

type Archiving = Parameters<DropFolder['archive']>[1]

interface There {
  readonly session: RemoteSession
  readonly spool: string
  readonly find: Find
  /** Not where nothing is claimed. */
  readonly claimant: Claimant | undefined
  isInput(name: string): boolean
}

/** What is archived in place of the file, stored already; undefined: the file itself. */
async function storeRewritten({ session, spool, find }: There, input: SourceInput, to: Archiving) {
  if (to.leaveOut === undefined) return undefined
  const copy = await copyOf(session, input, spool)
  const version = fileVersion(await stat(copy, { bigint: true }))
  const content = await contentWithout(Buffer.from(copy), { ...input, version }, find, to.leaveOut)
  if (content === undefined) return undefined
  return withWorkFolder(spool, async (folder) => {
    await writeParts(join(folder, 'rewritten'), content)
    return session.store(to.folder, namesFor(nameOf(input), to.runId), join(folder, 'rewritten'))
  })
}

/** False where the version is another one by now: then nothing is left of the attempt. */
async function putAway(there: There, input: SourceInput, to: Archiving): Promise<boolean> {
  const { session, spool, isInput } = there
  const entry = await session.entry('', nameOf(input))
  if (entry?.version !== input.version || entry.what !== 'file') return false
  const copy = copyPath(spool, input)
  const sha256 = to.sha256 ?? ((await isThere(copy)) ? await digestOf(copy) : undefined)
  await session.makeFolder(to.folder)
  const stored = await storeRewritten(there, input, to)
  const taken = await session.take(entry, { runId: to.runId, isInput })
  let isMoved = false
  try {
    if (taken !== undefined && (await isWhatWasRead({ taken, session }, sha256, spool))) {
      const names = namesFor(nameOf(input), to.runId)
      isMoved = await (stored === undefined ? taken.moveTo(to.folder, names) : taken.discard())
    }
  } finally {
    if (!isMoved) {
      await taken?.giveBack()
      if (stored !== undefined) await session.remove(to.folder, stored)
    }
  }
  return isMoved
}

async function archive(there: There, input: SourceInput, to: Archiving): Promise<boolean> {
  const isArchived = await putAway(there, input, to)
  // In any case: what lies there now may have the same version, and has to be fetched to be read.
  await rm(copyPath(there.spool, input), { force: true })
  if (!isArchived) return false
  if (there.claimant !== undefined) await releaseClaim(there.session, nameOf(input), there.claimant)
  const { reason } = to
  if (reason !== undefined)
    await withWorkFolder(there.spool, async (folder) => {
      await writeParts(join(folder, 'text'), [`${reason.trimEnd()}\n`])
      const names = namesFor(nameOf(input), to.runId, '.reason.txt')
      await there.session.store(to.folder, names, join(folder, 'text'))
    })
  return true
}

/** Writes rejects here first, then over there. */
async function writeRejects(
  options: Options,
  { input, to }: { input: SourceInput; to: Destination },
  rejects: { readonly layout: RejectsLayout; readonly rows: AsyncIterable<RejectRow> },
): Promise<void> {
  const { writeRejectFiles } = await import('../rejects.ts')
  await withWorkFolder(options.remote.spool, async (folder) => {
    const place = { folder: join(folder, to.folder), raw: Buffer.from(nameOf(input)), runId: to.runId }
    await writeRejectFiles(place, rejects.layout, rejects.rows)
    const written = await readdir(place.folder)
    await withSession(options, 'ARCHIVE_FAILED', async (session) => {
      for (const ending of KIND_OF_REJECTS) {
        const own = written.find((name) => name.endsWith(ending))
        const names = namesFor(nameOf(input), to.runId, ending)
        if (own !== undefined) await session.store(to.folder, names, join(place.folder, own))
      }
    })
  })
}

export function createRemoteFolder(options: Options, { clock, owner }: SourceDeps, find: Find): DropFolder {
  const { spool, claim, isLooking = false } = options.remote
  const now = (): number => clock.now()
  const isStrict = claim === true
  const claimant =
    claim === false || owner === undefined
      ? undefined
      : { folder: options.folder, owner, spool, isStrict, now }
  let isUnclaimed = false
  const isInput = (name: string): boolean => isWanted(name, options.files)
  const connected = <T>(
    code: Parameters<typeof withSession>[1],
    work: (session: RemoteSession) => Promise<T>,
  ): Promise<T> => onDisk(spool, () => withSession(options, code, work))
  const look = async (): Promise<Listing> => {
    const entries = await connected(undefined, (session) => session.list(''))
    if (entries === undefined)
      throw new SyncError('INPUT_FOLDER_MISSING', `The folder ${options.folder} is missing`)
    return listed(entries, options, clock.now())
  }
  return {
    list: (asked) => listSettled(look, asked, clock),
    isUnclaimed: () => isUnclaimed,
    async openFile(input) {
      const path = await connected('REMOTE_LOST', async (session) => {
        if (claimant !== undefined && isLooking) await assertUnclaimed(session, nameOf(input), claimant)
        if (claimant !== undefined && !isLooking)
          isUnclaimed = !(await claimInput(session, nameOf(input), claimant))
        return copyOf(session, input, spool)
      })
      const assertSame = async (): Promise<void> => {
        await connected('REMOTE_LOST', (session) => assertThere(session, input))
      }
      return openPacked(await onDisk(spool, () => openCopy(path, input, assertSame)))
    },
    async isWaiting(input) {
      let version: string | undefined
      // Where it cannot be reached: what was planned of it continues automatically, and the file is read again when it is listed.
      await unlessAway(async () => {
        version = (await connected(undefined, (session) => session.entry('', nameOf(input))))?.version
      })
      return version === input.version
    },
    archive: (input, to) =>
      connected('ARCHIVE_FAILED', (session) =>
        archive({ session, spool, find, claimant, isInput }, input, to),
      ),
    giveBack: () =>
      unlessAway(() =>
        connected(undefined, async (session) => {
          await session.giveBackTaken(isInput)
          const entries = (await session.list('')) ?? []
          if (claimant !== undefined) {
            const names = entries.map(({ name }) => name)
            await releaseStale(session, names, claimant)
          }
          const { ready } = listed(entries, options, clock.now())
          await clearCopies(
            spool,
            ready.map((input) => copyPath(spool, input)),
          )
        }),
      ),
    clearLeftovers: (input, runId) =>
      unlessAway(() => connected(undefined, (session) => clearLeftovers(session, nameOf(input), runId))),
    writeRejects: (input, to, layout, rows) =>
      onDisk(spool, () => writeRejects(options, { input, to }, { layout, rows })),
  }
}
