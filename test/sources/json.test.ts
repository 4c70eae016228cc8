import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pathReader } from '../../src/sources/json/path.ts'
import { describeSource, makeSource, recordsOf } from '../contracts/source.ts'

const asObjects = (columns: readonly string[], rows: readonly (readonly string[])[]) =>
  rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])))

describeSource({
  kind: 'json',
  ending: '.json',
  content: (columns, rows) => JSON.stringify(asObjects(columns, rows), undefined, 1),
  damaged: `[\n${'{"no":"1","name":"a"},\n'.repeat(600)}{"no":"2","name":"Geheim`,
})

let folder = ''
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'json-'))))
afterEach(async () => rm(folder, { recursive: true }))

async function read(
  content: string | Buffer,
  columns: readonly string[],
  options: Record<string, unknown> = {},
) {
  await writeFile(join(folder, 'a.json'), content)
  const source = makeSource('json', folder, options)
  const [input] = (await source.list({ wait: false })).ready
  return (await recordsOf(source, input!, columns)).items
}

describe('a json file', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['an array', '[{"a":1},\n{"a":2}]', {}],
    ['JSON lines', '{"a":1}\n{"a":2}\n', {}],
    ['JSON lines without a last break', '{"a":1}\r\n{"a":2}', {}],
    [
      'records inside an object',
      '{"total":2,"results":[{"a":1},\n{"a":2}],"next":null}',
      { records: 'results' },
    ],
    [
      'records deeper inside',
      '{"data":{"x":[3],"contacts":[{"a":1},\n{"a":2}]}}',
      { records: 'data.contacts' },
    ],
    ['an array behind a mark', '\ufeff[{"a":1},\n{"a":2}]', {}],
  ])('may be %s', async (_, text, options) => {
    const items = await read(text, ['a'], options)
    expect(items.map(({ values, line }) => [values, line])).toEqual([
      [['1'], 1],
      [['2'], 2],
    ])
  })

  it('has the line on which each record begins', async () => {
    const items = await read('[\n  {\n    "a": {"b": [1,\n 2]}\n  },\n\n  {"a": 3}\n]\n', ['a'])
    expect(items.map(({ line }) => line)).toEqual([2, 7])
  })

  it('keeps numbers as they are written', async () => {
    const [item] = await read('[{"a":12345678901234567890,"b":1.50,"c":-0.1e3,"d":true,"e":null}]', [
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
    ])
    expect(item?.values).toEqual(['12345678901234567890', '1.50', '-0.1e3', 'true', '', ''])
  })

  it('may hold what is no record', async () => {
    const items = await read('[{"a":1}, 5, [1], "x"]', ['a'])
    expect(items.map(({ kind }) => kind)).toEqual(['record', 'defect', 'defect', 'defect'])
  })

  it.each([
    ['cut off', '[{"a":1},\n{"a":'],
    ['an object that ends early', '{"results":[{"a":1}', { records: 'results' }],
    ['no JSON', '[{"a":1},\nGeheim]'],
    ['CSV', 'no,name\n1,Geheim\n'],
  ])('that is %s is refused with the line', async (_, text, options?: Record<string, unknown>) => {
    await expect(read(text, ['a'], options)).rejects.toMatchObject({
      code: 'INPUT_JSON',
      message: expect.stringMatching(/^line [12]: (?!.*Geheim)/) as string,
    })
  })

  it('takes names of JavaScript for plain names', async () => {
    const [item] = await read('[{"__proto__":{"x":"1"},"constructor":"2"}]', [
      '__proto__.x',
      'constructor',
      'toString',
    ])
    expect(item?.values).toEqual(['1', '2', ''])
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })

  it('gives rejects back as JSON lines, too', async () => {
    await writeFile(join(folder, 'a.json'), '[{"a":{"b":1}}]')
    const source = makeSource('json', folder)
    const [input] = (await source.list({ wait: false })).ready
    const { items } = await recordsOf(source, input!, ['a.b'])
    const rows = async function* () {
      yield await Promise.resolve({ ...items[0]!, reason: 'bad', file: 'a.json', line: 1 })
    }
    await source.writeRejects(input!, { folder: 'processed', runId: 'r1' }, ['a.b'], rows())
    const text = await readFile(join(folder, 'processed', 'a.r1.rejects.jsonl'), 'utf8')
    expect(text).toBe('{"a":{"b":"1"},"_reason":"bad","_file":"a.json","_line":1}\n')
  })
})

describe('a path', () => {
  const record = {
    plain: 'x',
    'dotted.name': 'y',
    a: { b: [{ c: 'first' }, { c: 'second' }] },
    mails: [
      { type: 'home', value: 'h' },
      { type: 'work', value: 'w' },
    ],
    tags: ['one', 'two', null],
    list: [[1]],
  }
  it.each([
    ['plain', 'x'],
    ['dotted.name', 'y'],
    ['a.b[1].c', 'second'],
    ['a.b[7].c', ''],
    ['mails[type=work].value', 'w'],
    ['mails[type=none].value', ''],
    ['tags', 'one;two;'],
    ['list', '[[1]]'],
    ['plain.length', ''],
    ['a.hasOwnProperty', ''],
  ])('%s', (path, expected) => {
    expect(pathReader(path)(record)).toBe(expected)
  })
})
