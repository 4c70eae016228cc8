// In which encoding a file is written, in the order: byte order mark, the setting, strict UTF-8 over the whole file,
// UTF-16 by its pattern, and only then a guess among the 8-bit encodings that exports really use.
import type { FileHandle } from 'node:fs/promises'
import { analyse } from 'chardet'
import iconv from 'iconv-lite'
import { SyncError } from '../core/errors.ts'
import { type ByteSurvey, fileChunks } from './bytes.ts'

const BOMS = [
  { encoding: 'utf-8', mark: Buffer.from([0xef, 0xbb, 0xbf]) },
  { encoding: 'utf-16le', mark: Buffer.from([0xff, 0xfe]) },
  { encoding: 'utf-16be', mark: Buffer.from([0xfe, 0xff]) },
] as const

/** First bytes of what people drop by mistake. */
const MAGIC = [
  { bytes: 'PK\u0003\u0004', name: 'a ZIP archive or an Excel workbook (.xlsx)' },
  { bytes: '\u00d0\u00cf\u0011\u00e0', name: 'an old Office file (.xls)' },
  { bytes: '%PDF-', name: 'a PDF' },
  { bytes: '\u001f\u008b', name: 'a gzip archive' },
  { bytes: '\u0089PNG', name: 'a picture' },
  { bytes: '\u00ff\u00d8\u00ff', name: 'a picture' },
  { bytes: 'SQLite format 3', name: 'an SQLite database' },
  { bytes: '\u007fELF', name: 'a program' },
] as const

/** Among these chardet may choose; everything else it says of Western text is taken for windows-1252. */
const PLAUSIBLE = new Set([
  'Shift_JIS',
  'EUC-JP',
  'GB18030',
  'Big5',
  'EUC-KR',
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'ISO-8859-2',
  'ISO-8859-5',
  'ISO-8859-7',
  'ISO-8859-9',
  'KOI8-R',
])
const SURE_ENOUGH = 40

export const isKnownEncoding = (name: string): boolean => iconv.encodingExists(name)

/** Every second byte of Western text in UTF-16 is nought. */
function utf16ByPattern(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const sample = head.subarray(0, Math.min(head.length, 4096) & ~1)
  if (sample.length < 4) return undefined
  let even = 0
  let odd = 0
  for (let index = 0; index < sample.length; index += 2) {
    if (sample[index] === 0) even += 1
    if (sample[index + 1] === 0) odd += 1
  }
  const pairs = sample.length / 2
  if (odd > pairs * 0.7 && even < pairs * 0.1) return 'utf-16le'
  return even > pairs * 0.7 && odd < pairs * 0.1 ? 'utf-16be' : undefined
}

function assertText(survey: ByteSurvey): void {
  const start = survey.head.toString('latin1', 0, 32)
  const magic = MAGIC.find(({ bytes }) => start.startsWith(bytes))
  if (magic !== undefined) throw new SyncError('INPUT_BINARY', `this is ${magic.name}, no text file`)
  const at = survey.head.indexOf(0)
  if (at >= 0)
    throw new SyncError('INPUT_BINARY', `the file holds binary data (a NUL byte at byte ${at + 1})`)
  const controls = survey.head.filter(
    (byte) => byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1b,
  ).length
  if (controls > survey.head.length * 0.05)
    throw new SyncError('INPUT_BINARY', 'the file holds binary data (many control characters)')
}

function guess(sample: Buffer): string {
  const [best] = analyse(sample)
  return best !== undefined && best.confidence >= SURE_ENOUGH && PLAUSIBLE.has(best.name)
    ? best.name
    : 'windows-1252'
}

export interface FileEncoding {
  readonly name: string
  /** Bytes of the byte order mark. */
  readonly bom: number
}

/**
 * Decides. `setting` is an encoding or `auto`. Throws INPUT_EMPTY, INPUT_BINARY, and INPUT_ENCODING when the file is not
 * in the encoding that was set.
 */
export function fileEncoding(survey: ByteSurvey, setting: string): FileEncoding {
  const bom = BOMS.find(({ mark }) => survey.head.subarray(0, mark.length).equals(mark))
  if (survey.size === (bom?.mark.length ?? 0) || survey.isBlank)
    throw new SyncError('INPUT_EMPTY', 'the file is empty')
  // A mark says what the file is, whatever the setting says.
  if (bom !== undefined) return assertUtf8(survey, { name: bom.encoding, bom: bom.mark.length })
  const pattern = utf16ByPattern(survey.head)
  const given = setting.toLowerCase().replace('_', '-')
  if (given.startsWith('utf-16') || given.startsWith('utf16') || given.startsWith('ucs'))
    return { name: pattern ?? 'utf-16le', bom: 0 }
  if (given === 'auto' && pattern !== undefined) return { name: pattern, bom: 0 }
  assertText(survey)
  if (given !== 'auto') return assertUtf8(survey, { name: given === 'utf8' ? 'utf-8' : setting, bom: 0 })
  return { name: survey.isUtf8 ? 'utf-8' : guess(survey.sample), bom: 0 }
}

function assertUtf8(survey: ByteSurvey, encoding: FileEncoding): FileEncoding {
  const { brokenAt } = survey
  if (encoding.name !== 'utf-8' || brokenAt === undefined) return encoding
  throw new SyncError(
    'INPUT_ENCODING',
    `line ${brokenAt.line}: the file is not valid UTF-8 (byte ${brokenAt.offset + 1} of the file)`,
  )
}

/** The file's text, piece by piece. `onBytes` hears how far reading has come. */
export async function* decodedText(
  handle: FileHandle,
  encoding: FileEncoding,
  onBytes: (bytes: number) => void,
): AsyncGenerator<string> {
  const isNative = /^utf-(8|16le|16be)$/.test(encoding.name)
  const native = isNative ? new TextDecoder(encoding.name, { ignoreBOM: true }) : undefined
  const decoder = native === undefined ? iconv.getDecoder(encoding.name) : undefined
  let position = 0
  for await (const chunk of fileChunks(handle, 64 * 1024)) {
    const bytes = position === 0 ? chunk.subarray(encoding.bom) : chunk
    position += chunk.length
    onBytes(position)
    const text = native?.decode(bytes, { stream: true }) ?? decoder?.write(bytes) ?? ''
    if (text !== '') yield text
  }
  const rest = native?.decode() ?? decoder?.end() ?? ''
  if (rest !== '') yield rest
}
