// What the columns of a vCard mean, in all three versions and as programs really write them; a bad card costs one record.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { read, rows } from '../read.ts'

const card = (...lines: string[]): string => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n')

/** The values of one card in these columns. */
async function values(columns: string[], ...lines: string[]): Promise<readonly string[]> {
  const [first = []] = await rows('vcard', card(...lines), { columns })
  return first.slice(1).map(String)
}

describe('a column', () => {
  const lines = [
    'VERSION:3.0',
    'N:Doe;John;Philip,Paul;Dr.;Jr.',
    'FN:Dr. John Doe',
    'item1.EMAIL;type=INTERNET:other@example.org',
    'item1.X-ABLabel:_$!<Other>!$_',
    'EMAIL;TYPE=INTERNET,WORK:work@example.org',
    'EMAIL;TYPE="home,pref":best@example.org',
    'TEL;TYPE=WORK;TYPE=VOICE:1',
    'TEL;TYPE=CELL:2',
    'TEL;TYPE=HOME,CELL:',
    'TEL;TYPE=home,cell:3',
    'ADR;TYPE=HOME:;2nd floor;1 High St.\\, rear;Town;State;12345;Germany',
    'ORG:Ash, Birch\\; Co;Sales;East',
    'NOTE:one\\ntwo\\, three\\\\n',
    'CATEGORIES:a,b c',
    'X-Team:red',
  ]
  it.each([
    ['FN', 'Dr. John Doe'],
    ['fn', 'Dr. John Doe'],
    ['N.family', 'Doe'],
    ['N.given', 'John'],
    ['N.additional', 'Philip Paul'],
    ['N.prefix', 'Dr.'],
    ['N.suffix', 'Jr.'],
    ['EMAIL', 'best@example.org'],
    ['EMAIL#2', 'other@example.org'],
    ['EMAIL#3', 'work@example.org'],
    ['EMAIL#4', ''],
    ['EMAIL;TYPE=WORK', 'work@example.org'],
    ['EMAIL;TYPE=OTHER', 'other@example.org'],
    ['TEL;TYPE=CELL', '2'],
    ['TEL;TYPE=CELL#2', '3'],
    ['TEL;TYPE=CELL,HOME', '3'],
    ['TEL;TYPE=CELL;TYPE=HOME', '3'],
    ['TEL;TYPE=FAX', ''],
    ['ADR;TYPE=HOME.street', '1 High St., rear'],
    ['ADR.extended', '2nd floor'],
    ['ADR.city', 'Town'],
    ['ADR.state', 'State'],
    ['ADR.code', '12345'],
    ['ADR.country', 'Germany'],
    ['ADR#2.city', ''],
    ['ORG', 'Ash, Birch; Co'],
    ['ORG.unit', 'Sales, East'],
    ['NOTE', 'one\ntwo, three\\n'],
    ['CATEGORIES', 'a,b c'],
    ['X-Team', 'red'],
    ['VERSION', '3.0'],
  ])('%s', async (column, value) => {
    expect(await values([column], ...lines)).toEqual([value])
  })

  it.each([
    ['E-Mail', /column "E-Mail" is no property of a vCard; .*"EMAIL"/],
    ['N', /"N" is no property/],
    ['ADR', /"ADR" is no property/],
    ['N.first', /"N\.first"/],
    ['EMAIL#0', /"EMAIL#0"/],
    ['FN.given', /"FN\.given"/],
    ['__proto__', /"__proto__"/],
    ['constructor', /"constructor"/],
  ])('%s is refused', async (column, sentence) => {
    const refused = read('vcard', card(...lines), { columns: [column] })
    await expect(refused).rejects.toMatchObject({
      code: 'INPUT_COLUMN_MISSING',
      message: expect.stringMatching(sentence) as string,
    })
  })

  it('that is optional is in the header only where some card has it', async () => {
    const asked = { columns: ['FN', 'BDAY', 'TITLE'], optional: ['BDAY', 'TITLE'] }
    const text = card('VERSION:3.0', 'FN:a') + card('VERSION:3.0', 'FN:b', 'TITLE:c')
    expect(await read('vcard', text, asked)).toMatchObject({ header: ['FN', 'TITLE'] })
  })
})

