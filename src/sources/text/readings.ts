// The forms in which a value may stand in a file, or in a message about it: files come in the wrong encoding, and are read
// in the wrong one. Pure.
import iconv from 'iconv-lite'

/** Encodings in which exports come, and in which they are taken for others. */
const ENCODINGS = [
  'utf-8',
  ...[1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258].map((page) => `windows-${page}`),
  ...[1, 2, 3, 4, 5, 7, 9, 10, 13, 15, 16].map((part) => `iso-8859-${part}`),
  ...['cp437', 'cp850', 'cp852', 'cp857', 'cp866', 'koi8-r', 'koi8-u', 'macroman', 'maccenteuro'],
]

/** A value with its letters composed and decomposed, and as JSON and CSV escape them. */
function written(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1)
  const ascii = json.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const forms = [value, json, ascii, json.replaceAll('/', '\\/'), value.replaceAll('"', '""')]
  return [...new Set(forms.flatMap((form) => [form, form.normalize('NFC'), form.normalize('NFD')]))]
}

/** The bytes of a value in every encoding that has all of its letters. */
function encoded(value: string): Buffer[] {
  return ENCODINGS.flatMap((encoding) => {
    const bytes = iconv.encode(value, encoding)
    return iconv.decode(bytes, encoding, { stripBOM: false }) === value ? [bytes] : []
  })
}

/** Bytes as text: each byte is the character of its number. */
export const byteText = (bytes: Buffer): string => bytes.toString('latin1')

/** How a value stands in the bytes of a file, as `byteText`. */
export const inBytes = (value: string): readonly string[] => [
  ...new Set(written(value).flatMap((form) => encoded(form).map(byteText))),
]

/** How a value reads when its encoding was mistaken for another one, and unchanged. */
export const readings = (value: string): readonly string[] => [
  ...new Set(
    written(value).flatMap((form) =>
      /^[\0-\x7f]*$/.test(form)
        ? form
        : encoded(form).flatMap((bytes) => [
            byteText(bytes),
            ...ENCODINGS.map((encoding) => iconv.decode(bytes, encoding, { stripBOM: false })),
          ]),
    ),
  ),
]
