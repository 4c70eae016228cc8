// Two pipelines at one moment: what one of them has under way, the other one must not meet half done. And a create whose second
// request tells nothing of its first. Each of these was found by simulation first.
import { describe, expect, it } from 'vitest'
import { createMailTurns } from '../../src/sync/send/turns.ts'
import { HEADER, people, testLine } from '../support/line.ts'
import { type Call, memoryService } from '../support/memory-service.ts'
import { GUARDS, pipelineSettings } from '../support/pipeline.ts'
import { temporaryState } from '../support/state/temporary-state.ts'

const isCreate = ({ method, path }: Call): boolean => method === 'POST' && path.startsWith('/contact')
const isUpdate = ({ method, path }: Call): boolean => method === 'PUT' && path === '/contact/<contact_id>'

describe('what two pipelines do at one moment', () => {
  const aLongTime = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }

  it.each(['delete', 'create'] as const)(
    'a delete and a create that the service may judge by its name go one after the other (%s first)',
    async (first) => {
      const shared = { state: temporaryState(), service: memoryService(), mails: createMailTurns() }
      const { service } = shared
      const guards = { ...GUARDS, max_deletes: { share: 1 } }
      const address = { ba_street: { value: 'S' }, ba_city: { value: 'C' }, ba_postal_code: { value: 'P' } }
      const map = { ...pipelineSettings().map, ...address }
      const full = testLine({ ...shared, pipeline: { mode: 'full', on_missing: 'delete', guards, map } })
      const other = testLine({ ...shared, pipeline: { name: 'other', duplicate_check_method: 'auto' } })
      full.source.drop('a.csv', [[...HEADER], ['8', '', 'Ben', 'Roth', ''], ['9', '', 'Ann', 'Weber', '']])
      await full.run()
      full.source.drop('c.csv', [[...HEADER], ['8', '', 'Ben', 'Roth', '']])
      other.source.drop('b.csv', [[...HEADER], ['1', 'ann@example.com', 'Ann', 'WEBER', '']])
      const order: string[] = []
      const begun = { delete: Promise.withResolvers<undefined>(), create: Promise.withResolvers<undefined>() }
      const slow = async <T>(what: 'delete' | 'create', call: () => Promise<T>): Promise<T> => {
        order.push(`${what} begins`)
        begun[what].resolve(undefined)
        await aLongTime()
        order.push(`${what} ends`)
        return call()
      }
      const { session } = service
      service.session = () => {
        const real = session()
        return {
          ...real,
          deleteContact: async (id) => slow('delete', async () => real.deleteContact(id)),
          createContact: async (contact, options) =>
            slow('create', async () => real.createContact(contact, options)),
        }
      }
      const [one, two] = first === 'delete' ? [full, other] : [other, full]
      const running = one.run()
      await begun[first].promise
      await Promise.all([running, two.run()])
      const then = first === 'delete' ? 'create' : 'delete'
      expect(order).toEqual([`${first} begins`, `${first} ends`, `${then} begins`, `${then} ends`])
    },
  )

  it('a bulk update does not reach the second contact that a create makes of its mail', async () => {
    const shared = { state: temporaryState(), service: memoryService(), mails: createMailTurns() }
    const { service } = shared
    const bulk = testLine({
      ...shared,
      pipeline: { duplicate_check_method: 'email', update_via: 'bulk' },
    })
    const other = testLine({ ...shared, pipeline: { name: 'other', duplicate_check_method: 'none' } })
    bulk.source.drop('a.csv', people(3))
    await bulk.run()
    other.source.drop('b.csv', people(1, 2))
    bulk.source.drop(
      'c.csv',
      people(3).map((fields, index) => (index === 0 ? fields : [...fields.slice(0, -1), '040 9'])),
    )
    let theirs: Promise<unknown> = Promise.resolve()
    const { session } = service
    service.session = () => {
      const real = session()
      return {
        ...real,
        async createContact(contact, options) {
          const made = await real.createContact(contact, options)
          theirs = bulk.run()
          await aLongTime()
          return made
        },
      }
    }
    await other.run()
    await theirs
    const phones = [...service.contacts.values()].map(({ mail, phone }) => [mail, phone])
    expect(phones).toEqual([
      ['person1@example.com', '040 9'],
      ['person2@example.com', '040 9'],
      ['person3@example.com', '040 9'],
      ['person2@example.com', people(1, 2)[1]?.at(-1)],
    ])
    // The one whose mail two contacts have by now goes by its id.
    expect(service.calls.filter(isUpdate)).toHaveLength(1)
  })
})

describe('a create in doubt that is sent again', () => {
  it('stays in doubt where that request was not carried out', async () => {
    const line = testLine({ pipeline: { duplicate_check_method: 'email' } })
    line.service.fault = (call) => (isCreate(call) ? { kind: 'unknown' } : undefined)
    line.source.drop('a.csv', people(1))
    expect(await line.run()).toMatchObject({ in_doubt: 1 })
    line.service.fault = (call) => (isCreate(call) ? { kind: 'not_applied' } : undefined)
    await line.run()
    expect(await line.state.leftOpen('in_doubt', 'shop')).toHaveLength(1)
    line.service.fault = () => undefined
    await line.run()
    expect(await line.state.leftOpen('in_doubt', 'shop')).toEqual([])
    expect(line.service.contacts.size).toBe(1)
  })
})

describe('a create whose mail_status was not taken', () => {
  it('is taken back once no earlier request of it can land any more', async () => {
    const line = testLine({
      pipeline: {
        duplicate_check_method: 'email',
        map: { mail: { column: 'mail' }, mail_status: { column: 'phone' } },
      },
    })
    line.service.ignoresStatus = true
    const { session } = line.service
    line.service.session = () => {
      const real = session()
      return {
        ...real,
        // The answer to an earlier attempt was lost.
        async createContact(contact, options) {
          const result = await real.createContact(contact, options)
          return result.kind === 'ok' ? { ...result, echo: true } : result
        },
      }
    }
    const deletes = (): number => line.service.calls.filter(({ method }) => method === 'DELETE').length
    const rows = [[...HEADER], ['K1', 'a@example.com', 'A', 'B', '2']]
    line.source.drop('a.csv', rows)
    const began = line.clock.now()
    expect(await line.run()).toMatchObject({ failed: 1 })
    expect([deletes(), line.service.contacts.size]).toEqual([1, 0])
    expect(line.clock.now() - began).toBeGreaterThanOrEqual(line.settings.doubt.quiesce)
    expect(line.log.map(({ message }) => message)).toContain('waiting before a create is taken back')
  })
})
