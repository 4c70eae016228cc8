// What an input is compared with before any contact counts as missing: the last accepted one of its pipeline. Real files, so that
// what the source says of a file's end and header comes along.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { createSource, SOURCE_KINDS } from '../../src/sources/registry.ts'
import { type Line, testLine } from '../support/line.ts'
import { GUARDS } from '../support/pipeline.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'accepted-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** A full pipeline that may delete all contacts, over a real folder. */
function fullLine(changes: Partial<PipelineSettings> = {}, options: object = {}, type = 'csv'): Line {
  const line = testLine({
    pipeline: {
      mode: 'full',
      on_missing: 'delete',
      guards: { ...GUARDS, max_deletes: { share: 1 } },
      ...changes,
    },
  })
  const inbox = join(folder, line.pipeline.name)
  mkdirSync(inbox, { recursive: true })
  const checked = SOURCE_KINDS[type]!.schema.parse({ folder: inbox, settle: '0s', ...options })
  const source = createSource({ type, null_values: [], ...checked }, { clock: line.clock })
  return Object.assign(line, { source: Object.assign(line.source, source) })
}

const HEADER = 'mail,first,last,phone,no'
const row = (number: number): string => `p${number}@example.com,V${number},N${number},030 ${number},${number}`
const rows = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => row(from + index))
const csv = (...lines: string[]): string => [HEADER, ...lines, ''].join('\n')

async function runWith(line: Line, text: string, name = 'a.csv') {
  writeFileSync(join(folder, line.pipeline.name, name), text)
  return line.run()
}

const guardsOf = async (line: Line): Promise<string[]> =>
  (await line.state.heldPlans([line.pipeline.name])).map(({ guard }) => guard)

describe('a file that was cut off in its last value', () => {
  it('overwrites nobody: the key 31 cut to 3 is not person 3', async () => {
    const line = fullLine({ mode: 'incremental', on_missing: 'keep' })
    await runWith(line, csv(...rows(1, 31)))
    const text = csv(...rows(1, 30), row(31).replace('N31', 'New')).slice(0, -2)
    expect(text.endsWith(',3')).toBe(true)
    expect(await runWith(line, text)).toMatchObject({ status: 'partial', rejected: 1, updated: 0 })
    expect(line.service.contacts.get(3)).toMatchObject({ mail: 'p3@example.com', family_name: 'N3' })
    expect(readFileSync(join(folder, 'shop', 'processed', 'a.shop-run-2.rejects.csv'), 'utf8')).toContain(
      'it may have been cut off',
    )
  })

  it('deletes nobody, and says why', async () => {
    const line = fullLine()
    await runWith(line, csv(...rows(1, 31)))
    expect(await runWith(line, csv(...rows(1, 31)).slice(0, -2))).toMatchObject({
      status: 'held',
      rejected: 1,
      deleted: 0,
      held_deletes: 1,
    })
    expect(await guardsOf(line)).toEqual(['unreadable_keys'])
    expect(await runWith(line, csv(...rows(1, 31)))).toMatchObject({ status: 'ok', unchanged: 31 })
    expect(await guardsOf(line)).toEqual([])
  })

  it('is doubted where it is one row without a header, and the one before it was whole', async () => {
    const line = fullLine({ mode: 'incremental', on_missing: 'keep' }, { header: HEADER.split(',') })
    await runWith(line, `${row(3)}\n`)
    expect(await runWith(line, row(31).slice(0, -1))).toMatchObject({ rejected: 1, updated: 0, created: 0 })
  })

  it('is read again by no retry: what was cut off is not in it', async () => {
    const line = fullLine({ mode: 'incremental', on_missing: 'keep' })
    await runWith(line, csv(...rows(1, 31)).slice(0, -2))
    expect(await line.retry()).toMatchObject({ read: 0 })
  })
})

