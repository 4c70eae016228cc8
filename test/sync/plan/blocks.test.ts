// The oracle of reading by blocks: whatever a file looks like and whatever happens between two of them, a program that
// passes over settled blocks and one that parses everything come to the same.
import { DESIRED } from '../../../src/store/file/desired.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RawBlock } from '../../../src/core/mapping/record.ts'
import type { PipelineSettings } from '../../../src/core/settings.ts'
import { openState } from '../../../src/store/state-store.ts'
import { testLine } from '../../support/line.ts'
import { GUARDS } from '../../support/pipeline.ts'
import { type TextSource, textSource } from '../../support/text-input.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blocks-'))
})
afterEach(async () => rm(folder, { recursive: true }))

interface Program {
  drop(text: string): Promise<unknown>
  change(settings: Partial<PipelineSettings>): void
  sql(text: string): void
  /** From now on every so manyth write gets no answer; 0: none. */
  lose(every: number): void
  seen(): unknown
  /** How many records were parsed so far, how many were passed over, and how many inputs were recognised as a whole. */
  parsed(): number
  passedOver(): number
  recognised(): number
  close(): Promise<void>
}

const SEEN = [
  'SELECT pipeline, key, contact_id, mail_key, known, gone, unsure, terms, missing FROM link ORDER BY key',
  'SELECT link_id, value FROM fingerprint ORDER BY link_id',
  `SELECT pipeline, key, line, kind, state, fields, ${DESIRED} AS desired, cause FROM operation ORDER BY key, id`,
  'SELECT pipeline, key, code, reason, file, line, record FROM reject ORDER BY line, key',
  'SELECT records, ends_with_line_break FROM accepted',
  'SELECT state, sha256 FROM input WHERE sha256 IS NOT NULL ORDER BY id',
]

let programs = 0

function program(settings: Partial<PipelineSettings>, { raw }: { raw: boolean }): Program {
  const path = join(folder, `${++programs}.db`)
  const state = openState(path, { pid: 1, since: 0, thorough: false })
  const line = testLine({ state, pipeline: settings })
  const source: TextSource = textSource({ ragged: 'reject' }, raw)
  let parsed = 0
  let passedOver = 0
  let recognised = 0
  const open: TextSource['open'] = async (...given) => {
    const reader = await source.open(...given)
    if (reader.settled !== undefined) recognised += 1
    return {
      ...reader,
      async *batches(blocks) {
        const noting = (block: RawBlock): boolean => {
          const is = typeof blocks === 'function' && blocks(block)
          if (is) passedOver += block.lines.length
          return is
        }
        for await (const batch of reader.batches(typeof blocks === 'function' ? noting : blocks)) {
          parsed += batch.length
          yield batch
        }
      },
    }
  }
  Object.assign(line, { source: { ...source, open } })
  const asking = <T>(ask: (db: Database.Database) => T): T => {
    const db = new Database(path)
    try {
      return ask(db)
    } finally {
      db.close()
    }
  }
  return {
    async drop(text) {
      source.drop(Buffer.from(text))
      const { duration_ms: _ms, run_id: _run, ...rest } = await line.run()
      return rest
    },
    change: (changes) => (line.pipeline = { ...line.pipeline, ...changes }),
    sql: (text) => asking((db) => db.exec(text)),
    lose(every) {
      let calls = 0
      line.service.fault = ({ method }) =>
        method !== 'GET' && every > 0 && (calls += 1) % every === 0 ? { kind: 'unknown' } : undefined
    },
    seen: () => ({
      state: asking((db) => SEEN.map((sql) => db.prepare(sql).all())),
      calls: line.service.calls,
      log: line.log,
    }),
    parsed: () => parsed,
    passedOver: () => passedOver,
    recognised: () => recognised,
    close: () => state.close(),
  }
}

const HEAD = 'no,mail,first,last,phone'
const person = (number: number, phone = `030 ${number}`): string =>
  `K${number},person${number}@example.com,Vorname${number},Nachname${number},${phone}`
