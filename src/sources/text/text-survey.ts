// Decides, before anything is parsed, whether a file is text and in which encoding: a guess in mid-file would
// come too late for the records already handed on. One cheap pass over the bytes; it decodes nothing.
import { isAscii } from 'node:buffer'
import { SyncError } from '../../core/words/errors.ts'
import { isMostlyControl, looksBinary } from './binary.ts'
import { eightBitVerdict, rawWordCollector } from './eight-bit.ts'
import { byteOrderMark, multiByteEncoding, unfinishedUtf8, utf16ByZeros, utf8Fault } from './encoding.ts'
import type { InputFile } from '../input-file.ts'
import { twiceEncodedFinder } from './twice-encoded.ts'

const WINDOW_BYTES = 256 * 1024
const SAMPLE_BYTES = 64 * 1024

export interface TextForm {
  /** A name that the decoder knows; `utf-8` is known to hold for every byte of the file. */
  readonly encoding: string
  /** Bytes of the byte order mark, to be passed over. */
  readonly markBytes: number
  /** Where text looks as if it had been encoded twice: how often, and on which line first. */
  readonly twiceEncoded?: { readonly places: number; readonly line: number }
  /** Where the bytes contradict the encoding that was set: they are valid UTF-8, the first of them on this line. */
  readonly contradicted?: { readonly line: number }
}

/**
 * The form of a file's text. A byte order mark goes before the setting.
 * @param setting an encoding's name, or `auto`
 * @throws SyncError INPUT_EMPTY, INPUT_BINARY or INPUT_ENCODING
 */
export async function surveyText(file: InputFile, setting: string): Promise<TextForm> {
  const window = Buffer.allocUnsafe(Math.min(WINDOW_BYTES, Math.max(1, file.bytes)))
  const head = window.subarray(0, await file.readAt(window, 0))
  const mark = byteOrderMark(head)
  if (head.length === (mark?.bytes ?? 0)) throw new SyncError('INPUT_EMPTY', `${file.name} is empty`)
  const what = looksBinary(head)
  if (what !== undefined) throw binary(file, `looks like ${what}`)

  const wide = wideEncoding(head, mark?.encoding, setting)
  if (wide !== undefined) return { encoding: wide, markBytes: mark?.bytes ?? 0 }
  if (isMostlyControl(head.subarray(0, SAMPLE_BYTES))) throw binary(file, 'is not text')

  const wanted = mark?.encoding ?? setting
  const utf8 = wanted === 'auto' || isUtf8Name(wanted)
  const { fault, twice, firstSeveral } = await scan(file, window)
  if (!utf8) {
    const form = { encoding: wanted, markBytes: 0 }
    // Valid UTF-8 beyond ASCII is hardly anything else.
    if (fault !== undefined || firstSeveral === undefined || isMultiByte(wanted)) return form
    return { ...form, contradicted: { line: await lineAt(file, firstSeveral) } }
  }
  if (fault === undefined) {
    const form = { encoding: 'utf-8', markBytes: mark?.bytes ?? 0 }
    if (twice === undefined) return form
    return { ...form, twiceEncoded: { places: twice.places, line: await lineAt(file, twice.first) } }
  }
  if (wanted === 'auto' && !fault.isUtf8Otherwise) return legacyForm(file, window, fault.sample)
  throw new SyncError('INPUT_ENCODING', await faultMessage(file, fault))
}

function wideEncoding(head: Buffer, marked: string | undefined, setting: string): string | undefined {
  if (marked !== undefined) return marked === 'utf-8' ? undefined : marked
  if (setting === 'auto') return utf16ByZeros(head)
  // Without a mark, "utf-16" leaves open which half comes first.
  if (/^(utf-?16|ucs-?2)$/i.test(setting)) return utf16ByZeros(head) ?? 'utf-16le'
  return /^(utf-?(16|32)|ucs)/i.test(setting) ? setting : undefined
}

/** Their bytes may be valid UTF-8 by chance. */
const isMultiByte = (name: string): boolean => /^(gb|big5|euc|shift|sjis|cp9[345]|ks_c)/i.test(name)

function isUtf8Name(name: string): boolean {
  return /^utf-?8$/i.test(name)
}

