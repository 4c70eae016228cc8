// The one tag by which pages are written. hono's `html` escapes what is not declared HTML; this one also sets every text
// apart that could turn the direction of what stands beside it, so that no page has to remember to.
import { html as escaping } from 'hono/html'
import { visible } from './text.ts'

/** `html` gives a promise only where it is given one, and it never is here. */
export type Html = ReturnType<typeof escaping>

/** A text of others, set apart from ours: in its own direction, and with nothing unseen in it. */
export const said = (text: string): Html => escaping`<bdi class="said">${visible(text)}</bdi>`

/** Latin letters and signs never change the direction; neither do our own signs, such as arrows. */
const TURNS_NOTHING = /^[\t\n -~\u00a0-\u00ac\u00ae-\u02af\u2010-\u2027\u20ac\u2190-\u22ff]*$/

/** Where no element may stand: within a tag, and in elements that hold text alone. */
const TEXT_ALONE = /<(?:title|option)\b[^>]*>[^<]*$/
const WITHIN_TAG = /<[^>]*$|="[^"]*$/

type Place = 'text' | 'text alone' | 'tag'

function placeAfter(written: string): Place {
  if (WITHIN_TAG.test(written)) return 'tag'
  return TEXT_ALONE.test(written) ? 'text alone' : 'text'
}

function apart(value: unknown, place: Place): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => apart(one, place))
  if (typeof value !== 'string' || place === 'tag' || TURNS_NOTHING.test(value)) return value
  return place === 'text' ? said(value) : visible(value)
}

/** As hono's, and a text that could turn the direction of others stands in a `bdi`. */
export function html(strings: TemplateStringsArray, ...values: unknown[]): Html {
  const [first = '', ...rest] = strings
  // Interpolated text opens or closes no tag: an open tag is visible in our own strings.
  let written = first
  const set = values.map((value, index) => {
    const one = apart(value, placeAfter(written))
    written += rest[index] ?? ''
    return one
  })
  return escaping(strings, ...set)
}