describe('a value', () => {
  it.each([
    ['a folded line of 3.0', 'NOTE', 'a b', ['VERSION:3.0', 'NOTE:a', '  b']],
    ['a folded line of 2.1, whose blank is one', 'NOTE', 'a b', ['VERSION:2.1', 'NOTE:a', ' b']],
    [
      'soft line breaks',
      'FN',
      'Jörg Müller',
      ['VERSION:2.1', 'FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg M=', '=C3=BCller'],
    ],
    [
      'a blank behind a soft line break',
      'FN',
      'José María',
      ['VERSION:2.1', 'FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Jos=C3=A9=', ' Mar=C3=ADa', 'TEL:1'],
    ],
    [
      'a blank behind one of several soft line breaks',
      'FN',
      'José María López',
      ['VERSION:2.1', 'FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Jos=C3=A9=', ' Mar=', '=C3=ADa L=C3=B3pez'],
    ],
    [
      'lines folded behind each soft line break',
      'FN',
      'José María López',
      [
        'VERSION:2.1',
        'FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Jos=C3=A9=',
        '  Mar=C3=ADa L=',
        ' =C3=B3pez',
      ],
    ],
    [
      'a line folded behind a soft line break, with encoded blanks',
      'FN',
      'José María López',
      ['VERSION:2.1', 'FN;CHARSET=UTF-8;QUOTED-PRINTABLE:Jos=C3=A9=20Mar=C3=AD=', ' a=20L=C3=B3pez', ''],
    ],
    [
      'a soft line break before the end',
      'FN',
      'Jörg',
      ['VERSION:2.1', 'FN;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:J=C3=B6rg=', '', 'TEL:1'],
    ],
    ['a short name of it', 'FN', 'Jörg', ['VERSION:3.0', 'FN;CHARSET=UTF-8;ENCODING=Q:J=C3=B6rg']],
    [
      'a text in base64',
      'N.family',
      'Müller',
      ['VERSION:2.1', 'N;CHARSET=UTF-8;ENCODING=BASE64:TcO8bGxl', ' cjtKw7ZyZw==', '', 'TEL:1'],
    ],
    ['another charset', 'FN', 'Jörg', ['VERSION:2.1', 'FN;CHARSET=ISO-8859-1;QUOTED-PRINTABLE:J=F6rg']],
    [
      'Japanese',
      'FN',
      '山田',
      ['VERSION:2.1', 'FN;CHARSET=SHIFT_JIS;ENCODING=QUOTED-PRINTABLE:=8E=52=93=63'],
    ],
    [
      'line breaks of an address',
      'ADR.street',
      '1 High St.\nrear',
      ['VERSION:2.1', 'ADR;HOME;ENCODING=QUOTED-PRINTABLE:;;1 High St.=0Arear;Town;;;'],
    ],
    ['a comma of 2.1, which parts nothing', 'N.given', 'Anna, Maria', ['VERSION:2.1', 'N:Doe;Anna, Maria']],
    ['types of 2.1', 'TEL;TYPE=CELL;TYPE=WORK', '2', ['VERSION:2.1', 'TEL;WORK:1', 'TEL;WORK;CELL:2']],
    ['the preferred one of 2.1', 'EMAIL', 'b@x.org', ['VERSION:2.1', 'EMAIL:a@x.org', 'EMAIL;PREF:b@x.org']],
    [
      'the preferred one of 4.0',
      'EMAIL',
      'c@x.org',
      ['VERSION:4.0', 'EMAIL;PREF=2:b@x.org', 'EMAIL:a@x.org', 'EMAIL;PREF=1:c@x.org'],
    ],
    [
      'a telephone as an address',
      'TEL',
      '+49-30-1',
      ['VERSION:4.0', 'TEL;VALUE=uri;TYPE="voice,home":tel:+49-30-1'],
    ],
    ['a parameter with a colon', 'ADR.city', 'Town', ['VERSION:4.0', 'ADR;LABEL="a: b; c":;;;Town;;;']],
    ['a day', 'BDAY', '1980-02-10', ['VERSION:4.0', 'BDAY:19800210']],
    ['a midnight', 'BDAY', '1980-02-10', ['VERSION:3.0', 'BDAY;VALUE=date-time:1980-02-10T00:00:00Z']],
    ['a day and a time', 'BDAY', '1953-10-15T23:10:00Z', ['VERSION:4.0', 'BDAY:19531015T231000Z']],
    ['a time with a zone', 'BDAY', '1953-10-15T23:10:00-0500', ['VERSION:4.0', 'BDAY:19531015T2310-0500']],
    ['a day without a year', 'BDAY', '--02-10', ['VERSION:4.0', 'BDAY:--0210']],
    ['a year that is left out', 'BDAY', '--02-10', ['VERSION:3.0', 'BDAY;X-APPLE-OMIT-YEAR=1604:1604-02-10']],
    [
      'a picture is passed over',
      'TEL',
      '1',
      ['VERSION:2.1', 'PHOTO;ENCODING=BASE64;JPEG:AAAA', ' BBBB', '', 'TEL:1'],
    ],
    [
      'a picture that is not folded',
      'TEL',
      '1',
      ['VERSION:2.1', 'PHOTO;BASE64:AAAA', 'BBBB', 'CC==', 'TEL:1'],
    ],
    [
      'bytes that are no text, of a property that nobody reads',
      'FN',
      'Ann',
      ['VERSION:2.1', 'ORG;ENCODING=QUOTED-PRINTABLE:J=F6rg', 'FN:Ann'],
    ],
    ['lines that end with CR CR LF', 'NOTE', 'ab', ['', 'VERSION:3.0', '', 'NOTE:a', '', ' b', '', 'FN:x']],
    [
      'a card within a card is passed over',
      'FN',
      'Boss',
      ['VERSION:2.1', 'AGENT:', 'BEGIN:VCARD', 'FN:Agent', 'END:VCARD', 'FN:Boss'],
    ],
  ])('%s', async (_what, column, value, lines) => {
    expect(await values([column], ...lines)).toEqual([value])
  })
})