const people = (count: number): string[] => Array.from({ length: count }, (_, index) => person(index + 1))
const fileOf = (rows: readonly string[], end = '\n'): string => [HEAD, ...rows, ''].join(end)

describe('an input that was settled before', () => {
  const FULL = { mode: 'full', on_missing: 'remove_terms' } as const
  const LAST = { on_duplicate_key: 'last' } as const

  it('is not parsed again, but for a few records', async () => {
    const one = program({}, { raw: true })
    await one.drop(fileOf(people(400)))
    const before = one.parsed()
    await one.drop(fileOf([...people(400), person(401)]))
    expect(one.parsed() - before).toBeLessThan(20)
    expect(await one.drop(fileOf([...people(400), person(401)]))).toMatchObject({ read: 401, unchanged: 401 })
    await one.close()
  })

  it.each<[string, Partial<PipelineSettings>, (rows: string[]) => string[], number]>([
    ['one record changed', {}, (rows) => rows.with(50, person(51, '040')), 20],
    ['one record gone', FULL, (rows) => rows.toSpliced(50, 1), 20],
    ['a record that stands twice', {}, (rows) => [...rows, person(7)], 20],
    ['a record whose key another one has below', {}, (rows) => [...rows, person(7, '040')], 20],
    ['a record whose key another one has above', {}, (rows) => [person(7, '040'), ...rows], 1000],
    ['the same, and the last one counts', LAST, (rows) => [person(7, '040'), ...rows], 1000],
    [
      'a record whose key another one has below, and the last one counts',
      LAST,
      (rows) => [...rows, person(7, '040')],
      20,
    ],
    ['all of it twice', {}, (rows) => [...rows, ...rows], 1000],
    ['a row that is too short', {}, (rows) => rows.toSpliced(50, 0, 'K999,short'), 20],
    ['a stray quote at its end', {}, (rows) => [...rows, person(301, '5" 1')], 1000],
    ['a record that is rejected', {}, (rows) => rows.with(50, `K51,no mail,,,`), 20],
    ['blank lines', {}, (rows) => rows.toSpliced(50, 0, '', ',,,,', ''), 20],
    [
      'records over several lines',
      {},
      (rows) => rows.with(50, 'K51,person51@example.com,"a\nb",c,"d\n\ne"').with(60, 'K61,x'),
      40,
    ],
  ])('comes to the same with %s', async (_what, settings, change, most) => {
    const both = [program(settings, { raw: true }), program(settings, { raw: false })] as const
    const first = people(300)
    for (const rows of [first, change(first), change(first), first, first])
      expect(await both[0].drop(fileOf(rows))).toEqual(await both[1].drop(fileOf(rows)))
    expect(both[0].seen()).toEqual(both[1].seen())
    expect(both[1].parsed() - both[0].parsed()).toBeGreaterThan(4 * 300 - 4 * most)
    await Promise.all(both.map((one) => one.close()))
  })

  it('is parsed again after the mapping was changed, and not a second time', async () => {
    const one = program({}, { raw: true })
    await one.drop(fileOf(people(300)))
    one.change({ hash: 'mapping-2' })
    await one.drop(fileOf(people(300)))
    expect(one.parsed()).toBe(600)
    await one.drop(fileOf(people(300)))
    expect(one.parsed()).toBe(600)
    await one.close()
  })

  it('is compared anew where a fingerprint was removed', async () => {
    const one = program({}, { raw: true })
    await one.drop(fileOf(people(300)))
    await one.drop(fileOf(people(300)))
    expect(one.recognised()).toBe(1)
    one.sql("DELETE FROM fingerprint WHERE link_id = (SELECT id FROM link WHERE key = 'K9')")
    one.sql("UPDATE link SET unsure = json('[\"phone\"]') WHERE key = 'K9'")
    expect(await one.drop(fileOf(people(300)))).toMatchObject({ updated: 1, unchanged: 299 })
    expect(one.recognised()).toBe(1)
    await one.close()
  })
})

