import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { unfinishedUtf8, utf16ByZeros, utf8Fault } from '../../src/sources/text/encoding.ts'
import { read, rows } from './read.ts'

const GERMAN = 'Name;Ort\nJürgen Müller;Köln\nEva Groß;Düsseldorf\n'
const FILLER = Array.from({ length: 60_000 }, (_, index) => `${index};plain\n`).join('')

describe('encoding, found out', () => {
  it.each(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'utf-32le', 'utf-32be'])(
    '%s',
    async (encoding) => {
      const marked = encoding !== 'windows-1252'
      const all = await rows('csv', iconv.encode(GERMAN, encoding, { addBOM: marked }))
      expect(all).toEqual([
        [2, 'Jürgen Müller', 'Köln'],
        [3, 'Eva Groß', 'Düsseldorf'],
      ])
    },
  )

  it.each(['utf-8', 'utf-16le', 'utf-16be'])('%s without a mark', async (encoding) => {
    const { header, items } = await read('csv', iconv.encode(GERMAN, encoding))
    expect(header).toEqual(['Name', 'Ort'])
    expect(items[1]!.values).toEqual(['Eva Groß', 'Düsseldorf'])
  })

  it.each([
    ['windows-1252', 'nom,ville\nHélène Lefèvre,Orléans\nNoël,Sète — 5 €\n'],
    ['windows-1250', 'imię;miasto\nŁukasz Wiśniewski;Łódź\nMałgorzata Dąbrowska;Gdańsk\nŻółć;Kraków\n'],
    ['windows-1251', 'имя;город\nИван Петров;Москва\nАнна Смирнова;Санкт-Петербург\n'],
    ['koi8-r', 'имя;город\nИван Петров;Москва\nАнна Смирнова;Санкт-Петербург\nДмитрий;Новосибирск\n'],
    ['gb18030', '姓名,城市\n王小明,北京\n李丽,上海\n张伟,广州\n'],
    ['euc-kr', '이름,도시\n김철수,서울\n이영희,부산\n'],
    ['windows-1252', 'a,b\n1,Café\n2,Zoé\n'],
  ])('%s', async (encoding, text) => {
    const { header, items } = await read('csv', iconv.encode(text, encoding))
    const expected = text
      .trim()
      .split('\n')
      .map((line) => line.split(/[,;]/))
    expect([header, ...items.map((item) => item.values)]).toEqual(expected)
  })

  it.each(['shift_jis', 'euc-jp'])('refuses %s rather than guess', async (encoding) => {
    const text = '名前,都市\n山田太郎,東京\n佐藤花子,大阪\n'
    await expect(read('csv', iconv.encode(text, encoding))).rejects.toMatchObject({
      code: 'INPUT_ENCODING',
      hint: expect.stringContaining('source.encoding') as string,
    })
    const { items } = await read('csv', iconv.encode(text, encoding), { encoding })
    expect(items).toHaveLength(2)
  })

  it('looks at the whole file before it hands anything on', async () => {
    const text = `id;name\n${FILLER}1;Müller\n`
    const all = await rows('csv', iconv.encode(text, 'windows-1252'))
    expect(all.at(-1)).toEqual([60_002, '1', 'Müller'])
  })

  it('refuses UTF-8 with damaged bytes, naming line and offset, and does not take it for something else', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`id;name\n1;Müller\n${FILLER}2;`),
      Buffer.from([0xfc]),
      Buffer.from('x\n'),
    ])
    await expect(read('csv', bytes)).rejects.toMatchObject({
      code: 'INPUT_ENCODING',
      message: expect.stringContaining(`line 60003, byte offset ${bytes.indexOf(0xfc)}`) as string,
    })
  })

  it('refuses a file that was cut off within a character', async () => {
    const bytes = Buffer.from('id;name\n1;Müller\n2;Bü').subarray(0, -1)
    await expect(read('csv', bytes)).rejects.toThrow(/cut off/)
  })
})

