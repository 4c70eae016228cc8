// Texts and styles that the cells of all sheets share. They are in memory while a workbook is read, so there is a bound.
import type { Contents } from './parts.ts'
import { numberFormat, type NumberFormat, PLAIN } from './number-format.ts'
import { readXml } from './xml.ts'
import { broken, type Workbook } from './zip.ts'

const MOST_TEXTS = 5_000_000
const MOST_CHARACTERS = 128 * 1024 ** 2
const MOST_STYLES = 100_000

/** `_x000D_` stands for the character of that number, in the texts of cells. */
export const unescapedText = (text: string): string =>
  text.includes('_x')
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text

/** Collects the text of `t` elements; what stands in `rPh` says only how something is pronounced. */
export function textCollector() {
  let phonetic = 0
  let isInside = false
  let text = ''
  return {
    open(name: string) {
      if (name === 'rPh') phonetic += 1
      if (name === 't') isInside = phonetic === 0
    },
    close(name: string) {
      if (name === 'rPh') phonetic -= 1
      if (name === 't') isInside = false
    },
    text(part: string) {
      if (isInside) text += part
    },
    take(): string {
      const taken = unescapedText(text)
      text = ''
      return taken
    },
  }
}

/** By their number. Throws INPUT_EXCEL where there are more than fit. */
export async function sharedTexts(book: Workbook, { sharedStrings }: Contents): Promise<readonly string[]> {
  const texts: string[] = []
  if (sharedStrings === undefined || !book.has(sharedStrings)) return texts
  const collector = textCollector()
  let characters = 0
  await readXml(book, sharedStrings, {
    open: collector.open,
    text: collector.text,
    close(name) {
      collector.close(name)
      if (name !== 'si') return
      const text = collector.take()
      characters += text.length
      if (texts.length >= MOST_TEXTS || characters > MOST_CHARACTERS)
        throw broken(book.name, 'its texts are more than are taken; split it, or export it as CSV')
      texts.push(text)
    },
  })
  return texts
}

/** The number formats of cell styles, by the number of the style. */
export async function cellFormats(book: Workbook, { styles }: Contents): Promise<readonly NumberFormat[]> {
  const formats: NumberFormat[] = []
  if (styles === undefined || !book.has(styles)) return formats
  const codes = new Map<number, string>()
  let isInCells = false
  await readXml(book, styles, {
    open(name, { numFmtId, formatCode }) {
      const id = Number(numFmtId ?? 0)
      if (name === 'numFmt' && formatCode !== undefined) codes.set(id, formatCode)
      if (name === 'cellXfs') isInCells = true
      if (name !== 'xf' || !isInCells) return
      if (formats.length >= MOST_STYLES) throw broken(book.name, `it has more than ${MOST_STYLES} styles`)
      formats.push(numberFormat(id, codes.get(id)))
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false
    },
  })
  return formats
}

export const formatAt = (formats: readonly NumberFormat[], style: string | undefined): NumberFormat =>
  formats[Number(style ?? 0)] ?? PLAIN
