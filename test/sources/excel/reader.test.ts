// What a workbook's cells mean as text, which rows are records, and what is refused with which sentence.
import { describe, expect, it } from 'vitest'
import { SyncError } from '../../../src/core/words/errors.ts'
import { sheetData, workbook, workbookParts, zip } from '../../support/workbook.ts'
import { read, type ReadOptions, rows } from '../read.ts'

const STYLES = `
  <numFmts>
    <numFmt numFmtId="164" formatCode="dd/mm/yyyy"/><numFmt numFmtId="165" formatCode="00000"/>
    <numFmt numFmtId="166" formatCode="[h]:mm:ss"/><numFmt numFmtId="167" formatCode="#,##0.00\\ &quot;days&quot;"/>
    <numFmt numFmtId="168" formatCode="[$-407]d\\. mmmm yyyy;@"/>
    <numFmt numFmtId="169" formatCode="[$-407]&quot;D-&quot;00000"/><numFmt numFmtId="170" formatCode="000\\-00\\-0000"/>
    <numFmt numFmtId="171" formatCode="&quot;+49 &quot;0"/><numFmt numFmtId="172" formatCode="\\00000"/>
    <numFmt numFmtId="173" formatCode="0.00"/>
  </numFmts>
  <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
  <cellXfs>${[0, 14, 22, 164, 165, 166, 167, 168, 21, 169, 170, 171, 172, 173].map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs>`
const [DATE, DATE_TIME, OWN_DATE, ZEROS, ELAPSED, DAYS, LONG_DATE, TIME] = [1, 2, 3, 4, 5, 6, 7, 8]
const [POSTCODE, HYPHENS, COUNTRY_CODE, LEADING_ZERO, MONEY] = [9, 10, 11, 12, 13]

const one = (cell: string): string =>
  `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>v</t></is></c></row><row r="2">${cell}<c r="A2"/></row></sheetData>`

/** The value of one cell that is written like this, below a header. */
async function valueOf(cell: string, book: { date1904?: boolean; sharedStrings?: string } = {}) {
  const [first] = await rows(
    'excel',
    workbook({ sheets: [{ xml: one(cell).replace('<c r="A2"/>', '') }], styles: STYLES, ...book }),
  )
  return first?.[1]
}

const number = (value: string, style = 0): string => `<c r="A2" s="${style}"><v>${value}</v></c>`

describe('a number', () => {
  it.each([
    ['4.915112345678E+11', '491511234567.8'],
    ['4.9151123456780001E+12', '4915112345678'],
    ['1E+20', '100000000000000000000'],
    ['0.30000000000000004', '0.3'],
    ['12.5', '12.5'],
    ['1.0000000000000001E-7', '0.0000001'],
    ['-3', '-3'],
    ['12345678901234567890', '12345678901234567890'],
    ['0', '0'],
  ])('%s is read as %s', async (written, text) => {
    expect(await valueOf(number(written))).toBe(text)
  })

  it.each([
    ['a format of zeros alone gives the digits that it shows', '1067', ZEROS, '01067'],
    ['also among other characters, which are not read', '1067', POSTCODE, '01067'],
    ['also where they stand apart', '12345678', HYPHENS, '012345678'],
    ['zeros of decimals are none', '1067', MONEY, '1067'],
    ['letters of a date in quotes make no date', '3', DAYS, '3'],
    ['hours may be more than a day has', '1.5', ELAPSED, '36:00:00'],
  ])('%s', async (_what, written, style, text) => {
    expect(await valueOf(number(written, style))).toBe(text)
  })
})

