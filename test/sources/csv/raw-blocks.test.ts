import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type RawBlock, type SourceItem, UnsureOfRecords } from '../../../src/core/mapping/record.ts'
import { readText } from '../../support/text-input.ts'

type Options = Readonly<Record<string, unknown>>

async function itemsOf(
  text: string | Buffer,
  options: Options = {},
  blocks?: 'beside' | ((block: RawBlock) => boolean),
  chunkBytes?: number,
): Promise<SourceItem[]> {
  const reader = await readText(Buffer.from(text), options, chunkBytes)
  const items: SourceItem[] = []
  for await (const batch of reader.batches(blocks)) items.push(...batch)
  await reader.close()
  return items
}

const blockOf = (item: SourceItem): RawBlock | undefined => (item.kind === 'record' ? item.block : undefined)

const withoutBlock = (item: SourceItem): SourceItem => {
  if (item.kind !== 'record') return item
  const { block: _block, ...rest } = item
  return rest
}

/** Digests of the blocks of which every record is among the items. */
function wholeBlocks(items: readonly SourceItem[]): Set<string> {
  const seen = new Map<RawBlock, number>()
  for (const block of items.flatMap((item) => blockOf(item) ?? []))
    seen.set(block, (seen.get(block) ?? 0) + 1)
  return new Set([...seen].flatMap(([block, count]) => (count === block.lines.length ? block.digest : [])))
}

const ROWS = Array.from({ length: 300 }, (_, row) => `K${row},name ${row},${row % 7}`)
const fileOf = (rows: readonly string[]): string => `${['no,name,number', ...rows].join('\n')}\n`

const digests = async (text: string): Promise<Set<string>> => wholeBlocks(await itemsOf(text, {}, 'beside'))

describe('blocks of raw records', () => {
  it('hold all records of a plain file, of four to sixteen each', async () => {
    const items = await itemsOf(fileOf(ROWS), {}, 'beside')
    const blocks = new Set(items.map(blockOf))
    expect(blocks.has(undefined)).toBe(false)
    const sizes = [...blocks].map((block) => block?.lines.length ?? 0)
    expect([Math.min(...sizes.slice(0, -1)), Math.max(...sizes) <= 16]).toEqual([4, true])
    expect([...blocks].flatMap((block) => block?.lines)).toEqual(ROWS.map((_, index) => index + 2))
  })

  it('are none where all lines are blank', async () => {
    const blank = new Array<string>(2000).fill('')
    const items = await itemsOf(fileOf([...ROWS, ...blank, 'K300,last,1']), {}, 'beside')
    const lines = items.flatMap(
      (item) => blockOf(item)?.lines.filter((line) => line > 340 && line < 2300) ?? [],
    )
    expect([items.length, lines]).toEqual([301, []])
  })

  it.each<[string, (rows: string[]) => string[]]>([
    ['one record more', (rows) => rows.toSpliced(20, 0, 'K99,new,1')],
    ['one record less', (rows) => rows.toSpliced(20, 1)],
    ['one record changed', (rows) => rows.with(20, 'K20,changed,1')],
    ['blocks that were moved', (rows) => [...rows.slice(30), ...rows.slice(0, 30)]],
  ])('are mostly the same after %s', async (_what, change) => {
    const before = await digests(fileOf(ROWS))
    const after = await digests(fileOf(change([...ROWS])))
    const both = [...after].filter((digest) => before.has(digest))
    expect(both.length).toBeGreaterThan(before.size * 0.9)
  })

  it.each<[string, string, Options?]>([
    ['a quote within a value', 'a,b\n1,x\n2,5" pipe\n3,y\n4,z\n'],
    ['a value behind a closed quote', 'a,b\n1,"x" y\n2,z\n'],
    ['a lone CR', 'a,b\n1,x\r2,y\n3,z\n'],
    ['a record that is too long', `a,b\n1,${'x'.repeat(2000)}\n2,z\n`, { max_record_bytes: 1024 }],
    ['a quote that is never closed', 'a,b\n1,x\n2,y\n3,"z\n4,u\n5,v\n'],
  ])('are given up for %s', async (_what, text, options = {}) => {
    // Behind what is read to find the header.
    const [head = '', ...rows] = text.split(/(?<=\n)/)
    const long = [head, ...ROWS.map((_, index) => `${index},y\n`), ...rows].join('')
    await expect(itemsOf(long, options, () => false, 500)).rejects.toThrow(UnsureOfRecords)
  })

  it.each<[string, Buffer | string, Options?]>([
    ['UTF-16', Buffer.from('\ufeffa,b\n1,x\n', 'utf16le')],
    ['an East Asian encoding', 'a,b\n1,x\n', { encoding: 'shift_jis' }],
    ['another quote', "a,b\n1,'x'\n", { quote: "'" }],
    ['a footer', 'a,b\n1,x\nsum,1\n', { skip_footer: 1 }],
    ['rejects that were written by this program', 'a,_reason,_file,_line\n1,x,y,2\n'],
  ])('are not offered for %s', async (_what, text, options = {}) => {
    expect((await readText(Buffer.from(text), options)).rawForm).toBeUndefined()
  })

  it.each([
    ['a file whose lines end with CR alone', 'a,b\r1,x\r2,y\r'],
    ['a header that nothing follows', 'a,b'],
  ])('do not take the header for a record: %s', async (_what, text) => {
    await expect(itemsOf(text, {}, () => false)).rejects.toThrow(UnsureOfRecords)
    expect(await itemsOf(text, {}, 'beside')).toEqual(await itemsOf(text))
  })

  it('leave rows of another width to the parser', async () => {
    const items = await itemsOf('a,b\n1,x\n2,y,\n3,z,\n4\n', { ragged: 'pad' }, 'beside')
    expect(items.filter((item) => blockOf(item) !== undefined).map(({ line }) => line)).toEqual([2])
  })

  it('leave open whether the last row was cut off where rows before it were passed over', async () => {
    const text = 'a,b\n1,"x ""y"""\n2,"y"\n3,z\n4,u\n5,v\n6,"w"'
    const known = await digests(text)
    expect(known.size).toBeGreaterThan(0)
    const ahead = itemsOf(text, {}, ({ digest }) => known.has(digest))
    await expect(ahead).rejects.toThrow(UnsureOfRecords)
  })
})

