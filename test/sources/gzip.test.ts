// Packed files are read as what they hold; what cannot be unpacked as a whole is refused before any record is taken.
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { archivedName } from '../../src/sources/file-name.ts'
import { read, rows } from './read.ts'

const CSV = 'id,mail\n1,ann@example.org\n2,Jörg@example.org\n'
const CARD = 'BEGIN:VCARD\nVERSION:3.0\nUID:1\nEMAIL:ann@example.org\nEND:VCARD\n'

describe('a packed file', () => {
  it.each([
    ['csv', CSV, ['id', 'mail']],
    ['json', '[{"id":"1","mail":"ann@example.org"}]', ['id', 'mail']],
    ['vcard', CARD, ['UID', 'EMAIL']],
  ])('of the kind %s gives what the file itself gives', async (kind, text, columns) => {
    const plain = await rows(kind, text, { columns })
    expect(plain[0]).toContain('ann@example.org')
    expect(await rows(kind, gzipSync(text), { columns, name: 'a.x.gz' })).toEqual(plain)
  })

  it('may be of several pieces, and in an encoding that has to be found', async () => {
    const [head, tail] = ['id,mail\n1,Müller', ' Straße,\n'].map((text) =>
      gzipSync(Buffer.from(text, 'latin1')),
    )
    const packed = Buffer.concat([head!, tail!])
    expect(await rows('csv', packed, { name: 'a.csv.gz', ragged: 'pad', encoding: 'windows-1252' })).toEqual(
      await rows('csv', Buffer.from('id,mail\n1,Müller Straße,\n', 'latin1'), {
        ragged: 'pad',
        encoding: 'windows-1252',
      }),
    )
  })

  it('may be filled up with zeros', async () => {
    const filled = Buffer.concat([gzipSync(CSV), Buffer.alloc(100_000)])
    expect(await rows('csv', filled, { name: 'a.csv.gz' })).toEqual(await rows('csv', CSV))
  })

  it('that is large reads the same, though it is gone through several times', async () => {
    const text = `id,mail\n${Array.from({ length: 40_000 }, (_, index) => `${index},m${index}@example.org`).join('\n')}\n`
    const packed = await read('csv', gzipSync(text), { name: 'a.csv.gz' })
    expect(packed.items).toEqual((await read('csv', text)).items)
  })

  const whole = gzipSync(CSV)
  const damaged = Buffer.from(whole)
  damaged[whole.length - 6]! ^= 0xff
  it.each([
    ['was cut off', whole.subarray(0, -12), /ends within its packed bytes: it was cut off/],
    ['is damaged', damaged, /a\.csv\.gz is damaged/],
    [
      'has more behind its padding',
      Buffer.concat([whole, Buffer.alloc(512), gzipSync('3,bo@example.org\n')]),
      /has more behind the end of its packed bytes/,
    ],
    ['is not packed', Buffer.from(CSV), /a\.csv\.gz is not packed with gzip$/],
    ['is another archive', Buffer.from('PK\x03\x04abc'), /not packed with gzip: it looks like a ZIP archive/],
    [
      'unpacks to far too much',
      gzipSync(Buffer.alloc(70 * 1024 ** 2, 'a')),
      /unpacks to more bytes than are taken/,
    ],
  ])('that %s is refused as a whole', async (_what, content, sentence) => {
    await expect(read('csv', content, { name: 'a.csv.gz' })).rejects.toMatchObject({
      code: 'INPUT_GZIP',
      message: expect.stringMatching(sentence) as string,
    })
  })
})

it.each([
  ['a.csv.gz', 'a.r.csv.gz'],
  ['a.CSV.GZ', 'a.r.CSV.GZ'],
  ['a.gz', 'a.r.gz'],
  ['.gz', '.gz.r'],
  ['a.b.csv', 'a.b.r.csv'],
])('%s is archived as %s', (name, archived) => {
  expect(archivedName(Buffer.from(name), 'r').toString()).toBe(archived)
})