describe('a date', () => {
  it.each([
    ['44927', DATE, '2023-01-01'],
    ['44927', OWN_DATE, '2023-01-01'],
    ['44927', LONG_DATE, '2023-01-01'],
    ['44927.75', DATE_TIME, '2023-01-01 18:00:00'],
    ['0.75', TIME, '18:00:00'],
    ['1', DATE, '1900-01-01'],
    ['59', DATE, '1900-02-28'],
    ['60', DATE, '60'],
    ['61', DATE, '1900-03-01'],
    ['-1', DATE, '-1'],
    ['9999999', DATE, '9999999'],
  ])('%s with style %i is %s', async (written, style, text) => {
    expect(await valueOf(number(written, style))).toBe(text)
  })

  it('is counted from 1904 where the workbook says so', async () => {
    expect(await valueOf(number('43465', DATE), { date1904: true })).toBe('2023-01-01')
  })

  it.each([
    ['2023-01-01T00:00:00', '2023-01-01'],
    ['2023-01-01T18:00:00.000Z', '2023-01-01 18:00:00'],
    ['2023-01-01', '2023-01-01'],
  ])('may be a text: %s', async (written, text) => {
    expect(await valueOf(`<c r="A2" t="d"><v>${written}</v></c>`)).toBe(text)
  })
})

describe('a cell', () => {
  it.each([
    ['a shared text', '<c r="A2" t="s"><v>1</v></c>', 'Jörg & Söhne'],
    ['rich text, without how it is pronounced', '<c r="A2" t="s"><v>2</v></c>', 'Bold plain'],
    ['the kept value of a formula', '<c r="A2" t="str"><f>A1</f><v>was _x000D_ kept</v></c>', 'was \r kept'],
    ['an underscore that is one', '<c r="A2" t="inlineStr"><is><t>a_x005F_x000D_b</t></is></c>', 'a_x000D_b'],
    ['true', '<c r="A2" t="b"><v>1</v></c>', 'true'],
    ['false', '<c r="A2" t="b"><v>0</v></c>', 'false'],
    ['true, as a word', '<c r="A2" t="b"><v>true</v></c>', 'true'],
    ['false, as a word', '<c r="A2" t="b"><v>false</v></c>', 'false'],
    ['blanks around a text', '<c r="A2" t="inlineStr"><is><t xml:space="preserve"> x </t></is></c>', ' x '],
    ['a text that looks like a formula', '<c r="A2" t="inlineStr"><is><t>=1+1</t></is></c>', '=1+1'],
  ])('%s', async (_what, cell, text) => {
    const sharedStrings =
      '<si><t>x</t></si><si><t>Jörg &amp; Söhne</t></si><si><r><t>Bold</t></r><r><t> plain</t></r><rPh sb="0" eb="1"><t>NO</t></rPh></si>'
    expect(await valueOf(cell, { sharedStrings })).toBe(text)
  })
})

describe('what is not read as it is shown', () => {
  it('includes digits of a format', async () => {
    const cells = [COUNTRY_CODE, LEADING_ZERO, POSTCODE, ZEROS].map(
      (style) => `<c s="${style}"><v>171</v></c>`,
    )
    const xml = sheetData([['a', 'b', 'c', 'd']]).replace(
      '</sheetData>',
      `<row r="2">${cells.join('')}</row></sheetData>`,
    )
    const { items, oddities } = await read('excel', workbook({ sheets: [{ xml }], styles: STYLES }))
    expect(items.map(({ values }) => values)).toEqual([['171', '0171', '00171', '00171']])
    expect(oddities).toEqual([{ what: 'number whose format shows further digits', times: 2, line: 2 }])
  })

  it('is said with its number and the first row', async () => {
    const xml =
      '<cols><col min="2" max="3" hidden="1"/></cols>' +
      '<sheetData><row r="1"><c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><t>b</t></is></c></row>' +
      '<row r="3" hidden="1"><c><v>1</v></c><c t="e"><v>#N/A</v></c></row>' +
      '<row r="4"><c><v>2</v></c><c><f>A1</f></c></row>' +
      '<row r="5"><c><v>3</v></c><c><f>1+1</f><v /></c></row>' +
      '<row r="6"><c><v>4</v></c><c t="n"><f>1+1</f><v></v></c></row>' +
      '<row r="7"><c><v>5</v></c><c t="str"><f>IF(A1,"",1)</f><v></v></c></row></sheetData>' +
      '<mergeCells><mergeCell ref="A3:A4"/><mergeCell ref="B5:B9"/></mergeCells>'
    const { items, oddities } = await read('excel', workbook({ sheets: [{ xml }] }))
    expect(items.map(({ line, values }) => [line, ...values])).toEqual([
      [3, '1', ''],
      [4, '2', ''],
      [5, '3', ''],
      [6, '4', ''],
      [7, '5', ''],
    ])
    expect(oddities).toEqual([
      { what: 'hidden column', times: 2, line: 0 },
      { what: 'hidden row', times: 1, line: 3 },
      { what: 'error value', times: 1, line: 3 },
      { what: 'formula without a kept value', times: 3, line: 4 },
      { what: 'merged cells', times: 2, line: 3 },
    ])
  })
})

