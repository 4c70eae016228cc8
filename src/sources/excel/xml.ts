// XML of a workbook's parts as events, piece by piece. A document type is refused: with it come entities, and with those
// other files and endless texts.
import { SaxesParser } from 'saxes'
import { SyncError } from '../../core/words/errors.ts'
import { broken, type Workbook } from './zip.ts'

/** By names without prefix. */
export interface XmlHandler {
  open?(name: string, attributes: Readonly<Record<string, string>>): void
  close?(name: string): void
  text?(text: string): void
}

/** A cell of Excel has at most 32 767 characters. */
const LONGEST_TEXT = 1024 * 1024

const local = (name: string): string => name.slice(name.indexOf(':') + 1)

function parserFor(handler: XmlHandler, refuse: (why: string) => never): SaxesParser {
  const parser = new SaxesParser({ xmlns: false, fragment: false })
  parser.on('doctype', () => refuse('it declares a document type'))
  parser.on('opentag', ({ name, attributes }) => handler.open?.(local(name), attributes))
  parser.on('closetag', ({ name }) => handler.close?.(local(name)))
  const text = (part: string): void => {
    if (part.length > LONGEST_TEXT) refuse(`a text in it has more than ${LONGEST_TEXT} characters`)
    handler.text?.(part)
  }
  parser.on('text', text)
  parser.on('cdata', text)
  return parser
}

/**
 * Parses a part; the listener gets its events, and after each piece a turn.
 * Throws INPUT_EXCEL for XML that is not in order.
 */
export async function* xmlEvents(
  book: Workbook,
  part: string,
  handler: XmlHandler,
): AsyncGenerator<undefined> {
  const refuse = (why: string): never => {
    throw broken(book.name, `its part ${part.slice(0, 80)} cannot be read: ${why}`)
  }
  const parser = parserFor(handler, refuse)
  let decoder: InstanceType<typeof TextDecoder> | undefined
  const attempt = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      if (error instanceof SyncError) throw error
      // What the parser says may quote the part.
      refuse(`its XML is not in order on line ${parser.line}`)
    }
  }
  for await (const bytes of book.read(part)) {
    decoder ??= new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8', {
      fatal: true,
    })
    const known = decoder
    attempt(() => parser.write(known.decode(bytes, { stream: true })))
    yield
  }
  attempt(() => parser.write(decoder?.decode() ?? '').close())
}

/** Parses a small part to its end. */
export async function readXml(book: Workbook, part: string, handler: XmlHandler): Promise<void> {
  for await (const _ of xmlEvents(book, part, handler));
}
