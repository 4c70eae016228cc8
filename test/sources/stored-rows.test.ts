// Rows of archived files, read again: of large files without parsing the whole, and the same rows.
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { storedRows } from '../../src/sources/stored-rows.ts'
import { SOURCE_KINDS } from '../../src/sources/registry.ts'

const RUN = '20261121-140509-1a2b'
const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stored-'))
  for (const name of ['processed', 'failed']) await mkdir(join(folder, name))
})
afterEach(async () => rm(folder, { recursive: true }))

const settings = (type: string, options: Record<string, unknown> = {}) => ({
  type,
  null_values: [],
  ...SOURCE_KINDS[type]?.schema.parse({ folder, ...options }),
})

interface Case {
  readonly type?: string
  readonly name: string
  readonly content: string | Buffer
  readonly lines: readonly number[]
  readonly whole?: boolean
}

async function rowsOf({ type = 'csv', name, content, lines, whole = false }: Case, options = {}) {
  const wanted = { name, sha256: sha256(content), runIds: [RUN], lines }
  return storedRows(settings(type, options), wanted, { columns: ['no', 'text'], whole })
}

const put = (place: string, name: string, content: string | Buffer): Promise<void> =>
  writeFile(join(folder, place, name), content)

/** Larger than what is parsed as a whole; some rows have several lines, and letters beyond ASCII. */
function large(): { text: string; lines: Map<string, number> } {
  const lines = new Map<string, number>()
  let line = 2
  const rows = Array.from({ length: 12_000 }, (_, index) => {
    lines.set(`K${index}`, line)
    line += index % 7 === 0 ? 2 : 1
    return `K${index};"Müller ${index}${index % 7 === 0 ? '\n' : ' '}and a text that is long enough to fill the file"`
  })
  return { text: ['no;text', ...rows, ''].join('\n'), lines }
}

describe('a row of a large file', () => {
  it('is the same whether the whole is parsed or not', async () => {
    const { text, lines } = large()
    await put('processed', `people.${RUN}.csv`, text)
    for (const key of ['K0', 'K1', 'K1400', 'K7000', 'K11998', 'K11999']) {
      const asked = { name: 'people.csv', content: text, lines: [lines.get(key) ?? 0] }
      const [quick, whole] = [await rowsOf(asked), await rowsOf({ ...asked, whole: true })]
      expect([quick?.whole, whole?.whole]).toEqual([false, true])
      expect(quick?.rows.map(({ values, line }) => ({ values, line }))).toEqual(
        whole?.rows.map(({ values, line }) => ({ values, line })),
      )
      expect(quick?.rows[0]?.values[0]).toBe(key)
    }
  })

  it('is found with other rows of its record, in other encodings, and as JSON', async () => {
    const { text, lines } = large()
    const [one = 0, other = 0] = [lines.get('K3'), lines.get('K9000')]
    const latin = Buffer.from(text, 'latin1')
    await put('processed', `people.${RUN}.csv`, latin)
    const found = await rowsOf({ name: 'people.csv', content: latin, lines: [one, other] })
    expect(found?.rows.map(({ line, values: [no, value = ''] }) => [line, no, value.slice(0, 6)])).toEqual([
      [one, 'K3', 'Müller'],
      [other, 'K9000', 'Müller'],
    ])
    const json = Array.from(
      { length: 20_000 },
      (_, index) => `{"no": "K${index}", "text": "some text"}\n`,
    ).join('')
    await put('failed', `people.${RUN}.jsonl`, json)
    const rows = await rowsOf({ type: 'json', name: 'people.jsonl', content: json, lines: [19_000] })
    expect([rows?.whole, rows?.header, rows?.rows[0]?.values]).toEqual([
      false,
      ['no', 'text'],
      ['K18999', 'some text'],
    ])
  })

  it('is looked for in the whole where a part does not tell where records begin', async () => {
    const { text, lines } = large()
    const [header = '', ...rows] = text.split('\n')
    const long = `K;"${'a long value\n'.repeat(10_000)}"`
    const content = [header, long, ...rows].join('\n')
    await put('processed', `people.${RUN}.csv`, content)
    const line = (lines.get('K7001') ?? 0) + 10_001
    const found = await rowsOf({ name: 'people.csv', content, lines: [line] })
    expect([found?.whole, found?.rows[0]?.values[0]]).toEqual([true, 'K7001'])
  })
})

describe('a file', () => {
  const content = 'no;text\nK1;a\nK2;b\n'
  const asked = { name: 'people.csv', content, lines: [3] }
  const found = async (): Promise<string | undefined> => (await rowsOf(asked))?.rows[0]?.values[0]

  it.each([
    ['where the run put it', 'processed', `people.${RUN}.csv`],
    ['where it failed', 'failed', `people.${RUN}.csv`],
    ['under a number, where its name was taken', 'processed', `people.${RUN}-2.csv`],
    ['where a later run put it', 'processed', 'people.20261122-000000-9z9z.csv'],
    ['in the inbox', '', 'people.csv'],
  ])('is found %s', async (_, place, name) => {
    await put(place, name, content)
    expect(await found()).toBe('K2')
  })

  it.each([
    ['has another content', `people.${RUN}.csv`, content.replace('b', 'c')],
    ['is another one', `others.${RUN}.csv`, content],
    ['was put away by an earlier run', 'people.20251121-140509-1a2b.csv', content],
  ])('is not the one where it %s', async (_, name, text) => {
    await put('processed', name, text)
    expect(await found()).toBeUndefined()
  })

  it('has no row on a line that it does not have', async () => {
    await put('processed', `people.${RUN}.csv`, content)
    expect(await rowsOf({ ...asked, lines: [9] })).toBeUndefined()
  })
})