const table = (...lines: string[]): string[][] => lines.map((line) => line.split(','))
const named = (name: string, value: string, state?: string) => ({
  name,
  rows: table('id', value),
  ...(state === undefined ? {} : { state }),
})

describe('the sheet', () => {
  const sheets = [named('Secret', 'hidden', 'hidden'), named('Kunden', 'first'), named('Alt', 'second')]
  it.each([
    [{}, 'first'],
    [{ sheet: 'Alt' }, 'second'],
    [{ sheet: ' kunden ' }, 'first'],
    [{ sheet: 1 }, 'hidden'],
    [{ sheet: 3 }, 'second'],
  ] as [ReadOptions, string][])('%j is read', async (options, value) => {
    expect(await rows('excel', workbook({ sheets }), options)).toEqual([[2, value]])
  })

  it('says which sheets there are, where the first of several is read', async () => {
    const { oddities } = await read('excel', workbook({ sheets }))
    expect(oddities).toEqual([
      { what: 'of the sheets "Kunden", "Alt", only "Kunden" is read', times: 1, line: 0 },
    ])
  })

  it.each([[{ sheet: 'Nope' }], [{ sheet: 4 }]])(
    '%j is refused with the names that there are',
    async (options) => {
      await expect(read('excel', workbook({ sheets }), options)).rejects.toThrow(
        /^file\.excel has no sheet ("Nope"|4); its sheets are "Secret", "Kunden", "Alt"$/,
      )
    },
  )
})

describe('the header', () => {
  const preamble = table('Customers of May', '', 'id,name,mail', '', '7,Ann,ann@example.org,beside', ',,')
  it.each([
    [{ skip_lines: 2 }, ['id', 'name', 'mail']],
    [{ skip_lines: 1 }, ['id', 'name', 'mail']],
    [{ skip_lines: 'auto', columns: ['mail', 'id'] }, ['id', 'name', 'mail']],
    [{}, ['Customers of May']],
  ] as [ReadOptions, string[]][])('with %j', async (options, header) => {
    const found = await read('excel', workbook({ sheets: [{ rows: preamble }] }), options)
    expect(found.header).toEqual(header)
    if (header.length === 3)
      expect(found.items.map(({ line, values }) => [line, ...values])).toEqual([
        [5, '7', 'Ann', 'ann@example.org'],
      ])
  })

  it('is refused where two rows name as many columns, by their numbers', async () => {
    const book = workbook({ sheets: [{ rows: table('x', 'id,mail', 'id,mail') }] })
    await expect(read('excel', book, { skip_lines: 'auto', columns: ['id', 'mail'] })).rejects.toThrow(
      /row 2 and row 3 name 2 mapped columns each/,
    )
  })
})

const parts = (extra: Record<string, string>): Buffer =>
  workbook({ sheets: [{ rows: table('id', '1') }], parts: extra })
const SHEET = 'xl/worksheets/sheet1.xml'
const whole = parts({})
const damaged = Buffer.from(whole)
damaged[damaged.indexOf(Buffer.from(SHEET)) + SHEET.length + 20]! ^= 0xff

