// Consents that need evidence: what is sent without it, with it, and after a contact has withdrawn.
import { describe, expect, it } from 'vitest'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { DAY_MS } from '../../src/core/words/duration.ts'
import type { openTemporaryState } from '../../src/store/state-store.ts'
import { notingStatus, statusNotes } from '../../src/sync/reads/status-notes.ts'
import { type Line, testLine } from '../support/line.ts'
import { memoryService } from '../support/memory-service.ts'
import { seeded } from '../support/seeded.ts'

const COLUMNS = ['no', 'mail', 'status', 'at', 'source', 'text']
const EVIDENCE = { at: { column: 'at', date: ['auto'] }, source: 'source', text: 'text' }

/** Its reads note what they show, as those of runs do. */
function line(more: Partial<PipelineSettings> = {}): Line {
  const service = memoryService()
  const map = {
    mail: { column: 'mail' },
    mail_status: { column: 'status', evidence: EVIDENCE, require_evidence: true },
  }
  const one = testLine({ service, pipeline: { map, ...more } })
  const plain = service.session
  const settings = { consents: {}, pipelines: [one.pipeline] }
  const store = statusNotes(one.state as ReturnType<typeof openTemporaryState>, settings)
  if (store === undefined) throw new Error('nothing is noted')
  service.session = () => notingStatus(plain(), { store, pipeline: 'shop', clock: one.clock })
  return one
}

let files = 0
async function drop(one: Line, ...rows: (readonly [key: string, status: string, at?: string])[]) {
  const said = rows.map(([key, status, at]) => [
    key,
    `${key}@b.example`,
    status,
    ...(at === undefined ? ['', '', ''] : [at, 'fair', 'Yes, write to me']),
  ])
  one.source.drop(`${++files}.csv`, [COLUMNS, ...said])
  return one.run()
}

const statuses = (one: Line): unknown[] =>
  [...one.service.contacts.values()].map((contact) => Number(contact['mail_status'] ?? 3))
const set = (one: Line, status: number): void => {
  const [id = 0] = [...one.service.contacts.keys()]
  one.service.contacts.set(id, { ...one.service.contacts.get(id), mail_status: status })
}
const on = (one: Line, days: number): string =>
  new Date(one.clock.now() + days * DAY_MS).toISOString().slice(0, 10)

describe('a record that says 4 or 7', () => {
  it('says nothing about the key where its create, which goes without it, was refused', async () => {
    const one = line({ duplicate_check_method: 'none' })
    one.service.fault = () => ({ kind: 'denied', status: 403 })
    await drop(one, ['a', '4', on(one, -1)])
    expect(await one.state.statusPermission()).toBe('unknown')
    one.service.fault = () => undefined
    await drop(one, ['a', '4', on(one, -1)])
    expect(statuses(one)).toEqual([4])
  })

  it('is sent without it where a column of the evidence is blank, and with it once it is there', async () => {
    const one = line()
    expect(await drop(one, ['a', '7'], ['b', '4', on(one, -1)])).toMatchObject({ created: 2, status: 'ok' })
    expect(statuses(one)).toEqual([3, 4])
    expect(await drop(one, ['a', '7'], ['b', '4', on(one, -1)])).toMatchObject({ unchanged: 2, requests: 0 })
    await drop(one, ['a', '7', on(one, 0)], ['b', '4', on(one, -1)])
    expect(statuses(one)).toEqual([7, 4])
  })

  it('has its evidence beside the status in the sync log', async () => {
    const one = line()
    await drop(one, ['a', '7', '2025-12-24'])
    const entries = await one.state.logPage({}, { order: 'oldest', limit: 10 })
    expect(
      entries.flatMap(({ note, fields }) => (note === undefined ? [] : [[note, fields['mail_status']?.to]])),
    ).toEqual([['consent of 2025-12-24, fair: "Yes, write to me"', 7]])
  })

  it('goes by itself, also where the contact is surely new', async () => {
    const one = line({ duplicate_check_method: 'none' })
    await drop(one, ['a', '7', on(one, -1)])
    expect(statuses(one)).toEqual([7])
  })
})

it('a day that has not come yet is waited for', async () => {
  const one = line()
  const row = ['a', '7', on(one, 10)] as const
  await drop(one, row)
  expect(statuses(one)).toEqual([3])
  await drop(one, row)
  one.clock.advance(10 * DAY_MS)
  await drop(one, row)
  expect(statuses(one)).toEqual([7])
  expect(await drop(one, row)).toMatchObject({ unchanged: 1, requests: 0 })
})

