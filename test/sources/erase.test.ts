// Erasing from archived files goes through the kind of the source: each brings its own, and none is taken for another.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eraseRecords } from '../../src/sources/erase.ts'
import type { Theirs } from '../../src/core/erasing.ts'
import type { SourceKind } from '../../src/sources/kind.ts'
import { SOURCE_KINDS } from '../../src/sources/registry.ts'

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