describe('a file of mended rejects', () => {
  const supplement = (...lines: string[]): string =>
    [`${HEADER},_reason,_file,_line`, ...lines.map((line) => `${line},r,a.csv,2`), ''].join('\n')

  it('is never a full export: nobody is deleted because it lacks them', async () => {
    const line = fullLine()
    await runWith(line, csv(...rows(1, 97), ...rows(98, 100).map((text) => text.replace('@', ' at '))))
    expect(await runWith(line, supplement(...rows(98, 100)), 'rejects.csv')).toMatchObject({
      status: 'ok',
      created: 3,
      deleted: 0,
      held_deletes: 0,
    })
    expect(line.service.contacts.size).toBe(100)
    expect(await runWith(line, csv(...rows(1, 99)))).toMatchObject({ status: 'ok', deleted: 1 })
  })

  it('is known wherever its columns stand, and by the name of its file', async () => {
    const line = fullLine()
    await runWith(line, csv(...rows(1, 3)))
    const moved = `_line,_file,_Reason,${HEADER}\n2,a.csv,r,${row(4)}\n`
    expect(await runWith(line, moved)).toMatchObject({ created: 1, deleted: 0 })
    expect(await runWith(line, csv(row(5)), 'a.r.rejects.csv')).toMatchObject({ created: 1, deleted: 0 })
  })

  it('holds nothing where it is empty, and the next export is not compared with it', async () => {
    const line = fullLine()
    await runWith(line, csv(...rows(1, 100)))
    expect(await runWith(line, supplement())).toMatchObject({ status: 'ok', read: 0 })
    expect(await runWith(line, supplement(row(1)))).toMatchObject({ status: 'ok', deleted: 0 })
    expect(await runWith(line, csv(...rows(1, 10)))).toMatchObject({ status: 'held', held_deletes: 90 })
  })

  const rejectsOf = async (line: Line) => {
    const all = []
    for await (const { file, line: number } of line.state.rejects(['shop'])) all.push(`${file}:${number}`)
    return all
  }
  const exported = (line: Line, name: string): string =>
    readFileSync(join(folder, 'shop', 'processed', name), 'utf8').replaceAll(line.pipeline.name, 'shop')
  const bare = { mode: 'incremental', on_missing: 'keep' } as const

  it('closes the rejects that its rows name, whatever their key was and is', async () => {
    const line = fullLine(bare)
    const text = csv('bad,A,B,1,1', ',C,D,2,', 'c@x.example,E,F,3,3', 'd@x.example,G,H,4,3', 'e@x.example,I')
    await runWith(line, text)
    expect(await rejectsOf(line)).toEqual(['a.csv:2', 'a.csv:3', 'a.csv:5', 'a.csv:6'])
    const rejects = exported(line, 'a.shop-run-1.rejects.csv')
    const mended = rejects
      .replace('bad,A,B,1,1', 'a@x.example,A,B,1,9')
      .replace(',C,D,2,', 'b@x.example,C,D,2,2')
      .replace('H,4,3', 'H,4,4')
    expect(await runWith(line, mended, 'mended.csv')).toMatchObject({ created: 3, rejected: 1 })
    expect(await rejectsOf(line)).toEqual(['mended.csv:5'])
    const again = exported(line, 'mended.shop-run-2.rejects.csv').replace('I,,,', 'I,J,5,5')
    expect(await runWith(line, again, 'mended.csv')).toMatchObject({ created: 1, rejected: 0 })
    expect(await rejectsOf(line)).toEqual([])
  })

  it('closes no reject of a later file that has the name of an earlier one', async () => {
    const line = fullLine(bare)
    await runWith(line, csv('bad,A,B,1,'))
    const mended = exported(line, 'a.shop-run-1.rejects.csv').replace('bad,A,B,1,', 'a@x.example,A,B,1,1')
    await runWith(line, mended, 'mended.csv')
    await runWith(line, csv('worse,A,B,1,2'))
    await runWith(line, mended, 'twice.csv')
    expect(await rejectsOf(line)).toEqual(['a.csv:2'])
  })

  it('closes nothing where it has the columns of a place alone', async () => {
    const line = fullLine(bare)
    await runWith(line, csv('bad,A,B,1,'))
    await runWith(line, `${HEADER},_file,_line\na@x.example,A,B,1,1,a.csv,2\n`, 'b.csv')
    expect(await rejectsOf(line)).toEqual(['a.csv:2'])
  })

  it('is known among JSON lines, too', async () => {
    const line = fullLine({}, {}, 'json')
    const object = (number: number): string =>
      JSON.stringify({
        no: String(number),
        mail: `p${number}@example.com`,
        first: 'A',
        last: 'B',
        phone: '1',
      })
    await runWith(line, [1, 2, 3].map((number) => `${object(number)}\n`).join(''), 'a.jsonl')
    expect(await runWith(line, `${object(4)}\n`, 'a.r.rejects.jsonl')).toMatchObject({
      created: 1,
      deleted: 0,
    })
    const added = { ...(JSON.parse(object(5)) as object), _reason: 'r', _file: 'a.jsonl', _line: 3 }
    expect(await runWith(line, `${JSON.stringify(added)}\n`, 'b.jsonl')).toMatchObject({
      created: 1,
      deleted: 0,
    })
  })
})

