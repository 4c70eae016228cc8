// Erasing from archived files goes through the kind of the source: each brings its own, and none is taken for another.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eraseRecords } from '../../src/sources/erase.ts'
import type { Theirs } from '../../src/core/erasing.ts'
import type { SourceKind } from '../../src/sources/kind.ts'
import { SOURCE_KINDS } from '../../src/sources/registry.ts'
import { partsOf, workbook } from '../support/workbook.ts'
import { read, rows } from './read.ts'

const MAIL = 'ann@example.org'
const theirs: Theirs = {
  columns: ['mail'],
  ofRecord: (_header, values) => (values.includes(MAIL) ? 'surely' : undefined),
  ofLine: (text) => (text.includes(MAIL) ? 'surely' : undefined),
  isNamed: (text) => text.includes(MAIL),
  withoutQuotes: (text) => (text.includes(MAIL) ? '[erased]' : text),
}

describe('eraseRecords', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'erase-'))
    mkdirSync(join(folder, 'processed'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const settingsOf = (type: string) => ({
    type,
    null_values: [],
    ...SOURCE_KINDS[type]?.schema.parse({ folder }),
    folder,
  })
  const put = (name: string, text: string): void => writeFileSync(join(folder, 'processed', name), text)
  const left = (name: string): string => readFileSync(join(folder, 'processed', name), 'utf8')

  it.each([
    ['csv', 'a.csv', `mail,n\n${MAIL},1\nbob@example.org,2\n`, 'mail,n\n\nbob@example.org,2\n'],
    ['json', 'a.jsonl', `{"mail":"${MAIL}"}\n{"mail":"bob"}\n`, '\n{"mail":"bob"}\n'],
    ['json', 'a.r.rejects.csv', `mail,_reason,_file,_line\n${MAIL},r,f,1\n`, 'mail,_reason,_file,_line\n\n'],
  ])('reads the files of a %s source (%s) as its kind does', async (type, name, text, after) => {
    put(name, text)
    const { changed } = await eraseRecords(settingsOf(type), theirs)
    expect(changed).toEqual([{ file: join('processed', name), records: 1 }])
    expect(left(name)).toBe(after)
  })

  const CARDS = `BEGIN:VCARD\nEMAIL:${MAIL}\nEND:VCARD\nBEGIN:VCARD\nEMAIL:bob\nEND:VCARD\n`
  it.each([
    ['csv', 'a.csv.gz', `mail,n\n${MAIL},1\nbob,2\n`, 'mail,n\n\nbob,2\n'],
    ['json', 'a.jsonl.gz', `{"mail":"${MAIL}"}\n{"mail":"bob"}\n`, '\n{"mail":"bob"}\n'],
    ['vcard', 'a.vcf.gz', CARDS, '\n\n\nBEGIN:VCARD\nEMAIL:bob\nEND:VCARD\n'],
    // No records of its kind: it is searched by lines.
    ['csv', 'b.csv.gz', `mail,n\n"${MAIL},1\nbob,2\n`, 'mail,n\n\nbob,2\n'],
  ])('packs a packed file again (%s, %s)', async (type, name, text, after) => {
    writeFileSync(join(folder, 'processed', name), gzipSync(text))
    const asked = type === 'vcard' ? { ...theirs, columns: ['EMAIL'] } : theirs
    const { changed } = await eraseRecords(settingsOf(type), asked)
    expect(changed).toEqual([{ file: join('processed', name), records: 1 }])
    expect(gunzipSync(readFileSync(join(folder, 'processed', name))).toString()).toBe(after)
  })

  it('takes cards out of a file of vCards, encoded names among them', async () => {
    put('a.vcf', `BEGIN:VCARD\nFN;ENCODING=QUOTED-PRINTABLE:a=6En@example.o=\nrg\nEND:VCARD\n${CARDS}`)
    const asked: Theirs = {
      ...theirs,
      columns: ['EMAIL'],
      ofRecord: (_header, _values, text = '') => (text.includes(MAIL) ? 'surely' : undefined),
    }
    expect(await eraseRecords(settingsOf('vcard'), asked)).toMatchObject({ changed: [{ records: 2 }] })
    expect(left('a.vcf')).toBe(`${'\n'.repeat(7)}BEGIN:VCARD\nEMAIL:bob\nEND:VCARD\n`)
  })

  it('writes a workbook anew without the rows of the person, wherever they are named', async () => {
    const sheets = [
      {
        name: 'People',
        rows: [
          ['mail', 'n'],
          [MAIL, '1'],
          ['bob', '2'],
          ['', '', MAIL],
        ],
      },
      { name: 'Notes', rows: [[MAIL]] },
    ]
    const book = workbook({
      sheets,
      sharedStrings: `<si><t>${MAIL}</t></si>`,
      parts: { 'xl/comments1.xml': MAIL },
    })
    writeFileSync(join(folder, 'processed', 'a.xlsx'), book)
    expect(await eraseRecords(settingsOf('excel'), theirs)).toMatchObject({
      changed: [{ records: 2 }],
      left: [],
    })
    const after = readFileSync(join(folder, 'processed', 'a.xlsx'))
    expect(await rows('excel', after)).toEqual([[3, 'bob', '2']])
    expect(await eraseRecords(settingsOf('excel'), theirs)).toMatchObject({ changed: [], left: [] })
    expect(partsOf(after).join('')).not.toContain(MAIL)
    await expect(read('excel', after, { sheet: 'Notes' })).rejects.toThrow(/no header and no record/)
  })

  it('asks a kind that is neither csv nor json for its own way', async () => {
    const asked: string[] = []
    const vcard: SourceKind = {
      ...SOURCE_KINDS['csv']!,
      find: (file, options) => {
        asked.push(`${file.name} ${JSON.stringify(options)}`)
        return Promise.resolve({ records: 1, uncertain: [], content: () => Readable.from([]) })
      },
    }
    put('a.vcf', `BEGIN:VCARD\nEMAIL:${MAIL}\nEND:VCARD\n`)
    const settings = { type: 'vcard', null_values: [], folder, charset: 'utf-8' }
    const { changed } = await eraseRecords(settings, theirs, { ...SOURCE_KINDS, vcard })
    expect(asked).toEqual([`a.vcf ${JSON.stringify({ folder, charset: 'utf-8' })}`])
    expect(changed).toEqual([{ file: join('processed', 'a.vcf'), records: 1 }])
  })
})