async function legacyForm(file: InputFile, window: Buffer, sample: Buffer): Promise<TextForm> {
  const collector = rawWordCollector()
  for (let position = 0; position < file.bytes;) {
    const count = await file.readAt(window, position)
    if (count === 0) break
    collector.add(window.subarray(0, count))
    position += count
  }
  const { encoding, readings } = eightBitVerdict(collector.words())
  const found = encoding ?? multiByteEncoding(sample)
  if (found !== undefined) return { encoding: found, markBytes: 0 }
  const names = readings.map((reading) => reading.encoding).join(' or ')
  const message = `${file.name} is not UTF-8, and its encoding cannot be detected reliably${names === '' ? '' : `: ${names}`}`
  // The words are personal data: the hint is shown to the user and written beside the file, never into the log.
  const words = readings
    .map((reading) => `${JSON.stringify(reading.word)} in ${reading.encoding}`)
    .join(' and ')
  const apart = readings.length > 1 ? 'The first word that distinguishes them' : 'A word of it'
  const hint =
    words === ''
      ? 'Set source.encoding to the encoding that the exporter uses.'
      : `${apart} reads ${words}. Set source.encoding to the one that is right.`
  throw new SyncError('INPUT_ENCODING', message, { hint })
}

interface Fault {
  readonly offset: number
  /** The file is UTF-8 but for these bytes: no 8-bit encoding would make sense of the rest. */
  readonly isUtf8Otherwise: boolean
  readonly isCutOff: boolean
  readonly sample: Buffer
}

interface Scan {
  readonly fault: Fault | undefined
  readonly twice: { readonly places: number; readonly first: number } | undefined
  /** The offset of the first part with a character beyond ASCII. */
  readonly firstSeveral: number | undefined
}

/** Looks for NUL bytes in the whole file, and for the first bytes that are no UTF-8. */
async function scan(file: InputFile, window: Buffer): Promise<Scan> {
  const finder = twiceEncodedFinder()
  let severalBytes = false
  let firstSeveral: number | undefined
  let fault: Fault | undefined
  for (let position = 0; position < file.bytes;) {
    const count = await file.readAt(window, position)
    if (count === 0) break
    const isLast = position + count >= file.bytes
    const unfinished = !isLast ? unfinishedUtf8(window.subarray(0, count)) : 0
    // The beginning of a character at the end is read again with the rest of it.
    const part = window.subarray(0, count - unfinished)
    const zero = part.indexOf(0)
    if (zero >= 0)
      throw binary(file, `contains a NUL byte at offset ${position + zero}: it is not text or damaged`)
    if (fault === undefined) fault = faultIn(part, { position, severalBytes, isLast })
    const hasSeveral = !isAscii(part)
    if (hasSeveral) {
      finder.look(part, position)
      firstSeveral ??=
        position +
        Math.max(
          0,
          part.findIndex((byte) => byte > 127),
        )
    }
    severalBytes ||= hasSeveral
    position += part.length
  }
  return { fault, twice: finder.found(), firstSeveral }
}

interface Place {
  readonly position: number
  /** Characters of several bytes came before. */
  readonly severalBytes: boolean
  readonly isLast: boolean
}

function faultIn(part: Buffer, place: Place): Fault | undefined {
  const fault = utf8Fault(part)
  if (fault === undefined) return undefined
  const isCutOff = place.isLast && fault.offset === part.length - unfinishedUtf8(part)
  const start = Math.max(0, Math.min(fault.offset - SAMPLE_BYTES / 2, part.length - SAMPLE_BYTES))
  return {
    offset: place.position + fault.offset,
    isUtf8Otherwise:
      place.severalBytes || fault.characters > fault.faults || (isCutOff && fault.characters > 0),
    isCutOff,
    sample: Buffer.from(part.subarray(start, start + SAMPLE_BYTES)),
  }
}

async function faultMessage(file: InputFile, fault: Fault): Promise<string> {
  const where = `line ${await lineAt(file, fault.offset)}, byte offset ${fault.offset}`
  return fault.isCutOff
    ? `${file.name} ends within a character (${where}): it was cut off`
    : `${file.name} is not valid UTF-8 at ${where}`
}

async function lineAt(file: InputFile, offset: number): Promise<number> {
  const window = Buffer.allocUnsafe(WINDOW_BYTES)
  let line = 1
  for (let position = 0; position < offset;) {
    const count = Math.min(await file.readAt(window, position), offset - position)
    if (count === 0) break
    line += lineBreaks(window.subarray(0, count))
    position += count
  }
  return line
}

export function lineBreaks(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) count += 1
  return count
}

function binary(file: InputFile, what: string): SyncError {
  return new SyncError('INPUT_BINARY', `${file.name} ${what}`)
}