describe('is refused with a sentence', () => {
  it.each([
    [
      'an old workbook',
      Buffer.from('d0cf11e0a1b11ae1' + '00'.repeat(600), 'hex'),
      /an old Excel workbook \(\.xls\)/,
    ],
    [
      'a password',
      Buffer.concat([
        Buffer.from('d0cf11e0a1b11ae1', 'hex'),
        Buffer.alloc(900),
        Buffer.from('EncryptedPackage', 'utf16le'),
      ]),
      /protected by a password/,
    ],
    ['macros', parts({ 'xl/vbaProject.bin': 'x' }), /with macros \(\.xlsm\)/],
    ['Numbers', zip({ 'Index/Document.iwa': 'x' }), /of Numbers/],
    ['OpenDocument', zip({ mimetype: 'x', 'content.xml': '<x/>' }), /OpenDocument file \(\.ods\)/],
    ['a binary workbook', zip({ 'xl/workbook.bin': 'x' }), /\.xlsb/],
    ['a document of Word', zip({ 'word/document.xml': '<x/>' }), /Word/],
    ['any other archive', zip({ 'a.txt': 'x' }), /names no workbook/],
    ['a web page', '<html><table><tr><td>1</td></tr></table></html>', /a web page/],
    ['separated values', 'id,mail\n1,a@example.org\n', /no Excel workbook/],
    ['a part that is cut off', whole.subarray(0, whole.length - 30), /no whole Excel workbook/],
    ['a damaged part', damaged, /no whole Excel workbook/],
    [
      'a document type',
      parts({ [SHEET]: '<!DOCTYPE x [<!ENTITY a "b">]><worksheet>&a;</worksheet>' }),
      /declares a document type/,
    ],
    ['an entity of its own', parts({ [SHEET]: '<worksheet>&a;</worksheet>' }), /XML is not in order/],
    [
      'rows out of order',
      parts({ [SHEET]: '<worksheet><sheetData><row r="5"/><row r="2"/></sheetData></worksheet>' }),
      /row 5 is followed by one out of order/,
    ],
    [
      'a text that the workbook lacks',
      parts({
        [SHEET]: '<worksheet><sheetData><row r="3"><c t="s"><v>0</v></c></row></sheetData></worksheet>',
      }),
      /row 3 has a text that is not among its texts/,
    ],
    [
      'a column beyond the last',
      parts({
        [SHEET]: '<worksheet><sheetData><row r="1"><c r="XFE1"><v>1</v></c></row></sheetData></worksheet>',
      }),
      /outside of the sheet/,
    ],
    [
      'an endless text',
      parts({
        [SHEET]: `<worksheet><sheetData><row><c t="inlineStr"><is><t>${'x'.repeat(1_100_000)}</t></is></c></row></sheetData></worksheet>`,
      }),
      /more than 1048576 characters/,
    ],
    [
      'a part that unpacks to far too much',
      parts({ [SHEET]: `<worksheet>${' '.repeat(20_000_000)}</worksheet>` }),
      /unpacks to more bytes than are taken/,
    ],
  ])('%s', async (_what, content, sentence) => {
    const refused: unknown = await read('excel', content).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(SyncError)
    expect(refused).toMatchObject({ code: 'INPUT_EXCEL', message: expect.stringMatching(sentence) as string })
  })

  it('a sheet without a row', async () => {
    const book = workbook({ sheets: [{ name: 'Empty', rows: [] }, { rows: table('id', '1') }] })
    await expect(read('excel', book)).rejects.toThrow(/no header and no record on the sheet "Empty"/)
  })

  it('parts that are far too many', async () => {
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`p${index}`, '']))
    await expect(read('excel', zip({ ...workbookParts({ sheets: [] }), ...many }))).rejects.toThrow(
      /more than 10000 parts/,
    )
  })
})

it('reads the same without references of rows and cells, and with prefixes of names', async () => {
  const xml = sheetData(table('id,mail', '1,a@example.org')).replaceAll(/ r="\d+"/g, '')
  const prefixed = `<x:worksheet xmlns:x="m">${xml.replaceAll(/<(\/?)(\w)/g, '<$1x:$2')}</x:worksheet>`
  const book = workbook({ sheets: [{}], parts: { [SHEET]: prefixed } })
  expect(await rows('excel', book)).toEqual([[2, '1', 'a@example.org']])
})
