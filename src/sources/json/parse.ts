// JSON text to records, part by part: a list, an object around a list, or one value a line. Only the record
// at hand is in memory. Damaged JSON ends the reading with its place, never with its content.
import { Tokenizer, TokenParser, TokenType } from '@streamparser/json'
import { SyncError } from '../../core/words/errors.ts'
import { createPositionCounter, type PositionCounter } from './position.ts'
import { keptNumber } from './values.ts'

export interface JsonRecord {
  readonly value: unknown
  /** The line on which it begins. */
  readonly line: number
}

/** list: a JSON array. inside: an array somewhere in an object. lines: values one after another. */
export type JsonLayout =
  { readonly kind: 'list' | 'lines' } | { readonly kind: 'inside'; readonly path: readonly string[] }

export interface JsonText {
  /** For messages. */
  readonly name: string
  readonly layout: JsonLayout
  /** UTF-8, without byte order mark. */
  readonly parts: AsyncIterable<Buffer>
}

const MAX_DEPTH = 200
const MAX_RECORD_BYTES = 16 * 1024 * 1024
const BATCH_RECORDS = 200
type TokenEvent = Parameters<Tokenizer['onToken']>[0]

class ExactTokenizer extends Tokenizer {
  // The tokenizer declares a number, but hands on whatever comes: so numbers keep the digits they have.
  protected override parseNumber(text: string): number {
    return keptNumber(text) as number
  }
}

/** The records in order, some hundreds at a time. Throws INPUT_JSON or INPUT_RECORD_TOO_LARGE. */
export async function* jsonRecords(text: JsonText): AsyncGenerator<JsonRecord[]> {
  const position = createPositionCounter()
  const machine = createMachine(text, position)
  for await (const part of text.parts) {
    position.expect(part)
    machine.write(part)
    while (machine.records.length >= BATCH_RECORDS) yield machine.records.splice(0, BATCH_RECORDS)
  }
  machine.end()
  if (machine.records.length > 0) yield machine.records
}

interface Machine {
  readonly records: JsonRecord[]
  write(part: Buffer): void
  end(): void
}

function createMachine(text: JsonText, position: PositionCounter): Machine {
  const { layout, name } = text
  const records: JsonRecord[] = []
  const tokenizer = new ExactTokenizer()
  const builder = new TokenParser({
    paths: [selector(layout)],
    keepStack: false,
    ...(layout.kind === 'list' ? {} : { separator: '' }),
  })
  const tracker = createTracker(layout, position)
  let lastOffset = 0

  const refusal = (offset: number): SyncError => {
    const { line, column } = position.positionAt(offset)
    return new SyncError('INPUT_JSON', `${name} is not valid JSON at line ${line}, column ${column}`)
  }
  const attempt = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      if (error instanceof SyncError) throw error
      throw refusal(faultOffset(error) ?? lastOffset)
    }
  }
  tokenizer.onToken = (event) => {
    lastOffset = event.offset
    if (tracker.follow(event) > MAX_DEPTH) {
      throw new SyncError(
        'INPUT_JSON',
        `${name} is nested too deeply on line ${position.lineAt(event.offset)}`,
      )
    }
    builder.write(event)
  }
  builder.onValue = ({ value, parent }) => {
    // What stands at the path may be an object: its members are no records.
    if (layout.kind === 'lines' || Array.isArray(parent)) records.push({ value, line: tracker.line() })
  }
  return {
    records,
    write(part) {
      attempt(() => tokenizer.write(part))
      if (position.length() - tracker.openSince() > MAX_RECORD_BYTES) throw tooLarge(name, tracker.line())
    },
    end() {
      lastOffset = position.length()
      attempt(() => {
        tokenizer.end()
        if (!builder.isEnded) builder.end()
      })
      if (layout.kind === 'inside' && !tracker.foundList()) throw noList(name, layout.path)
    },
  }
}

function selector(layout: JsonLayout): string {
  if (layout.kind === 'inside') return `$.${layout.path.join('.')}.*`
  return layout.kind === 'list' ? '$.*' : '$'
}

/** The tokenizer says only in its message where it stopped; the rest of that message is content. */
function faultOffset(error: unknown): number | undefined {
  const found = error instanceof Error ? /absolute position "(\d+)"/.exec(error.message)?.[1] : undefined
  return found === undefined ? undefined : Number(found)
}

interface Tracker {
  /** Takes a token into account; how deep it stands. */
  follow(event: TokenEvent): number
  /** The line on which the record at hand begins. */
  line(): number
  /** The offset at which the record at hand began; infinite while there is none. */
  openSince(): number
  /** Whether a list stood at the layout's path. */
  foundList(): boolean
}

function createTracker(layout: JsonLayout, position: PositionCounter): Tracker {
  const path = layout.kind === 'inside' ? layout.path : []
  const recordDepth = layout.kind === 'lines' ? 0 : path.length + 1
  // The name under which each level stands in the one above; undefined inside a list.
  const names: (string | undefined)[] = []
  let depth = 0
  let lastText: string | undefined
  let line = 1
  let since = Number.POSITIVE_INFINITY
  let found = false

  const begins = (event: TokenEvent): boolean => {
    if (depth !== recordDepth) return false
    line = position.lineAt(event.offset)
    return true
  }
  return {
    follow(event) {
      const { token } = event
      if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) {
        if (begins(event)) since = event.offset
        const isList = token === TokenType.LEFT_BRACKET
        if (isList && depth === path.length && path.every((name, level) => names[level] === name))
          found = true
        names[depth] = undefined
        depth += 1
      } else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) {
        depth -= 1
        if (depth <= recordDepth) since = Number.POSITIVE_INFINITY
      } else if (token === TokenType.COLON) {
        names[depth - 1] = lastText
      } else if (token !== TokenType.COMMA) {
        begins(event)
        lastText = token === TokenType.STRING ? String(event.value) : undefined
      }
      return depth
    },
    line: () => line,
    openSince: () => since,
    foundList: () => found,
  }
}

function tooLarge(name: string, line: number): SyncError {
  return new SyncError(
    'INPUT_RECORD_TOO_LARGE',
    `${name}: the record on line ${line} has more than ${MAX_RECORD_BYTES} bytes`,
    { hint: 'If the file is one object around a list of records, name the list in source.records.' },
  )
}

function noList(name: string, path: readonly string[]): SyncError {
  return new SyncError('INPUT_JSON', `${name} has no list at ${path.join('.')}`, {
    hint: 'Set source.records to where the list of records is.',
  })
}