describe('a full export that lost nearly everything', () => {
  it('is held at a tenth of the last one, whatever max_deletes allows; changes and new contacts go', async () => {
    const line = fullLine()
    await runWith(line, csv(...rows(1, 100)))
    const some = csv(...rows(1, 8), row(9).replace('N9', 'New'), row(101))
    expect(await runWith(line, some)).toMatchObject({
      status: 'held',
      created: 1,
      updated: 1,
      deleted: 0,
      held_deletes: 91,
    })
    const [plan] = await line.state.heldPlans(['shop'])
    expect(plan).toMatchObject({ guard: 'shrunken_export', number: 91, threshold: '10% (100)' })
    expect(plan?.reason).toContain('holds 10 records, the last accepted one held 100')
    // Once more is not enough: it was never accepted.
    expect(await runWith(line, some)).toMatchObject({ status: 'held', held_deletes: 91 })
  })

  it('goes above a tenth', async () => {
    const line = fullLine()
    await runWith(line, csv(...rows(1, 100)))
    expect(await runWith(line, csv(...rows(1, 11)))).toMatchObject({ status: 'ok', deleted: 89 })
  })

  it('is compared with the contacts of the pipeline where no full export is known', async () => {
    const line = fullLine({ mode: 'incremental', on_missing: 'keep' })
    await runWith(line, csv(...rows(1, 60)))
    await runWith(line, csv(row(1)))
    line.pipeline = { ...line.pipeline, mode: 'full', on_missing: 'delete' }
    expect(await runWith(line, csv(...rows(1, 6)))).toMatchObject({ status: 'held', held_deletes: 54 })
  })

  it('goes once it is released, and is what the next one is compared with', async () => {
    const line = fullLine()
    await runWith(line, csv(...rows(1, 100)))
    await runWith(line, csv(...rows(1, 5)))
    const [plan] = await line.state.heldPlans(['shop'])
    await line.state.release(plan?.runId ?? '', line.clock.now())
    expect(await line.run()).toMatchObject({ deleted: 95 })
    expect(await runWith(line, csv(...rows(1, 4)))).toMatchObject({ status: 'ok', deleted: 1 })
  })

  it('asks for a second one in vain: deletes_missing_in counts no export that is far too small', async () => {
    const line = fullLine({ guards: { ...GUARDS, max_deletes: { share: 1 }, deletes_missing_in: 2 } })
    await runWith(line, csv(...rows(1, 100)))
    await runWith(line, csv(...rows(1, 5)), 'b.csv')
    expect(await runWith(line, csv(...rows(1, 5)), 'c.csv')).toMatchObject({ deleted: 0, held_deletes: 95 })
  })
})

it('an empty full export is held as before, and leaves the last accepted one in its place', async () => {
  const line = fullLine()
  await runWith(line, csv(...rows(1, 20)))
  expect(await runWith(line, csv())).toMatchObject({ status: 'held', deleted: 0 })
  expect(await runWith(line, csv(row(1)))).toMatchObject({ status: 'held', held_deletes: 19 })
  expect(readdirSync(join(folder, 'shop', 'failed')).length).toBe(2)
})
