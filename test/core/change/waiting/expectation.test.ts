// What the files of a source are expected to look like, file by file.
import { describe, expect, it } from 'vitest'
import type { KnownLink } from '../../../../src/core/change/diff.ts'
import { type Compared, expectedChanges } from '../../../../src/core/change/waiting/expected-changes.ts'
import { expectationOf } from '../../../../src/core/change/waiting/expectation.ts'
import type { MappedRecord } from '../../../../src/core/mapping/mapping.ts'
import type { SourceItem } from '../../../../src/core/mapping/record.ts'
import type { PipelineSettings } from '../../../../src/core/settings.ts'
import { pipelineSettings } from '../../../support/pipeline.ts'

type Expect = NonNullable<PipelineSettings['expect']>

const HEADER = ['no', 'Mail', 'Status', 'Tel']
const LAST = { mode: 'full', records: 100, header: HEADER } as const

const item = (values: readonly string[], line = 2): SourceItem => ({ kind: 'record', values, line })

interface Given {
  readonly header?: string[]
  readonly rows?: string[][]
  readonly read?: number
  /** Null: no file was accepted before. */
  readonly last?: Parameters<NonNullable<ReturnType<typeof expectationOf>>['verdict']>[0]['last'] | null
  readonly mode?: PipelineSettings['mode']
  readonly links?: number
}

function judged(wanted: Expect, given: Given = {}): string | undefined {
  const { header = HEADER, rows = [], read = rows.length, last = LAST, mode = 'full', links = 100 } = given
  const pipeline = pipelineSettings({ expect: wanted, mode, source: { type: 'csv', null_values: ['n/a'] } })
  const expectation = expectationOf(pipeline, header)!
  for (const [index, values] of rows.entries()) expectation.note([item(values, index + 2)])
  return expectation.verdict({ read, links, last: last ?? undefined })?.reason
}

const saying = (text: string): string => `the file is not as expected: ${text}; nothing from it is sent`

describe('columns', () => {
  it.each<[Expect['columns'], string[], string | undefined]>([
    ['exact', HEADER, undefined],
    ['exact', ['tel', 'no', 'MAIL', 'Status'], undefined],
    ['exact', [...HEADER, ''], undefined],
    [
      'exact',
      ['no', 'Mail', 'Status'],
      saying('expect.columns: the file lacks "Tel", which the last accepted file has'),
    ],
    [
      'exact',
      ['no', 'Mail', 'Status', 'Telefon'],
      saying(
        'expect.columns: the file lacks "Tel", which the last accepted file has; expect.columns: the last accepted file has no "Telefon"',
      ),
    ],
    ['exact', [...HEADER, 'Fax'], saying('expect.columns: the last accepted file has no "Fax"')],
    ['at_least', [...HEADER, 'Fax'], undefined],
    [
      'at_least',
      ['no', 'Mail'],
      saying('expect.columns: the file lacks "Status", "Tel", which the last accepted file has'),
    ],
  ])('%s: %j', (columns, header, reason) => {
    expect(judged({ columns }, { header, read: 1 })).toBe(reason)
  })

  it('are compared with nothing where no file was accepted, or an older version accepted it', () => {
    expect(judged({ columns: 'exact' }, { header: ['x'], last: null })).toBeUndefined()
    const { header: _, ...older } = LAST
    expect(judged({ columns: 'exact' }, { header: ['x'], last: older })).toBeUndefined()
  })
})

describe('a file that is not as expected', () => {
  it('is held whole, with each broken expectation named once as the threshold', () => {
    const pipeline = pipelineSettings({
      expect: { columns: 'exact', records: { least: 10 } },
      mode: 'full',
    })
    const expectation = expectationOf(pipeline, ['no', 'Mail', 'Status', 'Fax'])!
    expect(expectation.verdict({ read: 9, links: 100, last: LAST })).toEqual({
      guard: 'expect',
      holds: 'all',
      number: 3,
      threshold: 'expect.columns, expect.records',
      reason: saying(
        'expect.columns: the file lacks "Tel", which the last accepted file has; expect.columns: the last accepted file has no "Fax"; expect.records: 9 records, at least 10 are expected',
      ),
    })
  })

  it('is none for its columns where nothing is said of them', () => {
    expect(judged({ records: { least: 1 } }, { header: ['x'], read: 1 })).toBeUndefined()
  })
})

describe('records', () => {
  it.each<[Expect['records'], number, string | undefined]>([
    [{ least: 10 }, 10, undefined],
    [{ least: 10 }, 9, saying('expect.records: 9 records, at least 10 are expected')],
    [{ change: { share: 0.3 } }, 130, undefined],
    [{ change: { share: 0.3 } }, 70, undefined],
    [
      { change: { share: 0.3 } },
      69,
      saying('expect.records: 69 records, the last accepted file has 100: a change of more than 30% (30)'),
    ],
    [
      { change: { count: 5 } },
      106,
      saying('expect.records: 106 records, the last accepted file has 100: a change of more than 5'),
    ],
  ])('%j with %i', (records, read, reason) => {
    expect(judged({ records }, { read })).toBe(reason)
  })

  it('change is for full exports, and for those with one before them', () => {
    const records = { change: { share: 0.1 } }
    expect(judged({ records }, { read: 1, mode: 'incremental' })).toBeUndefined()
    expect(judged({ records }, { read: 1, last: null })).toBeUndefined()
    expect(judged({ records }, { read: 1, last: { ...LAST, mode: 'incremental' } })).toBeUndefined()
  })
})