describe('the same bytes again', () => {
  const FULL = { mode: 'full', on_missing: 'delete', guards: { ...GUARDS, deletes_missing_in: 2 } } as const
  const ALL = fileOf(people(300))

  it('are recognised without being read as records', async () => {
    const one = program({}, { raw: true })
    await one.drop(ALL)
    const before = one.parsed()
    expect(await one.drop(ALL)).toMatchObject({ read: 300, unchanged: 300, status: 'ok', requests: 0 })
    expect([one.recognised(), one.passedOver(), one.parsed()]).toEqual([1, 0, before])
    await one.close()
  })

  it.each<[string, Partial<PipelineSettings>, readonly string[], number]>([
    ['as many other ones', {}, [ALL, ALL.replace('030 7\n', '040 7\n'), ALL], 0],
    ['a full export, of which others are missing', FULL, [ALL, fileOf(people(290)), fileOf(people(290))], 0],
    [
      'a full export, of which single ones are missing',
      FULL,
      [ALL, ...new Array<string>(4).fill(fileOf(people(300).filter((_, index) => index % 40 !== 7)))],
      3,
    ],
    ['a record without a line break at its end', {}, [ALL.trimEnd(), ALL.trimEnd(), ALL.trimEnd()], 0],
    ['a record that is rejected', {}, new Array<string>(3).fill(fileOf([...people(300), 'K301,no,,,'])), 0],
    ['a record that stands twice', {}, new Array<string>(3).fill(fileOf([...people(300), person(5)])), 0],
    ['records of several rows', { on_duplicate_key: 'union' }, [ALL, ALL, ALL], 0],
    ['two files in turn', {}, [ALL, fileOf(people(400).slice(300)), ALL, ALL], 0],
    ['blank lines', {}, new Array<string>(3).fill(fileOf(people(300).toSpliced(50, 0, '', ',,,,'))), 0],
    ['text that was encoded twice', {}, new Array<string>(3).fill(ALL.replaceAll('Nach', 'MÃ¼ller')), 0],
  ])('come to the same: %s', async (_what, settings, texts, recognised) => {
    const both = [program(settings, { raw: true }), program(settings, { raw: false })] as const
    for (const text of texts) expect(await both[0].drop(text)).toEqual(await both[1].drop(text))
    expect(both[0].seen()).toEqual(both[1].seen())
    expect(both[0].recognised()).toBe(recognised)
    await Promise.all(both.map((one) => one.close()))
  })

  it('are parsed after the mapping was changed, and recognised from then on', async () => {
    const one = program({}, { raw: true })
    await one.drop(ALL)
    one.change({ hash: 'mapping-2' })
    expect(await one.drop(ALL)).toMatchObject({ read: 300, unchanged: 300 })
    expect(one.parsed()).toBe(600)
    expect(await one.drop(ALL)).toMatchObject({ read: 300, unchanged: 300 })
    expect(one.parsed()).toBe(600)
    await one.close()
  })

  it('are read by blocks where these are other ones than were kept with them', async () => {
    const one = program({}, { raw: true })
    await one.drop(ALL)
    one.sql('UPDATE settled_block SET links = zeroblob(length(links))')
    await one.drop(ALL)
    expect(one.recognised()).toBe(0)
    await one.close()
  })
})

const style = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => `"${text}"`,
  (text) => `"${text}\n"`,
  (text) => ` ${text}`,
)
const rowOf = fc
  .tuple(fc.integer({ min: 1, max: 25 }), fc.constantFrom('030', '040', '050'), style)
  .map(([number, phone, styled]) => person(number, styled(phone)))
const oddRow = fc.constantFrom(
  '',
  ',,,,',
  'K3',
  'K4,no mail,,,',
  'K5,a@example.com,x"y,,',
  'K6,b@example.com,a,b,c,',
)

