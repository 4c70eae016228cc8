// Which encoding a piece of a file is in. Pure: bytes in, a name out. It rather gives no answer than an
// exotic guess, because a wrong one would send garbled names to the service.
import { isUtf8 } from 'node:buffer'
import { analyse } from 'chardet'
import iconv from 'iconv-lite'

export interface ByteOrderMark {
  readonly encoding: string
  readonly bytes: number
}

// UTF-32LE begins like UTF-16LE: the longer marks come first.
const MARKS: readonly (readonly [encoding: string, bytes: readonly number[]])[] = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/** What chardet may answer that is no 8-bit encoding. */
const MULTI_BYTE: Readonly<Record<string, string>> = {
  GB18030: 'gb18030',
  Big5: 'big5',
  'EUC-KR': 'euc-kr',
  'EUC-JP': 'euc-jp',
  Shift_JIS: 'shift_jis',
}

export function byteOrderMark(head: Buffer): ByteOrderMark | undefined {
  const found = MARKS.find(([, bytes]) => bytes.every((byte, index) => head[index] === byte))
  return found && { encoding: found[0], bytes: found[1].length }
}

/** UTF-16 without a mark: every other byte of common text is NUL, and none of the bytes between. */
export function utf16ByZeros(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const zeros = [0, 0]
  const sample = head.subarray(0, 4096)
  for (let index = 0; index < sample.length; index += 1) {
    if (sample[index] === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  }
  const [even = 0, odd = 0] = zeros
  const enough = sample.length / 8
  if (odd >= enough && even <= odd / 50) return 'utf-16le'
  return even >= enough && odd <= even / 50 ? 'utf-16be' : undefined
}

/** The East Asian encoding of a sample that is not UTF-8; undefined where none is likely. */
export function multiByteEncoding(sample: Buffer): string | undefined {
  return analyse(sample)
    .filter(({ confidence }) => confidence >= 60)
    .flatMap(({ name }) => MULTI_BYTE[name] ?? [])
    .find((encoding) => decodes(sample, encoding))
}

function decodes(sample: Buffer, encoding: string): boolean {
  // The sample may end within a character: one replacement at its very end is no evidence.
  return !iconv.decode(sample, encoding).slice(0, -2).includes('\ufffd')
}

/** How many bytes at the end of a buffer are the beginning of a UTF-8 character that continues. */
export function unfinishedUtf8(buffer: Buffer): number {
  for (let back = 1; back <= Math.min(3, buffer.length); back += 1) {
    const byte = buffer[buffer.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? back : 0
  }
  return 0
}

export interface Utf8Fault {
  /** Offset of the first byte that is no UTF-8. */
  readonly offset: number
  /** Characters of several bytes that are right, and bytes that are wrong, in the whole buffer. */
  readonly characters: number
  readonly faults: number
}

/** Where a buffer stops being UTF-8; undefined where it is. */
export function utf8Fault(buffer: Buffer): Utf8Fault | undefined {
  if (isUtf8(buffer)) return undefined
  const text = buffer.toString('utf8')
  const characters = text.match(/[\u0080-\ufffc\ufffe\uffff]/g)?.length ?? 0
  const faults = text.match(/\ufffd/g)?.length ?? 0
  return { offset: firstFault(buffer, text), characters, faults }
}

// A U+FFFD that the file itself holds is three valid bytes: the search continues after it.
function firstFault(buffer: Buffer, text: string): number {
  let offset = 0
  let from = 0
  for (;;) {
    const at = text.indexOf('\ufffd', from)
    if (at < 0) return buffer.length
    offset += Buffer.byteLength(text.slice(from, at))
    if (!buffer.subarray(offset, offset + 3).equals(Buffer.from([0xef, 0xbf, 0xbd]))) return offset
    offset += 3
    from = at + 1
  }
}
