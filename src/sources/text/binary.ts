// Tells text from what is none: spreadsheets, archives, pictures and rubbish that ended up in a drop folder.
// Pure; it looks at the first bytes only and says what they look like.

const MAGIC: readonly (readonly [start: string, what: string])[] = [
  ['PK\x03\x04', 'a ZIP archive or an Excel workbook (.xlsx)'],
  ['PK\x05\x06', 'an empty ZIP archive'],
  ['\xd0\xcf\x11\xe0', 'an old Excel or Word document (.xls, .doc)'],
  ['%PDF', 'a PDF document'],
  ['\x1f\x8b', 'a gzip archive'],
  ['BZh', 'a bzip2 archive'],
  ['\xfd7zXZ', 'an xz archive'],
  ['7z\xbc\xaf', 'a 7-Zip archive'],
  ['\x28\xb5\x2f\xfd', 'a Zstandard archive'],
  ['Rar!', 'a RAR archive'],
  ['\x89PNG', 'a PNG picture'],
  ['\xff\xd8\xff', 'a JPEG picture'],
  ['GIF8', 'a GIF picture'],
  ['SQLite format 3', 'an SQLite database'],
  ['\x7fELF', 'a program'],
]

/** Text has line ends, tabs and form feeds; more than this share of other control characters is none. */
const MAX_CONTROL_SHARE = 0.1

/** What a file that begins like this is, if it is surely no text; undefined for text. */
export function looksBinary(head: Buffer): string | undefined {
  const start = head.toString('latin1', 0, 16)
  return MAGIC.find(([magic]) => start.startsWith(magic))?.[1]
}

/** Whether control characters make up too much of the bytes; not for UTF-16 and UTF-32. */
export function isMostlyControl(head: Buffer): boolean {
  const text = head.toString('latin1')
  const control = text.match(/[\x00-\x08\x0e-\x1f\x7f]/g)?.length ?? 0
  return control > text.length * MAX_CONTROL_SHARE
}
