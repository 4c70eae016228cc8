// Where a stream through a pipe is cut: so that STATEs come on the way, and never before the records that they are about.
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { Clock } from '../../../src/core/ports.ts'
import {
  createTargetStream,
  type TargetBatch,
  type TargetStream,
} from '../../../src/sources/singer/target-stream.ts'
import { systemClock } from '../../../src/system.ts'

const schema = { type: 'SCHEMA', stream: 'people', schema: {} }
const record = (no: number) => ({ type: 'RECORD', stream: 'people', record: { no } })
const state = (value: unknown) => ({ type: 'STATE', value })
const textOf = (messages: readonly object[]): string =>
  messages.map((one) => `${JSON.stringify(one)}\n`).join('')

const signal = new AbortController().signal
const open = (input: PassThrough, clock: Clock = systemClock, isFull = false): TargetStream =>
  createTargetStream(input as AsyncIterable<Buffer>, { stream: 'people', isFull, clock, signal })

async function read(batch: TargetBatch): Promise<{ records: number; states: readonly string[] }> {
  const task = { cursor: undefined, signal, clock: systemClock, tell: () => undefined }
  for await (const _ of batch.fetcher.fetch(task));
  return { records: batch.records(), states: batch.states() }
}

describe('a stream through a pipe', () => {
  it('is cut after ten thousand records, where a STATE waits', async () => {
    const input = new PassThrough()
    const some = (from: number, count: number) => Array.from({ length: count }, (_, no) => record(from + no))
    input.end(
      textOf([
        schema,
        ...some(0, 9000),
        state(1),
        ...some(9000, 2000),
        state(2),
        ...some(11_000, 5),
        state(3),
      ]),
    )
    const stream = open(input)
    expect(await read(stream.next())).toEqual({ records: 10_000, states: ['1'] })
    expect(stream.isOver()).toBe(false)
    expect(await read(stream.next())).toEqual({ records: 1005, states: ['2', '3'] })
    expect(stream.isOver()).toBe(true)
  })

  it('is cut where a STATE has waited long', async () => {
    let now = 0
    const clock = { ...systemClock, monotonic: () => (now += 20_000) }
    const input = new PassThrough()
    input.end(textOf([schema, record(1), state(1), record(2), state(2)]))
    const stream = open(input, clock)
    expect(await read(stream.next())).toEqual({ records: 2, states: ['1'] })
    expect(await read(stream.next())).toEqual({ records: 0, states: ['2'] })
  })

  it('is cut where nothing comes any more, and goes on afterwards', async () => {
    const hurried = {
      ...systemClock,
      sleep: (ms: number, end?: AbortSignal) => systemClock.sleep(ms / 200, end),
    }
    const input = new PassThrough()
    input.write(textOf([schema, record(1), state(1), record(2)]))
    const stream = open(input, hurried)
    expect(await read(stream.next())).toEqual({ records: 2, states: ['1'] })
    input.end(textOf([state(2)]))
    expect(await read(stream.next())).toEqual({ records: 0, states: ['2'] })
    expect(await read(stream.next())).toEqual({ records: 0, states: [] })
    expect(stream.isOver()).toBe(true)
  })

  it('of a full export is not cut', async () => {
    let now = 0
    const clock = { ...systemClock, monotonic: () => (now += 60_000) }
    const input = new PassThrough()
    input.end(textOf([schema, record(1), state(1), record(2), state(2)]))
    expect(await read(open(input, clock, true).next())).toEqual({ records: 2, states: ['1', '2'] })
  })

  it('marks every STATE anew, so that none is taken for one of another time', async () => {
    const marks = await Promise.all(
      [1, 2].map(async (at) => {
        const input = new PassThrough()
        input.end(textOf([schema, record(1), state(1)]))
        const batch = open(input, { ...systemClock, now: () => at }).next()
        await read(batch)
        return batch.mark()
      }),
    )
    expect(new Set(marks).size).toBe(2)
  })
})
