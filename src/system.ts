// The machine as the inside sees it: clock, chance, and what it is. The only file that asks for them.
import { arch, availableParallelism, freemem, hostname, platform, release, totalmem, userInfo } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock, Random } from './core/ports.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    if (signal?.aborted === true) return
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal })
    } catch (error) {
      if (!(error instanceof Error && error.name === 'AbortError')) throw error
    }
  },
}

export const systemRandom: Random = () => Math.random()

/** The name of the user that runs this; its number where the system has no name for it, as in many containers. */
export function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

/** Undefined where the system has no such numbers. */
export const systemUserId = (): number | undefined => process.getuid?.()

/** What is made within the call (a file, a socket) is closed to other users from its first moment on. */
export function madeForUserAlone(make: () => void): void {
  const mask = process.umask(0o177)
  try {
    make()
  } finally {
    process.umask(mask)
  }
}

/** The Node that runs this, for a process of one's own. */
export const nodeProgram = process.execPath

/** As others may call this machine; in a container, what its network calls it. */
export const hostName = (): string => hostname()

/** For a report about a fault; nothing in it names the machine. */
export const machineFacts = () => ({
  node: process.versions.node,
  system: `${platform()} ${release()} ${arch()}`,
  time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  processors: availableParallelism(),
  memory_bytes: totalmem(),
  memory_free_bytes: freemem(),
})

/** The number of this process. */
export const processId = (): number => process.pid

/** Whether there is a process of this number, of whatever user. */
export function isProcess(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}
