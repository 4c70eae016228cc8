// From the lines of a card to its properties: lines are unfolded, quoted-printable and base64 are decoded, and parameters
// are read in the forms of versions 2.1, 3.0 and 4.0. Pictures, sounds and keys are passed over.
import { isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'
import type { CardLine } from './cards.ts'

export interface Property {
  readonly group: string | undefined
  /** In capitals. */
  readonly name: string
  /** In small letters; the label of its group is one of them. */
  readonly types: readonly string[]
  /** 1 to 100, the smallest first; 101 for a property that is not preferred. */
  readonly preference: number
  /** Its parts, and of each its values, without escapes. */
  readonly parts: readonly (readonly string[])[]
  /** Its bytes are no text: what is in `parts` is not its value. */
  readonly fault?: BadLine
}

/** Which line of a card cannot be read, and why. */
export class BadLine extends Error {
  readonly line: number
  constructor(line: number, why: string) {
    super(why)
    this.line = line
  }
}

const PASSED_OVER = ['PHOTO', 'LOGO', 'SOUND', 'KEY', 'AGENT']
const ENCODINGS = ['quoted-printable', 'base64', 'b', '8bit', '7bit', 'binary']
const NOT_PREFERRED = 101

interface Head {
  readonly group: string | undefined
  readonly name: string
  readonly parameters: readonly (readonly [name: string, value: string])[]
  /** Where the value begins. */
  readonly end: number
}

/** Everything before the colon; undefined where there is none, or a quote is not closed. */
function headOf(line: string): Head | undefined {
  const match = /^(?:([\w-]+)\.)?([\w-]+)((?:;(?:[^:;"]|"[^"]*")*)*):/.exec(line)
  if (match === null) return undefined
  const [whole, group, name = '', rest = ''] = match
  const parameters = [...rest.matchAll(/;((?:[^;"]|"[^"]*")*)/g)].map(([, text = '']) => {
    const at = text.indexOf('=')
    const value = text
      .slice(at + 1)
      .replaceAll('"', '')
      .trim()
    if (at >= 0) return [text.slice(0, at).trim().toUpperCase(), value] as const
    // Version 2.1 leaves the names of parameters out.
    return [ENCODINGS.includes(value.toLowerCase()) ? 'ENCODING' : 'TYPE', value] as const
  })
  return { group, name: name.toUpperCase(), parameters, end: whole.length }
}

const valuesOf = ({ parameters }: Head, name: string): string[] =>
  parameters
    .filter(([one]) => one === name)
    .flatMap(([, value]) => value.split(','))
    .map((value) => value.trim().toLowerCase())

const isQuotedPrintable = (head: Head): boolean =>
  valuesOf(head, 'ENCODING').some((one) => one === 'quoted-printable' || one === 'q')
const isBase64 = (head: Head): boolean =>
  valuesOf(head, 'ENCODING').some((one) => one === 'base64' || one === 'b')

interface Logical {
  readonly text: string
  readonly line: number
}

/** Some programs end lines with CR CR LF, which leaves a blank line before each. */
const withoutDoubles = (lines: readonly CardLine[]): readonly CardLine[] =>
  lines.every(({ text }, index) => index % 2 === 1 || text === '')
    ? lines.filter((_, index) => index % 2 === 1)
    : lines

/** No text continues like this: the line is another property. */
const PROPERTY =
  /^(?:[\w-]+\.)?(?:N|FN|NICKNAME|TEL|EMAIL|ADR|LABEL|ORG|TITLE|ROLE|BDAY|NOTE|URL|UID|REV|CATEGORIES|IMPP|PHOTO|X-[A-Z-]+)[;:]/

const SOFT_BREAK = /=\s*$/

/** The lines at which a quoted-printable value continues. */
function softLines(lines: readonly CardLine[], at: number): string[] {
  const found: string[] = []
  for (let index = at; SOFT_BREAK.test(lines[index]?.text ?? ''); index += 1)
    found.push(lines[index + 1]?.text ?? '')
  return found.filter((text) => text.trim() !== '')
}

/**
 * Whether a value was folded after it was encoded, so that a blank which is none of its text begins each further line. A blank
 * at the beginning of a single one is of the text, unless the value writes its blanks in another way.
 */
function isFoldedToo(first: string, further: readonly string[]): boolean {
  if (further.length === 0 || !further.every((text) => /^[ \t]/.test(text))) return false
  const all = [first.slice(first.indexOf(':')), ...further.map((text) => text.slice(1))].join('')
  return further.length > 1 || (all.includes('=20') && !/[ \t]/.test(all.trimEnd()))
}

/** Lines as they were before they were folded. Throws BadLine. */
function unfolded(lines: readonly CardLine[], isOld: boolean): Logical[] {
  const found: Logical[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const { text: first, line } = lines[at] ?? { text: '', line: 0 }
    let text = first
    const head = headOf(first)
    const isBinary = head !== undefined && isBase64(head)
    const isSoft = head !== undefined && isQuotedPrintable(head)
    const isFolded = isSoft && isFoldedToo(first, softLines(lines, at))
    for (;;) {
      const next = lines[at + 1]?.text
      if (next === undefined) break
      const isBroken = isSoft && SOFT_BREAK.test(text)
      if (isBroken && PROPERTY.test(next))
        throw new BadLine(line, 'it ends with = as if its value continued, and another property follows')
      if (isBroken) text = text.replace(SOFT_BREAK, '') + (isFolded ? next.replace(/^[ \t]/, '') : next)
      // In version 2.1 the blank at which a line is folded is one of its text.
      else if (/^[ \t]/.test(next) && next.trim() !== '') text += isOld && !isBinary ? next : next.slice(1)
      else if (isBinary && /^[A-Za-z0-9+/=]+\s*$/.test(next)) text += next.trim()
      else break
      at += 1
    }
    if (text.trim() !== '') found.push({ text, line })
  }
  return found
}

function quotedPrintableBytes(value: string): Buffer {
  const latin = Buffer.from(value).toString('latin1')
  return Buffer.from(
    latin.replaceAll(/=([0-9A-Fa-f]{2})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    ),
    'latin1',
  )
}

/** Throws BadLine for bytes that are no text in the charset. */
function decodedText(bytes: Buffer, charset: string | undefined, line: number): string {
  if (charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset)) {
    if (!isUtf8(bytes)) throw new BadLine(line, 'its bytes are no UTF-8, and no other charset is named')
    return bytes.toString('utf8')
  }
  if (!iconv.encodingExists(charset)) throw new BadLine(line, 'its charset is not known')
  const text = iconv.decode(bytes, charset)
  if (text.includes('\ufffd')) throw new BadLine(line, 'it contains bytes that its charset does not know')
  return text
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\([\\,;:nN])/g, (_, char: string) => (/n/i.test(char) ? '\n' : char))

/** Cuts at a separator that no backslash escapes. */
function cut(text: string, separator: string): string[] {
  const parts = ['']
  for (const piece of text.match(/\\[^]|[^]/gu) ?? [])
    if (piece === separator) parts.push('')
    else parts.push((parts.pop() ?? '') + piece)
  return parts
}

/** The value of these is one text, whatever separators are in it. */
const isStructured = (name: string): boolean => ['N', 'ADR', 'ORG'].includes(name)
const isList = (name: string): boolean => ['NICKNAME', 'CATEGORIES'].includes(name)

function partsOf(name: string, value: string, isOld: boolean): string[][] {
  if (isList(name)) return [cut(value, ',').map((one) => unescaped(one).trim())]
  if (!isStructured(name)) return [[unescaped(value)]]
  // A comma parts values of N and ADR, but not in version 2.1; in a company it is a comma.
  return cut(value, ';').map((part) =>
    isOld || name === 'ORG' ? [unescaped(part)] : cut(part, ',').map((one) => unescaped(one)),
  )
}

function preferenceOf(head: Head): number {
  const given = Number(valuesOf(head, 'PREF')[0] ?? Number.NaN)
  if (given >= 1 && given < NOT_PREFERRED) return given
  return valuesOf(head, 'TYPE').includes('pref') ? 1 : NOT_PREFERRED
}

/** What Apple writes around its own labels is left out. */
const labelOf = (text: string): string =>
  text
    .replace(/^_\$!<(.*)>!\$_$/, '$1')
    .trim()
    .toLowerCase()

/** Years that are written only because one must be. */
const withoutYear = (head: Head, value: string): string => {
  const omitted = valuesOf(head, 'X-APPLE-OMIT-YEAR')[0]
  return omitted !== undefined && value.startsWith(omitted) ? `-${value.slice(omitted.length)}` : value
}

/** Throws BadLine. */
function propertyOf(
  { text, line }: Logical,
  isOld: boolean,
  charset: string | undefined,
): Property | undefined {
  const head = headOf(text)
  if (head === undefined) throw new BadLine(line, 'it is no property with a colon before its value')
  const { group, name } = head
  if (PASSED_OVER.includes(name)) return undefined
  const raw = text.slice(head.end)
  const named = valuesOf(head, 'CHARSET')[0] ?? charset
  const bytes = isQuotedPrintable(head)
    ? quotedPrintableBytes(raw)
    : isBase64(head)
      ? Buffer.from(raw, 'base64')
      : undefined
  const { text: plain, fault } =
    bytes === undefined
      ? { text: raw, fault: undefined }
      : attempted(() => decodedText(bytes, named, line), isBase64(head) ? '' : raw)
  const parts = partsOf(name, withoutYear(head, plain), isOld)
  const types = valuesOf(head, 'TYPE').filter((type) => type !== '')
  const property = { group: group?.toLowerCase(), name, types, preference: preferenceOf(head), parts }
  return fault === undefined ? property : { ...property, fault }
}

/** An invalid property that no column reads does not reject the card. */
function attempted(decode: () => string, raw: string): { text: string; fault: BadLine | undefined } {
  try {
    return { text: decode(), fault: undefined }
  } catch (error) {
    if (error instanceof BadLine) return { text: raw, fault: error }
    throw error
  }
}

/**
 * The properties of a card in their order, preferred ones first.
 * @param charset of quoted-printable text that names none; undefined: UTF-8
 * @throws BadLine
 */
export function propertiesOf(lines: readonly CardLine[], charset?: string): Property[] {
  const isOld = lines.some(({ text }) => /^\s*VERSION\s*:\s*2\.1\s*$/i.test(text))
  const all = unfolded(withoutDoubles(lines), isOld).flatMap((line) => propertyOf(line, isOld, charset) ?? [])
  const labels = new Map(
    all
      .filter(({ name, group }) => name === 'X-ABLABEL' && group !== undefined)
      .map(({ group, parts }) => [group, labelOf(parts[0]?.[0] ?? '')]),
  )
  return all
    .map((property) => {
      const label = property.group === undefined ? undefined : labels.get(property.group)
      return label === undefined || label === ''
        ? property
        : { ...property, types: [...property.types, label] }
    })
    .toSorted((one, other) => one.preference - other.preference)
}
