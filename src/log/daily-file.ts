// A log file a day, as a stream for winston. Written by hand because the usual transport ends the process when the disk is full or
// the folder may not be made, writes on into a file that was removed, and forgets what it has to remove.
// Each line is appended separately: nothing is kept open, so a removed folder, a new day and a moved file need no care.
import { appendFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { ageingTo } from '../core/retention.ts'
import { DAY_MS } from '../core/words/duration.ts'

const MESSAGE = Symbol.for('message')
const NAME = /^contact-sync-(\d{4}-\d{2}-\d{2})\.log$/

const pathOf = (folder: string, day: string): string => join(folder, `contact-sync-${day}.log`)

interface DailyFileOptions {
  /** Absolute. */
  readonly folder: string
  /** A file is removed when its last line is older. */
  readonly keepMs: number
  /** Said once when a line cannot be written, with the code of the system's error. */
  failed(code: string): void
  /** Said once when one can be again. */
  recovered(linesLost: number): void
}

interface Line {
  readonly timestamp: string
  readonly [MESSAGE]: string
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'

/** Removes the files of days that ended `keepMs` ago; what cannot be removed stays for the next day. */
function removeOld(folder: string, keepMs: number, today: string): void {
  try {
    const days = readdirSync(folder).flatMap((name) => NAME.exec(name)?.[1] ?? [])
    const last = days
      .filter((day) => day < today)
      .sort()
      .at(-1)
    if (last === undefined) return
    const now = ageingTo(Date.parse(today), Date.parse(last) + DAY_MS)
    const old = days.filter((day) => Date.parse(day) + DAY_MS + keepMs <= now)
    for (const day of old) rmSync(pathOf(folder, day), { force: true })
  } catch {
    // A folder that may not be read or cleared is no reason to lose a line.
  }
}

function append(folder: string, day: string, text: string): void {
  // It contains no personal data, yet other users need not read it.
  mkdirSync(folder, { recursive: true, mode: 0o750 })
  appendFileSync(pathOf(folder, day), text, { mode: 0o640 })
}

/** Takes winston's objects. Its clock is the line's own time stamp (UTC). Never fails. */
export function createDailyFile({ folder, keepMs, failed, recovered }: DailyFileOptions): Writable {
  let today = ''
  let linesLost = 0
  const write = ({ timestamp, [MESSAGE]: line }: Line): void => {
    const day = timestamp.slice(0, 10)
    try {
      // What a full disk cut off is ended first.
      append(folder, day, `${linesLost > 0 ? '\n' : ''}${line}\n`)
    } catch (error) {
      linesLost += 1
      if (linesLost === 1) failed(codeOf(error))
      return
    }
    if (day !== today) removeOld(folder, keepMs, day)
    today = day
    if (linesLost > 0) recovered(linesLost)
    linesLost = 0
  }
  return new Writable({
    objectMode: true,
    write(info: Line, _encoding, done) {
      write(info)
      done()
    },
  })
}
