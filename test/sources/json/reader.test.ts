import { describe, expect, it } from 'vitest'
import { read, rows } from '../read.ts'

const record = async (json: string, columns: string[]): Promise<readonly string[]> =>
  (await read('json', `[${json}]`, { columns })).items[0]!.values

describe('values', () => {
  it.each([
    ['a string', '"  x "', '  x '],
    ['an escaped string', '"\\u00fc\\n\\ud83d\\ude00"', 'ü\n😀'],
    ['an integer', '42', '42'],
    ['a number as it was written', '1.50', '1.50'],
    ['an exponent', '1E5', '1E5'],
    ['an integer of many digits', '12345678901234567890', '12345678901234567890'],
    ['minus zero', '-0', '-0'],
    ['true', 'true', 'true'],
    ['false', 'false', 'false'],
    ['null', 'null', ''],
    ['a list', '["a", 1.0, true, null, "b"]', 'a;1.0;true;;b'],
    ['an empty list', '[]', ''],
    ['an object', '{"b": 1.10, "a": [1]}', '{"b":1.10,"a":[1]}'],
    ['a list of objects', '[{"a": 12345678901234567890}]', '[{"a":12345678901234567890}]'],
  ])('%s', async (_what, json, text) => {
    expect(await record(`{"x": ${json}}`, ['x'])).toEqual([text])
  })
})

