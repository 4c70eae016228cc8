// The records of a JSON text, one after the other, each with the line on which it begins: the items of an array
// (the whole file, or the one at `records`), or the values of JSON lines. Numbers stay as they are written.
import { Tokenizer, TokenParser, type ParsedTokenInfo, TokenType } from '@streamparser/json'
import { SyncError } from '../../core/errors.ts'

export interface JsonValue {
  readonly value: unknown
  readonly line: number
}

/** Big integers must not lose digits, and 1.0 must not become 1. */
class ExactTokenizer extends Tokenizer {
  override parseNumber(text: string): number {
    return text as unknown as number
  }
}

const STARTS: readonly TokenType[] = [TokenType.LEFT_BRACE, TokenType.LEFT_BRACKET]
const ENDS: readonly TokenType[] = [TokenType.RIGHT_BRACE, TokenType.RIGHT_BRACKET]
const LINE_FEED = 10

/** Lines by byte offset, for offsets that only grow. */
function lineCounter() {
  let line = 1
  let counted = 0
  let base = 0
  let chunk = Buffer.alloc(0)
  const upTo = (offset: number): number => {
    const end = Math.min(chunk.length, offset - base)
    for (let at = counted; at < end; at += 1) if (chunk[at] === LINE_FEED) line += 1
    counted = Math.max(counted, end)
    return line
  }
  return {
    upTo,
    next(bytes: Buffer) {
      upTo(base + chunk.length)
      base += chunk.length
      chunk = Buffer.from(bytes)
      counted = 0
    },
  }
}

function parserPaths(
  firstCharacter: string,
  records: string | undefined,
): { paths: string[]; separator?: string } {
  if (records !== undefined) return { paths: [`$.${records}.*`] }
  return firstCharacter === '[' ? { paths: ['$.*'] } : { paths: ['$'], separator: '' }
}

interface Parsing {
  write(bytes: Buffer): void
  end(): void
  take(): JsonValue[]
  readonly line: number
}

function createParsing(firstCharacter: string, records: string | undefined): Parsing {
  const lines = lineCounter()
  const options = parserPaths(firstCharacter, records)
  const separator = options.separator === undefined ? {} : { separator: options.separator }
  const tokenizer = new ExactTokenizer(separator)
  const parser = new TokenParser({ ...options, keepStack: false })
  /** The line on which each open structure began; one deeper than open: the one that has just closed. */
  const starts: number[] = []
  let depth = 0
  let line = 1
  let values: JsonValue[] = []
  let failed: Error | undefined
  const fail = (error: Error): void => {
    if (failed !== undefined) return
    failed = error
    const position = /position "(\d+)"/.exec(error.message)?.[1]
    if (position !== undefined) line = lines.upTo(Number(position))
  }
  tokenizer.onError = fail
  parser.onError = fail
  parser.onValue = ({ value }) => {
    const isStructure = typeof value === 'object' && value !== null
    values.push({ value, line: isStructure ? (starts[depth] ?? line) : line })
  }
  tokenizer.onToken = (token: ParsedTokenInfo) => {
    line = lines.upTo(token.offset)
    if (STARTS.includes(token.token)) starts[depth++] = line
    if (ENDS.includes(token.token)) depth -= 1
    const isNumber = token.token === TokenType.NUMBER
    parser.write(isNumber ? { ...token, token: TokenType.STRING } : token)
  }
  const check = (): void => {
    // The message of the parser quotes the content, so only the place is told.
    if (failed !== undefined)
      throw new SyncError('INPUT_JSON', `line ${line}: the JSON is damaged or cut off here`)
  }
  return {
    get line() {
      return line
    },
    write(bytes) {
      lines.next(bytes)
      try {
        tokenizer.write(bytes)
      } catch (error) {
        fail(error instanceof Error ? error : new Error('unknown'))
      }
      check()
    },
    end() {
      try {
        if (!tokenizer.isEnded) tokenizer.end()
      } catch (error) {
        fail(error instanceof Error ? error : new Error('unknown'))
      }
      check()
      if (depth > 0)
        throw new SyncError('INPUT_JSON', `line ${line}: the file ends in the middle of a structure`)
    },
    take() {
      const taken = values
      values = []
      return taken
    },
  }
}

/** Throws INPUT_JSON with the line where the text stops being JSON. */
export async function* parsedValues(
  text: AsyncIterable<string>,
  records: string | undefined,
): AsyncGenerator<JsonValue[]> {
  let parsing: Parsing | undefined
  for await (const piece of text) {
    parsing ??= createParsing(piece.trimStart().charAt(0), records)
    parsing.write(Buffer.from(piece))
    const values = parsing.take()
    if (values.length > 0) yield values
  }
  parsing?.end()
  const rest = parsing?.take() ?? []
  if (rest.length > 0) yield rest
}
