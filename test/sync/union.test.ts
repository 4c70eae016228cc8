// `on_duplicate_key: union` over whole runs: what is sent, what counts, what is settled, and what is said of the lines.
import { describe, expect, it } from 'vitest'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { HEADER, type Line, people, testLine } from '../support/line.ts'
import { pipelineSettings } from '../support/pipeline.ts'

const TERMS: PipelineSettings['terms'] = { ...pipelineSettings().terms, assign: [{ column: 'tag' }] }
const UNION = { on_duplicate_key: 'union', terms: TERMS } as const

const head = [...HEADER, 'tag']
const ANN = ['K1', 'ann@example.com', 'Ann', 'Ash', '1', 'Red']
const ANN_LATER = ['K1', 'ann@example.com', 'Anna', '', '', 'Blue']
const BO = ['K2', 'bo@example.com', 'Bo', 'Birch', '2', 'Red']

const idOf = ({ service }: Line, wanted: string): number =>
  [...service.contacts].find(([, { mail }]) => String(mail).toLowerCase() === wanted)?.[0] ?? 0

const termsOf = (line: Line, mail = 'ann@example.com'): string[] => line.service.termsOf(idOf(line, mail))

describe('rows of one key', () => {
  it('are one contact with the terms of all, and one record in the counts', async () => {
    const line = testLine({ pipeline: UNION })
    line.source.drop('a.csv', [head, ANN, BO, ANN_LATER])
    expect(await line.run()).toMatchObject({ read: 2, created: 2, status: 'ok' })
    const ann = line.service.contacts.get(idOf(line, 'ann@example.com'))
    expect(ann).toMatchObject({ first_name: 'Anna', family_name: 'Ash', phone: '1' })
    expect(termsOf(line)).toEqual(['Blue', 'Red'])
  })

  it('are unchanged while all of them are, and a change in one is a change of the contact', async () => {
    const line = testLine({ pipeline: UNION })
    line.source.drop('a.csv', [head, ANN, BO, ANN_LATER])
    await line.run()
    line.source.drop('b.csv', [head, BO, ANN, ANN_LATER])
    expect(await line.run()).toMatchObject({ read: 2, unchanged: 2, requests: 0 })
    line.source.drop('c.csv', [head, ['K1', 'ann@example.com', 'Ann', 'Oak', '1', 'Red'], BO, ANN_LATER])
    expect(await line.run()).toMatchObject({ read: 2, unchanged: 1, updated: 1 })
    line.source.drop('d.csv', [head, ANN_LATER, BO, ['K1', 'ann@example.com', 'Ann', 'Oak', '1', 'Red']])
    expect(await line.run()).toMatchObject({ updated: 1 })
    expect(line.service.contacts.get(idOf(line, 'ann@example.com'))).toMatchObject({ first_name: 'Ann' })
  })

  it('are named with all of their lines by the plan and the sync log', async () => {
    const planned = testLine({ pipeline: UNION })
    planned.source.drop('a.csv', [head, ANN, BO, ANN_LATER])
    const { changes } = await planned.preview()
    expect(Object.fromEntries(changes.map(({ key, source }) => [key, source]))).toEqual({
      K1: { file: 'a.csv', line: 4, lines: [2, 4] },
      K2: { file: 'a.csv', line: 3 },
    })
    const line = testLine({ pipeline: UNION })
    line.source.drop('a.csv', [head, ANN, BO, ANN_LATER])
    const { run_id: run } = await line.run()
    const created = new Map<unknown, unknown>()
    for await (const entry of line.state.entriesOfRun(run))
      if (entry.action === 'create') created.set(entry.key, entry.source)
    expect(created.get('K1')).toMatchObject({ file: 'a.csv', line: 4, lines: [2, 4] })
    expect(created.get('K2')).not.toHaveProperty('lines')
  })

  it('are one rejected record where one of them is bad, given back and tried again together', async () => {
    const line = testLine({ pipeline: UNION })
    line.source.drop('a.csv', [head, ANN, BO, ['K1', 'nonsense', '', '', '', 'Blue']])
    expect(await line.run()).toMatchObject({ read: 2, created: 1, rejected: 1 })
    const kept = line.source.rejects.get('a.csv')!
    expect(kept).toMatchObject([{ line: 4, reason: expect.stringMatching(/^line 4: mail: /) as string }])
    expect(kept[0]!.rows!.map(({ line: at, values }) => [at, values[1]])).toEqual([
      [2, 'ann@example.com'],
      [4, 'nonsense'],
    ])
    line.pipeline = { ...line.pipeline, on_invalid: 'drop', hash: 'mapping-2' }
    expect(await line.retry()).toMatchObject({ read: 1, created: 1 })
    expect(termsOf(line)).toEqual(['Blue', 'Red'])
  })

  it('in a full export are all there: a row less is a change, no row is a delete', async () => {
    const pipeline = {
      ...UNION,
      mode: 'full',
      on_missing: 'delete',
      terms: { ...TERMS, policy: 'managed' },
    } as const
    const line = testLine({
      pipeline: { ...pipeline, guards: { ...pipelineSettings().guards, max_deletes: { share: 1 } } },
    })
    line.source.drop('a.csv', [
      head,
      ANN,
      BO,
      ANN_LATER,
      ...people(3, 10)
        .slice(1)
        .map((row) => [...row, '']),
    ])
    expect(await line.run()).toMatchObject({ created: 5 })
    line.source.drop('b.csv', [
      head,
      ANN,
      BO,
      ...people(3, 10)
        .slice(1)
        .map((row) => [...row, '']),
    ])
    expect(await line.run()).toMatchObject({ updated: 1, unchanged: 4, deleted: 0 })
    expect(termsOf(line)).toEqual(['Red'])
    line.source.drop('c.csv', [
      head,
      BO,
      ...people(3, 10)
        .slice(1)
        .map((row) => [...row, '']),
    ])
    expect(await line.run()).toMatchObject({ unchanged: 4, deleted: 1 })
  })

  it('without a key stay records of their own', async () => {
    const line = testLine({ pipeline: UNION })
    const nobody = ['', 'x@example.com', 'X', 'Y', '', '']
    line.source.drop('a.csv', [head, nobody, ANN, nobody])
    expect(await line.run()).toMatchObject({ read: 3, created: 1, rejected: 2 })
  })

  it('may be of the mail, where that is the key', async () => {
    const line = testLine({ pipeline: { ...UNION, key: undefined } })
    line.source.drop('a.csv', [head, ANN, ['K9', 'ANN@example.com', 'Anna', '', '', 'Blue']])
    expect(await line.run()).toMatchObject({ read: 1, created: 1 })
    expect(termsOf(line)).toEqual(['Blue', 'Red'])
  })
})