const value = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'ü', 'name', '', 'x y', '12', 'Straße 3') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('"a"', '"a,b"', '"x\ny"', '"x\r\ny"', '"q ""q"""', '""', ' "a"', '"\r"'),
  },
  { weight: 1, arbitrary: fc.constantFrom('\t', ' ', ' a', 'a ', "'", '\f"x"', '\f') },
)
const odd = fc.constantFrom('5" x', '"a"b', 'a\rb', '"open')
const row = fc.oneof(
  { weight: 20, arbitrary: fc.tuple(value, value, value).map((values) => values.join(',')) },
  { weight: 1, arbitrary: fc.constantFrom('', ',,', '  ', 'a', 'a,b', 'a,b,c,', 'a,b,c,d') },
  { weight: 1, arbitrary: fc.tuple(value, odd).map((values) => values.join(',')) },
)

describe('any file', () => {
  const file = fc.record({
    rows: fc.array(row, { maxLength: 40 }),
    end: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom('\n', '\r\n') },
      { weight: 1, arbitrary: fc.constant('\r') },
    ),
    mark: fc.constantFrom('', '\ufeff'),
    before: fc.constantFrom(0, 2),
    isEnded: fc.boolean(),
    ragged: fc.constantFrom('reject', 'auto', 'pad'),
    chunkBytes: fc.integer({ min: 1, max: 200 }),
    settled: fc.infiniteStream(fc.boolean()),
  })

  it('has the same records by blocks as by the parser, whichever of them are settled', async () => {
    let sure = 0
    await fc.assert(
      fc.asyncProperty(file, async ({ rows, end, mark, before, isEnded, ragged, chunkBytes, settled }) => {
        const head = ['one "line', 'two'].slice(0, before).map((line) => line + end)
        const text = mark + head.join('') + ['a,b,c', ...rows].join(end) + (isEnded ? end : '')
        const options = { skip_lines: before, ragged, delimiter: ',' }
        const plain = await itemsOf(text, options).catch((error: unknown) => error)
        const beside = await itemsOf(text, options, 'beside', chunkBytes).catch((error: unknown) => error)
        if (!Array.isArray(plain)) {
          expect(beside).toEqual(plain)
          return
        }
        const all = beside as SourceItem[]
        expect(all.map(withoutBlock)).toEqual(plain)
        const known = new Set([...wholeBlocks(all)].filter(() => settled.next().value))
        const passed: number[] = []
        const isSettled = ({ digest, lines }: RawBlock): boolean => {
          if (known.has(digest)) passed.push(...lines)
          return known.has(digest)
        }
        try {
          const ahead = await itemsOf(text, options, isSettled, chunkBytes)
          const left = all.filter(({ line }) => !passed.includes(line))
          expect(ahead.map(withoutBlock)).toEqual(left.map(withoutBlock))
          expect(ahead.length + passed.length).toBe(all.length)
          sure += 1
        } catch (error) {
          if (!(error instanceof UnsureOfRecords)) throw error
        }
      }),
      { numRuns: 400 },
    )
    expect(sure).toBeGreaterThan(100)
  })
})
