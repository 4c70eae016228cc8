// The one place through which all output of the program goes: text from outside is made harmless there, and the
// control sequences of the program are recognised by a mark that no input can know.
import type crypto from 'node:crypto'
import { createRequire } from 'node:module'
import type { Writable } from 'node:stream'
import { harmless } from '../core/words/harmless.ts'

interface Mark {
  readonly begin: string
  readonly own: RegExp
}

const END = '\ufdd1'
let mark: Mark | undefined

function newMark(): Mark {
  // Asked for when the first sequence is made: most answers have none, and it takes longer to load than they do.
  const { randomBytes } = createRequire(import.meta.url)('node:crypto') as typeof crypto
  const begin = `\ufdd0${randomBytes(12).toString('hex')}`
  return { begin, own: new RegExp(`${begin}([^${END}]*)${END}`, 'g') }
}

/** A sequence that a terminal is meant to obey: a colour, or clearing a line. */
export function control(sequence: string): string {
  mark ??= newMark()
  return `${mark.begin}${sequence}${END}`
}

/** The text as a terminal shows it: without our control sequences. */
export const withoutControls = (text: string): string =>
  mark === undefined ? text : text.replaceAll(mark.own, '')

/** What reaches the outside. */
export const printed = (text: string): string =>
  mark === undefined
    ? harmless(text)
    : text
        .split(mark.own)
        .map((part, index) => (index % 2 === 0 ? harmless(part) : part))
        .join('')

const behind = new WeakMap<Writable, Writable>()

/** The stream, with all text made harmless that is written to it. `seen` is told each text. */
export function guarded(stream: Writable, seen?: (text: string) => void): Writable {
  const write = (chunk: unknown, ...rest: unknown[]): boolean => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString()
    seen?.(text)
    return (stream.write as (...args: unknown[]) => boolean).call(stream, printed(text), ...rest)
  }
  const outer = new Proxy(stream, {
    get(target, name): unknown {
      if (name === 'write') return write
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  behind.set(outer, stream)
  return outer
}

/** For a library that talks to a terminal itself; what it is given must be harmless already. */
export const unguarded = (stream: Writable): Writable => behind.get(stream) ?? stream
