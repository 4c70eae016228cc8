// The e-mail addresses in a text, as address books and address fields of mail programs write them:
// "Nea <n@x.example>; m@x.example", "mailto:n@x.example?subject=...", one below the other. Whether an address is valid is the
// field's own check; nothing is repaired here.
import { mailKey } from '../contact.ts'

/** What stands between addresses, outside of angle brackets. */
const SEPARATORS = /[;,|\r\n\t]+/
/** What belongs to no address: blanks, brackets, quotes. */
const AROUND = /[\s<>()[\]{}"“”„«»]+/u
/** A display name in quotes may hold any sign, `"Nea, n@home" <n@x.example>`. */
const QUOTED_NAME = /"[^"]*"(?=[ \t]*<)/g
const SCHEME = /^(?:(?:mailto|e-?mail|smtp):)+/i
/** What a link may not bring into an address. */
const FOREIGN = /[\s<>()[\]{}"“”„«»;,|@]/u
const QUOTES = "'’‘:"

/** Without quotes at both ends, and full stops behind: in front of an address one is a slip, and another address without it. */
function trimmed(word: string): string {
  let [from, to] = [0, word.length]
  while (from < to && QUOTES.includes(word.charAt(from))) from += 1
  while (to > from && `${QUOTES}.`.includes(word.charAt(to - 1))) to -= 1
  return word.slice(from, to)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** `mailto:a%2Bb@x.example?subject=Hello` is a link with more than the address in it. */
function withoutScheme(word: string): string {
  const rest = word.replace(SCHEME, '')
  if (!/^mailto:/i.test(word)) return rest
  const address = rest.split('?', 1)[0] ?? ''
  const [local = '', ...domain] = address.split('@')
  const plain = decoded(local)
  return plain === '' || FOREIGN.test(plain) ? address : [plain, ...domain].join('@')
}

/** `a@x.example/b@x.example` is two addresses, although a slash may stand in one. */
function separated(word: string): string[] {
  return word.indexOf('@') === word.lastIndexOf('@') ? [word] : word.split('/')
}

const wordsWithAt = (text: string): string[] =>
  text
    .split(AROUND)
    .filter((word) => word.includes('@'))
    .flatMap(separated)
    .map((word) => trimmed(withoutScheme(trimmed(word))))
    .filter((word) => word.includes('@'))

/** Before an angle bracket stands a name, even where it looks like an address. */
function addressesOfPart(part: string): string[] {
  const bracketed = [...part.matchAll(/<([^<>]*)>/g)]
    .map(([, inside = '']) => inside)
    .filter((inside) => inside.includes('@'))
  if (bracketed.length === 0) return wordsWithAt(part)
  return [...bracketed.flatMap(wordsWithAt), ...wordsWithAt(part.slice(part.lastIndexOf('>') + 1))]
}

/** The addresses in the order of the text, each once, in the form in which it stands there first. */
export function addressesIn(text: string): readonly string[] {
  const parts = text.replace(QUOTED_NAME, '').split(SEPARATORS)
  const byKey = new Map<string, string>()
  for (const address of parts.flatMap(addressesOfPart))
    if (!byKey.has(mailKey(address))) byKey.set(mailKey(address), address)
  return [...byKey.values()]
}

/** The n-th address, counted from 1; blank where there are fewer. A text without any is no list of addresses. */
export function nthAddress(text: string, place: number): string | { readonly problem: string } {
  const addresses = addressesIn(text)
  if (addresses.length === 0) return place === 1 ? { problem: 'contains no e-mail address' } : ''
  return addresses[place - 1] ?? ''
}
