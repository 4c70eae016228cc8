// Erasing a person while something of theirs is open: nothing of it may leave afterwards.
import { expect, it } from 'vitest'
import { openState } from '../../../src/store/state-store.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recognition } from '../../../src/core/erasing.ts'
import { people, testLine } from '../../support/line.ts'

it('takes a create in doubt along, counts it, and nothing of it is sent any more', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forget-'))
  const state = openState(join(folder, 'state.db'), { pid: 1, since: 0, thorough: true })
  try {
    const line = testLine({ state, pipeline: { duplicate_check_method: 'none' } })
    line.service.fault = ({ method }) => (method === 'POST' ? { kind: 'unknown' } : undefined)
    line.source.drop('1.csv', people(1))
    expect(await line.run()).toMatchObject({ in_doubt: 1 })
    const mail = 'person1@example.com'
    const subject = {
      keys: [{ pipeline: line.pipeline.name, key: 'K1' }],
      contactIds: [],
      mails: [mail],
      values: [],
    }
    const forgotten = state.forget({
      subject,
      people: [],
      recognition: recognition(subject),
      cleared: [],
      records: 0,
      at: line.clock.now(),
      runId: 'erasure',
    })
    expect(forgotten).toMatchObject({ inDoubt: 1, openOperations: 1 })
    line.service.fault = () => undefined
    const sent = line.service.writes().length
    line.source.drop('2.csv', people(1))
    expect(await line.run()).toMatchObject({ read: 1, skipped: 1, created: 0, in_doubt: 0 })
    expect(line.service.writes()).toHaveLength(sent)
    expect(line.service.contacts.size).toBe(0)
  } finally {
    await state.close()
    rmSync(folder, { recursive: true })
  }
})

it('leaves a person who gets the address of somebody erased, and their contact', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forget-'))
  const state = openState(join(folder, 'state.db'), { pid: 1, since: 0, thorough: true })
  try {
    const line = testLine({ state, pipeline: { mode: 'full', on_missing: 'delete' } })
    const [header, one, two] = people(2)
    line.source.drop('1.csv', [header!, one!, two!])
    expect(await line.run()).toMatchObject({ created: 2 })
    const [first, second] = ['person1@example.com', 'person2@example.com']
    const subject = {
      keys: [{ pipeline: line.pipeline.name, key: 'K1' }],
      contactIds: [1],
      mails: [first],
      values: [],
    }
    const about = { people: [], cleared: [], records: 0, at: line.clock.now(), runId: 'erasure' }
    state.forget({ ...about, subject, recognition: recognition(subject) })
    line.source.drop('2.csv', [header!, one!.with(1, second), two!.with(1, first)])
    expect(await line.run()).toMatchObject({ skipped: 1, updated: 1, deleted: 0, held_deletes: 0 })
    expect(line.service.contacts.get(2)).toMatchObject({ mail: first })
  } finally {
    await state.close()
    rmSync(folder, { recursive: true })
  }
})

it('leaves what is open of a person whose address ends in the same letters', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forget-'))
  const state = openState(join(folder, 'state.db'), { pid: 1, since: 0, thorough: true })
  try {
    const line = testLine({ state, pipeline: { duplicate_check_method: 'none' } })
    line.service.fault = ({ method }) => (method === 'POST' ? { kind: 'unknown' } : undefined)
    line.source.drop('1.csv', people(11))
    expect(await line.run()).toMatchObject({ in_doubt: 11 })
    const subject = { keys: [], contactIds: [], mails: ['erson1@example.com'], values: [] }
    expect(state.namedInRows({ keys: [], mails: subject.mails })).toEqual({ keys: [], mails: [] })
    const about = { people: [], cleared: [], records: 0, at: line.clock.now(), runId: 'erasure' }
    const forgotten = state.forget({ ...about, subject, recognition: recognition(subject) })
    expect(forgotten).toMatchObject({ openOperations: 0 })
    const known = { ...subject, mails: ['person1@example.com'] }
    expect(state.forget({ ...about, subject: known, recognition: recognition(known) })).toMatchObject({
      openOperations: 1,
    })
  } finally {
    await state.close()
    rmSync(folder, { recursive: true })
  }
})

it('knows the names of a person by the links when the values of the log have expired', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forget-'))
  const state = openState(join(folder, 'state.db'), { pid: 1, since: 0, thorough: true })
  try {
    const line = testLine({ state })
    line.source.drop('1.csv', people(2))
    expect(await line.run()).toMatchObject({ created: 2 })
    const named = [
      { keys: [{ pipeline: 'shop', key: 'K1' }], contactIds: [1], mails: ['person1@example.com'] },
    ]
    const late = line.clock.now() + 3 * 86_400_000
    expect(await state.expireValues(late, 100, { at: late, runId: 'expiry' })).toBe(2)
    for (const name of ['person1@example.com', 'K1', 'id:1'])
      expect(await state.people(name)).toMatchObject(named)
    expect(state.subjectOf(await state.people('K1'))).toMatchObject({
      ...named[0],
      values: expect.arrayContaining([{ field: 'first_name', value: 'Vorname1' }]) as unknown,
    })
    // By an address that they had before.
    const rows = people(2)
    line.source.drop('2.csv', [rows[0]!, rows[1]!.with(1, 'new@example.com'), rows[2]!])
    expect(await line.run()).toMatchObject({ updated: 1 })
    expect(await state.people('person1@example.com')).toMatchObject([
      { keys: named[0]!.keys, contactIds: [1], mails: ['person1@example.com', 'new@example.com'] },
    ])
    await state.expireValues(late + late, 100, { at: late, runId: 'expiry' })
    expect(await state.people('person1@example.com')).toMatchObject([
      { keys: named[0]!.keys, contactIds: [1], mails: ['new@example.com'] },
    ])
  } finally {
    await state.close()
    rmSync(folder, { recursive: true })
  }
})