describe('values', () => {
  const rows = [
    ['1', 'a@x.example', 'Active', '1'],
    ['2', 'b@x.example', ' inactive ', ''],
    ['3', 'c@x.example', '', 'n/a'],
    ['4', 'd@x.example', 'active', '4'],
  ]

  it('may be blank up to a share or a count; a null value is blank', () => {
    expect(judged({ blank: { Tel: { share: 0.5 } } }, { rows })).toBeUndefined()
    expect(judged({ blank: { tel: { share: 0.49 } } }, { rows })).toBe(
      saying('expect.blank: "tel" is blank in 2 of 4 rows, at most 49% (1) may be'),
    )
    expect(judged({ blank: { Tel: { count: 1 } } }, { rows })).toBe(
      saying('expect.blank: "Tel" is blank in 2 of 4 rows, at most 1 may be'),
    )
    expect(judged({ blank: { Mail: { share: 0 } } }, { rows })).toBeUndefined()
  })

  it('are those of the list, in any case; a blank is none', () => {
    expect(judged({ values: { Status: ['active', 'Inactive'] } }, { rows })).toBeUndefined()
    expect(judged({ values: { Status: ['active'] } }, { rows })).toBe(
      saying('expect.values: "Status" has 1 value that is not in the list, the first on line 3'),
    )
  })

  it('that are foreign are counted; the line is that of the first', () => {
    expect(judged({ values: { Status: ['closed'] } }, { rows })).toBe(
      saying('expect.values: "Status" has 3 values that are not in the list, the first on line 2'),
    )
  })

  it('are blank in a row that ends before their column', () => {
    expect(judged({ blank: { Tel: { count: 0 } } }, { rows: [['1', 'a@x.example']] })).toBe(
      saying('expect.blank: "Tel" is blank in 1 of 1 rows, at most 0 may be'),
    )
    expect(judged({ values: { Tel: ['1'] } }, { rows: [['1', 'a@x.example']] })).toBeUndefined()
  })

  it('are looked at in every row of a record of several, and in no defective row', () => {
    const expectation = expectationOf(pipelineSettings({ expect: { values: { Status: ['x'] } } }), HEADER)!
    const [a, b] = [
      { values: ['1', '', 'x', ''], line: 2 },
      { values: ['1', '', 'y', ''], line: 7 },
    ]
    expectation.note([
      { kind: 'record', ...b, rows: [a, b] },
      { kind: 'defect', code: 'RECORD_RAGGED', message: '', values: ['1', '', 'z'], line: 9 },
    ])
    expect(expectation.verdict({ read: 2, links: 0, last: undefined })?.reason).toContain(
      '1 value that is not in the list, the first on line 7',
    )
  })

  it('of a column that is not there break what is said of it', () => {
    expect(judged({ blank: { Fax: { share: 1 } } }, { rows })).toBe(
      saying('expect.blank: the file has no column "Fax"'),
    )
    expect(judged({ values: { Fax: ['x'] } }, { rows })).toBe(
      saying('expect.values: the file has no column "Fax"'),
    )
  })
})

it('every row must be seen only where values are counted', () => {
  const needs = (wanted: Expect): boolean | undefined =>
    expectationOf(pipelineSettings({ expect: wanted }), HEADER)?.needsRows
  expect(needs({ columns: 'exact', records: { least: 1 } })).toBe(false)
  expect(needs({ blank: { Tel: { share: 1 } } })).toBe(true)
  expect(expectationOf(pipelineSettings(), HEADER)).toBeUndefined()
})

const mapped = (desired: Partial<Compared>): MappedRecord => ({
  kind: 'contact',
  key: '1',
  contact: {},
  terms: undefined,
  mended: [],
  lacking: [],
  ...desired,
})

const known = (fields: KnownLink['fields']): KnownLink => ({
  id: 1,
  contactId: 1,
  fields,
  unsure: [],
  terms: [],
  gone: false,
  merged: false,
})

