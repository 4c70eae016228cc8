import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, matchesGlob } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RejectRow, Source } from '../../../src/core/ports.ts'
import { isWanted } from '../../../src/sources/folder/folder-listing.ts'
import { createSource, SOURCE_KINDS } from '../../../src/sources/registry.ts'
import { codeOf, readAll, rejectRows, stillClock } from '../../contracts/source.ts'

const isRoot = process.getuid?.() === 0
const OTHER_DEVICE = '/dev/shm'
const hasOtherDevice = existsSync(OTHER_DEVICE) && statSync(OTHER_DEVICE).dev !== statSync(tmpdir()).dev

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drop-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const sourceOf = (type: string, options: object = {}): Source => {
  const checked = SOURCE_KINDS[type]!.schema.parse({ folder, settle: '0s', ...options })
  return createSource({ type, null_values: [], ...checked }, { clock: stillClock(0) })
}
const drop = (name: string, text: string): void => writeFileSync(join(folder, name), text)
const only = async (source: Source) => {
  const { ready } = await source.list({ wait: false })
  expect(ready).toHaveLength(1)
  return ready[0]!
}
const to = { folder: 'processed', runId: 'r' } as const

describe('isWanted', () => {
  it.each([
    ['a.csv', ['*.csv'], true],
    ['a.CSV', ['*.csv'], true],
    ['a.csv', ['*.CSV'], true],
    ['A.csv', ['a.csv'], false],
    ['a.txt', ['*.csv'], false],
    ['a.txt', ['*.csv', '*.txt'], true],
    ['a.csv', ['*.{csv,txt}'], true],
    ['Kunden_2024.Csv', ['Kunden_*'], true],
    ['a.csv.tmp', ['*'], false],
    ['a.csv.PART', ['*'], false],
    ['a.csv~', ['*'], false],
    ['.a.csv', ['*'], false],
    ['~$a.xlsx', ['*.xlsx'], false],
    ['~a.csv', ['*'], true],
    ['a', ['*'], true],
  ])('%s for %j: %s', (name, patterns, wanted) => {
    expect(isWanted(name, patterns)).toBe(wanted)
  })

  it('means by a star and an ending what Node means by it', () => {
    const ending = fc.constantFrom('.csv', '.csv.gz', '.rejects.csv', '.v2')
    const stem = fc.stringMatching(/^[^./\0][^/\0]{0,9}$/).filter((name) => !name.startsWith('~$'))
    fc.assert(
      fc.property(stem, ending, ending, (name, own, asked) => {
        expect(isWanted(`${name}${own}`, [`*${asked}`])).toBe(matchesGlob(`${name}${own}`, `*${asked}`))
      }),
    )
  })
})

describe('listing', () => {
  it('says that it is a file, where one has its name', async () => {
    drop('a.csv', 'mail\n')
    const source = sourceOf('csv', { folder: join(folder, 'a.csv') })
    await expect(source.list({ wait: false })).rejects.toThrow('a.csv is a file, and no folder')
  })

  it("does not speak of subfolders that are nobody's file", async () => {
    mkdirSync(join(folder, 'archive'))
    expect((await sourceOf('csv', { files: '*' }).list({ wait: false })).refused).toEqual([])
  })

  it.runIf(isRoot)('reports a device', async () => {
    execFileSync('mknod', [join(folder, 'x.csv'), 'c', '1', '3'])
    const { refused } = await sourceOf('csv').list({ wait: false })
    expect(refused[0]!.error.message).toContain('a device')
  })

  it.skipIf(isRoot)('says that a folder or a file may not be read', async () => {
    drop('x.csv', 'a\n1\n')
    const source = sourceOf('csv')
    const input = await only(source)
    chmodSync(join(folder, 'x.csv'), 0)
    expect(await codeOf(readAll(source, input))).toBe('INPUT_UNREADABLE')
    chmodSync(folder, 0)
    expect(await codeOf(source.list({ wait: false }))).toBe('INPUT_UNREADABLE')
    chmodSync(folder, 0o500)
    expect(await codeOf(source.archive(input, to))).toBe('ARCHIVE_FAILED')
    chmodSync(folder, 0o700)
  })

  it('has no file that waits where the folder cannot be looked into', async () => {
    drop('x.csv', 'a\n1\n')
    const source = sourceOf('csv')
    const input = await only(source)
    rmSync(folder, { recursive: true })
    symlinkSync(folder, folder)
    expect(await source.isWaiting(input)).toBe(false)
    expect(await codeOf(source.list({ wait: false }))).toBe('INPUT_UNREADABLE')
  })

  it('takes no name from anywhere else', async () => {
    drop('x.csv', 'a\n1\n')
    const source = sourceOf('csv')
    const input = { ...(await only(source)), name: '..\\x2fx.csv' }
    expect(await source.isWaiting(input)).toBe(false)
    expect(await source.archive(input, to)).toBe(false)
    expect(await codeOf(source.open(input, { columns: [] }))).toBe('INPUT_CHANGED')
  })
})

