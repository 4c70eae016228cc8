// Takes a file out of a drop folder on an SFTP server, to where no other program writes, so that what is archived is what was
// read. A file that was taken is moved back under its name, never over a newer file.
import { archivedName, nameBefore } from '../../file-name.ts'
import { REPLACED } from '../../folder/taking.ts'
import { RemoteFault, type RemoteEntry, type TakenFile } from '../session.ts'
import { type Files, moveToFree } from './files.ts'

/** A folder of our own in the drop folder for each file that is taken. Hidden, so that no pattern takes it. */
const TAKEN = '.taken.'

interface By {
  readonly runId: string
  isInput(name: string): boolean
}

async function ownFolder(files: Files, runId: string): Promise<string> {
  for (let turn = 1; ; turn += 1) {
    const name = `${TAKEN}${turn === 1 ? runId : `${runId}-${turn}`}`
    if (await files.makeFolder(files.path(name), 0o700)) return name
    if ((await files.stat(files.path(name))) === undefined)
      throw new RemoteFault('SOURCE_FAILED', 'the server makes no folder in the drop folder')
  }
}

/** Where a newer file has its name. */
async function putElsewhere(files: Files, from: string, name: string, { runId, isInput }: By): Promise<void> {
  const raw = Buffer.from(name)
  const tag = (turn: number): string => (turn === 1 ? runId : `${runId}-${turn}`)
  const earlier = (turn: number): string => nameBefore(raw, tag(turn)).toString()
  if (isInput(earlier(1)) && earlier(1) < name) {
    await moveToFree(files, from, '', earlier)
    return
  }
  await files.makeFolder(files.path('failed'), 0o750)
  const own = await moveToFree(files, from, 'failed', (turn) => archivedName(raw, tag(turn)).toString())
  await files.write(
    files.path('failed', archivedName(Buffer.from(own), 'reason', '.txt').toString()),
    `${REPLACED}\n`,
  )
}

/** Under its name, or under one that is read before that of the newer file; else to `failed`. */
async function putBack(files: Files, own: string, name: string, by: By): Promise<void> {
  const from = files.path(own, name)
  const isBack = await files.rename(from, files.path(name))
  if (!isBack && (await files.stat(from)) !== undefined) await putElsewhere(files, from, name, by)
  await files.removeFolder(files.path(own))
}

/** Undefined where the version is another one by now: then whatever is there stays. */
export async function takeFile(files: Files, entry: RemoteEntry, by: By): Promise<TakenFile | undefined> {
  const { name, version } = entry
  if ((await files.stat(files.path(name)))?.version !== version) return undefined
  const own = await ownFolder(files, by.runId)
  const path = files.path(own, name)
  const giveBack = (): Promise<void> => putBack(files, own, name, by)
  if (!(await files.rename(files.path(name), path))) {
    await files.removeFolder(files.path(own))
    return undefined
  }
  const here = await files.stat(path)
  if (here?.version !== version || here.what !== 'file') {
    await giveBack()
    return undefined
  }
  return {
    fetch: (to) => files.download(path, entry, to),
    async moveTo(place, names) {
      await moveToFree(files, path, place, names.free)
      await files.removeFolder(files.path(own))
      return true
    },
    async discard() {
      await files.remove(path)
      await files.removeFolder(files.path(own))
      return true
    },
    giveBack,
  }
}

/** Gives back what killed runs had taken. */
export async function giveBackOverSftp(files: Files, isInput: (name: string) => boolean): Promise<void> {
  const folders = ((await files.read(files.path(''))) ?? []).filter(({ name }) => name.startsWith(TAKEN))
  for (const { name: own } of folders) {
    const runId = own.slice(TAKEN.length)
    for (const { name } of (await files.read(files.path(own))) ?? [])
      if (isInput(name)) await putBack(files, own, name, { runId, isInput })
    // Empty where the run ended before it took anything.
    await files.removeFolder(files.path(own))
  }
}
