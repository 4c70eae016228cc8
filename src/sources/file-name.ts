// File names as bytes and for display. A name may hold anything but `/` and NUL: line breaks,
// escape sequences, broken UTF-8. It is shown escaped, and the escaped form leads back to the bytes.
// Nothing here touches the file system.

const MAX_NAME_BYTES = 255

/** The stem of a file that is being written and has no final name yet. Hidden, so that no pattern matches it. */
export const WRITING = Buffer.from('.writing')

const UNFIT = /[\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const ESCAPE = /\\u\{([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})/g

/** The name for display and for the state: control and format characters and backslashes escaped. */
export function displayName(raw: Buffer): string {
  const text = raw.toString('utf8')
  if (Buffer.from(text).equals(raw)) {
    return text.replace(UNFIT, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
  }
  return raw
    .toString('latin1')
    .replace(/[^\x20-\x7e]|\\/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** The bytes behind a name made by `displayName`; undefined where no file in a folder can have them. */
export function rawName(shown: string): Buffer | undefined {
  const parts: Buffer[] = []
  let end = 0
  for (const match of shown.matchAll(ESCAPE)) {
    parts.push(Buffer.from(shown.slice(end, match.index)), unescaped(match))
    end = match.index + match[0].length
  }
  const raw = Buffer.concat([...parts, Buffer.from(shown.slice(end))])
  const text = raw.toString('latin1')
  return text === '' || text === '.' || text === '..' || /[/\0]/.test(text) ? undefined : raw
}

function unescaped(match: RegExpExecArray): Buffer {
  const [, point, byte] = match
  if (byte !== undefined) return Buffer.from(byte, 'hex')
  const code = Number.parseInt(point ?? '', 16)
  return Buffer.from(code <= 0x10ffff ? String.fromCodePoint(code) : '')
}

/**
 * The name under which a file of an input is archived: `<stem>.<runId><ending>`. The stem is cut
 * where a file system would refuse the whole name.
 * @param ending with its dot; the input's own ending where it is not given
 */
export function archivedName(raw: Buffer, tag: string, ending?: string): Buffer {
  return taggedName(raw, `.${tag}`, ending)
}

/** `<stem>-<tag><ending>`: as `-` comes before the dot, it is listed before the input's own name. */
export function nameBefore(raw: Buffer, tag: string): Buffer {
  return taggedName(raw, `-${tag}`)
}

/** Where the ending begins; that of a packed file is `.csv.gz`. */
function endingAt(raw: Buffer): number {
  const dot = raw.lastIndexOf(0x2e)
  if (dot <= 0 || raw.toString('latin1', dot).toLowerCase() !== '.gz') return dot
  const before = raw.lastIndexOf(0x2e, dot - 1)
  return before > 0 ? before : dot
}

function taggedName(raw: Buffer, tag: string, ending?: string): Buffer {
  const dot = endingAt(raw)
  const stem = dot > 0 ? raw.subarray(0, dot) : raw
  const own = dot > 0 ? raw.subarray(dot) : Buffer.alloc(0)
  const tail = Buffer.concat([Buffer.from(tag), ending === undefined ? own : Buffer.from(ending)])
  return Buffer.concat([cut(stem, MAX_NAME_BYTES - tail.length), tail])
}

/** At most `limit` bytes, without half a UTF-8 character at the end. */
function cut(stem: Buffer, limit: number): Buffer {
  if (stem.length <= limit) return stem
  let end = Math.max(0, limit)
  while (end > 0 && ((stem[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return stem.subarray(0, end)
}

/** The path of an entry in a folder, as bytes: the name may be no text. */
export function entryPath(folder: string, raw: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), raw])
}