/** A line folded after so many bytes, whatever they are a part of. */
function foldedBytes(line: string, width: number): Buffer {
  const bytes = Buffer.from(line)
  const pieces = Array.from({ length: Math.ceil(bytes.length / width) }, (_, index) =>
    bytes.subarray(index * width, (index + 1) * width),
  )
  return Buffer.concat(
    pieces.flatMap((piece, index) => (index === 0 ? piece : [Buffer.from('\r\n '), piece])),
  )
}

const cardOf = (version: string, line: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`BEGIN:VCARD\r\nVERSION:${version}\r\n`),
    line,
    Buffer.from('\r\nEND:VCARD\r\n'),
  ])

describe('lines that are folded after so many bytes', () => {
  it('are read whole, wherever folds and parts of the file fall', async () => {
    const widths = fc.integer({ min: 8, max: 75 })
    // A part of the file ends near the text.
    const before = fc.oneof(fc.constant(0), fc.integer({ min: 31_000, max: 33_000 }))
    const letters = fc.string({
      unit: fc.constantFrom('a', 'ä', '語', '😀', ' '),
      minLength: 1,
      maxLength: 400,
    })
    await fc.assert(
      fc.asyncProperty(widths, before, letters, async (width, count, text) => {
        const note = `${'x'.repeat(count)}${text.trim()}.`
        const file = cardOf('3.0', foldedBytes(`NOTE:${note}`, width))
        expect(await rows('vcard', file, { columns: ['NOTE'] })).toEqual([[1, note]])
      }),
      { numRuns: 60 },
    )
  })

  it('keep the lines of the cards after them', async () => {
    const first = cardOf('3.0', foldedBytes(`NOTE:${'ä'.repeat(60)}`, 20))
    const breaks = first.toString('latin1').split('\n').length - 1
    const { items } = await read('vcard', Buffer.concat([first, Buffer.from(card('FN:'))]), {
      columns: ['FN'],
    })
    expect(items).toMatchObject([{ line: 1 }, { line: breaks + 1 }])
  })

  it('are refused in version 2.1, where the blank of a fold is one of the text', async () => {
    const file = cardOf('2.1', foldedBytes(`NOTE:${'ä'.repeat(60)}`, 20))
    await expect(read('vcard', file, { columns: ['NOTE'] })).rejects.toMatchObject({ code: 'INPUT_ENCODING' })
  })

  it('are left where the bytes are of another encoding', async () => {
    const file = cardOf('3.0', Buffer.from('NOTE:Gr\xfc\xdfe aus M\xfcnchen\r\n  und K\xf6ln', 'latin1'))
    expect(await rows('vcard', file, { columns: ['NOTE'] })).toEqual([[1, 'Grüße aus München und Köln']])
  })
})

describe('a bad card', () => {
  const good = card('VERSION:3.0', 'FN:Good')
  it.each([
    ['without a colon', card('VERSION:3.0', 'FN:x', 'rubbish'), 'Line 8 cannot be read'],
    ['with a quote that is not closed', card('VERSION:3.0', 'TEL;TYPE="x:1'), 'Line 7 cannot be read'],
    [
      'of an unknown charset',
      card('VERSION:2.1', 'FN;CHARSET=NOPE;ENCODING=QUOTED-PRINTABLE:=41'),
      'charset is not known',
    ],
    ['of bytes that are no text', card('VERSION:2.1', 'FN;ENCODING=QUOTED-PRINTABLE:J=F6rg'), 'no UTF-8'],
    [
      'of a picture where a text should be',
      card('VERSION:3.0', 'FN;ENCODING=b:/9j/4AAQSkZJRg=='),
      'Line 7 cannot be read: its bytes are no UTF-8',
    ],
    [
      'whose text runs into the next property',
      card('VERSION:2.1', 'FN;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg=', 'TEL;CELL:+491711234567'),
      'Line 7 cannot be read: it ends with = as if',
    ],
    ['without its end', 'BEGIN:VCARD\r\nFN:x\r\n', 'no END:VCARD'],
    ['without its beginning', 'BEGIN:VCAR\r\nFN:x\r\nEND:VCARD\r\n', 'no BEGIN:VCARD'],
  ])('%s is one reject with its line, and the others are read', async (_what, bad, why) => {
    const { items } = await read('vcard', good + bad + good, { columns: ['FN'] })
    expect(items).toMatchObject([
      { kind: 'record', line: 1, values: ['Good'] },
      { kind: 'defect', code: 'RECORD_NOT_A_CARD', line: 5 },
      { kind: 'record', values: ['Good'] },
    ])
    const [, defect] = items
    expect(defect?.kind === 'defect' && defect.message).toContain(why)
  })

  it('tells a file without any card, and one that was cut off', async () => {
    await expect(read('vcard', 'id;name\n1;Ann\n', { columns: ['FN'] })).rejects.toMatchObject({
      code: 'INPUT_VCARD',
    })
    await expect(read('vcard', good + 'BEGIN:VCARD\nFN:x', { columns: ['FN'] })).rejects.toThrow(
      /ends within the card of line 5: it was cut off/,
    )
  })
})
