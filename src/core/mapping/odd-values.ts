// Values that an exporter has damaged, as far as one can tell by looking: they are sent unchanged, and counted for a
// warning. Nothing is repaired here: what looks odd may be meant.

/** By the name under which the warning counts them. */
const FORMS = {
  'control characters (C1)': /[\u0080-\u009f]/,
  'spreadsheet marks': /^'[+\-=@\d]|^="[^"]*"?$/,
  'spreadsheet errors': /^#(?:NAME|REF|VALUE|DIV\/0|N\/A|NUM|NULL|WERT|BEZUG|NV|ZAHL|NOM|VALEUR)[?!]?$/i,
  'numbers with an exponent': /^[+-]?\d+[.,]\d+E\+?\d+$/i,
  'HTML entities': /&(?:[a-z]{2,8}|#\d{1,6}|#x[\da-f]{1,5});/i,
} as const satisfies Record<string, RegExp>

export type Oddity = keyof typeof FORMS

const ALL = Object.entries(FORMS) as [Oddity, RegExp][]

/** Nearly every value holds none of these. */
const MAY_BE = /[\u0080-\u009f&]|^\s*['=#]|\dE\+?\d/i

/** What is odd about one value as the source gave it. */
export function oddities(value: string): readonly Oddity[] {
  if (!MAY_BE.test(value)) return []
  const text = value.trim()
  return ALL.flatMap(([name, form]) => (form.test(text) ? [name] : []))
}
