// What a number format makes of a number: a date, a time, digits with leading zeros, or nothing. Pure.

export type NumberFormat =
  | { readonly kind: 'plain' }
  /** A day, with its time where it has one. */
  | { readonly kind: 'date' }
  /** Hours that may be more than a day has. */
  | { readonly kind: 'duration' }
  /** `00000`: a postcode, say; also among other characters, `"D-"00000`. */
  | { readonly kind: 'zeros'; readonly digits: number }
  /** `"+49 "0`: what it shows has digits that are not in the cell. */
  | { readonly kind: 'prefixed'; readonly digits: number }

export const PLAIN: NumberFormat = { kind: 'plain' }
const DATE: NumberFormat = { kind: 'date' }
const DURATION: NumberFormat = { kind: 'duration' }

/** Formats that are not written into the file; 27 to 36 and 50 to 58 are dates of East Asian editions. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) ||
  (id >= 27 && id <= 36) ||
  (id >= 45 && id <= 47 && id !== 46) ||
  (id >= 50 && id <= 58)
const ELAPSED = 46

const SHOWN_AS_IT_STANDS = /"[^"]*"|\\.|[_*]./g

/** The format of positive numbers, without what is shown as it stands: quoted and escaped letters, fillers and gaps. */
function bare(code: string): string {
  const [first = ''] = code.replaceAll(SHOWN_AS_IT_STANDS, '').split(';')
  return first
}

/** Whether the format of positive numbers shows digits of its own, or a plus. */
function hasOwnDigits(code: string): boolean {
  const [first = ''] = code
    .replaceAll(SHOWN_AS_IT_STANDS, (shown) => (/^["\\].*[\d+]/.test(shown) ? '\0' : ''))
    .split(';')
  return first.includes('\0') || /^\s*\+/.test(first)
}

/** `code`: undefined for one that is built in. */
export function numberFormat(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) {
    if (id === ELAPSED) return DURATION
    return isBuiltInDate(id) ? DATE : PLAIN
  }
  const text = bare(code)
  if (/\[(h+|m+|s+)\]/i.test(text)) return DURATION
  // Colours, conditions and locales stand in brackets.
  const shown = text.replaceAll(/\[[^\]]*\]/g, '')
  if (/general/i.test(shown)) return PLAIN
  if (/[dmyhs]/i.test(shown)) return DATE
  const bareDigits = shown.replaceAll(/[-\s()/]/g, '')
  const digits = /^0{2,}$/.test(bareDigits) ? bareDigits.length : 0
  if (hasOwnDigits(code)) return { kind: 'prefixed', digits }
  return digits > 0 ? { kind: 'zeros', digits } : PLAIN
}
