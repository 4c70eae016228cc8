// `skip_lines: auto`: the header is the line that names most of the mapped columns.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findRows } from '../../../src/sources/csv/erase.ts'
import { csvOptions } from '../../../src/sources/csv/options.ts'
import type { StoredFile } from '../../../src/sources/folder/erasing.ts'
import { fileVersion } from '../../../src/sources/input-file.ts'
import { workbook } from '../../support/workbook.ts'
import { read, rows } from '../read.ts'

const AUTO = { skip_lines: 'auto', columns: ['Mail', 'Name', 'Tel'] }

/** A file on disk, as erasing is handed it. */
async function withFile(text: string, work: (file: StoredFile) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'header-'))
  try {
    const path = join(folder, 'a.csv')
    writeFileSync(path, text)
    const stats = await lstat(path, { bigint: true })
    const input = { name: 'a.csv', version: fileVersion(stats), bytes: Number(stats.size) }
    await work({ path: Buffer.from(path), name: 'a.csv', input, mode: 0o600 })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const refusal = (text: string, options = {}): Promise<{ code: string; message: string; hint: string }> =>
  read('csv', text, { ...AUTO, ...options }).then(
    () => ({ code: 'none', message: '', hint: '' }),
    (error: unknown) => error as never,
  )

describe('the header', () => {
  it.each([
    ['is the first line', 'Mail,Name,Tel\na@x.example,Ann,1\n', 1],
    ['stands behind a title', 'Contacts of May\nMail,Name,Tel\na@x.example,Ann,1\n', 2],
    ['stands behind blank lines and a lone quote', 'Report "of\n\n,,\nMail,Name,Tel\na@x.example,Ann,1\n', 4],
    ['is quoted', 'Report;1\n"Mail";"Name";"Tel"\na@x.example;Ann;1\n', 2],
    ['is in another case', 'Report\n mail ,NAME,tel\na@x.example,Ann,1\n', 2],
    ['has Windows line ends', 'Report\r\n\r\nMail\tName\tTel\r\na@x.example\tAnn\t1\r\n', 3],
    ['has old Mac line ends', 'Report\rMail,Name,Tel\ra@x.example,Ann,1\r', 2],
    ['has a line break in a name', 'Report\n"Mail",Name,Tel,"Date of\nbirth"\na@x.example,Ann,1,2\n', 2],
    [
      'stands behind the line that names the delimiter',
      'Report\nsep=;\nMail;Name;Tel\na@x.example;Ann;1\n',
      3,
    ],
    ['lacks a mapped column', 'Report\nMail,Name\na@x.example,Ann\n', 2],
    ['stands behind a line with a mapped column', 'Name: Ann,Tel\nMail,Name,Tel\na@x.example,Ann,1\n', 2],
  ])('%s', async (_, text, line) => {
    const { header, items } = await read('csv', text, AUTO)
    expect(header.slice(0, 2).map((name) => name.toLowerCase())).toEqual(['mail', 'name'])
    expect(items[0]!.values.slice(0, 2)).toEqual(['a@x.example', 'Ann'])
    expect(items[0]!.line).toBe(line + (text.includes('\nbirth') ? 2 : 1))
  })

  it('tells the delimiter, where the rows alone would suggest another', async () => {
    const text = 'Report\nMail;Name;Tel\n"a, b, c";d, e;f, g\n"h, i, j";k, l;m, n\n'
    expect((await read('csv', text, AUTO)).header).toEqual(['Mail', 'Name', 'Tel'])
  })

  it('is found by one column of several, and among 50 lines', async () => {
    const before = Array.from({ length: 49 }, (_, index) => `Line ${index}`)
    const text = [...before, 'x,Tel', 'a,1', ''].join('\n')
    expect(await rows('csv', text, AUTO)).toEqual([[51, 'a', '1']])
    expect(await refusal(`one more\n${text}`)).toMatchObject({
      code: 'INPUT_COLUMN_MISSING',
      message: expect.stringMatching(
        /none of the first 50 lines names a mapped column \(Mail, Name, Tel\)/,
      ) as string,
    })
  })

  it('is read at its place by whoever erases a person', async () => {
    const text = 'Report\nMail,Name,Tel\na@x.example,Ann,1\nb@x.example,Bo,2\n'
    const seen: unknown[] = []
    await withFile(text, async (file) => {
      const options = csvOptions.parse({ folder: '.', skip_lines: 'auto' })
      const sought = {
        columns: AUTO.columns,
        ofRecord(header: readonly string[], values: readonly string[]): undefined {
          seen.push([header, values])
        },
        ofLine: () => undefined,
      }
      await findRows(file, options, sought)
    })
    expect(seen).toEqual([
      [AUTO.columns, ['a@x.example', 'Ann', '1']],
      [AUTO.columns, ['b@x.example', 'Bo', '2']],
    ])
  })
})

describe('a file', () => {
  it('in which two lines name as many columns is refused, naming both', async () => {
    const text = 'Mail,Name,Tel\na@x.example,Ann,1\nMail,Name,Tel\nb@x.example,Bo,2\n'
    expect(await refusal(text)).toMatchObject({
      code: 'INPUT_COLUMN_AMBIGUOUS',
      message: 'file.csv: line 1 and line 3 name 3 mapped columns each, so the header is unknown',
      hint: 'Set source.skip_lines to the number of lines before the header.',
    })
  })

  it('of which no line names a column is refused', async () => {
    expect(await refusal('a,b\n1,2\n')).toMatchObject({
      code: 'INPUT_COLUMN_MISSING',
      message:
        'file.csv: none of the first 2 lines names a mapped column (Mail, Name, Tel), so the header is unknown',
    })
  })

  it('of rejects has its header in its first line', async () => {
    const text = 'Mail,Name,_reason,_file,_line\na@x.example,Ann,r,f.csv,3\n'
    expect((await read('csv', text, AUTO)).header).toHaveLength(5)
  })
})

describe('a row that names the columns again', () => {
  const first = 'Mail,Name,Tel\na@x.example,Ann,1\n'

  it.each([
    ['of a second export', `${first}Mail,Name,Tel\nb@x.example,Bo,2\n`],
    ['with its byte order mark, quotes and blanks', `${first}\ufeff"Mail", Name ,Tel\nb@x.example,Bo,2\n`],
  ])('is no record: %s', async (_what, text) => {
    expect(await rows('csv', text)).toEqual([
      [2, 'a@x.example', 'Ann', '1'],
      [4, 'b@x.example', 'Bo', '2'],
    ])
  })

  it.each([
    ['the order is another', 'Name,Mail,Tel'],
    ['a column is another as well', 'Mail,Tel,Fax'],
    ['the first column is another as well', 'No,Mail,Name'],
    ['it has a column more', 'Mail,No,Name,Tel'],
    ['it has a column less', 'Name,Tel'],
  ])('refuses the file where %s', async (_what, row) => {
    const text = `${first}${row}\nBo,b@x.example,2\n`
    await expect(read('csv', text)).rejects.toMatchObject({
      code: 'INPUT_COLUMN_AMBIGUOUS',
      message: 'file.csv: line 3 names the columns again, in another order',
    })
  })

  it('refuses the file where the order is another and a name stands twice', async () => {
    const text = 'Tel,Tel,Mail\n1,2,a@x.example\nMail,Tel,Tel\nb@x.example,3,4\n'
    await expect(read('csv', text)).rejects.toMatchObject({ code: 'INPUT_COLUMN_AMBIGUOUS' })
  })

  it.each([
    ['some names', 'Mail,Name,1'],
    ['one name twice', 'Mail,Mail,Tel'],
    ['names in other letters', 'mail,name,tel'],
    ['names at their places', 'Mail,Name,Fax'],
    ['one name at another place', 'a@x.example,Mail,Bo'],
  ])('does not include one of %s', async (_what, row) => {
    expect(await rows('csv', `${first}${row}\n`)).toEqual([
      [2, 'a@x.example', 'Ann', '1'],
      [3, ...row.split(',')],
    ])
  })

  it('is one in a workbook, too', async () => {
    const table = ['Mail,Name', 'a@x.example,Ann', 'Mail,Name', 'b@x.example,Bo'].map((row) => row.split(','))
    expect(await rows('excel', workbook({ sheets: [{ rows: table }] }))).toEqual([
      [2, 'a@x.example', 'Ann'],
      [4, 'b@x.example', 'Bo'],
    ])
  })
})

it('is no option for files without a header', () => {
  const parsed = csvOptions.safeParse({ folder: '.', skip_lines: 'auto', header: ['Mail'] })
  expect(parsed.error?.issues).toMatchObject([{ path: ['skip_lines'] }])
})

it('takes a number from the environment, which gives text', () => {
  expect(csvOptions.parse({ folder: '.', skip_lines: '3' }).skip_lines).toBe(3)
  expect(csvOptions.safeParse({ folder: '.', skip_lines: 'some' }).success).toBe(false)
})
