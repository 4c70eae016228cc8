// Lines are the same however the bytes arrive.
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linesOf } from '../../../src/sources/singer/lines.ts'

function* cutUp(bytes: Buffer, cuts: readonly number[]): Generator<Buffer> {
  let begin = 0
  for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
    const end = Math.min(cut, bytes.length)
    if (end > begin) yield bytes.subarray(begin, end)
    begin = Math.max(begin, end)
  }
}

const pieces = (bytes: Buffer, cuts: readonly number[]): AsyncIterable<Buffer> =>
  Readable.from(cutUp(bytes, cuts)) as AsyncIterable<Buffer>

async function read(input: AsyncIterable<Buffer>) {
  const found: { text: string; number: number }[] = []
  try {
    for await (const lines of linesOf(input)) found.push(...lines)
    return { found, error: undefined }
  } catch (error) {
    return { found, error: (error as Error).message }
  }
}

describe('lines', () => {
  it('are what stands between line breaks, wherever the pieces are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' }).filter((text) => !/[\n\ufeff]/.test(text))),
        fc.array(fc.nat(200)),
        fc.boolean(),
        async (texts, cuts, isEnded) => {
          const text = texts.join('\n') + (isEnded ? '\n' : '')
          const wanted = text.split('\n')
          if (wanted.at(-1) === '') wanted.pop()
          const { found } = await read(pieces(Buffer.from(text), cuts))
          expect(found.map((line) => line.text)).toEqual(wanted)
          expect(found.map((line) => line.number)).toEqual(wanted.map((_, index) => index + 1))
        },
      ),
    )
  })

  it('begin behind a byte order mark', async () => {
    const { found } = await read(pieces(Buffer.from('\ufeff{}\n\ufeff{}\n'), [1, 2]))
    expect(found.map(({ text }) => text)).toEqual(['{}', '\ufeff{}'])
  })

  it('that are not UTF-8 end the reading behind those before them', async () => {
    const bytes = Buffer.concat([Buffer.from('{}\n'), Buffer.from([0xff, 0x0a]), Buffer.from('{}\n')])
    for (const cuts of [[], [3], [4]]) {
      const { found, error } = await read(pieces(bytes, cuts))
      expect([found.length, error]).toEqual([1, 'line 2 is not a Singer message: it is not UTF-8'])
    }
  })

  it('that never end are not kept', async () => {
    function* endless(): Generator<Buffer> {
      yield Buffer.from('{}\n')
      for (;;) yield Buffer.alloc(1024 * 1024, 'x')
    }
    const { found, error } = await read(Readable.from(endless()) as AsyncIterable<Buffer>)
    expect([found.length, error]).toEqual([
      1,
      'line 2 is not a Singer message: it has more than 16777216 bytes',
    ])
  })
})
