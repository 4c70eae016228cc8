// Files of corrected rejects, by the keys of their rows: what was rejected must not come back over another record.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { createSource, SOURCE_KINDS } from '../../src/sources/registry.ts'
import { type Line, testLine } from '../support/line.ts'

const HEADER = 'no,mail,first,last,phone'
const MARKS = '_reason,_file,_line'
const ZERO = '0071,bad,Ann,Zero,030 1'
const SEVENTY = '71,ed@example.com,Ed,Seventy,030 2'
const [FIRST, SECOND] = ['5,anna@example.com,Anna,First,030 3', '5,berta@example.com,Berta,Second,030 4']
const REASON = 'key: the record on line 2 has the same key'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'corrected-'))))
afterEach(() => rmSync(folder, { recursive: true }))

function lineOf(changes: Partial<PipelineSettings> = {}): Line {
  const line = testLine({ pipeline: changes })
  const inbox = join(folder, line.pipeline.name)
  mkdirSync(inbox)
  const source = createSource(
    { type: 'csv', null_values: [], ...SOURCE_KINDS['csv']!.schema.parse({ folder: inbox, settle: '0s' }) },
    { clock: line.clock },
  )
  return Object.assign(line, { source: Object.assign(line.source, source) })
}

async function drop(line: Line, name: string, ...lines: string[]) {
  writeFileSync(join(folder, 'shop', name), [...lines, ''].join('\n'))
  return line.run()
}

const mails = (line: Line): unknown[] => [...line.service.contacts.values()].map(({ mail }) => mail)

async function rejectsOf(line: Line): Promise<string[]> {
  const found: string[] = []
  for await (const { key, code, file, line: at } of line.state.rejects(['shop']))
    found.push(`${file}:${at} ${key ?? ''} ${code}`)
  return found
}

async function reasonsOf(line: Line): Promise<string[]> {
  const found: string[] = []
  for await (const { reason } of line.state.rejects(['shop'])) found.push(reason)
  return found
}

describe('a key that a spreadsheet has changed', () => {
  const mended = (key: string, line = '2') => `${key},zero@example.com,Ann,Zero,030 1,,a.csv,${line}`

  it('refuses the file: the record is not that of the other key', async () => {
    const line = lineOf()
    await drop(line, 'a.csv', HEADER, ZERO, SEVENTY)
    expect(await drop(line, 'b.csv', `${HEADER},${MARKS}`, mended('71'))).toMatchObject({
      status: 'partial',
      updated: 0,
      created: 0,
    })
    expect(mails(line)).toEqual(['ed@example.com'])
    expect(readdirSync(join(folder, 'shop', 'failed')).join()).toContain('b.')
    // It can still be corrected.
    expect(await rejectsOf(line)).toEqual(['a.csv:2 0071 MAIL_INVALID'])
    expect(await drop(line, 'c.csv', `${HEADER},${MARKS}`, mended('0071'))).toMatchObject({ created: 1 })
    expect(await rejectsOf(line)).toEqual([])
  })

  it('refuses it where the row is not corrected otherwise, too: its reject would have that key', async () => {
    const line = lineOf()
    await drop(line, 'a.csv', HEADER, ZERO, SEVENTY)
    await drop(line, 'b.csv', `${HEADER},${MARKS}`, `71,bad,Ann,Zero,030 1,,a.csv,2`)
    expect(await rejectsOf(line)).toEqual(['a.csv:2 0071 MAIL_INVALID'])
  })

  it('is taken for what it is where the row names no line', async () => {
    const line = lineOf()
    await drop(line, 'a.csv', HEADER, ZERO)
    expect(await drop(line, 'b.csv', `${HEADER},${MARKS}`, mended('71', ''))).toMatchObject({ created: 1 })
  })

  it('is one of several columns', async () => {
    const line = lineOf({ key: ['no', 'phone'] })
    await drop(line, 'a.csv', HEADER, ZERO)
    expect(await drop(line, 'b.csv', `${HEADER},${MARKS}`, mended('71'))).toMatchObject({ created: 0 })
  })

  it.each(['0072', 'A71', '00071'])('is not %s, which was corrected', async (key) => {
    const line = lineOf()
    await drop(line, 'a.csv', HEADER, ZERO)
    expect(await drop(line, 'b.csv', `${HEADER},${MARKS}`, mended(key))).toMatchObject({ created: 1 })
    expect(await rejectsOf(line)).toEqual([])
  })
})

describe('a record that was rejected because of its key', () => {
  const again = (row: string, line = '3') => `${row},${REASON},a.csv,${line}`

  async function withDuplicate(): Promise<Line> {
    const line = lineOf()
    await drop(line, 'a.csv', HEADER, FIRST, SECOND)
    expect(await rejectsOf(line)).toEqual(['a.csv:3 5 KEY_DUPLICATE'])
    return line
  }

  it('is rejected again with that key, however often it comes', async () => {
    const line = await withDuplicate()
    const rejected = { rejected: 1, updated: 0 }
    expect(await drop(line, 'b.csv', `${HEADER},${MARKS}`, again(SECOND))).toMatchObject(rejected)
    expect(await rejectsOf(line)).toEqual(['b.csv:2 5 KEY_DUPLICATE'])
    const [reason = ''] = await reasonsOf(line)
    expect(reason).toContain('line 3 of a.csv')
    const row = `${SECOND},"${reason}",b.csv,2`
    expect(await drop(line, 'c.csv', `${HEADER},${MARKS}`, row)).toMatchObject(rejected)
    expect(await rejectsOf(line)).toEqual(['c.csv:2 5 KEY_DUPLICATE'])
    expect(mails(line)).toEqual(['anna@example.com'])
  })

  it('is created with a key of its own', async () => {
    const line = await withDuplicate()
    const row = again(SECOND.replace('5,', '6,'))
    expect(await drop(line, 'b.csv', `${HEADER},${MARKS}`, row)).toMatchObject({ created: 1, rejected: 0 })
    expect(await rejectsOf(line)).toEqual([])
  })

  it('replaces the other one where the row names no line, or the last of a key counts', async () => {
    const line = await withDuplicate()
    expect(await drop(line, 'b.csv', `${HEADER},${MARKS}`, again(SECOND, ''))).toMatchObject({ updated: 1 })
    const other = await withDuplicateUnderLast()
    expect(mails(other)).toEqual(['berta@example.com'])
  })

  async function withDuplicateUnderLast(): Promise<Line> {
    rmSync(join(folder, 'shop'), { recursive: true })
    const line = await withDuplicate()
    line.pipeline = { ...line.pipeline, on_duplicate_key: 'last' }
    expect(await drop(line, 'b.csv', `${HEADER},${MARKS}`, again(SECOND))).toMatchObject({ updated: 1 })
    return line
  }
})
