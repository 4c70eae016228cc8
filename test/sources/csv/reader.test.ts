import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { read, rows } from '../read.ts'

describe('records', () => {
  it.each<[string, string, { last_line?: string }?]>([
    ['LF', 'a,b\n1,2\n3,4\n'],
    ['CR LF', 'a,b\r\n1,2\r\n3,4\r\n'],
    ['CR', 'a,b\r1,2\r3,4\r'],
    ['mixed', 'a,b\r\n1,2\n3,4\r'],
    ['none at the end', 'a,b\n1,2\n3,4', { last_line: 'accept' }],
  ])('are read with line ends %s', async (_what, text, options = {}) => {
    expect(await rows('csv', text, options)).toEqual([
      [2, '1', '2'],
      [3, '3', '4'],
    ])
  })

  it.each([
    ['embedded line breaks', 'a,b\n"x\ny",1\n"x\r\ny",2\n"\r",3\nz,4\n', [2, 4, 6, 8]],
    ['embedded CR LF in a CR LF file', 'a,b\r\n"x\r\n\r\ny",1\r\nz,2\r\n', [2, 5]],
    ['blank lines', '\n\na,b\n\n1,2\n\n\n3,4\n', [5, 8]],
    ['rows without values', 'a,b\n,\n1,2\n" ",\t\n3,4\n', [3, 5]],
    ['a header over two lines', '"a\nb",c\n1,2\n', [3]],
  ])('begin on the right line with %s', async (_what, text, lines) => {
    expect((await rows('csv', text)).map(([line]) => line)).toEqual(lines)
  })

  it('keep what was written, but for blanks before a value', async () => {
    expect(await rows('csv', 'a,b,c\n  x ,"  y ", "z, z"\n007,"""q""",5\'\n')).toEqual([
      [2, 'x ', '  y ', 'z, z'],
      [3, '007', '"q"', "5'"],
    ])
  })

  it('are read back as they were, whatever they hold', async () => {
    const value = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '|', '\n', '\r', ' ', 'ü', '€', '😀') }),
      fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(), value, value), { minLength: 1, maxLength: 20 }),
        fc.constantFrom(',', ';', '\t', '|'),
        fc.constantFrom('\n', '\r\n', '\r'),
        async (table, delimiter, end) => {
          const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
          const records = table.map(([id, ...values]) => [String(id), ...values.map(quoted)].join(delimiter))
          const lines: number[] = []
          let line = 2
          for (const record of records) {
            lines.push(line)
            line += 1 + (record.match(/\r\n|\n|\r/g)?.length ?? 0)
          }
          const text = [['id', 'first', 'second'].join(delimiter), ...records].join(end) + end
          expect(await rows('csv', text, { delimiter })).toEqual(
            table.map(([id, ...values], index) => [lines[index], String(id), ...values]),
          )
        },
      ),
      { numRuns: 150 },
    )
  })

  it('survive the borders of the parts that a file is read in', async () => {
    const table = Array.from({ length: 20_000 }, (_, index) => `${index},"Ü\r\n€ ""${index}""",😀`)
    const all = await rows('csv', `id,text,sign\r\n${table.join('\r\n')}\r\n`)
    expect(all).toHaveLength(20_000)
    const wrong = all.filter(
      ([line, id, text, sign], index) =>
        line !== 2 + 2 * index || id !== String(index) || text !== `Ü\r\n€ "${index}"` || sign !== '😀',
    )
    expect(wrong).toEqual([])
  })
})

describe('header', () => {
  it('is trimmed, no-break spaces included, and may have doubles and blanks', async () => {
    const { header, items } = await read('csv', ' id ,\u00a0E-Mail\u00a0,,id\n1,2,3,4\n')
    expect(header).toEqual(['id', 'E-Mail', '', 'id'])
    expect(items).toHaveLength(1)
  })

  it('alone is no fault: the file has no records', async () => {
    expect(await read('csv', 'a,b\n')).toMatchObject({ header: ['a', 'b'], items: [] })
  })

  it('can be given for files without one', async () => {
    const { header, items } = await read('csv', '1,2\n3,4\n', { header: ['x', 'y'] })
    expect(header).toEqual(['x', 'y'])
    expect(items.map((item) => [item.line, ...item.values])).toEqual([
      [1, '1', '2'],
      [2, '3', '4'],
    ])
  })

  it('keeps names that mean something to JavaScript', async () => {
    const { header, items } = await read('csv', '__proto__,constructor\n1,2\n')
    expect(header).toEqual(['__proto__', 'constructor'])
    expect(items[0]!.values).toEqual(['1', '2'])
  })
})

describe('lines before and after the table', () => {
  it.each(['\n', '\r\n', '\r'])('are passed over, with line end %j', async (end) => {
    const text = ['Report "of', 'May, 2024,,', 'a,b', '1,2', '3,4', 'Total,2', 'End', ''].join(end)
    expect(await rows('csv', text, { skip_lines: 2, skip_footer: 2 })).toEqual([
      [4, '1', '2'],
      [5, '3', '4'],
    ])
  })

  it('may be all there is', async () => {
    await expect(read('csv', 'a,b\n1,2\n', { skip_lines: 5 })).rejects.toMatchObject({ code: 'INPUT_EMPTY' })
    expect((await read('csv', 'a,b\n1,2\n', { skip_footer: 5 })).items).toEqual([])
  })

  it('hold back footers over several batches', async () => {
    const table = Array.from({ length: 1200 }, (_, index) => String(index))
    const all = await rows('csv', ['n', ...table, ''].join('\n'), { skip_footer: 700 })
    expect(all.map(([, value]) => value)).toEqual(table.slice(0, 500))
  })
})

