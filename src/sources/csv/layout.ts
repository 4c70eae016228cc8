// How one CSV file is laid out: encoding, delimiter, quotes, and what stands before the header.
import type { ByteSurvey } from '../bytes.ts'
import type { ClaimedFile } from '../drop-folder.ts'
import { decodedText, type FileEncoding, fileEncoding } from '../encoding.ts'
import { REJECT_COLUMNS } from '../rejects-csv.ts'
import type { CsvOptions } from './options.ts'
import { sniffDelimiter } from './sniff.ts'

export interface Layout {
  readonly encoding: FileEncoding
  readonly delimiter: string
  readonly quote: string | undefined
  readonly skipLines: number
  readonly skipFooter: number
}

const SNIFFED = 64 * 1024

/** The text without its first lines. */
export async function* skippedLines(text: AsyncIterable<string>, lines: number): AsyncGenerator<string> {
  let left = lines
  let pendingReturn = false
  for await (const piece of text) {
    let rest = piece
    if (pendingReturn && rest.startsWith('\n')) rest = rest.slice(1)
    pendingReturn = false
    while (left > 0 && rest !== '') {
      const end = rest.search(/[\r\n]/)
      if (end < 0) {
        rest = ''
        break
      }
      const isPair = rest[end] === '\r' && rest[end + 1] === '\n'
      pendingReturn = rest[end] === '\r' && end === rest.length - 1
      rest = rest.slice(end + (isPair ? 2 : 1))
      left -= 1
    }
    if (rest !== '') yield rest
  }
}

async function firstText(text: AsyncIterable<string>): Promise<string> {
  let start = ''
  for await (const piece of text) {
    start += piece
    if (start.length >= SNIFFED) break
  }
  return start.slice(0, SNIFFED)
}

/** A file that we wrote ourselves comes back: it is UTF-8 with a header in its first line, whatever exports look like. */
function rejectsDelimiter(head: Buffer): string | undefined {
  const [line = ''] = head.toString('utf8').split(/\r?\n/, 1)
  return new RegExp(`${REJECT_COLUMNS.join('([,;|\\t])')}$`).exec(line)?.[1]
}

/** Excel's own way to name the delimiter in the first line. */
const SEP_LINE = /^sep=(.)\r?\n/i

/** Decides once for the whole file. Throws INPUT_EMPTY, INPUT_BINARY or INPUT_ENCODING. */
export async function layoutOf(file: ClaimedFile, survey: ByteSurvey, options: CsvOptions): Promise<Layout> {
  const quote = options.quote === 'none' ? undefined : options.quote
  const ours = rejectsDelimiter(survey.head)
  if (ours !== undefined)
    return {
      encoding: fileEncoding(survey, 'utf-8'),
      delimiter: ours,
      quote: '"',
      skipLines: 0,
      skipFooter: 0,
    }
  const encoding = fileEncoding(survey, options.encoding)
  const start = await firstText(
    skippedLines(
      decodedText(file.handle, encoding, () => undefined),
      options.skipLines,
    ),
  )
  const separator = SEP_LINE.exec(start)?.[1]
  const delimiter =
    options.delimiter === 'auto' ? (separator ?? sniffDelimiter(start, quote)) : options.delimiter
  const skipLines = options.skipLines + (separator === undefined ? 0 : 1)
  return { encoding, delimiter, quote, skipLines, skipFooter: options.skipFooter }
}
