// The text of a file of cards. Lines are folded after so many bytes, and some programs count bytes where they should count
// characters: then a fold stands within a character, and the bytes as they are belong to no encoding. Such a fold is moved before
// its character (RFC 2425, 5.8.1, and RFC 6350, 3.2, unfold before anything else), so every line and every number of bytes stays.
import { SyncError } from '../../core/words/errors.ts'
import type { InputFile } from '../input-file.ts'
import { unfinishedUtf8 } from '../text/encoding.ts'
import { utf8Text } from '../text/text-stream.ts'
import { surveyText, type TextForm } from '../text/text-survey.ts'

const [CR, LF, BLANK, TAB] = [0x0d, 0x0a, 0x20, 0x09]
/** The longest beginning of a character. */
const BEGUN_BYTES = 3
/** A fold with such a beginning; what has fewer bytes after it waits for them. */
const FOLD_BYTES = BEGUN_BYTES + 3

const continues = (byte = 0): boolean => (byte & 0xc0) === 0x80

/** In place. */
function moveFolds(bytes: Buffer): void {
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    const isFold = bytes[at + 1] === BLANK || bytes[at + 1] === TAB
    if (!isFold || !continues(bytes[at + 2])) continue
    const start = bytes[at - 1] === CR ? at - 1 : at
    const begun = unfinishedUtf8(bytes.subarray(Math.max(0, start - BEGUN_BYTES), start))
    const fold = Buffer.from(bytes.subarray(start, at + 2))
    bytes.copyWithin(start - begun + fold.length, start - begun, start)
    fold.copy(bytes, start - begun)
  }
}

async function* withMovedFolds(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let kept = Buffer.alloc(0)
  for await (const part of parts) {
    const bytes = Buffer.concat([kept, part])
    moveFolds(bytes)
    const end = Math.max(0, bytes.length - FOLD_BYTES)
    kept = bytes.subarray(end)
    yield bytes.subarray(0, end)
  }
  yield kept
}

/** In this version the blank at which a line is folded is one of its text, which it cannot be within a character. */
const OLD_VERSION = /^VERSION[ \t]*:[ \t]*2\.1/im
const SEARCHED_CHARACTERS = 64

/** Whether the whole is UTF-8, and no card is of the old version. */
async function isSound(parts: AsyncIterable<Buffer>): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let before = ''
  try {
    for await (const part of parts) {
      const text = before + decoder.decode(part, { stream: true })
      if (OLD_VERSION.test(text)) return false
      before = text.slice(-SEARCHED_CHARACTERS)
    }
    decoder.decode()
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

export interface CardText {
  readonly form: TextForm
  /** From the beginning, as UTF-8. Throws INPUT_ENCODING. */
  parts(): AsyncGenerator<Buffer>
}

const MOVED: TextForm = { encoding: 'utf-8', markBytes: 0 }

async function foldedByBytes(file: InputFile): Promise<CardText | undefined> {
  const parts = (): AsyncGenerator<Buffer> => withMovedFolds(file.chunks())
  return (await isSound(parts())) ? { form: MOVED, parts } : undefined
}

/** `setting`: an encoding's name, or `auto`. Throws INPUT_EMPTY, INPUT_BINARY or INPUT_ENCODING. */
export async function openCardText(file: InputFile, setting: string): Promise<CardText> {
  try {
    const form = await surveyText(file, setting)
    const isGuess = setting === 'auto' && !form.encoding.startsWith('utf')
    return (isGuess ? await foldedByBytes(file) : undefined) ?? { form, parts: () => utf8Text(file, form) }
  } catch (error) {
    const isOfText = error instanceof SyncError && error.code === 'INPUT_ENCODING'
    const folded = isOfText ? await foldedByBytes(file) : undefined
    if (folded === undefined) throw error
    return folded
  }
}
