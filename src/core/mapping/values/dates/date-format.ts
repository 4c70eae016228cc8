// The patterns of `date`: letters as Unicode defines them (UTS 35), as far as the date in an export needs them. From a
// pattern to an expression that finds the parts. Each expression takes linear time: nothing in it is repeated twice.

/** `word`: a month's name, in any of the languages. `short`: a year of two digits. */
export type DatePart =
  'day' | 'month' | 'word' | 'year' | 'short' | 'hour' | 'minute' | 'second' | 'half' | 'offset'

export type DateParts = Readonly<Partial<Record<DatePart, string>>>

interface Letter {
  readonly part?: DatePart
  /** An expression without groups. */
  readonly form: string
}

const OFFSET = 'Z|(?:UTC|GMT)?[+-]\\d\\d(?::?\\d\\d)?|UTC|GMT'
const WORD = '[\\p{L}\\p{M}]+\\.?'
const ZONE_NAME = '\\p{L}[\\p{L}\\d/_+:-]*'

/** What a run of one letter reads, by the letter and, where it matters, the length of the run. */
const LETTERS: Readonly<Record<string, Letter>> = {
  d: { part: 'day', form: '\\d{1,2}' },
  dd: { part: 'day', form: '\\d\\d' },
  M: { part: 'month', form: '\\d{1,2}' },
  MM: { part: 'month', form: '\\d\\d' },
  MMM: { part: 'word', form: WORD },
  MMMM: { part: 'word', form: WORD },
  LLL: { part: 'word', form: WORD },
  LLLL: { part: 'word', form: WORD },
  y: { part: 'year', form: '\\d{4}' },
  yy: { part: 'short', form: '\\d\\d' },
  yyyy: { part: 'year', form: '\\d{4}' },
  H: { part: 'hour', form: '\\d{1,2}' },
  HH: { part: 'hour', form: '\\d\\d' },
  h: { part: 'hour', form: '\\d{1,2}' },
  hh: { part: 'hour', form: '\\d\\d' },
  m: { part: 'minute', form: '\\d{1,2}' },
  mm: { part: 'minute', form: '\\d\\d' },
  s: { part: 'second', form: '\\d{1,2}' },
  ss: { part: 'second', form: '\\d\\d' },
  a: { part: 'half', form: '[ap]\\.?m\\.?' },
}

/** Letters of which any number may stand in a row. */
const RUNS: Readonly<Record<string, Letter>> = {
  E: { form: WORD },
  S: { form: '\\d{1,9}' },
  X: { part: 'offset', form: OFFSET },
  x: { part: 'offset', form: OFFSET },
  Z: { part: 'offset', form: OFFSET },
  z: { form: ZONE_NAME },
  V: { form: ZONE_NAME },
}

/** Letters that mean something else than they seem to. */
const MISTAKEN: Readonly<Record<string, string>> = {
  D: 'counts the days of the year; the day of the month is d or dd',
  Y: 'counts years by weeks; the year is yyyy, or yy for two digits',
  T: "is not a pattern letter; the day is d or dd, and text is quoted: 'T'",
  J: 'is not a pattern letter; the year is yyyy, or yy for two digits',
}

type Piece = { readonly text: string } | { readonly run: string }

/** A quoted text, a run of one letter, white space, or one other character. */
const PIECES = /'(?:[^']|'')*'|([A-Za-z])\1*|\s+|[^]/gu

function piecesOf(pattern: string): Piece[] {
  return [...pattern.matchAll(PIECES)].map(([piece, letter]): Piece => {
    if (letter !== undefined) return { run: piece }
    if (piece === "''") return { text: "'" }
    return {
      text: piece.length > 1 && piece.startsWith("'") ? piece.slice(1, -1).replaceAll("''", "'") : piece,
    }
  })
}

function letterOf(run: string): Letter | undefined {
  if (Object.hasOwn(LETTERS, run)) return LETTERS[run]
  const first = run.charAt(0)
  return Object.hasOwn(RUNS, first) ? RUNS[first] : undefined
}

const partsOf = (pattern: string): DatePart[] =>
  piecesOf(pattern).flatMap((piece) => ('run' in piece ? (letterOf(piece.run)?.part ?? []) : []))

function unknownLetter(pattern: string): string | undefined {
  const piece = piecesOf(pattern).find((one) => 'run' in one && letterOf(one.run) === undefined)
  if (piece === undefined || !('run' in piece)) return undefined
  const { run } = piece
  const why =
    MISTAKEN[run.charAt(0)] ?? "is no part of a date; the parts are d, M and y, and text is quoted: 'of'"
  return `"${run}" ${why}`
}

const times = (parts: readonly DatePart[], ...wanted: readonly DatePart[]): number =>
  parts.filter((part) => wanted.includes(part)).length

/** What is wrong with a pattern; undefined: it reads a day, a month and a year. */
export function dateFormatProblem(pattern: string): string | undefined {
  if (pattern.includes('%')) return 'has a %, the pattern style of other programs; write dd.MM.yyyy'
  const unknown = unknownLetter(pattern)
  if (unknown !== undefined) return unknown
  const parts = partsOf(pattern)
  if (times(parts, 'month', 'word') === 0 && parts.includes('minute'))
    return 'has minutes (m) and no month; the month is M, MM or MMMM'
  for (const [part, count] of [
    ['day (d)', times(parts, 'day')],
    ['month (M)', times(parts, 'month', 'word')],
    ['year (y)', times(parts, 'year', 'short')],
  ] as const)
    if (count !== 1)
      return `has ${count === 0 ? 'no' : 'more than one'} ${part}; write a pattern such as dd.MM.yyyy`
  if (new Set(parts).size < parts.length) return 'has a part twice; write each once'
  return undefined
}

/** The same for two patterns that differ in the order of day and month alone; undefined where a text fits one only. */
export function sameTextsForm(pattern: string): string | undefined {
  const form = piecesOf(pattern).map((piece) => {
    if ('text' in piece) return piece.text
    const part = letterOf(piece.run)?.part
    return part === 'day' || part === 'month' ? '#' : `{${part ?? piece.run.charAt(0)}}`
  })
  return partsOf(pattern).includes('month') ? form.join('') : undefined
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&')

/** Finds the parts of a text that has the pattern's form; undefined for another text. */
export function compileDateFormat(pattern: string): (text: string) => DateParts | undefined {
  const parts: DatePart[] = []
  const forms = piecesOf(pattern).map((piece) => {
    if ('text' in piece) return piece.text.trim() === '' ? '\\s+' : escaped(piece.text)
    const { part, form } = letterOf(piece.run) ?? { form: escaped(piece.run) }
    if (part === undefined) return `(?:${form})`
    parts.push(part)
    return `(${form})`
  })
  const whole = new RegExp(`^${forms.join('')}$`, 'iu')
  return (text) => {
    const found = whole.exec(text)
    if (found === null) return undefined
    return Object.fromEntries(parts.map((part, index) => [part, found[index + 1] ?? '']))
  }
}
