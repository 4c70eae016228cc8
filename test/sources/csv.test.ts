import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import iconv from 'iconv-lite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sniffDelimiter } from '../../src/sources/csv/sniff.ts'
import { describeSource, makeSource, recordsOf } from '../contracts/source.ts'

describeSource({
  kind: 'csv',
  ending: '.csv',
  content: (columns, rows) => stringify([columns, ...rows]),
  damaged: `no,name\n${'1,a\n'.repeat(600)}2,"Geheim\n`,
})

let folder = ''
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'csv-'))))
afterEach(async () => rm(folder, { recursive: true }))

async function read(content: string | Buffer, options: Record<string, unknown> = {}) {
  await writeFile(join(folder, 'a.csv'), content)
  const source = makeSource('csv', folder, options)
  const [input] = (await source.list({ wait: false })).ready
  return recordsOf(source, input!)
}
const values = async (content: string | Buffer, options: Record<string, unknown> = {}) =>
  (await read(content, options)).items.map((item) => item.values)

describe('encodings', () => {
  const text = 'no,name\n1,Müller €\n'
  it.each([
    ['utf-8', Buffer.from(text)],
    ['utf-8 with a mark', Buffer.from(`\ufeff${text}`)],
    ['utf-16le with a mark', iconv.encode(`\ufeff${text}`, 'utf-16le')],
    ['utf-16be with a mark', iconv.encode(`\ufeff${text}`, 'utf-16be')],
    ['utf-16le without', iconv.encode(text, 'utf-16le')],
    ['utf-16be without', iconv.encode(text, 'utf-16be')],
    ['windows-1252', iconv.encode(text, 'windows-1252')],
  ])('%s is found', async (_, bytes) => {
    expect(await read(bytes)).toMatchObject({
      header: ['no', 'name'],
      items: [{ values: ['1', 'Müller €'] }],
    })
  })

  it.each(['cp850', 'macroman', 'windows-1250', 'shift_jis', 'iso-8859-2'])(
    '%s can be set',
    async (encoding) => {
      const name = encoding === 'shift_jis' ? '山田' : 'Müller'
      expect(await values(iconv.encode(`no,name\n1,${name}\n`, encoding), { encoding })).toEqual([
        ['1', name],
      ])
    },
  )

  it('is decided for the whole file: a late byte that is no UTF-8 makes all of it 8-bit', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`no,name\n${'1,plain\n'.repeat(50_000)}`),
      Buffer.from('2,M\xfcller\n', 'latin1'),
    ])
    expect((await values(bytes)).at(-1)).toEqual(['2', 'Müller'])
  })

  it('a character across the border of two reads is one character', async () => {
    for (const shift of [0, 1, 2, 3]) {
      const filler = 'x'.repeat(256 * 1024 - 14 - shift)
      expect((await values(`no,name\n1,${filler}€€€€€\n`, { max_record_bytes: 1024 * 1024 }))[0]?.[1]).toBe(
        `${filler}€€€€€`,
      )
    }
  })

  it('that was set and is not met names line and byte', async () => {
    const bytes = Buffer.from('no,name\n1,a\n2,M\xfcller\n', 'latin1')
    await expect(read(bytes, { encoding: 'utf-8' })).rejects.toMatchObject({
      code: 'INPUT_ENCODING',
      message: 'line 3: the file is not valid UTF-8 (byte 16 of the file)',
    })
  })

  it('is overruled by a byte order mark', async () => {
    expect(await values(Buffer.from('\ufeffno,name\n1,Müller\n'), { encoding: 'windows-1252' })).toEqual([
      ['1', 'Müller'],
    ])
  })
})

describe('delimiters', () => {
  it.each([',', ';', '\t', '|'])('%j is found', async (delimiter) => {
    expect(await values(`no${delimiter}name\n1${delimiter}a\n`)).toEqual([['1', 'a']])
  })
  it.each([
    ['a,b;c\n1,2;3\n', ','],
    ['a;b\n"x,y,z";2\n"p,q,r";3\n', ';'],
    ['single\nvalue\n', ','],
    ['"a;b",c\n1,2\n', ','],
    ['a|b|c\n1|2|3,4\n', '|'],
    ['Preis;Name\n1,50;Öl\n2,50;Essig\n', ';'],
  ])('%j has %j', (text, expected) => {
    expect(sniffDelimiter(text, '"')).toBe(expected)
  })
  it('Excel’s first line sep= is heeded', async () => {
    expect(await read('sep=|\nno|name\n1|a\n')).toMatchObject({
      header: ['no', 'name'],
      items: [{ values: ['1', 'a'], line: 3 }],
    })
  })
  it('can be set by character or name', async () => {
    expect(await values('no,1\tname\n1\ta\n', { delimiter: 'tab' })).toEqual([['1', 'a']])
  })
})

