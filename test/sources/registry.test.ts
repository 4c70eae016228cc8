import { parse } from 'yaml'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createSource, SOURCE_KINDS } from '../../src/sources/registry.ts'
import { stillClock } from '../contracts/source.ts'

describe('kinds', () => {
  it.each(Object.entries(SOURCE_KINDS))('%s has an example that its own schema takes', (type, kind) => {
    const { type: named, ...options } = parse(kind.example) as Record<string, unknown>
    expect(named).toBe(type)
    expect(kind.schema.safeParse(options).error).toBeUndefined()
    expect(kind.help).toMatch(/\.$/)
  })

  it.each(Object.entries(SOURCE_KINDS))('%s describes every option and marks the path', (_type, kind) => {
    const schema = z.toJSONSchema(kind.schema, { io: 'input' })
    for (const [name, option] of Object.entries(schema.properties ?? {})) {
      expect((option as { description?: string }).description, name).toBeTruthy()
    }
    if (kind.isPulled !== true) {
      expect(schema.properties?.['folder']).toMatchObject({ path: true })
      expect(schema.required).toEqual(['folder'])
    }
    expect(schema.additionalProperties).toBe(false)
  })

  it('fill in the defaults', () => {
    expect(SOURCE_KINDS['csv']!.schema.parse({ folder: '/in' })).toEqual({
      folder: '/in',
      files: ['*.csv', '*.csv.gz'],
      settle: 2000,
      encoding: 'auto',
      delimiter: 'auto',
      quote: '"',
      skip_lines: 0,
      skip_footer: 0,
      ragged: 'reject',
      last_line: 'reject',
      max_record_bytes: 1_048_576,
    })
    expect(SOURCE_KINDS['excel']!.schema.parse({ folder: '/in' })).toMatchObject({
      files: expect.arrayContaining(['*.xlsx', '*.xlsx.gz', '*.xlsm.gz', '*.rejects.csv']) as unknown,
    })
    expect(SOURCE_KINDS['json']!.schema.parse({ folder: '/in' })).toEqual({
      folder: '/in',
      files: ['*.json', '*.json.gz', '*.jsonl', '*.jsonl.gz', '*.ndjson', '*.ndjson.gz', '*.rejects.csv'],
      settle: 2000,
      encoding: 'auto',
      sparse: false,
    })
  })

  it.each([
    ['500ms', 500],
    ['1.5h', 5_400_000],
    ['30d', 2_592_000_000],
  ])('read settle: %s as every other duration', (settle, ms) => {
    expect(SOURCE_KINDS['csv']!.schema.parse({ folder: '/in', settle })).toMatchObject({ settle: ms })
  })

  it.each([
    ['csv', { settle: '2' }],
    ['csv', { settle: 2 }],
    ['csv', { encoding: 'utf-99' }],
    ['csv', { encoding: 'base64' }],
    ['csv', { delimiter: 'x' }],
    ['csv', { quote: 'ab' }],
    ['csv', { quote: ',' }],
    ['csv', { skip_lines: -1 }],
    ['csv', { header: [] }],
    ['csv', { files: 'sub/*.csv' }],
    ['csv', { files: [] }],
    ['csv', { folder: '' }],
    ['csv', { nonsense: 1 }],
    ['json', { records: 'a..b' }],
    ['json', { records: '*' }],
    ['json', { delimiter: ',' }],
  ])('%s refuses %j', (type, option) => {
    expect(SOURCE_KINDS[type]!.schema.safeParse({ folder: '/in', ...option }).success).toBe(false)
  })

  it.each([
    ['settle', '500ms', 500],
    ['settle', '1.5s', 1500],
    ['settle', '5m', 300_000],
    ['settle', '1h', 3_600_000],
    ['files', 'a*.txt', ['a*.txt']],
    ['delimiter', '\\t', '\t'],
    ['delimiter', 'tab', '\t'],
    ['quote', 'none', undefined],
  ])('csv reads %s: %j', (name, value, output) => {
    expect(SOURCE_KINDS['csv']!.schema.parse({ folder: '/in', [name]: value })[name]).toEqual(output)
  })
})

describe('createSource', () => {
  it('takes no type that is not in the table', () => {
    for (const type of ['xml', 'constructor', '__proto__']) {
      expect(() => createSource({ type, null_values: [] }, { clock: stillClock(0) })).toThrow(type)
    }
  })
})
