// Numbers as people write them. What can be read in two ways is not read at all: a thousand times too much is worse
// than a rejected record.

export type ParsedNumber = { readonly text: string } | { readonly problem: string }

const SPACES = /[ \u00a0\u2009\u202f'\u2019]/g
/** Spaces and apostrophes group by three, as nothing else does: "42 43" is two numbers, not 4243. */
const SPACED = /^[1-9]\d{0,2}([ \u00a0\u2009\u202f'\u2019])\d{3}(?:\1\d{3})*(?=[.,]\d+$|$)/
/** Groups of three behind a first one that is no zero. */
const GROUPED = /^[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*$/

const AMBIGUOUS =
  'could be thousands or decimals; decide with number: { decimal: "," } or number: { decimal: "." }'

function canonical(sign: string, whole: string, fraction: string): ParsedNumber {
  const digits = whole.replace(/^0+(?=\d)/, '')
  const decimals = fraction.replace(/0+$/, '')
  const text = decimals === '' ? digits : `${digits}.${decimals}`
  return { text: /^[0.]+$/.test(text) ? '0' : `${sign}${text}` }
}

/** With the decimal mark known, everything else between digits must be grouping. */
function split(sign: string, digits: string, decimal: ',' | '.'): ParsedNumber {
  const group = decimal === ',' ? '.' : ','
  const [whole = '', fraction, ...rest] = digits.split(decimal)
  const isGrouped = !whole.includes(group) || (GROUPED.test(whole) && whole.includes(group))
  const isSound = rest.length === 0 && isGrouped && /^[\d.,]*\d$/.test(whole) && /^\d*$/.test(fraction ?? '')
  if (!isSound || fraction === '') return { problem: 'is not a number' }
  return canonical(sign, whole.replaceAll(group, ''), fraction ?? '')
}

/** The one mark that may be the decimal one, or that is ambiguous. */
function decimalIn(digits: string): ',' | '.' | 'unclear' {
  const comma = digits.lastIndexOf(',')
  const dot = digits.lastIndexOf('.')
  if (comma >= 0 && dot >= 0) return comma > dot ? ',' : '.'
  if (comma < 0 && dot < 0) return '.'
  const mark = comma >= 0 ? ',' : '.'
  if (digits.indexOf(mark) !== digits.lastIndexOf(mark)) return mark === ',' ? '.' : ','
  return GROUPED.test(digits) ? 'unclear' : mark
}

const withoutSpaces = (digits: string): string =>
  digits.replace(SPACED, (grouped) => grouped.replaceAll(SPACES, ''))

/** Reads "1.234,56", "1,234.56", "1 234,5", "-3"; `decimal` where the mapping says which mark it is. */
export function parseNumber(value: string, decimal: ',' | '.' | undefined): ParsedNumber {
  const [, sign = '', rest = ''] = /^([+-]?) ?(.*)$/.exec(value.trim().replace('\u2212', '-')) ?? []
  const digits = withoutSpaces(rest)
  if (!/^\d[\d.,]*$/.test(digits)) return { problem: 'is not a number' }
  const mark = decimal ?? decimalIn(digits)
  if (mark === 'unclear') return { problem: AMBIGUOUS }
  return split(sign === '-' ? '-' : '', digits, mark)
}
