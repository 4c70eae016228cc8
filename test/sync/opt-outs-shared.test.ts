// The outbox with several pipelines on one state: what another one of them sets is no news for the source, at no moment.
import { describe, expect, it } from 'vitest'
import { realState } from '../support/state/temporary-state.ts'
import { notingStatus } from '../../src/sync/reads/status-notes.ts'
import { aboutRun, AT, done, person, worldOver } from '../contracts/state-world.ts'
import { HEADER, testLine } from '../support/line.ts'
import { memoryService } from '../support/memory-service.ts'

const WANTED = person('K1', { mail_status: 2 })
const MAIL = String(WANTED.contact['mail'])

/** What crm's run has read, as the outbox would tell it. */
async function told(
  state: ReturnType<typeof realState>,
  seen: { readonly mail?: string; readonly status?: number } = {},
) {
  const about = { contactId: 1, mail: MAIL, status: 2, pipeline: 'crm', at: AT, isOurs: false }
  await state.noteStatus({ ...about, ...seen })
  return (await state.openOptOuts())?.rows ?? []
}

describe.each(['sending', 'in_doubt'] as const)('a create of another pipeline that is %s', (moment) => {
  async function begun() {
    const state = realState()
    await worldOver(state).plan([WANTED])
    const [operation] = await state.takeToSend('r1', undefined, 1)
    if (operation === undefined) throw new Error('nothing is planned')
    await state.markSending([operation])
    const settlement = { kind: 'in_doubt', reason: 'lost', notBefore: AT } as const
    if (moment === 'in_doubt')
      await state.settleBatch([{ operation, request: undefined, settlement }], aboutRun('r1'))
    return state
  }

  it('has set the status that a contact of its mail shows', async () => {
    expect(await told(await begun(), { mail: MAIL.toUpperCase() })).toEqual([])
  })

  it('has set no other status, and none of another contact', async () => {
    expect(await told(await begun(), { status: 1 })).toMatchObject([{ status: 1 }])
    expect(await told(await begun(), { mail: 'other@example.com' })).toMatchObject([{ status: 2 }])
  })
})

it('a create that has not left sets nothing, one that is done has', async () => {
  const state = realState()
  const world = worldOver(state)
  await world.plan([WANTED])
  expect(await told(state)).toHaveLength(1)
  const later = realState()
  await worldOver(later).plan([WANTED])
  await worldOver(later).send(done)
  expect(await told(later)).toEqual([])
})

it('a contact that the lost create of one pipeline made, and another one reads, is no opt-out', async () => {
  const service = memoryService()
  const state = realState()
  const map = { mail: { column: 'mail' }, first_name: { column: 'first' }, mail_status: { column: 'phone' } }
  const shop = testLine({ service, state, pipeline: { map, duplicate_check_method: 'none' } })
  const keep = { hand_edits: 'keep', duplicate_merge_method: 'add', update_method: 'update_add' } as const
  const crm = testLine({ service, state, pipeline: { ...keep, name: 'crm' } })
  const plain = service.session
  const row = (first: string, phone: string): string[][] => [
    [...HEADER],
    ['K1', 'a@example.com', first, 'B', phone],
  ]
  shop.source.drop('a.csv', row('Ann', '2'))
  service.fault = ({ method, path }) => {
    if (method === 'POST') return { kind: 'unknown', applied: true }
    return path === '/contact/<contact_mail>' ? { kind: 'absent' } : undefined
  }
  expect(await shop.run()).toMatchObject({ in_doubt: 1 })
  service.fault = () => undefined
  service.session = () => notingStatus(plain(), { store: state, pipeline: 'crm', clock: crm.clock })
  crm.source.drop('b.csv', row('Ann', '1'))
  await crm.run()
  crm.source.drop('c.csv', row('Ann', '3'))
  await crm.run()
  expect(service.contacts.get(1)).toMatchObject({ mail_status: 2, phone: '3' })
  expect(await state.openOptOuts()).toBeUndefined()
})

it('a status that stayed where another was not taken is news when it comes back', async () => {
  const service = memoryService()
  const state = realState()
  const map = { mail: { column: 'mail' }, first_name: { column: 'first' }, mail_status: { column: 'phone' } }
  const line = testLine({
    ...{ service, state },
    pipeline: {
      map,
      allow_consent_raise: true,
      hand_edits: 'keep',
      duplicate_merge_method: 'add',
      recheck: 0,
    },
  })
  const plain = service.session
  service.session = () => notingStatus(plain(), { store: state, pipeline: 'shop', clock: line.clock })
  const say = async (status: string) => {
    line.source.drop(`${String(line.clock.now())}.csv`, [
      [...HEADER],
      ['K1', 'a@example.com', `Ann ${String(line.clock.now())}`, 'B', status],
    ])
    line.clock.advance(1000)
    return line.run()
  }
  const block = (status: number): void =>
    void service.contacts.set(1, { ...service.contacts.get(1), mail_status: status })
  await say('4')
  service.ignoresStatus = true
  block(1)
  await say('7')
  for (const status of [2, 1]) {
    block(status)
    await say('')
  }
  const { rows = [] } = (await state.openOptOuts()) ?? {}
  expect(rows.map(({ status }) => status)).toEqual([1, 2, 1])
})
