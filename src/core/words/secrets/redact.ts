// Keeps secrets out of whatever is written, by value: messages of libraries quote what they were given,
// so no list of field names would be enough. Whatever form a secret takes, it is looked for in that form.
import { createSecretSearch } from './secret-search.ts'

const MASK = '[secret]'
/** Shorter values would mask ordinary words. */
const SHORTEST = 4
/**
 * In base64 a text looks different at each of three offsets; the characters at its ends are mixed with its neighbours'
 * and stay. What is left of a short secret could be an ordinary word.
 */
function inBase64(secret: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), secret]).toString('base64url')
    const whole = Math.floor(((offset + secret.length) * 8) / 6)
    const inner = text.slice(Math.ceil((offset * 8) / 6), whole)
    return inner.length < SHORTEST ? [] : [inner, inner.replaceAll('-', '+').replaceAll('_', '/')]
  })
}

const inUnicode = (code: number): string => String.raw`\u${code.toString(16).padStart(4, '0')}`

/** `%2F` and `%2f` are the same, so are both cases of hexadecimal digits. */
function disguises(secret: string): { exact: string[]; anyCase: string[] } {
  const bytes = Buffer.from(secret, 'utf8')
  const percent = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  return {
    exact: [secret, JSON.stringify(secret).slice(1, -1), html, ...inBase64(bytes)],
    anyCase: [
      encodeURIComponent(secret),
      new URLSearchParams({ q: secret }).toString().slice(2),
      encodeURI(secret),
      percent,
      bytes.toString('hex'),
      [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(':'),
      Array.from({ length: secret.length }, (_, at) => inUnicode(secret.charCodeAt(at))).join(''),
    ],
  }
}

/**
 * A function that masks every secret in a text: unchanged, URL-encoded, in base64 at every offset, in hexadecimal, as JSON
 * and HTML write it, and broken over lines. Mask a text before it is cut: half a secret is not found.
 */
export function createRedaction(secrets: readonly string[]): (text: string) => string {
  const forms = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST).map(disguises)
  if (forms.length === 0) return (text) => text
  const [exact, anyCase] = [
    new Set(forms.flatMap((form) => form.exact)),
    new Set(forms.flatMap((form) => form.anyCase)),
  ]
  const search = createSecretSearch([
    ...[...exact].map((text) => ({ text, isAnyCase: false })),
    ...[...anyCase].map((text) => ({ text, isAnyCase: true })),
  ])
  return (text) => {
    let masked = ''
    let end = 0
    for (const [from, to] of search(text)) {
      masked += `${text.slice(end, from)}${MASK}`
      end = to
    }
    return `${masked}${text.slice(end)}`
  }
}