describe('quotes', () => {
  const table = (count: number, line = (index: number) => `${index},Name ${index},note`): string[] => [
    'id,name,note',
    ...Array.from({ length: count }, (_, index) => line(index + 2)),
  ]

  it('inside an unquoted value are text', async () => {
    expect(await rows('csv', 'a,b\n1,5" disk\n2,the "best" one\n3,"a ""b"""\n')).toEqual([
      [2, '1', '5" disk'],
      [3, '2', 'the "best" one'],
      [4, '3', 'a "b"'],
    ])
  })

  it('inside an unquoted value give no record twice, and none is lost, however late they come', async () => {
    const lines = table(8000)
    lines[7000] = '7001,19" rack,note'
    const all = await rows('csv', lines.join('\n'))
    expect(all.map(([line]) => line)).toEqual(Array.from({ length: 8000 }, (_, index) => index + 2))
    expect(all[6999]![2]).toBe('19" rack')
  })

  const cases: [what: string, change: (lines: string[]) => void, place: string][] = [
    ['never closed', (lines) => (lines[16] = '17,"Name 17,note'), 'line 17, column 4'],
    [
      'closed by a later quoted value',
      (lines) => {
        lines[16] = '17,"Name 17,note'
        lines[30] = '31,"Name 31",note'
      },
      'line 17, column 4',
    ],
    ['ending in mid-value', (lines) => (lines[16] = '17,ok,"abc"def'), 'line 17, column 7'],
    ['followed by a blank', (lines) => (lines[16] = '17,"abc" ,note'), 'line 17, column 4'],
    ['empty and followed by text', (lines) => (lines[16] = '17,""x,note'), 'line 17, column 4'],
    ['behind embedded line breaks', (lines) => (lines[16] = '17,"two\r\nlines","x"y'), 'line 18, column 8'],
    ['in the header', (lines) => (lines[0] = 'id,"na"me,note'), 'line 1, column 4'],
  ]
  it.each(cases)('%s refuse the file where they opened', async (_what, change, place) => {
    const lines = table(60)
    change(lines)
    const failure = { code: 'INPUT_QUOTE', message: expect.stringContaining(place) as string }
    await expect(read('csv', lines.join('\n'))).rejects.toMatchObject(failure)
    // The same when a stray quote, before it, made the file be read in the other way.
    const stray = [...lines.slice(0, 3), '4,5" disk,note', ...lines.slice(4)]
    await expect(read('csv', stray.join('\n'))).rejects.toMatchObject(failure)
  })

  it('escaped with a backslash refuse the file and say so', async () => {
    for (const row of ['1,"say \\"hi\\" now"', '1,"a \\", b"', '1,"x\\",y"']) {
      await expect(read('csv', `a,b\n${row}\n`)).rejects.toMatchObject({
        code: 'INPUT_QUOTE',
        message: expect.stringContaining('backslash') as string,
      })
    }
    expect(await rows('csv', 'a,b\n1,"C:\\dir\\"\n')).toEqual([[2, '1', 'C:\\dir\\']])
  })

  it('never show what the record holds', async () => {
    const error: unknown = await read('csv', 'a,b\n1,"secret"hidden\n').catch((reason: unknown) => reason)
    expect(String(error)).not.toMatch(/secret|hidden/)
  })

  it('can be another character, or none', async () => {
    expect(await rows('csv', "a,b\n'x, y','it''s'\n", { quote: "'" })).toEqual([[2, 'x, y', "it's"]])
    expect(await rows('csv', 'a,b\n"x,y"\n', { quote: 'none' })).toEqual([[2, '"x', 'y"']])
  })

  it('that swallow too much are told from a record that is just large', async () => {
    const lines = table(2000)
    lines[16] = '17,"Name 17,note'
    await expect(read('csv', lines.join('\n'), { max_record_bytes: 4096 })).rejects.toMatchObject({
      code: 'INPUT_RECORD_TOO_LARGE',
      message: expect.stringContaining('line 17, column 4') as string,
    })
    const large = `a,b\n1,2\n1,${'x'.repeat(5000)}\n`
    await expect(read('csv', large, { max_record_bytes: 4096 })).rejects.toMatchObject({
      code: 'INPUT_RECORD_TOO_LARGE',
      message: expect.stringContaining('line 3 has more than 4096') as string,
    })
  })
})

describe('our own rejects', () => {
  const text = 'Name;Ort;_reason;_file;_line\nMüller;Köln;MAIL_INVALID;x.csv;4\n'

  it('are read as we wrote them, whatever is set', async () => {
    const settings = {
      encoding: 'utf-16le',
      delimiter: ',',
      quote: "'",
      skip_lines: 3,
      skip_footer: 1,
      header: ['x'],
    }
    const { header, items } = await read('csv', text, settings)
    expect(header).toEqual(['Name', 'Ort', '_reason', '_file', '_line'])
    expect(items.map((item) => item.values)).toEqual([['Müller', 'Köln', 'MAIL_INVALID', 'x.csv', '4']])
  })

  it('may have been saved in another encoding by whoever mended them', async () => {
    const { items } = await read('csv', Buffer.from(text, 'latin1'))
    expect(items[0]!.values.slice(0, 2)).toEqual(['Müller', 'Köln'])
  })
})