describe('columns', () => {
  const json = JSON.stringify({
    id: 1,
    'a.b': 'plain',
    a: { b: 'path', c: { d: 'deep' } },
    emails: [
      { type: 'home', value: 'h@example.org' },
      { type: 'work', value: 'w@example.org' },
    ],
    tags: ['x', 'y'],
    'E-Mail ': 'cased',
  })
  it.each([
    ['id', '1'],
    ['a.b', 'plain'],
    ['a.c.d', 'deep'],
    ['emails[0].value', 'h@example.org'],
    ['emails[type=work].value', 'w@example.org'],
    ['emails[type=other].value', ''],
    ['emails[7].value', ''],
    ['tags[1]', 'y'],
    ['tags', 'x;y'],
    ['tags.length', ''],
    ['e-mail', 'cased'],
    ['missing', ''],
    ['id.x', ''],
    ['emails[', ''],
    ['', ''],
    ['constructor', ''],
    ['__proto__.polluted', ''],
  ])('%j', async (column, text) => {
    const { items } = await read('json', `[${json}]`, { columns: [column], sparse: true })
    expect(items[0]!.values).toEqual([text])
  })

  it('take names of JavaScript as data', async () => {
    const hostile =
      '{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": {"polluted": 1}}, "toString": "x"}'
    const columns = ['__proto__.polluted', 'constructor.prototype.polluted', 'toString']
    expect(await record(hostile, columns)).toEqual(['yes', '1', 'x'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('records', () => {
  it.each([
    ['a list', '[\n{"a": 1},\n\n{"a":\n2}, {"a": 3}]', [2, 4, 5]],
    ['lines', '{"a": 1}\n\n{"a": 2}\r\n{"a": 3}', [1, 3, 4]],
    ['values without line ends', '{"a": 1}{"a": 2} {"a": 3}', [1, 1, 1]],
    [
      'wide characters and escapes before',
      '[{"a": "1", "x": "ü€😀\\u00fc\\n"},\n{"a": "2"},\n{"a": "3"}]',
      [1, 2, 3],
    ],
  ])('begin on the right line in %s', async (_what, text, lines) => {
    expect(await rows('json', text, { columns: ['a'] })).toEqual(
      lines.map((line, index) => [line, String(index + 1)]),
    )
  })

  it('that are no objects are defects with their text', async () => {
    const { items } = await read('json', '[1.50, "x", null, [1], {"a": 2}, true]', { columns: ['a'] })
    expect(items.map((item) => [item.kind, item.text])).toEqual([
      ['defect', '1.50'],
      ['defect', '"x"'],
      ['defect', 'null'],
      ['defect', '[1]'],
      ['record', '{"a":2}'],
      ['defect', 'true'],
    ])
    expect(items[0]).toMatchObject({ code: 'RECORD_NOT_AN_OBJECT', line: 1, values: [] })
  })

  it('may be none', async () => {
    expect((await read('json', '[]')).items).toEqual([])
    expect((await read('json', '{"results": []}', { records: 'results' })).items).toEqual([])
  })

  it('are found inside an object, also in several after one another', async () => {
    const text =
      '{"x": {"results": [{"a": 8}]}, "results": [{"a": 1}]}\n{"results": [{"a": 2, "results": [{"a": 9}]}]}'
    expect(await rows('json', text, { columns: ['a'], records: 'results' })).toEqual([
      [1, '1'],
      [2, '2'],
    ])
  })

  it('are taken from a list although a place inside an object is set', async () => {
    expect(await rows('json', '[{"a": 1}]', { columns: ['a'], records: 'results' })).toEqual([[1, '1']])
  })

  it('can be in other encodings than UTF-8', async () => {
    const text = '[{"a": "Müller"}]'
    for (const bytes of [
      Buffer.from(text, 'latin1'),
      Buffer.from(text, 'utf16le'),
      Buffer.from(`\ufeff${text}`),
    ]) {
      expect(await rows('json', bytes, { columns: ['a'] })).toEqual([[1, 'Müller']])
    }
  })

  it('keep their lines over the borders of the parts that a file is read in', async () => {
    const list = Array.from({ length: 9000 }, (_, index) => `{"a": ${index}, "t": "Ü€😀\\n\\"x"}`)
    const all = await rows('json', `[\n${list.join(',\n')}\n]`, { columns: ['a'] })
    expect(all).toEqual(list.map((_, index) => [index + 2, String(index)]))
  })
})

describe('a column', () => {
  const one = { mail: 'a@example.org', address: { city: 'Berlin' }, work: null, emails: [] }
  const text = JSON.stringify([{ mail: 'b@example.org' }, one])

  it.each(['mail', 'Mail', 'address.city', 'work', 'work.street', 'emails[0].value', 'emails[type=x].value'])(
    'may be blank or missing in most records, or be a place in what is empty: %s',
    async (column) => {
      expect((await read('json', text, { columns: [column] })).items).toHaveLength(2)
    },
  )

  it.each([
    ['male', 'the nearest is "mail"'],
    ['address.citty', 'the nearest is "address.city"'],
    ['mail.address', 'is in no record'],
    ['constructor', 'is in no record'],
  ])('that no record has is no blank one: %s', async (column, said) => {
    await expect(read('json', text, { columns: ['mail', column] })).rejects.toMatchObject({
      code: 'INPUT_COLUMN_MISSING',
      message: expect.stringContaining(said) as string,
      hint: expect.stringContaining('source.sparse') as string,
    })
  })

  it.each<[string, string, object]>([
    ['where records leave out what is blank', text, { sparse: true }],
    ['in our own rejects', '{"mail": "a@example.org"}', { name: 'file.rejects.jsonl' }],
    ['without any record', '[]', {}],
  ])('may be missing %s', async (_, content, options) => {
    await expect(read('json', content, { columns: ['fax'], ...options })).resolves.toBeDefined()
  })
})

describe('optional columns', () => {
  const text = '[{"mail": "a@example.org", "fax": null}, {"mail": "b@example.org", "tels": [{"no": "1"}]}]'
  const columns = ['mail', 'fax', 'phone', 'tels[0].no', 'tels[1].no']

  it('are in the header only where some record has them', async () => {
    const optional = ['fax', 'phone', 'tels[0].no', 'tels[1].no']
    const { header, items } = await read('json', text, { columns, optional })
    expect(header).toEqual(['mail', 'fax', 'tels[0].no'])
    expect(items.map(({ values }) => values)).toEqual([
      ['a@example.org', '', ''],
      ['b@example.org', '', '1'],
    ])
  })

  it('do not make the others optional', async () => {
    await expect(read('json', text, { columns, optional: ['fax'] })).rejects.toMatchObject({
      code: 'INPUT_COLUMN_MISSING',
      message: expect.stringContaining('column "phone" is in no record') as string,
    })
  })
})

describe('damage', () => {
  it.each([
    ['a missing comma', '[{"a": 1}\n{"a": 2}]', 'line 2, column 1'],
    ['a stray character', '[{"a": 1},\n {"ü": x}]', 'line 2, column 8'],
    ['an end in mid-record', '[{"a": 1},\n{"a": ', 'line 2, column 7'],
    ['an end in mid-word', '{"a": tr', 'line 1, column 9'],
    ['something behind the list', '[{"a": 1}]\n[2]', 'line 2, column 1'],
    ['a line break in a string', '[{"a": "x\ny"}]', 'line 1, column 10'],
    ['CSV', 'a,b\n1,2\n', 'line 1, column 1'],
    ['a closing brace too many', '{"a": 1}}\n', 'line 1, column 9'],
  ])('%s is named with its place', async (_what, text, place) => {
    await expect(read('json', text)).rejects.toMatchObject({
      code: 'INPUT_JSON',
      message: expect.stringContaining(place) as string,
    })
  })

  it('never shows what the file holds', async () => {
    const error: unknown = await read('json', '[{"a": "secret" Q}]').catch((reason: unknown) => reason)
    expect(String(error)).not.toMatch(/secret|Q/)
  })

  it('includes nesting without an end', async () => {
    await expect(read('json', '['.repeat(100_000))).rejects.toMatchObject({ code: 'INPUT_JSON' })
  })

  it('includes an object around the records that nobody spoke of', async () => {
    const text = '{"total": 2, "results": [{"mail": "a@example.org"}, {"mail": "b@example.org"}]}'
    await expect(read('json', text, { columns: ['mail'] })).rejects.toMatchObject({
      code: 'INPUT_JSON',
      hint: expect.stringContaining('"results"') as string,
    })
  })

  it.each(['{"other": []}', '{"results": {"a": {}}}', '{"results": null}'])(
    'includes %s without the list',
    async (text) => {
      await expect(read('json', text, { records: 'results' })).rejects.toMatchObject({ code: 'INPUT_JSON' })
    },
  )

  it('includes a record that is too large to be one', async () => {
    const text = `{"a": [${'"0123456789012345678901234567890123456789",'.repeat(420_000)}1]}`
    await expect(read('json', text)).rejects.toMatchObject({
      code: 'INPUT_RECORD_TOO_LARGE',
      hint: expect.stringContaining('source.records') as string,
    })
  })
})
