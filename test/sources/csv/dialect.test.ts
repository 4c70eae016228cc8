import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dialectOf, likelyDelimiter, ownRejectsDelimiter } from '../../../src/sources/csv/dialect.ts'
import { likelyQuote } from '../../../src/sources/csv/likely-quote.ts'
import { csvOptions } from '../../../src/sources/csv/options.ts'

describe('likelyDelimiter', () => {
  it.each([
    ['comma', ',', 'a,b,c\n1,2,3\n'],
    ['semicolon', ';', 'a;b;c\n1;2;3\n'],
    ['tab', '\t', 'a\tb\n1\t2\n'],
    ['pipe', '|', 'a|b\n1|2\n'],
    ['one column', ',', 'mail\na@example.org\nb@example.org\n'],
    ['only a header', ';', 'a;b;c'],
    ['decimal commas', ';', 'name;price\nx;1,5\ny;2,5\nz;3,0\n'],
    ['commas in quotes', ';', '"a, b";"c, d"\n"1, 2";"3, 4"\n'],
    ['semicolons in quotes', ',', 'a,b\n"1;2;3",x\n"1;2;3",y\n'],
    [
      'a comma in the header and in every row',
      ';',
      'Name, Vorname;Mail\nMeier, Eva;a@example.org\nHuber, Max;b@example.org\n',
    ],
    ['ragged rows', ',', 'a,b,c,d\n1,2,3\n1,2,3\n1,2,3,4\n'],
    ['line breaks in quotes', ';', 'a;b\n"1,\n2,\n3,";x\n"1,\n2,\n3,";y\n'],
    ['an apostrophe and a lone quote', ';', 'a;b\nO\'Neil;5" disk\nx;y\n'],
    ['a list in one column', ';', 'mail;tags;n\na@example.org;x,y,z;1\nb@example.org;x,y,z;2\n'],
  ])('finds it with %s', (_what, delimiter, sample) => {
    expect(likelyDelimiter(sample, '"')).toBe(delimiter)
  })

  it('is not misled by a sample that ends anywhere', () => {
    const sample = 'id;name;note\n1;"Eva, Max";"a, b, c"\n2;"Eva, Max";"a, b, c"\n3;x;y\n'
    for (let end = 8; end <= sample.length; end += 1) {
      expect(likelyDelimiter(sample.slice(0, end), '"'), sample.slice(0, end)).toBe(';')
    }
  })
})

describe('likelyQuote', () => {
  it.each([
    ['all values, and a comma within', "'Name','Ort'\n'Nea','Berg, Ober'\n'Bo','Wien'\n"],
    ['a header without, and a line break within', "Name;Ort\n'Nea';'Berg\nOber'\n'Bo';'Wien'\n"],
    ['names with an apostrophe, doubled', "'Name';'Ort'\n'O''Brien; Nea';'Berg'\n'Bo';'Wien'\n"],
    ['blanks beside them', "Name,Ort,Tel\n'Nea','Berg, Ober',\n'Bo','Wien',\n"],
  ])("is ' where the sample leaves no doubt: %s", (_what, sample) => {
    expect(likelyQuote(sample)).toBe("'")
  })

  it.each([
    ['names', "Name,Ort\nO'Brien,Berg\n't Hooft,Wien\nRock 'n' Roll,L'Aquila\n"],
    ['values in it that need none', "'Name','Ort'\n'Nea','Berg'\n'Bo','Wien'\n"],
    ['one column of several', "Name,Ort,Rufname\nNea,Berg,'Ne, a'\nBo,Wien,'B'\n"],
    ['values within quotes', '"Name","Ort"\n"\'Nea\'","\'Berg, Ober\'"\n"\'Bo\'","\'Wien\'"\n'],
    ['numbers kept as text', "Nr,Ort,Tel\n'01,'02,'03\n'04,'05,'06\n"],
    ['one row', "'Name','Ort'\n'Nea','Berg, Ober'\n"],
    ['nothing', ''],
  ])('is " for %s', (_what, sample) => {
    expect(likelyQuote(sample)).toBe('"')
  })

  const cell = fc.oneof(
    fc.constantFrom(
      "O'Brien",
      "'t Hooft",
      "d'Arc",
      "Rock 'n' Roll",
      "'0123",
      "'Nea'",
      'Berg, Ober',
      '',
      "''",
    ),
    fc.string({ unit: fc.constantFrom('a', "'", ',', ';', ' ', '"', '1', 'ü'), maxLength: 8 }),
  )

  it('is never taken for it in a file that is written as usual', () => {
    fc.assert(
      fc.property(
        fc
          .integer({ min: 2, max: 4 })
          .chain((width) =>
            fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 12 }),
          ),
        fc.constantFrom(',', ';', '\t', '|'),
        (rows, delimiter) => {
          const written = (value: string): string =>
            value.includes(delimiter) || value.includes('"') ? `"${value.replaceAll('"', '""')}"` : value
          const text = rows.map((row) => `${row.map(written).join(delimiter)}\n`).join('')
          expect(likelyQuote(text)).toBe('"')
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('dialectOf', () => {
  const options = (own: { skip_lines?: number; [option: string]: unknown }) => ({
    ...csvOptions.parse({ folder: '/x', ...own }),
    skip_lines: own.skip_lines ?? 0,
  })

  it('takes the settings where there are any', () => {
    expect(
      dialectOf('a,b\n', options({ delimiter: 'tab', quote: 'none', skip_footer: 2, header: ['x'] })),
    ).toEqual({
      delimiter: '\t',
      quote: undefined,
      skipLines: 0,
      skipFooter: 2,
      header: ['x'],
    })
  })

  it('looks behind the lines before the header', () => {
    expect(dialectOf('a,b,c,d\r\ne,f,g,h\r\nx;y\r\n1;2\r\n', options({ skip_lines: 2 })).delimiter).toBe(';')
  })

  it('knows the line in which Excel names the delimiter', () => {
    expect(dialectOf('sep=|\r\na,b|c\r\n', options({}))).toMatchObject({ delimiter: '|', skipLines: 1 })
  })
})

describe('ownRejectsDelimiter', () => {
  it.each([
    [';', 'a;b;_reason;_file;_line\n1;2;x;y;3\n'],
    ['\t', 'a\t_reason\t_file\t_line\r\n'],
    [',', '"a\nb","c, d",_reason,_file,_line'],
    [undefined, 'a,b\n1,_reason,_file,_line\n'],
    [undefined, 'a;_reason,_file,_line\nx'.replace(',', ';')],
    [undefined, ''],
  ])('is %j', (delimiter, head) => {
    expect(ownRejectsDelimiter(head)).toBe(delimiter)
  })
})
