// Writes a workbook of texts alone: rows under their numbers, on one sheet of several; the others are there and empty.
import { zipped, type ZipPart } from './zip-writer.ts'
import type { SheetRow } from './sheet.ts'

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** What XML cannot hold stands as `_xHHHH_`; so does what would read as such. */
const text = (value: string): string =>
  value
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll(
      /[\0-\x08\x0b-\x1f\ufffe\uffff]|\p{Surrogate}/gu,
      (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

/** The letters of a column, from 0 on. */
function columnName(column: number): string {
  const before = Math.floor(column / 26)
  return (before === 0 ? '' : columnName(before - 1)) + String.fromCharCode(65 + (column % 26))
}

function rowText({ row, values }: SheetRow): string {
  const cells = values.map((value, column) =>
    value === ''
      ? ''
      : `<c r="${columnName(column)}${row}" t="inlineStr"><is><t xml:space="preserve">${text(value)}</t></is></c>`,
  )
  return `<row r="${row}">${cells.join('')}</row>`
}

async function* sheetText(rows: AsyncIterable<SheetRow[]> | undefined): AsyncGenerator<string> {
  yield `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>`
  if (rows !== undefined) for await (const some of rows) yield some.map(rowText).join('')
  yield '</sheetData></worksheet>'
}

const numbered = (names: readonly string[], line: (name: string, number: number) => string): string =>
  names.map((name, index) => line(name, index + 1)).join('')

interface Sheets {
  readonly names: readonly string[]
  readonly hidden: readonly boolean[]
  /** The sheet on which the rows are, from 0 on. */
  readonly at: number
}

/** The bytes of the workbook. */
export function plainWorkbook(
  { names, hidden, at }: Sheets,
  rows: AsyncIterable<SheetRow[]>,
): AsyncGenerator<Buffer> {
  const type = (part: string, kind: string): string =>
    `<Override PartName="/xl/${part}.xml" ContentType="${TYPES}.${kind}+xml"/>`
  const parts: ZipPart[] = [
    {
      name: '[Content_Types].xml',
      content: [
        `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`,
        type('workbook', 'sheet.main'),
        numbered(names, (_, number) => type(`worksheets/sheet${number}`, 'worksheet')),
        '</Types>',
      ],
    },
    {
      name: '_rels/.rels',
      content: [
        `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
      ],
    },
    {
      name: 'xl/workbook.xml',
      content: [
        `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>`,
        numbered(
          names,
          (name, number) =>
            `<sheet name="${text(name)}" sheetId="${number}"${hidden[number - 1] === true ? ' state="hidden"' : ''} r:id="rId${number}"/>`,
        ),
        '</sheets></workbook>',
      ],
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: [
        `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">`,
        numbered(
          names,
          (_, number) =>
            `<Relationship Id="rId${number}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${number}.xml"/>`,
        ),
        '</Relationships>',
      ],
    },
    ...names.map((_, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      content: sheetText(index === at ? rows : undefined),
    })),
  ]
  return zipped(parts)
}
