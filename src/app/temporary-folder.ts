// A folder with personal data that a command needs while it lasts, among the temporary files of the machine. What a killed
// process has left there is removed by the next one that needs such a folder.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { hostName, isProcess, processId, systemClock } from '../system.ts'

const PREFIX = 'contact-sync-'
const LEFT = /^(?:plan|init)-(?<host>.+)-(?<process>\d+)-[^-]+$/
/** Longer than any command lasts that needs one. */
const DAY_MS = 86_400_000

/**
 * Whether it is that of a process that has ended. Nothing is known of those of another machine, with which a container may
 * share the place: theirs is left when it is old.
 */
async function isLeft(path: string): Promise<boolean> {
  const name = basename(path)
  const { host, process } = LEFT.exec(name.slice(PREFIX.length))?.groups ?? {}
  if (!name.startsWith(PREFIX) || host === undefined) return false
  if (host === hostName()) return !isProcess(Number(process))
  return (await stat(path)).mtimeMs < systemClock.now() - DAY_MS
}

async function removeIfLeft(path: string): Promise<void> {
  if (await isLeft(path)) await rm(path, { recursive: true })
}

/** Makes one for a `plan` or an `init`, which removes it. */
export async function temporaryFolder(purpose: 'plan' | 'init'): Promise<string> {
  const place = tmpdir()
  // Another user's cannot be removed, and is his.
  await Promise.allSettled((await readdir(place)).map((name) => removeIfLeft(join(place, name))))
  return mkdtemp(join(place, `${PREFIX}${purpose}-${hostName()}-${processId()}-`))
}

export const planFolder = (): Promise<string> => temporaryFolder('plan')