describe('quotes', () => {
  it.each([
    [
      'around a line break',
      'no,name\n1,"a\nb"\n2,c\n',
      [
        ['1', 'a\nb'],
        ['2', 'c'],
      ],
    ],
    ['doubled', 'no,name\n1,"a ""b"" c"\n', [['1', 'a "b" c']]],
    [
      'inside an unquoted value are text',
      'no,name\n1,5" pipe\n2,"a ""x"""\n',
      [
        ['1', '5" pipe'],
        ['2', 'a "x"'],
      ],
    ],
    [
      'doubled at the start, beside stray ones',
      'no,name\n1,5" pipe\n2,"""x"" y"\n',
      [
        ['1', '5" pipe'],
        ['2', '"x" y'],
      ],
    ],
  ])('%s', async (_, text, expected) => {
    expect(await values(text)).toEqual(expected)
  })

  it('may be another character, or none', async () => {
    expect(await values("no,name\n1,'a,b'\n", { quote: "'" })).toEqual([['1', 'a,b']])
    expect(await values('no,name\n1,"a"\n', { quote: 'none' })).toEqual([['1', '"a"']])
  })

  it.each([
    [
      'never closes',
      `no,name\n${'1,a\n'.repeat(15)}2,"open\n${'3,b\n'.repeat(40)}`,
      'line 17, column 3: the quote that opens here never closes',
    ],
    [
      'is closed by a later one',
      `no,name\n1,"open\n2,"closed"\n3,c\n`,
      'line 2, column 3: the quote that opens here closes in the middle of a value',
    ],
    [
      'is not doubled inside',
      'no,name\n1,"the "Meier" GmbH"\n',
      'line 2, column 3: the quote that opens here closes in the middle of a value',
    ],
    [
      'never closes, after a stray one',
      'no,name\n1,5" pipe\n2,"open\n3,c\n',
      'line 3, column 3: the quote that opens here never closes',
    ],
    [
      'is behind skipped lines',
      'Title\nno,name\n1,"open\n',
      'line 3, column 3: the quote that opens here never closes',
      { skip_lines: 1 },
    ],
  ])(
    'one that %s refuses the file, with the place where it opened',
    async (_, text, message, options?: Record<string, unknown>) => {
      await expect(read(text, options)).rejects.toMatchObject({ code: 'INPUT_QUOTE', message })
    },
  )
})

describe('rows', () => {
  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('end with %s, the last one with or without', async (_, end) => {
    expect(await values(`no,name${end}1,a${end}2,b`)).toEqual([
      ['1', 'a'],
      ['2', 'b'],
    ])
  })

  it('have the line on which they begin', async () => {
    const { items } = await read('no,name\n\n1,"a\nb"\n2,c\n\n\n3,d\n')
    expect(items.map(({ line }) => line)).toEqual([3, 5, 8])
  })

  it('have it also where values hold line breaks of two characters', async () => {
    const { items } = await read('no,name\r\n1,"a\r\nb\r\nc"\r\n2,"x\ny"\r\n\r\n3,"p\rq"\r\n4,d\r\n')
    expect(items.map(({ line }) => line)).toEqual([2, 5, 8, 10])
  })

  it('keep their lines behind skipped ones, whatever quotes those hold', async () => {
    const { header, items } = await read('Report "of\r\n\r\nno,name\r\n1,a\r\n', { skip_lines: 2 })
    expect(header).toEqual(['no', 'name'])
    expect(items).toMatchObject([{ line: 4, values: ['1', 'a'] }])
  })

  it('that are blank are none', async () => {
    expect(await values('no,name\n1,a\n\n,\n , \n2,b\n')).toEqual([
      ['1', 'a'],
      ['2', 'b'],
    ])
  })

  it('that are ragged are told, with both counts', async () => {
    const { items } = await read('no,name,x\n1,a\n1,a,b,c\n1,a,b,,\n')
    expect(items).toEqual([
      {
        kind: 'defect',
        code: 'RECORD_RAGGED',
        message: 'the row has 2 values, the header has 3',
        values: ['1', 'a'],
        line: 2,
      },
      {
        kind: 'defect',
        code: 'RECORD_RAGGED',
        message: 'the row has 4 values, the header has 3',
        values: ['1', 'a', 'b', 'c'],
        line: 3,
      },
      { kind: 'record', values: ['1', 'a', 'b'], line: 4 },
    ])
  })

  it('are padded where that is asked for', async () => {
    expect(await values('no,name,x\n1,a\n', { ragged: 'pad' })).toEqual([['1', 'a', '']])
  })

  it('at the foot are left out', async () => {
    const many = Array.from({ length: 501 }, (_, index) => `${index},a`).join('\n')
    expect(await values(`no,name\n${many}\nTotal,501\n`, { skip_footer: 1 })).toHaveLength(501)
  })

  it('larger than the limit refuse the file', async () => {
    await expect(read(`no,name\n1,${'x'.repeat(3000)}\n`, { max_record_bytes: 1024 })).rejects.toMatchObject({
      code: 'INPUT_RECORD_TOO_LARGE',
    })
  })

  it('come back as they were written, whatever they hold', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'ü', '"', ',', ';', '\n', '\r', ' ', '€', "'"),
      maxLength: 6,
    })
    const row = fc.tuple(fc.constantFrom('k1', 'k2'), cell, cell).map((cells) => [...cells])
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
        const text = stringify([['no', 'name', 'x'], ...rows], { quoted: true })
        expect(await values(text)).toEqual(rows)
      }),
      { numRuns: 60 },
    )
  })
})

describe('headers', () => {
  it('are trimmed, also of unusual blanks, and may repeat or be blank', async () => {
    expect((await read(' no ,\u00a0name,name,\n1,a,b,c\n')).header).toEqual(['no', 'name', 'name', ''])
  })
  it('can be given for files without one', async () => {
    expect(await read('1,a\n2,b\n', { header: ['no', 'name'] })).toMatchObject({
      header: ['no', 'name'],
      items: [{ line: 1 }, { line: 2 }],
    })
  })
  it('alone are a file without records', async () => {
    expect((await read('no,name\n')).items).toEqual([])
  })
})

it('takes its own rejects back, whatever the settings say', async () => {
  const text = 'no;name;_reason;_file;_line\n1;Müller;"bad; so";a.csv;2\n'
  const options = { encoding: 'windows-1252', delimiter: ',', skip_lines: 3, skip_footer: 1 }
  expect(await values(text, options)).toEqual([['1', 'Müller', 'bad; so', 'a.csv', '2']])
})