describe('putting away', () => {
  it.runIf(hasOtherDevice)('copies where the archive is on another device', async () => {
    const elsewhere = mkdtempSync(join(OTHER_DEVICE, 'drop-'))
    try {
      symlinkSync(elsewhere, join(folder, 'processed'))
      drop('x.csv', 'a\n1\n')
      const source = sourceOf('csv')
      const input = await only(source)
      expect(await source.archive(input, to)).toBe(true)
      expect(readdirSync(folder)).toEqual(['processed'])
      expect(readFileSync(join(elsewhere, 'x.r.csv'), 'utf8')).toBe('a\n1\n')
    } finally {
      rmSync(elsewhere, { recursive: true })
    }
  })

  it('does not bring back a drop folder that has gone', async () => {
    drop('x.csv', 'a\n1\n')
    const source = sourceOf('csv')
    const input = await only(source)
    rmSync(folder, { recursive: true })
    expect(await source.archive(input, to)).toBe(false)
    expect(await codeOf(source.writeRejects(input, to, ['a'], rejectRows()))).toBe('ARCHIVE_FAILED')
    expect(existsSync(folder)).toBe(false)
  })
})

describe('rejects', () => {
  const row = (values: string[], more: Partial<RejectRow> = {}): RejectRow => ({
    values,
    reason: 'MAIL_INVALID',
    file: 'x.csv',
    line: 2,
    ...more,
  })
  const written = (name: string): string => readFileSync(join(folder, 'processed', name), 'utf8')

  it('have the delimiter of the file that they come from', async () => {
    drop('x.csv', 'a;b\n1;2,5\n')
    const source = sourceOf('csv')
    const input = await only(source)
    await readAll(source, input)
    await source.writeRejects(input, to, ['a', 'b'], rejectRows(row(['1', '2,5'])))
    expect(written('x.r.rejects.csv')).toBe('a;b;_reason;_file;_line\n1;2,5;MAIL_INVALID;x.csv;2\n')
  })

  it('lose nothing of ragged rows', async () => {
    const source = sourceOf('csv')
    drop('x.csv', 'a,b\n1\n')
    const rows = rejectRows(row(['1']), row(['1', '2', '3', '4']))
    await source.writeRejects(await only(source), to, ['a', 'b'], rows)
    expect(written('x.r.rejects.csv').split('\n').slice(1)).toEqual([
      '1,,MAIL_INVALID,x.csv,2',
      '1,2,MAIL_INVALID,x.csv,2,3,4',
      '',
    ])
  })

  it('do not pile up our columns when they were dropped again', async () => {
    const source = sourceOf('csv')
    drop('x.csv', 'a,b,_reason,_file,_line\n1,2,OLD,old.csv,9\n')
    const input = await only(source)
    const { header, items } = await readAll(source, input)
    await source.writeRejects(input, to, header, rejectRows(row([...items[0]!.values])))
    expect(written('x.r.rejects.csv')).toBe('a,b,_reason,_file,_line\n1,2,MAIL_INVALID,x.csv,2\n')
  })

  it('may be many', async () => {
    const source = sourceOf('csv')
    drop('x.csv', 'a\n1\n')
    const many = Array.from({ length: 1234 }, (_, index) => row([String(index)], { line: index + 2 }))
    await source.writeRejects(await only(source), to, ['a'], rejectRows(...many))
    const lines = written('x.r.rejects.csv').trimEnd().split('\n')
    expect(lines).toHaveLength(1235)
    expect(lines.at(-1)).toBe('1233,MAIL_INVALID,x.csv,1235')
  })

  it('of JSON keep the whole record', async () => {
    const source = sourceOf('json', { records: 'results' })
    drop('x.json', '{"results": [{"id": 12345678901234567890, "more": {"x": [1.50]}}, 7]}')
    const input = await only(source)
    const { items } = await readAll(source, input, ['id'])
    const rows = items.map((item) => row([...item.values], { text: item.text ?? '' }))
    await source.writeRejects(input, to, ['id'], rejectRows(...rows))
    expect(written('x.r.rejects.jsonl')).toBe('{"id":12345678901234567890,"more":{"x":[1.50]}}\n7\n')
    expect(written('x.r.rejects.csv').split('\n')[0]).toBe('id,_reason,_file,_line')
  })
})