type Step = {
  /** Whether the text is dropped twice more. */
  readonly isRepeated: boolean
  readonly edits: readonly Edit[]
  readonly between: Between
  readonly end: string
  readonly isEnded: boolean
}
type Edit = {
  readonly kind: 'put' | 'add' | 'drop' | 'move' | 'double'
  readonly at: number
  readonly row: string
}
type Between = 'nothing' | 'unprint' | 'mapping' | 'lose'

const step: fc.Arbitrary<Step> = fc.record({
  isRepeated: fc.boolean(),
  edits: fc.array(
    fc.record({
      kind: fc.constantFrom('put', 'put', 'put', 'add', 'drop', 'move', 'double'),
      at: fc.nat(100),
      row: fc.oneof({ weight: 12, arbitrary: rowOf }, { weight: 1, arbitrary: oddRow }),
    }),
    { maxLength: 3 },
  ),
  between: fc.constantFrom('nothing', 'nothing', 'nothing', 'unprint', 'mapping', 'lose'),
  end: fc.constantFrom('\n', '\n', '\n', '\r\n'),
  isEnded: fc.constantFrom(true, true, true, false),
})

/** What every history begins with. */
const FIRST: Step = { edits: [], between: 'nothing', end: '\n', isEnded: true, isRepeated: true }

function edited(rows: readonly string[], edits: readonly Edit[]): string[] {
  return edits.reduce<string[]>(
    (all, { kind, at, row }) => {
      const place = at % Math.max(1, all.length)
      const one = all[place] ?? row
      switch (kind) {
        case 'put':
          return all.with(Math.min(place, all.length - 1), row)
        case 'add':
          return all.toSpliced(place, 0, row)
        case 'drop':
          return all.length > 1 ? all.toSpliced(place, 1) : all
        case 'move':
          return all.toSpliced(place, 1).toSpliced((at * 7) % all.length, 0, one)
        case 'double':
          return all.toSpliced((at * 7) % all.length, 0, one)
      }
    },
    [...rows],
  )
}

function happen(between: Between, number: number, one: Program): void {
  one.lose(between === 'lose' ? 2 : 0)
  if (between === 'mapping') one.change({ hash: `mapping-${number}` })
  if (between !== 'unprint') return
  one.sql(`DELETE FROM fingerprint WHERE link_id % 5 = ${number % 5}`)
  one.sql(`UPDATE link SET unsure = json('["phone"]') WHERE id % 5 = ${number % 5}`)
}

it('comes to the same by blocks and by the parser, whatever happens', async () => {
  let [passedOver, recognised] = [0, 0]
  const settings = fc.record({
    mode: fc.constantFrom('incremental', 'full'),
    on_duplicate_key: fc.constantFrom('reject', 'last'),
    on_missing: fc.constantFrom('keep', 'remove_terms', 'delete'),
  })
  await fc.assert(
    fc.asyncProperty(settings, fc.array(step, { minLength: 1, maxLength: 5 }), async (given, later) => {
      const steps = [FIRST, ...later]
      const both = [program(given, { raw: true }), program(given, { raw: false })] as const
      let rows = people(40)
      for (const [number, { edits, between, end, isEnded, isRepeated }] of steps.entries()) {
        rows = edited(rows, edits)
        const text = [HEAD, ...rows].join(end) + (isEnded ? end : '')
        for (const one of both) happen(between, number, one)
        for (const again of isRepeated ? [text, text, text] : [text]) {
          const [byBlocks, byParser] = [await both[0].drop(again), await both[1].drop(again)]
          expect(byBlocks).toEqual(byParser)
        }
      }
      expect(both[0].seen()).toEqual(both[1].seen())
      passedOver += both[0].passedOver()
      recognised += both[0].recognised()
      await Promise.all(both.map((one) => one.close()))
    }),
    { numRuns: 12 },
  )
  expect(passedOver).toBeGreaterThan(40)
  expect(recognised).toBeGreaterThan(4)
}, 120_000)
