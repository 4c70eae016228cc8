// Rejected records that are tried again, as they came.
import { describe, expect, it } from 'vitest'
import type { RejectEntry } from '../../src/core/state.ts'
import { HEADER, type Line, people, testLine } from '../support/line.ts'

async function rejectsOf(line: Line): Promise<RejectEntry[]> {
  const all = []
  for await (const reject of line.state.rejects(undefined)) all.push(reject)
  return all
}

const BAD = ['K2', 'no mail', 'A', 'B', '1']

async function rejecting(line: Line, ...rows: string[][]): Promise<void> {
  line.source.drop('a.csv', [[...HEADER], ...rows])
  await line.run()
}

describe('rejects retry', () => {
  it('sends what a changed mapping takes, with its own file and line', async () => {
    const line = testLine()
    await rejecting(line, ['K1', 'a@example.com', 'A', 'B', '1'], BAD)
    const { mail: _, ...others } = line.pipeline.map
    line.pipeline = {
      ...line.pipeline,
      hash: 'new',
      map: { ...others, mail: { value: 'fixed@example.com' } },
    }
    expect(await line.retry()).toMatchObject({ read: 1, created: 1, rejected: 0, status: 'ok' })
    expect(await rejectsOf(line)).toEqual([])
    expect(line.service.contacts.size).toBe(2)
    expect(await line.retry()).toMatchObject({ read: 0, requests: 0 })
  })

  it('keeps what is rejected again, with file, line and the reason of today', async () => {
    const line = testLine()
    await rejecting(line, ['K1', 'a@example.com', 'A', 'B', '1'], BAD)
    expect(await line.retry()).toMatchObject({ read: 1, rejected: 1, status: 'partial' })
    expect(await rejectsOf(line)).toMatchObject([{ key: 'K2', file: 'a.csv', line: 3, values: BAD }])
  })

  it('sends what the service refused for a while', async () => {
    const line = testLine()
    line.service.fault = ({ method }) => (method === 'POST' ? { kind: 'refused', status: 422 } : undefined)
    await rejecting(line, ...people(3).slice(1))
    line.service.fault = () => undefined
    expect(await line.retry()).toMatchObject({ read: 3, created: 3 })
  })

  it('names each record by the file that it was read from, and that by its digest', async () => {
    const line = testLine()
    line.service.fault = ({ method }) => (method === 'POST' ? { kind: 'refused', status: 422 } : undefined)
    for (const [name, key] of [
      ['a.csv', 'K1'],
      ['b.csv', 'K2'],
    ] as const) {
      line.source.drop(name, [[...HEADER], [key, `${key}@example.com`, 'A', 'B', '1']])
      await line.run()
    }
    const digest = 'abc'
    expect((await rejectsOf(line)).map(({ input }) => input)).toMatchObject([
      { name: 'a.csv', sha256: digest },
      { name: 'b.csv', sha256: digest },
    ])
    // Rejected again, they are still those of their files.
    expect(await line.retry()).toMatchObject({ read: 2, rejected: 2 })
    line.service.fault = () => undefined
    const sent = await line.retry()
    expect(sent).toMatchObject({ read: 2, created: 2 })
    const sources = []
    for await (const { source } of line.state.entriesOfRun(sent.run_id)) sources.push(source)
    expect(sources).toEqual([
      { file: 'a.csv', line: 2, sha256: digest },
      { file: 'b.csv', line: 2, sha256: digest },
    ])
  })

  it('finds the key of a record that had none', async () => {
    const line = testLine()
    await rejecting(line, ['', 'a@example.com', 'A', 'B', '1'])
    line.pipeline = { ...line.pipeline, key: undefined, hash: 'by mail' }
    expect(await line.retry()).toMatchObject({ created: 1 })
    expect(await rejectsOf(line)).toEqual([])
  })

  it('leaves a second record of one key, and a row that is none', async () => {
    const line = testLine()
    await rejecting(
      line,
      ['K1', 'a@example.com', 'A', 'B', '1'],
      ['K1', 'b@example.com', 'A', 'B', '1'],
      ['K2'],
    )
    expect(await line.retry()).toMatchObject({ read: 0, requests: 0 })
    expect(await rejectsOf(line)).toHaveLength(2)
  })

  it('reads each group of columns by its own header', async () => {
    const line = testLine()
    await rejecting(line, BAD)
    line.source.drop('b.csv', [
      ['last', 'first', 'mail', 'no', 'phone'],
      ['B', 'A', 'none', 'K9', '1'],
    ])
    await line.run()
    line.pipeline = {
      ...line.pipeline,
      map: { ...line.pipeline.map, mail: { value: 'x@example.com' } },
      hash: 'n',
    }
    line.pipeline = { ...line.pipeline, duplicate_check_method: 'none' }
    expect(await line.retry()).toMatchObject({ read: 2, created: 2 })
    expect([...line.service.contacts.values()]).toMatchObject([
      { first_name: 'A', family_name: 'B' },
      { first_name: 'A', family_name: 'B' },
    ])
  })

  it('is no full export: nobody has gone by it', async () => {
    const line = testLine({ pipeline: { mode: 'full', on_missing: 'delete' } })
    await rejecting(line, ...people(3).slice(1), BAD)
    await line.retry()
    expect(line.service.contacts.size).toBe(3)
  })

  it('goes on after the process died in the middle', async () => {
    const line = testLine()
    line.service.fault = ({ method }) => (method === 'POST' ? { kind: 'refused', status: 422 } : undefined)
    await rejecting(line, ...people(3).slice(1))
    line.service.fault = ({ method }) => {
      if (method === 'POST') throw new Error('the process dies')
      return undefined
    }
    await expect(line.retry()).rejects.toThrow('the process dies')
    line.service.fault = () => undefined
    expect(await line.run()).toMatchObject({ status: 'ok', in_doubt: 0 })
    expect(line.service.contacts.size).toBe(3)
    expect(await rejectsOf(line)).toEqual([])
  })
})
