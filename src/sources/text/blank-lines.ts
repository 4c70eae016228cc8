// Takes lines out of a text without moving the others: of each only its line break stays. So the numbers by which reports
// and the sync log name the other lines still hold.
const CR = 0x0d
const LF = 0x0a

/** Lines, both included, counted from 1. */
export interface LineSpan {
  readonly first: number
  readonly last: number
}

/** Bytes of a code unit, and which of them is the character below 256 (the others are zero). */
interface Unit {
  readonly bytes: 1 | 2 | 4
  readonly at: 0 | 1 | 3
}

export function unitOf(encoding: string): Unit {
  const isBig = /be$/i.test(encoding)
  if (/^(utf-?32|ucs-?4)/i.test(encoding)) return { bytes: 4, at: isBig ? 3 : 0 }
  if (/^(utf-?16|ucs-?2)/i.test(encoding)) return { bytes: 2, at: isBig ? 1 : 0 }
  return { bytes: 1, at: 0 }
}

/** The character below 256 that stands there; undefined for any other. */
function plainAt(bytes: Buffer, at: number, unit: Unit): number | undefined {
  if (unit.bytes === 1) return bytes[at]
  for (let index = 0; index < unit.bytes; index += 1)
    if (index !== unit.at && bytes[at + index] !== 0) return undefined
  return bytes[at + unit.at]
}

/** The bytes of the file without those lines. `spans` in order. */
export async function* withoutLines(
  parts: AsyncIterable<Buffer>,
  spans: readonly LineSpan[],
  unit: Unit,
): AsyncGenerator<Buffer> {
  let line = 1
  let next = 0
  let wasReturn = false
  let rest: Buffer = Buffer.alloc(0)
  for await (const part of parts) {
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part])
    const whole = bytes.length - (bytes.length % unit.bytes)
    rest = bytes.subarray(whole)
    const kept = Buffer.allocUnsafe(whole)
    let size = 0
    for (let at = 0; at < whole; at += unit.bytes) {
      const byte = plainAt(bytes, at, unit)
      if (wasReturn && byte !== LF) line += 1
      wasReturn = byte === CR
      while ((spans[next]?.last ?? Number.POSITIVE_INFINITY) < line) next += 1
      const isGone = line >= (spans[next]?.first ?? Number.POSITIVE_INFINITY)
      if (!isGone || byte === CR || byte === LF) size += bytes.copy(kept, size, at, at + unit.bytes)
      if (byte === LF) line += 1
    }
    if (size > 0) yield kept.subarray(0, size)
  }
  if (rest.length > 0) yield rest
}