describe('encoding, set', () => {
  it('holds unless there is a byte order mark', async () => {
    const set = { encoding: 'windows-1252' }
    expect((await read('csv', Buffer.from('a\n\u00fc\n', 'latin1'), set)).items[0]!.values).toEqual(['ü'])
    expect((await read('csv', Buffer.from('a\nü\n'), set)).items[0]!.values).toEqual(['Ã¼'])
    expect((await read('csv', Buffer.from('\ufeffa\nü\n'), set)).items[0]!.values).toEqual(['ü'])
  })

  it.each([
    ['utf-8', Buffer.from('a\nb\n\xfcx\n', 'latin1'), 'line 3, byte offset 4'],
    ['windows-1252', Buffer.from('a\nb\n\x81x\n', 'latin1'), 'line 3, byte offset 4'],
    [
      'shift_jis',
      Buffer.concat([iconv.encode('名前\n山田\n', 'shift_jis'), Buffer.from([0xfd, 0x0a])]),
      'line 3, byte offset 10',
    ],
    [
      'utf-16le',
      Buffer.concat([iconv.encode('a\nb\n', 'utf-16le'), Buffer.from([0x00, 0xd8, 0x41, 0x00])]),
      'line 3, byte offset 8',
    ],
  ])('%s: names line and offset of bytes that it does not know', async (encoding, bytes, place) => {
    await expect(read('csv', bytes, { encoding })).rejects.toMatchObject({
      code: 'INPUT_ENCODING',
      message: expect.stringContaining(place) as string,
    })
  })
})

describe('text that was encoded twice', () => {
  const twice = (text: string): string => iconv.decode(Buffer.from(text), 'windows-1252')

  it('is read as it stands, and how often and where it begins is said', async () => {
    const { items, twiceEncoded } = await read('csv', `${FILLER}${twice('1;Müller\n2;Groß\n3;François\n')}`)
    expect(items.at(-3)!.values).toEqual(['1', 'MÃ¼ller'])
    expect(twiceEncoded).toEqual({ places: 3, line: 60_001 })
    const json = await read('json', `[\n{"a": "${twice('é')}"}]`, { columns: ['a'] })
    expect(json.twiceEncoded).toEqual({ places: 1, line: 2 })
  })

  it.each(['Jürgen Müller', 'AMANHÃ, «MANHû e MANHÔ…', 'NÃO', 'SÃ\u00a0X', 'Â£ 5', 'plain'])(
    'is not seen in what is written so: %s',
    async (text) => {
      expect((await read('csv', `a\n${text}\n`)).twiceEncoded).toBeUndefined()
    },
  )
})

describe('what is no text', () => {
  it.each([
    ['Excel', Buffer.from('PK\x03\x04\x14\0', 'latin1')],
    ['old Excel', Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1', 'latin1')],
    ['PDF', Buffer.from('%PDF-1.7\n')],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0])],
    ['PNG', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
    ['NUL byte at offset 5', Buffer.from('a,b\n1\x002,3\n')],
    ['not text', Buffer.from(Array.from({ length: 200 }, (_, index) => 1 + (index % 40)))],
  ])('is refused as %s', async (what, bytes) => {
    await expect(read('csv', bytes)).rejects.toMatchObject({
      code: 'INPUT_BINARY',
      message: expect.stringContaining(what) as string,
    })
  })

  it('is found anywhere in the file', async () => {
    await expect(read('csv', `id;name\n${FILLER}\0`, { encoding: 'windows-1252' })).rejects.toMatchObject({
      code: 'INPUT_BINARY',
    })
  })
})

describe('utf8Fault', () => {
  it('passes over replacement characters that the text itself holds', () => {
    const good = Buffer.from('ü\ufffd€')
    expect(utf8Fault(good)).toBeUndefined()
    expect(utf8Fault(Buffer.concat([good, Buffer.from([0xe4, 0x62])]))).toMatchObject({ offset: good.length })
  })
})

describe('unfinishedUtf8', () => {
  it('counts the bytes of a character that goes on', () => {
    const bytes = Buffer.from('aü€😀')
    const counts = Array.from({ length: bytes.length + 1 }, (_, end) =>
      unfinishedUtf8(bytes.subarray(0, end)),
    )
    expect(counts).toEqual([0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0])
  })
})

describe('utf16ByZeros', () => {
  it('needs NUL bytes on one side only', () => {
    expect(utf16ByZeros(Buffer.from('plain text'))).toBeUndefined()
    expect(utf16ByZeros(Buffer.alloc(100))).toBeUndefined()
  })
})
