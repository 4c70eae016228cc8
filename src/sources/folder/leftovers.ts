// What a run leaves that is killed while it puts an input away: half-written files, a name it had reserved, rejects
// beside no input. They may hold personal data, and a search by input would not find them.
// Nothing is removed on a guess: what could belong to another input of that run stays.
import { readdir, rm, stat } from 'node:fs/promises'
import type { ArchivePlace } from './place.ts'
import { faultCode } from '../fault.ts'
import { archivedName, entryPath, WRITING } from '../file-name.ts'

const BESIDE = ['.rejects.csv', '.rejects.jsonl', '.reason.txt']

async function entriesOf(folder: string): Promise<Buffer[]> {
  try {
    return await readdir(folder, { encoding: 'buffer' })
  } catch (error) {
    if (faultCode(error) !== undefined) return []
    throw error
  }
}

/** The input's own name as the run would have put it away: the empty one that it reserved, or something that stays. */
async function isEmpty(path: Buffer): Promise<boolean> {
  return (await stat(path)).size === 0
}

const startsWith = (name: Buffer, start: Buffer): boolean => name.subarray(0, start.length).equals(start)

/** Of these names, those that the run left beside an input that still waits. */
export async function leftoversAmong(
  names: readonly Buffer[],
  { raw, runId }: Pick<ArchivePlace, 'raw' | 'runId'>,
  isEmptyFile: (name: Buffer) => Promise<boolean>,
): Promise<Buffer[]> {
  const halves = names.filter((name) => startsWith(name, archivedName(WRITING, runId, '')))
  const stem = archivedName(raw, runId, '')
  const own = names.filter((name) => startsWith(name, stem))
  const isBeside = (name: Buffer): boolean =>
    BESIDE.some((ending) => name.equals(Buffer.concat([stem, Buffer.from(ending)])))
  const others = own.filter((name) => !isBeside(name))
  // Two inputs of one run may share a stem (a.csv and a.txt): then the owner of these rejects is ambiguous.
  const isCertain = await Promise.all(others.map((name) => isEmptyFile(name)))
  return isCertain.every(Boolean) ? [...halves, ...own] : halves
}

/** Removes what the run left beside an input that still waits. A folder that cannot be read or written to stays unchanged. */
export async function removeLeftoverFiles(place: ArchivePlace): Promise<void> {
  const { folder } = place
  const leftovers = await leftoversAmong(await entriesOf(folder), place, (name) =>
    isEmpty(entryPath(folder, name)),
  )
  for (const name of leftovers)
    await rm(entryPath(folder, name), { force: true }).catch((error: unknown) => {
      if (faultCode(error) === undefined) throw error
    })
}
