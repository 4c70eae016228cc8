// Cuts the text of a file into cards, part by part: from BEGIN:VCARD to END:VCARD. Only the card at hand is in memory.
// A card that lacks its end is a record, and so is text between cards; the next card is still read.
import { SyncError } from '../../core/words/errors.ts'

export interface CardLine {
  readonly text: string
  readonly line: number
}

export interface RawCard {
  /** On which it begins, and on which it ends. */
  readonly line: number
  readonly last: number
  /** Between BEGIN and END, without both. */
  readonly lines: readonly CardLine[]
  /** Why it is no card; undefined where it is one. */
  readonly fault?: string
}

const MOST_CHARACTERS = 16 * 1024 * 1024
const BATCH_CARDS = 200

const BEGIN = /^\s*BEGIN\s*:\s*VCARD\s*$/i
const END = /^\s*END\s*:\s*VCARD\s*$/i
/** In version 2.1 another card may stand as the value of this property. */
const AGENT = /^(?:[\w-]+\.)?AGENT\b[^:]*:\s*$/i

async function* linesOf(name: string, parts: AsyncIterable<Buffer>): AsyncGenerator<CardLine> {
  const decoder = new TextDecoder()
  let rest = ''
  let line = 1
  for await (const part of parts) {
    rest += decoder.decode(part, { stream: true })
    // A CR at the end may be the first half of a break.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const text of lines) yield { text, line: line++ }
    if (rest.length > MOST_CHARACTERS)
      throw new SyncError(
        'INPUT_RECORD_TOO_LARGE',
        `${name}: line ${line} has more than ${MOST_CHARACTERS} characters`,
      )
  }
  for (const text of (rest + decoder.decode()).split(/\r\n|\n|\r/)) yield { text, line: line++ }
}

/** Puts lines together; finished cards are handed on. */
function createCutter(name: string, done: (card: RawCard) => void) {
  let begin: number | undefined
  let lines: CardLine[] = []
  let depth = 0
  let size = 0
  let isAny = false
  const finish = (last: number, fault?: string): void => {
    const line = begin ?? lines[0]?.line ?? last
    done({ line, last, lines, ...(fault === undefined ? {} : { fault }) })
    begin = undefined
    lines = []
    depth = size = 0
  }
  const finishStray = (last: number): void => {
    if (lines.length > 0) finish(last, 'It has no BEGIN:VCARD')
  }
  const outside = ({ text, line }: CardLine): void => {
    if (BEGIN.test(text)) {
      finishStray(line - 1)
      begin = line
      isAny = true
    } else if (text.trim() !== '') {
      lines.push({ text, line })
      if (END.test(text)) finishStray(line)
    }
  }
  const inside = ({ text, line }: CardLine): void => {
    if (BEGIN.test(text)) {
      if (AGENT.test(lines.at(-1)?.text ?? '') || depth > 0) depth += 1
      else {
        finish(line - 1, 'It has no END:VCARD')
        begin = line
      }
    } else if (END.test(text)) {
      if (depth === 0) finish(line)
      else depth -= 1
    } else if (depth === 0) lines.push({ text, line })
  }
  return {
    /** Whether any line was BEGIN:VCARD. */
    hasBegun: () => isAny,
    add(one: CardLine): void {
      size += one.text.length
      if (size > MOST_CHARACTERS)
        throw new SyncError(
          'INPUT_RECORD_TOO_LARGE',
          `${name}: the card on line ${begin ?? one.line} has more than ${MOST_CHARACTERS} characters`,
        )
      if (begin === undefined) outside(one)
      else inside(one)
    },
    /** Throws INPUT_VCARD where the last card lacks its end. */
    end(last: number): void {
      if (begin !== undefined)
        throw new SyncError('INPUT_VCARD', `${name} ends within the card of line ${begin}: it was cut off`)
      finishStray(last)
    },
  }
}

/** The cards in order, some hundreds at a time. `parts`: UTF-8. Throws INPUT_VCARD, INPUT_EMPTY, INPUT_RECORD_TOO_LARGE. */
export async function* rawCards(name: string, parts: AsyncIterable<Buffer>): AsyncGenerator<RawCard[]> {
  let cards: RawCard[] = []
  let last = 0
  const cutter = createCutter(name, (card) => void cards.push(card))
  for await (const one of linesOf(name, parts)) {
    cutter.add(one)
    last = one.line
    if (cards.length < BATCH_CARDS) continue
    yield cards
    cards = []
  }
  cutter.end(last)
  if (!cutter.hasBegun()) {
    if (cards.length === 0) throw new SyncError('INPUT_EMPTY', `${name} holds no card`)
    throw new SyncError('INPUT_VCARD', `${name} holds no vCard: no line is BEGIN:VCARD`)
  }
  if (cards.length > 0) yield cards
}
