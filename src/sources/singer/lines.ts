// Bytes to lines, with a bound on their length, strictly as UTF-8. The last line needs no line break.
import { UnfitLine } from './messages.ts'

/** As the longest record that is read from a file. */
const LONGEST = 16 * 1024 * 1024
const LINE_BREAK = 0x0a
const BYTE_ORDER_MARK = '\ufeff'

export interface Line {
  readonly text: string
  /** From 1 on. */
  readonly number: number
}

function textOf(bytes: Buffer, number: number): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  } catch {
    throw new UnfitLine(number, 'it is not UTF-8')
  }
}

/** Those of each piece together. Throws UnfitLine, after the lines before it. */
export async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<readonly Line[]> {
  let number = 0
  let rest: Buffer[] = []
  let length = 0
  const line = (last: Buffer): Line => {
    number += 1
    const bytes = rest.length === 0 ? last : Buffer.concat([...rest, last])
    rest = []
    length = 0
    return { text: textOf(bytes, number), number }
  }
  for await (const piece of pieces) {
    const lines: Line[] = []
    let failure: UnfitLine | undefined
    let begin = 0
    try {
      for (let end = piece.indexOf(LINE_BREAK); end >= 0; end = piece.indexOf(LINE_BREAK, begin)) {
        lines.push(line(piece.subarray(begin, end)))
        begin = end + 1
      }
    } catch (error) {
      if (!(error instanceof UnfitLine)) throw error
      failure = error
    }
    if (lines.length > 0) yield lines
    if (failure !== undefined) throw failure
    if (begin < piece.length) rest.push(piece.subarray(begin))
    length += piece.length - begin
    if (length > LONGEST) throw new UnfitLine(number + 1, `it has more than ${LONGEST} bytes`)
  }
  if (rest.length > 0) yield [line(Buffer.alloc(0))]
}
