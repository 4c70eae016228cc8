// Names of files as people and reports see them, and which of them are looked at at all.
import { matchesGlob } from 'node:path'

const CONTROL = new RegExp(
  '[\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]',
  'gu',
)

/** Control characters and marks that reorder text are written out, so that no name can forge a line. */
export function displayName(raw: Buffer): string {
  return raw
    .toString('utf8')
    .replace(CONTROL, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** What uploads and editors call a file that is not finished yet. */
const UNFINISHED = /(^[.~])|(~$)|\.(part|partial|tmp|temp|filepart|crdownload|swp|download)$/i

/** Whether the name is one that is waited for: it fits a pattern and is not a half-finished upload. */
export function isWanted(name: string, globs: readonly string[]): boolean {
  if (UNFINISHED.test(name)) return false
  const lower = name.toLowerCase()
  return globs.some((glob) => matchesGlob(name, glob) || matchesGlob(lower, glob.toLowerCase()))
}

/** A file's name with the run's id before its ending; `count` tells apart what would be called the same. */
export function archivedName(raw: Buffer, runId: string, ending: string | undefined, count: number): Buffer {
  const dot = raw.lastIndexOf('.')
  const stem = dot > 0 ? raw.subarray(0, dot) : raw
  const own = dot > 0 ? raw.subarray(dot) : Buffer.alloc(0)
  const tail = Buffer.concat([
    Buffer.from(`.${runId}${count > 1 ? `-${count}` : ''}`),
    ending === undefined ? own : Buffer.from(ending),
  ])
  // File systems take 255 bytes; the stem gives way.
  return Buffer.concat([stem.subarray(0, 255 - tail.length), tail])
}
