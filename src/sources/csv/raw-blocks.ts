// Cuts the raw bytes of a CSV file into blocks of a few records each, with a digest. Nothing is parsed: a block whose digest
// is known says what its records are. Pure.
import { hash } from 'node:crypto'
import { type RawBlock, UnsureOfRecords } from '../../core/mapping/record.ts'
import { createRecordEnds, type RawQuoting } from './record-ends.ts'
import { areBlankLines } from './rows.ts'

/** How the bytes are written; their encoding is one in which ASCII is ASCII and stands for nothing else. */
export interface RawForm extends RawQuoting {
  /** Bytes of the byte order mark. */
  readonly markBytes: number
  /** Lines before the header. */
  readonly skipLines: number
  /** The line on which the header begins; 0: there is none. */
  readonly headerLine: number
  readonly maxRecordBytes: number
}

export interface RawPart {
  readonly bytes: Buffer
  /** The line on which it begins, and that behind it. */
  readonly line: number
  readonly nextLine: number
  /** Not there: blank lines, which hold no record, or the end of the file without a line break. */
  readonly block?: RawBlock
}

/**
 * A block ends with a record whose own bytes say so, so that a record more or less moves no other block: after LEAST
 * records, every second one does.
 */
const LEAST = 4
const MOST = 16
const MOST_BYTES = 32 * 1024
/** A longer record is left to the parser. */
const LONGEST = 1024 * 1024
const [LF, CR] = [0x0a, 0x0d]

const endsBlock = (bytes: Buffer, start: number, end: number): boolean => {
  let mix = end - start
  const to = Math.min(start + 8, end)
  for (let at = start; at < to; at += 1) mix = (Math.imul(mix, 31) + (bytes[at] ?? 0)) | 0
  return ((mix ^ (mix >>> 5)) & 1) === 0
}

/** Of SHA-256: two blocks alike by chance are a matter of 10^-22 among a thousand million. */
const digestOf = (bytes: Buffer): string => hash('sha256', bytes, 'binary').slice(0, 16)

/** Passes over the byte order mark and the lines before the header, as the parser's way does. */
function createStart({ markBytes, skipLines }: RawForm): (chunk: Buffer) => Buffer {
  let bytes = markBytes
  let lines = skipLines
  let endedWithCr = false
  return (chunk) => {
    let at = Math.min(bytes, chunk.length)
    bytes -= at
    for (; at < chunk.length && (lines > 0 || endedWithCr); at += 1) {
      const isSecondHalf = endedWithCr && chunk[at] === LF
      if (lines === 0 && !isSecondHalf) break
      if (!isSecondHalf && (chunk[at] === LF || chunk[at] === CR)) lines -= 1
      endedWithCr = chunk[at] === CR
    }
    if (at < chunk.length) endedWithCr = false
    return chunk.subarray(at)
  }
}

export interface BlockFinder {
  /** The blocks that these bytes complete, in order. `bytes` of a part are good until the next one is asked for. */
  feed(chunk: Buffer): Generator<RawPart>
  /** What is left at the end of the file. */
  end(): Generator<RawPart>
}

/** Throws UnsureOfRecords from any of its methods, and must not be used after that. */
export function createBlockFinder(form: RawForm): BlockFinder {
  const ends = createRecordEnds(form)
  const behindStart = createStart(form)
  const longest = Math.min(LONGEST, form.maxRecordBytes)
  let line = form.skipLines + 1
  let rest: Buffer = Buffer.alloc(0)

  function* blocks(bytes: Buffer, isLast: boolean): Generator<RawPart> {
    ends.look(bytes)
    let lines: number[] = []
    let [start, at, firstLine] = [0, 0, line]
    const block = (end: number): RawPart => {
      const part = bytes.subarray(start, end)
      if (areBlankLines(part)) return { bytes: part, line: firstLine, nextLine: line }
      return { bytes: part, line: firstLine, nextLine: line, block: { digest: digestOf(part), lines } }
    }
    for (let end = ends.next(at); end !== undefined; end = ends.next(at)) {
      if (end - at > longest) throw new UnsureOfRecords()
      const isHeader = line <= form.headerLine
      lines.push(line)
      line += 1 + ends.breaks()
      const isFull = lines.length >= MOST || end - start >= MOST_BYTES
      if (!isHeader && (isFull || (lines.length >= LEAST && endsBlock(bytes, at, end)))) yield block(end)
      else if (!isHeader) {
        at = end
        continue
      }
      ;[start, at, lines, firstLine] = [end, end, [], line]
    }
    if (isLast && at > start) {
      yield block(at)
      ;[start, firstLine, lines] = [at, line, []]
    }
    rest = Buffer.from(bytes.subarray(start))
    // The records of an unfinished block are looked at once more, with what follows them.
    line = firstLine
    if (rest.length > longest + MOST_BYTES) throw new UnsureOfRecords()
  }
  return {
    *feed(chunk) {
      const given = behindStart(chunk)
      yield* blocks(rest.length === 0 ? given : Buffer.concat([rest, given]), false)
    },
    *end() {
      yield* blocks(rest, true)
      // No line feed ends the header: what is left begins with it, and would be taken for records.
      if (line <= form.headerLine) throw new UnsureOfRecords()
      if (rest.length > 0) yield { bytes: rest, line, nextLine: line }
    },
  }
}
