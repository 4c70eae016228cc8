// Text that was read as Windows-1252 and written as UTF-8 once more: "MÃ¼ller". It is valid, so it is not refused,
// but hardly meant: the places are counted, and the first is named.

const MARK = Buffer.from('Ã')
/** No-break space and guillemets legitimately follow an "Ã". */
const INNOCENT = new Set([0xa0, 0xab, 0xbb])

/**
 * Whether the character at an offset follows no "Ã" in any language: one of U+0080 to U+00BF, or a letter that
 * Windows-1252 has in place of U+0080 to U+009F. That is what ä, ö, ü, ß, é, à and their like become.
 */
function isRemnant(part: Buffer, at: number): boolean {
  const first = part[at]
  return first === 0xc5 || (first === 0xc2 && !INNOCENT.has(part[at + 1] ?? 0))
}

/** Is given UTF-8 part by part, each with its offset and ending between two characters. */
export function twiceEncodedFinder() {
  let places = 0
  let first: number | undefined
  return {
    look(part: Buffer, position: number): void {
      for (let at = part.indexOf(MARK); at >= 0; at = part.indexOf(MARK, at + MARK.length)) {
        if (!isRemnant(part, at + MARK.length)) continue
        places += 1
        first ??= position + at
      }
    },
    /** How many places there are, and the offset of the first. */
    found: () => (first === undefined ? undefined : { places, first }),
  }
}
