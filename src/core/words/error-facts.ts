// What the operational log may contain of an error: its code and message if it is a SyncError, and otherwise its
// class and where it was thrown. Messages of libraries quote what they were given: a record, a URL, a key.
import { SyncError, unlessOfLimit } from './errors.ts'

/** Enough to find the place; the rest of a stack is always the same. */
const FRAMES = 5

/** `at load (file:///opt/contact-sync/dist/store/rows.js:12:3)` becomes `load rows.js:12:3`. */
function framesOf(stack: string): string {
  const frames = stack.split('\n').flatMap((line) => {
    const found = /^\s+at (?:(.+?) )?\(?(?:.*[\\/])?([\w.-]+:\d+:\d+)\)?$/.exec(line)
    return found === null ? [] : [[found[1], found[2]].filter((part) => part !== undefined).join(' ')]
  })
  return frames.slice(0, FRAMES).join(', ')
}

export interface ErrorFacts {
  readonly error: string
  readonly code?: string
  readonly detail?: string
  readonly at?: string
}

export function errorFacts(thrown: unknown): ErrorFacts {
  const error = unlessOfLimit(thrown)
  if (error instanceof SyncError) return { error: error.name, code: error.code, detail: error.message }
  if (!(error instanceof Error)) return { error: typeof error }
  return { error: error.name, at: framesOf(error.stack ?? '') }
}