describe('a contact that has withdrawn', () => {
  it('and was deleted before evidence was required, needs later evidence when it comes back', async () => {
    const one = line({ allow_consent_raise: true })
    await one.state.noteFormerStatus({ mail: 'a@b.example', status: 2, at: one.clock.now() })
    await drop(one, ['a', '7', on(one, -30)])
    expect(statuses(one)).not.toContain(7)
    one.clock.advance(DAY_MS)
    await drop(one, ['a', '7', on(one, 0)])
    expect(statuses(one)).toEqual([7])
  })

  it('beside another one of its address keeps its day', async () => {
    const one = line({ allow_consent_raise: true })
    const at = one.clock.now()
    const seen = (contactId: number, isWithdrawn: boolean, days: number) =>
      one.state.noteWithdrawal({ contactId, mail: 'a@b.example', isWithdrawn, at: at + days * DAY_MS })
    await seen(1, true, 0)
    await seen(2, false, 1)
    await seen(1, true, 2)
    expect(await one.state.withdrawnAt([{ contactId: 1, mails: ['a@b.example'] }])).toEqual([at])
    await one.state.endWithdrawal({ contactId: 1, mails: ['A@b.example'] })
    expect(await one.state.withdrawnAt([{ contactId: 3, mails: ['a@b.example'] }])).toEqual([at])
    await seen(1, true, 5)
    expect(await one.state.withdrawnAt([{ contactId: undefined, mails: ['a@b.example'] }])).toEqual([
      at + 5 * DAY_MS,
    ])
    expect(await one.state.withdrawnAt([{ contactId: 9, mails: ['c@b.example'] }])).toEqual([undefined])
  })

  it.each([
    ['without allow_consent_raise', {}, [2, 2]],
    ['with it', { allow_consent_raise: true }, [2, 7]],
  ])('is raised by later evidence alone: %s', async (_, more, expected) => {
    const one = line(more)
    await drop(one, ['a', '3'])
    set(one, 2)
    // It was given before the status was seen.
    await drop(one, ['a', '7', on(one, -1)])
    const before = statuses(one)
    one.clock.advance(2 * DAY_MS)
    await drop(one, ['a', '7', on(one, 0)])
    expect([...before, ...statuses(one)]).toEqual(expected)
  })

  it('by a record is not raised by evidence that the record had before', async () => {
    const one = line({ allow_consent_raise: true })
    const given = on(one, -1)
    await drop(one, ['a', '7', given])
    await drop(one, ['a', '2', given])
    expect(statuses(one)).toEqual([2])
    one.clock.advance(DAY_MS)
    await drop(one, ['a', '7', given])
    expect(statuses(one)).toEqual([2])
    await drop(one, ['a', '7', on(one, 0)])
    expect(statuses(one)).toEqual([7])
  })
})

it.each([1, 2, 3])('over 120 days none is raised without evidence that is later, seed %i', async (seed) => {
  const draws = seeded(seed)
  const one = line({ allow_consent_raise: true })
  let withdrawn = -1
  let record: readonly [string, string, string?] = ['a', '3']
  let isNoticed = false
  for (let day = 0; day < 120; day += 1) {
    const act = draws.pick(['consent', 'old', 'none', 'leave', 'rest', 'rest'])
    if (act === 'consent') record = ['a', draws.pick(['4', '7']), on(one, 0)]
    if (act === 'old') record = ['a', draws.pick(['4', '7']), on(one, -draws.pick([1, 5, 40]))]
    if (act === 'none') record = ['a', draws.pick(['4', '7'])]
    if (act === 'leave' && one.service.contacts.size > 0 && statuses(one)[0] !== 2) {
      set(one, 2)
      withdrawn = day
    }
    const before = statuses(one)[0]
    await drop(one, record)
    const after = statuses(one)[0]
    const [, , at] = record
    // What was seen on a day proves nothing against evidence of the same day that came before.
    if (before === 2 && after !== 2) {
      isNoticed = true
      expect(at).toBeDefined()
      expect(
        (at ?? '') > new Date(one.clock.now() - (day - withdrawn) * DAY_MS).toISOString().slice(0, 10),
      ).toBe(true)
    }
    one.clock.advance(DAY_MS)
  }
  expect([isNoticed, withdrawn >= 0]).toEqual([true, true])
})
