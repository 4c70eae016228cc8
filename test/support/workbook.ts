// Workbooks for tests: made of parts whose XML each test may write itself, packed like a real one.
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships'

export interface TestSheet {
  readonly name?: string
  readonly state?: string
  /** Rows of texts, from row 1 on, or what stands in the sheet's own element. */
  readonly rows?: readonly (readonly string[])[]
  readonly xml?: string
}

export interface TestWorkbook {
  readonly sheets: readonly TestSheet[]
  readonly sharedStrings?: string
  readonly styles?: string
  readonly date1904?: boolean
  /** Parts beside, or in place of, those that are made. */
  readonly parts?: Readonly<Record<string, string | Buffer>>
}

const escapeXml = (value: string): string =>
  value.replaceAll(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`).replaceAll('\r', '_x000D_')

/** An archive with these parts. */
export function zip(parts: Readonly<Record<string, string | Buffer>>): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(parts)) {
    const plain = Buffer.from(content)
    const data = deflateRawSync(plain)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x0800, 2)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(plain), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(plain.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), data])
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), common, rest, Buffer.from(name)]))
    bodies.push(local)
    offset += local.length
  }
  const entries = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(entries.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, entries, end])
}

/** Rows of texts as a sheet has them. */
export const sheetData = (rows: readonly (readonly string[])[]): string =>
  `<sheetData>${rows
    .map(
      (row, index) =>
        `<row r="${index + 1}">${row
          .map((value) => `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(value)}</t></is></c>`)
          .join('')}</row>`,
    )
    .join('\n')}</sheetData>`

const relations = (lines: readonly (readonly [id: string, type: string, target: string])[]): string =>
  `<Relationships xmlns="${PACKAGE}">${lines
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`

export function workbookParts(book: TestWorkbook): Record<string, string | Buffer> {
  const sheets = book.sheets.map(({ name = '', state }, index) => ({
    name: name || `Sheet${index + 1}`,
    state,
  }))
  return {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relations([['r1', 'officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<?xml version="1.0"?><workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr date1904="${book.date1904 === true ? 1 : 0}"/><sheets>${sheets
      .map(
        ({ name, state }, index) =>
          `<sheet name="${escapeXml(name)}" sheetId="${index + 1}"${state === undefined ? '' : ` state="${state}"`} r:id="s${index}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ...sheets.map((_, index) => [`s${index}`, 'worksheet', `worksheets/sheet${index + 1}.xml`] as const),
      ...(book.sharedStrings === undefined
        ? []
        : [['x1', 'sharedStrings', '/xl/sharedStrings.xml'] as const]),
      ...(book.styles === undefined ? [] : [['x2', 'styles', 'styles.xml'] as const]),
    ]),
    ...(book.sharedStrings === undefined
      ? {}
      : { 'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${book.sharedStrings}</sst>` }),
    ...(book.styles === undefined
      ? {}
      : { 'xl/styles.xml': `<styleSheet xmlns="${MAIN}">${book.styles}</styleSheet>` }),
    ...Object.fromEntries(
      book.sheets.map(({ rows = [], xml = sheetData(rows) }, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="${MAIN}">${xml}</worksheet>`,
      ]),
    ),
    ...book.parts,
  }
}

export const workbook = (book: TestWorkbook): Buffer => zip(workbookParts(book))

/** What the parts of an archive hold, unpacked. */
export function partsOf(content: Buffer): string[] {
  const texts: string[] = []
  for (let at = 0; content.readUInt32LE(at) === 0x04034b50;) {
    const packed = content.readUInt32LE(at + 18)
    const from = at + 30 + content.readUInt16LE(at + 26) + content.readUInt16LE(at + 28)
    texts.push(inflateRawSync(content.subarray(from, from + packed)).toString())
    at = from + packed
  }
  return texts
}