describe('values that were sent', () => {
  const pipeline = pipelineSettings({
    expect: { values: { last: { change: { share: 0.1 } } } },
  })
  const LINK = known({ family_name: 'Ash', phone: '1' })

  function reasonOf(desired: Partial<Compared>, times: number, link = LINK): string | undefined {
    const expectation = expectationOf(pipeline, HEADER)!
    for (let turn = 0; turn < times; turn += 1)
      expectation.compare(mapped(desired), { known: link, isNew: false })
    return expectation.verdict({ read: times, links: 20, last: undefined })?.reason
  }

  it.each<[string, Partial<Compared>, number, KnownLink, string | undefined]>([
    ['as often as they may', { contact: { family_name: 'Oak' } }, 2, LINK, undefined],
    [
      'more often',
      { contact: { family_name: 'Oak' } },
      3,
      LINK,
      saying(
        'expect.values: "last" has another value, or one that cannot be read, for 3 of 20 linked records, at most 10% (2) may change',
      ),
    ],
    ['of another column', { contact: { phone: '2' } }, 20, LINK, undefined],
    ['by themselves', { contact: { family_name: 'Ash' } }, 20, LINK, undefined],
    ['that cannot be read', { mended: ['family_name'] }, 2, LINK, undefined],
    [
      'that cannot be read any more',
      { mended: ['family_name'] },
      3,
      LINK,
      saying(
        'expect.values: "last" has another value, or one that cannot be read, for 3 of 20 linked records, at most 10% (2) may change',
      ),
    ],
    [
      'that were mended, to what was sent before',
      { contact: { family_name: 'Ash' }, mended: ['family_name'] },
      20,
      LINK,
      undefined,
    ],
    ['where none was', { contact: { family_name: 'Oak' } }, 20, known({}), undefined],
  ])('may be replaced: %s', (_, desired, times, link, reason) => {
    expect(reasonOf(desired, times, link)).toBe(reason)
  })

  it.each<[string, Partial<PipelineSettings>, string]>([
    ['one of several columns', { map: { family_name: { columns: ['name', 'last'] } } }, 'family_name'],
    [
      'a column that a template names',
      { map: { family_name: { template: '{name} {last}' } } },
      'family_name',
    ],
    ['the column of a custom field', { custom_fields: { shoe: { column: 'LAST' } } }, 'shoe'],
  ])('may be made of %s', (_, made, field) => {
    const steadily: Expect = { values: { last: { change: { count: 0 } } } }
    const steady = expectedChanges(pipelineSettings({ ...made, expect: steadily }))
    const old = known({ [field]: '1', other: '1' })
    steady.compare(old, { contact: { [field]: '1', other: '2' }, mended: [] })
    expect(steady.breaches(1)).toEqual([])
    steady.compare(old, { contact: { [field]: '2', other: '2' }, mended: [] })
    expect(steady.breaches(1)).toEqual([
      '"last" has another value, or one that cannot be read, for 1 of 1 linked records, at most 0 may change',
    ])
  })

  it('may all be replaced where no column is named', () => {
    const steady = expectedChanges(pipelineSettings())
    steady.compare(LINK, { contact: { family_name: 'Oak' }, mended: [] })
    expect(steady.breaches(1)).toEqual([])
  })

  it('need no look at every row', () => {
    expect(expectationOf(pipeline, HEADER)?.needsRows).toBe(false)
  })
})

describe('records that are new', () => {
  const records = { change: { share: 0.3 } }
  const verdictOf = (added: number, links: number): string | undefined => {
    const expectation = expectationOf(pipelineSettings({ mode: 'full', expect: { records } }), HEADER)!
    for (let turn = 0; turn < added; turn += 1)
      expectation.compare(mapped({}), { known: undefined, isNew: true })
    return expectation.verdict({ read: 100, links, last: LAST })?.reason
  }

  it('may be as many as the number may change by', () => {
    expect(verdictOf(30, 100)).toBeUndefined()
    expect(verdictOf(31, 100)).toBe(
      saying(
        'expect.records: 31 of 100 records are new, the last accepted file has 100: a change of more than 30% (30)',
      ),
    )
  })

  it('are no surprise where the last file hardly became contacts', () => {
    expect(verdictOf(100, 49)).toBeUndefined()
  })

  it('count with linked records that are rejected now', () => {
    const expectation = expectationOf(pipelineSettings({ mode: 'full', expect: { records } }), HEADER)!
    const rejected = { kind: 'rejected', code: 'FIELD_INVALID', reason: '', key: '1' } as const
    for (let turn = 0; turn < 31; turn += 1) expectation.compare(rejected, { known: known({}), isNew: false })
    expectation.compare(rejected, { known: undefined, isNew: false })
    expect(expectation.verdict({ read: 100, links: 100, last: LAST })?.reason).toBe(
      saying(
        'expect.records: 31 linked records are rejected, the last accepted file has 100: a change of more than 30% (30)',
      ),
    )
  })
  it('count without linked records that are skipped', () => {
    const expectation = expectationOf(pipelineSettings({ mode: 'full', expect: { records } }), HEADER)!
    const skipped = { kind: 'skipped', key: '1' } as const
    for (let turn = 0; turn < 31; turn += 1) expectation.compare(skipped, { known: known({}), isNew: false })
    expect(expectation.verdict({ read: 100, links: 100, last: LAST })).toBeUndefined()
  })
})
