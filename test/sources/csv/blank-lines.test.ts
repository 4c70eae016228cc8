// Lines without any record cost no more than their number: nothing is copied again and again while they pass.
import { afterEach, expect, it, vi } from 'vitest'
import type { CsvText } from '../../../src/sources/csv/parse.ts'
import { csvRows } from '../../../src/sources/csv/parse.ts'

const PART = 4096

function csvText(text: string): CsvText {
  const bytes = Buffer.from(text)
  return {
    name: 'x.csv',
    dialect: { delimiter: ',', quote: '"', skipLines: 0, skipFooter: 0, header: undefined },
    maxRecordBytes: 1024 * 1024,
    async *read() {
      for (let at = 0; at < bytes.length; at += PART)
        yield await Promise.resolve(bytes.subarray(at, at + PART))
    },
  }
}

afterEach(() => vi.restoreAllMocks())

const BLANK = '\n'.repeat(100 * PART)

it.each([
  ['before the header', `${BLANK}a,b\n1,2\n`, [100 * PART + 1, 100 * PART + 2]],
  ['behind the last record', `a,b\n1,2\n${BLANK}`, [1, 2]],
  ['between records', `a,b\n${BLANK}1,2\n`, [1, 100 * PART + 2]],
])('%s, they are copied a few times at most', async (_where, text, expected) => {
  let copied = 0
  const concat = Buffer.concat.bind(Buffer)
  vi.spyOn(Buffer, 'concat').mockImplementation((list, length) => {
    const whole = concat(list, length)
    copied += whole.length
    return whole
  })
  const lines: number[] = []
  for await (const rows of csvRows(csvText(text))) lines.push(...rows.map(({ line }) => line))
  expect(lines).toEqual(expected)
  expect(copied).toBeLessThan(4 * text.length)
})

it.each(['\n', '\r\n', '\r'])('a fault behind them is found on its line, with line ends %j', async (end) => {
  const text = `a,b${end}1,2${end}${end.repeat(100 * PART)}${end}3,"x" y${end}`
  const read = async (): Promise<void> => {
    for await (const rows of csvRows(csvText(text))) expect(rows.length).toBeGreaterThan(0)
  }
  await expect(read()).rejects.toThrow(
    `x.csv: the quote that opens at line ${100 * PART + 4}, column 3 ends in the middle of its value`,
  )
})

it('a record behind them may be longer than all that waits for one', async () => {
  const long = `"${'x\n'.repeat(60 * PART)}"`
  const lines: number[] = []
  const text = csvText(`a,b\n${BLANK}1,${long}\n${BLANK}2,y\n`)
  for await (const rows of csvRows({ ...text, maxRecordBytes: 8 * 1024 * 1024 }))
    lines.push(...rows.map(({ line }) => line))
  expect(lines).toEqual([1, 100 * PART + 2, 260 * PART + 3])
})
