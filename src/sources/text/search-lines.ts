// Searches the lines of a file, as bytes where its encoding is not certain: what cannot be read as records may
// name a person anyway. One line is in memory at a time, and of a very long one a piece.
import type { Naming, Sought } from '../../core/erasing.ts'
import type { LineSpan } from './blank-lines.ts'
import { byteText } from './readings.ts'

/** Longer lines are looked through in pieces, each with the end of the one before. */
const PIECE = 1024 * 1024
const OVERLAP = 2000
/** Of lines that are uncertain, as many are named. */
const MOST_UNCERTAIN = 20

export interface Spans {
  readonly gone: LineSpan[]
  readonly uncertain: number[]
  note(naming: Naming, first: number, last: number): void
}

export function createSpans(): Spans {
  const gone: LineSpan[] = []
  const uncertain: number[] = []
  return {
    gone,
    uncertain,
    note(naming, first, last) {
      const before = gone.at(-1)
      if (naming === 'surely' && before?.first !== first) gone.push({ first, last })
      if (naming === 'maybe' && uncertain.length < MOST_UNCERTAIN && uncertain.at(-1) !== first)
        uncertain.push(first)
    },
  }
}

/** UTF-16 is read as text; of everything else the bytes are. */
function textReader(encoding: string): (part: Buffer | undefined) => string {
  const wide = /^(utf-?16|ucs-?2)/i.test(encoding)
  if (!wide) return (part) => (part === undefined ? '' : byteText(part))
  const decoder = new TextDecoder(/be$/i.test(encoding) ? 'utf-16be' : 'utf-16le')
  return (part) => decoder.decode(part, { stream: part !== undefined })
}

interface Line {
  readonly line: number
  readonly text: string
}

/** CR LF, LF and CR end a line. */
async function* linesOf(parts: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Line> {
  const textOf = textReader(encoding)
  let line = 1
  let rest = ''
  const take = function* (isLast: boolean): Generator<Line> {
    // A CR at the end may be the first half of a break.
    const lines = rest.split(isLast ? /\r\n|\n|\r/ : /\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const text of lines) yield { line: line++, text }
    if (!isLast && rest.length < PIECE) return
    yield { line, text: rest }
    rest = rest.slice(-OVERLAP)
  }
  for await (const part of parts) {
    rest += textOf(part)
    yield* take(false)
  }
  rest += textOf(undefined)
  yield* take(true)
}

/** Records the lines from and to which (both included) a person is named; returns whether any was found in them. */
export async function searchLines(
  parts: AsyncIterable<Buffer>,
  { encoding, from = 1, to = Number.POSITIVE_INFINITY }: { encoding: string; from?: number; to?: number },
  sought: Pick<Sought, 'ofLine'>,
  spans: Spans,
): Promise<void> {
  for await (const { line, text } of linesOf(parts, encoding)) {
    if (line > to) break
    if (line >= from && text !== '') spans.note(await sought.ofLine(text), line, line)
  }
}
