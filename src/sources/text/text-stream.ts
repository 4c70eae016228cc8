// A file's text as UTF-8 bytes, in parts of any size. Bytes that the encoding does not know end the reading:
// they would become replacement characters, and those would be sent.
import iconv from 'iconv-lite'
import { SyncError } from '../../core/words/errors.ts'
import type { InputFile } from '../input-file.ts'
import { lineBreaks, type TextForm } from './text-survey.ts'

/** One way of turning bytes into text, part by part. Undefined: there are invalid bytes. */
interface Decoder {
  decode(part: Buffer | undefined): string | undefined
}

/** The whole text from the beginning, without byte order mark. Throws INPUT_ENCODING. */
export async function* utf8Text(file: InputFile, form: TextForm): AsyncGenerator<Buffer> {
  const parts = withoutStart(file.chunks(), form.markBytes)
  // Surveyed and found valid: the bytes go through untouched.
  if (form.encoding === 'utf-8') yield* parts
  else yield* decoded(parts, file, form)
}

async function* withoutStart(parts: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes
  for await (const part of parts) {
    const skipped = Math.min(left, part.length)
    left -= skipped
    if (skipped < part.length) yield part.subarray(skipped)
  }
}

async function* decoded(
  parts: AsyncIterable<Buffer>,
  file: InputFile,
  form: TextForm,
): AsyncGenerator<Buffer> {
  const decoder = decoderFor(form.encoding)
  let line = 1
  let position = form.markBytes
  const next = (part: Buffer | undefined): Buffer => {
    const text = decoder.decode(part)
    if (text === undefined) throw unknownBytes(file, form, { part: part ?? Buffer.alloc(0), position, line })
    const bytes = Buffer.from(text, 'utf8')
    line += lineBreaks(bytes)
    position += part?.length ?? 0
    return bytes
  }
  for await (const part of parts) yield next(part)
  yield next(undefined)
}

function decoderFor(encoding: string): Decoder {
  const utf16 = utf16Name(encoding)
  if (utf16 !== undefined) {
    const decoder = new TextDecoder(utf16, { fatal: true })
    return {
      decode(part) {
        try {
          return part === undefined ? decoder.decode() : decoder.decode(part, { stream: true })
        } catch {
          return undefined
        }
      },
    }
  }
  const decoder = iconv.getDecoder(encoding, { stripBOM: false })
  return {
    decode(part) {
      const text = part === undefined ? (decoder.end() ?? '') : decoder.write(part)
      return text.includes('\ufffd') ? undefined : text
    },
  }
}

/** iconv-lite lets broken surrogate pairs pass, so UTF-16 goes through the platform's own decoder. */
function utf16Name(encoding: string): string | undefined {
  if (!/^(utf-?16|ucs-?2)/i.test(encoding)) return undefined
  return /be$/i.test(encoding) ? 'utf-16be' : 'utf-16le'
}

interface Place {
  readonly part: Buffer
  readonly position: number
  readonly line: number
}

function unknownBytes(file: InputFile, form: TextForm, place: Place): SyncError {
  const utf16 = utf16Name(form.encoding)
  const text =
    utf16 === undefined
      ? iconv.decode(place.part, form.encoding, { stripBOM: false })
      : new TextDecoder(utf16, { ignoreBOM: true }).decode(place.part)
  const fault = text.indexOf('\ufffd')
  const before = fault < 0 ? text : text.slice(0, fault)
  const offset = place.position + iconv.encode(before, form.encoding).length
  const line = place.line + (before.match(/\n/g)?.length ?? 0)
  return new SyncError(
    'INPUT_ENCODING',
    `${file.name} contains bytes that ${form.encoding} does not know, at line ${line}, byte offset ${offset}`,
  )
}
