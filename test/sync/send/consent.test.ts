// mail_status: a 1 or 2 is taken and seen, or its record has failed. Nobody whose source says so is made without it, and
// the sync log never says that something was set which was not.
import { describe, expect, it, test } from 'vitest'
import type { LoggedEntry } from '../../../src/core/log/audit-chain.ts'
import type { PipelineSettings } from '../../../src/core/settings.ts'
import { runAccount } from '../../../src/core/log/run-account.ts'
import { HEADER, type Line, testLine } from '../../support/line.ts'
import { GUARDS } from '../../support/pipeline.ts'

type Ahead = NonNullable<Parameters<typeof testLine>[0]>['ahead']

const COLUMNS = [...HEADER, 'status', 'tags']
const row = (number: number, status: string, { first = 'Ann', tags = '' } = {}): string[] => [
  `K${number}`,
  `person${number}@example.com`,
  first,
  `Family${number}`,
  '1',
  status,
  tags,
]
const rows = (count: number, status: string): string[][] =>
  Array.from({ length: count }, (_, index) => row(index + 1, status))

function lineOf(changes: Partial<PipelineSettings> = {}, ahead?: Ahead): Line {
  return testLine({
    ...(ahead === undefined ? {} : { ahead }),
    pipeline: {
      map: {
        mail: { column: 'mail' },
        first_name: { column: 'first' },
        family_name: { column: 'last' },
        mail_status: { column: 'status' },
      },
      terms: {
        policy: 'add',
        create_missing: true,
        assign: [{ column: 'tags', split: ',' }],
        descriptions: {},
        verify: true,
      },
      ...changes,
    },
  })
}

async function run(line: Line, table: string[][]) {
  line.source.drop(`${Math.random()}.csv`, [COLUMNS, ...table])
  return line.run()
}

const entriesOf = async (line: Line): Promise<readonly LoggedEntry[]> =>
  line.state.logPage({}, { order: 'oldest', limit: 1000 })

/** What the sync log says was set: by contact, the statuses that are done. */
const loggedAsSet = async (line: Line): Promise<[key: unknown, to: unknown][]> =>
  (await entriesOf(line))
    .filter(({ outcome, fields }) => outcome === 'done' && fields['mail_status'] !== undefined)
    .map(({ key, fields }): [unknown, unknown] => [key, fields['mail_status']?.to])

const statuses = (line: Line): unknown[] =>
  [...line.service.contacts.values()].map((contact) => contact['mail_status'] ?? 3)

describe.each(['email', 'auto', 'none'] as const)('new contacts with status 2 under check %s', (check) => {
  it('are not made where the key may not set it, and all of them once it may', async () => {
    const line = lineOf({ duplicate_check_method: check })
    line.service.ignoresStatus = true
    expect(await run(line, rows(5, '2'))).toMatchObject({ status: 'partial', created: 0, failed: 5 })
    expect(line.service.contacts.size).toBe(0)
    expect(await loggedAsSet(line)).toEqual([])
    expect(await line.state.statusPermission()).toBe('refused')
    // One record is tried again, the others fail without a request.
    const before = line.service.writes().length
    expect(await line.run()).toMatchObject({ status: 'partial', failed: 5 })
    const tried = line.service.writes().slice(before)
    expect(new Set(tried.flatMap(({ contacts }) => contacts.flatMap(({ mail }) => mail ?? []))).size).toBe(1)
    expect(line.service.contacts.size).toBe(0)
    line.service.ignoresStatus = false
    expect(await line.run()).toMatchObject({ status: 'ok', created: 5, failed: 0 })
    expect(statuses(line)).toEqual([2, 2, 2, 2, 2])
    expect((await loggedAsSet(line)).length).toBe(5)
    expect(await line.state.statusPermission()).toBe('known')
    const calls = line.service.calls.length
    expect(await run(line, rows(5, '2'))).toMatchObject({ status: 'ok', unchanged: 5, requests: 0 })
    expect(line.service.calls).toHaveLength(calls)
  })

  it('go together once the first was seen, and each is read back', async () => {
    const line = lineOf({ duplicate_check_method: check })
    expect(await run(line, rows(7, '1'))).toMatchObject({ status: 'ok', created: 7 })
    expect(statuses(line)).toEqual([1, 1, 1, 1, 1, 1, 1])
    const posts = line.service.writes().filter(({ method }) => method === 'POST')
    expect(posts.map(({ contacts }) => contacts.length)).toEqual([1, 6])
    const read = line.service.calls.filter(({ method, id }) => method === 'GET' && id !== undefined)
    expect(new Set(read.map(({ id }) => id)).size).toBe(7)
  })

  it('whose create got no answer are looked at as well', async () => {
    const line = lineOf({ duplicate_check_method: check })
    line.service.ignoresStatus = true
    let lost = 1
    line.service.fault = ({ path }) =>
      path === '/contact' && lost-- > 0 ? { kind: 'unknown', applied: true } : undefined
    expect(await run(line, rows(2, '2'))).toMatchObject({ created: 0, failed: 2 })
    expect(line.service.contacts.size).toBe(0)
    expect(await loggedAsSet(line)).toEqual([])
  })
})

describe('a contact of the service that no record was linked to', () => {
  const there = { mail: 'person1@example.com', first_name: 'Nea' }

  it('gets its status before anything else', async () => {
    const line = lineOf()
    line.service.contacts.set(5, there)
    expect(await run(line, [row(1, '2', { tags: 'VIP' })])).toMatchObject({
      status: 'ok',
      updated: 1,
      created: 0,
    })
    expect(line.service.writes().map(({ method, path, contacts }) => [method, path, contacts])).toEqual([
      ['PUT', '/contact/<contact_id>', [{ mail_status: 2 }]],
      [
        'PUT',
        '/contact/<contact_id>',
        [{ mail: 'person1@example.com', first_name: 'Ann', family_name: 'Family1' }],
      ],
      ['POST', '/terms', []],
      ['PUT', '/contact/<contact_id>/terms', []],
    ])
    expect((await entriesOf(line)).map(({ action, outcome }) => [action, outcome])).toEqual([
      ['link', 'done'],
      ['update', 'done'],
      ['update', 'done'],
      ['create_term', 'done'],
      ['terms', 'done'],
    ])
  })

  it('is left as it is where the status is not taken, and is never deleted', async () => {
    const line = lineOf()
    line.service.contacts.set(5, there)
    line.service.ignoresStatus = true
    expect(await run(line, [row(1, '2', { tags: 'VIP' })])).toMatchObject({ status: 'partial', failed: 1 })
    expect(await line.run()).toMatchObject({ failed: 1 })
    expect([...line.service.contacts]).toEqual([[5, there]])
    expect(line.service.termsOf(5)).toEqual([])
    expect(await loggedAsSet(line)).toEqual([])
    line.service.ignoresStatus = false
    expect(await line.run()).toMatchObject({ status: 'ok', updated: 1 })
    expect(line.service.contacts.get(5)).toMatchObject({ mail_status: 2, first_name: 'Ann' })
    expect(line.service.termsOf(5)).toEqual(['VIP'])
  })

  it('waits for an operator where several have the mail', async () => {
    const line = lineOf()
    line.service.contacts.set(5, there).set(6, there)
    expect(await run(line, [row(1, '2')])).toMatchObject({ status: 'held', held: 1 })
    expect(line.service.writes()).toEqual([])
  })
})

describe('a linked contact that becomes unsubscribed', () => {
  const bodies = (line: Line, from: number): unknown[] =>
    line.service
      .writes()
      .slice(from)
      .map(({ contacts, termIds }) => termIds ?? contacts[0])

  it('gets the status first, then its fields, then its terms', async () => {
    const line = lineOf()
    await run(line, [row(1, '4')])
    const from = line.service.writes().length
    expect(await run(line, [row(1, '2', { first: 'Anna', tags: 'VIP' })])).toMatchObject({ updated: 1 })
    expect(bodies(line, from)).toEqual([{ mail_status: 2 }, { first_name: 'Anna' }, undefined, [101]])
    expect(await run(line, [row(1, '2', { first: 'Anna', tags: 'VIP' })])).toMatchObject({ requests: 0 })
  })

  it('is read, sent and read back ahead of other runs, and nothing else is', async () => {
    const within: unknown[] = []
    const line: Line = lineOf({}, async (work) => {
      const from = line.service.calls.length
      const result = await work()
      within.push(...line.service.calls.slice(from).map(({ method, contacts }) => contacts[0] ?? method))
      return result
    })
    await run(line, [row(1, '4')])
    expect(within).toEqual([])
    await run(line, [row(1, '2', { first: 'Anna', tags: 'VIP' })])
    expect(within).toEqual(['GET', { mail_status: 2 }, 'GET'])
    await run(line, [row(1, '4')])
    expect(within).toHaveLength(3)
  })

  it.each(['add', 'update', 'update_add'] as const)('is sent under the merge method %s', async (method) => {
    const line = lineOf({ duplicate_merge_method: method })
    await run(line, [row(1, '4')])
    expect(await run(line, [row(1, '2')])).toMatchObject({ status: 'ok', updated: 1 })
    expect(statuses(line)).toEqual([2])
  })

  it('goes from blocked to unsubscribed and back without further words', async () => {
    const line = lineOf()
    await run(line, [row(1, '1')])
    expect(await run(line, [row(1, '2')])).toMatchObject({ updated: 1, held: 0 })
    expect(await run(line, [row(1, '1')])).toMatchObject({ updated: 1, held: 0 })
    expect(statuses(line)).toEqual([1])
  })

  it('has failed where it is not taken, and nothing else of it is sent; the others ask nobody', async () => {
    const line = lineOf()
    await run(line, rows(4, '4'))
    line.service.ignoresStatus = true
    const from = line.service.writes().length
    const changed = [1, 2, 3, 4].map((number) => row(number, '2', { first: 'Anna', tags: 'VIP' }))
    const { requests, ...counts } = await run(line, changed)
    expect(counts).toMatchObject({ status: 'partial', failed: 4, updated: 0 })
    expect(bodies(line, from)).toEqual([{ mail_status: 2 }])
    expect(requests).toBe(3)
    expect([...line.service.contacts.values()].map((contact) => contact['first_name'])).toEqual(
      Array.from({ length: 4 }, () => 'Ann'),
    )
    const warnings = line.log.filter(({ message }) => message.includes('mail_status ignored'))
    expect(warnings).toMatchObject([{ fields: { wanted: 2, found: 4 } }])
    line.service.ignoresStatus = false
    expect(await line.run()).toMatchObject({ status: 'ok', updated: 4 })
    expect(statuses(line)).toEqual([2, 2, 2, 2])
  })

  it.each(['refused', 'denied'] as const)(
    'has failed where the service says so (%s), and is no reject',
    async (kind) => {
      const line = lineOf()
      await run(line, rows(2, '4'))
      line.service.fault = ({ method, contacts }) =>
        method === 'PUT' && contacts[0]?.['mail_status'] === 2
          ? { kind, status: kind === 'denied' ? 403 : 422 }
          : undefined
      expect(await run(line, rows(2, '2'))).toMatchObject({ status: 'partial', failed: 2, rejected: 0 })
    },
  )
})

describe('a contact that was made and whose status was not taken', () => {
  it('stays where somebody touched it before it was taken back', async () => {
    const line = lineOf()
    line.service.ignoresStatus = true
    line.service.fault = ({ method, id }) => {
      if (method === 'PUT' && id !== undefined) line.service.contacts.get(id)!['company'] = 'A colleague'
      return undefined
    }
    expect(await run(line, [row(1, '2')])).toMatchObject({ created: 0, failed: 1 })
    expect(line.service.writes().some(({ method }) => method === 'DELETE')).toBe(false)
    expect(await loggedAsSet(line)).toEqual([])
    line.service.ignoresStatus = false
    expect(await line.run()).toMatchObject({ status: 'ok', updated: 1 })
    expect(statuses(line)).toEqual([2])
  })

  it('stays where others touched it while its terms were waited for', async () => {
    const line = lineOf()
    line.service.ignoresStatus = true
    line.service.fault = ({ method, path }) => {
      if (method !== 'GET' || !path.endsWith('/terms') || path === '/terms') return undefined
      for (const contact of line.service.contacts.values()) contact['company'] = 'A colleague'
      return undefined
    }
    expect(await run(line, [row(1, '2')])).toMatchObject({ created: 0, failed: 1 })
    expect(line.service.writes().some(({ method }) => method === 'DELETE')).toBe(false)
    expect(line.service.contacts.size).toBe(1)
  })

  it('is taken back where the key lost the permission within the run, if it is surely new', async () => {
    const line = lineOf({ duplicate_check_method: 'none' })
    line.service.fault = ({ path }) => {
      if (path === '/contacts') line.service.ignoresStatus = true
      return undefined
    }
    expect(await run(line, rows(4, '2'))).toMatchObject({ created: 1, failed: 3 })
    expect(statuses(line)).toEqual([2])
    line.service.fault = () => undefined
    line.service.ignoresStatus = false
    expect(await line.run()).toMatchObject({ created: 3 })
    expect(statuses(line)).toEqual([2, 2, 2, 2])
  })

  it('is taken back though the next full export lacks its record, and is not made again', async () => {
    const line = lineOf({ mode: 'full' })
    line.service.ignoresStatus = true
    const reading = { isAway: false }
    line.service.fault = ({ method, id }) => {
      if (method === 'POST') reading.isAway = true
      return reading.isAway && id !== undefined ? { kind: 'unknown' } : undefined
    }
    line.source.drop('1.csv', [COLUMNS, row(1, '2'), row(2, '4')])
    line.source.drop('2.csv', [COLUMNS, row(2, '4')])
    await line.run()
    line.service.fault = () => undefined
    await line.run()
    expect(line.service.contacts.size).toBe(1)
    const before = line.service.writes().length
    expect(await line.run()).toMatchObject({ failed: 0 })
    expect(line.service.writes()).toHaveLength(before)
  })

  it('is taken back, too, where it shows itself just as it would be sent again', async () => {
    const line = lineOf()
    line.service.ignoresStatus = true
    let [isLost, hidden] = [true, 0]
    line.service.fault = ({ method }) => {
      if (method !== 'POST' || !isLost) return undefined
      isLost = false
      // The look-up that lets it go again does not show it yet, and the one right before it goes does.
      hidden = 1
      return { kind: 'unknown', applied: true }
    }
    const { session } = line.service
    line.service.session = () => {
      const real = session()
      return {
        ...real,
        async contactsByMail(mail, fields) {
          const found = await real.contactsByMail(mail, fields)
          return hidden-- > 0 && found.kind === 'ok'
            ? { ...found, value: { contacts: [], others: [] } }
            : found
        },
      }
    }
    for (let times = 0; times < 3; times += 1) await run(line, [row(1, '2')])
    expect(line.service.contacts.size).toBe(0)
  })

  it('is taken back by the next run where the answer to the delete was lost', async () => {
    const line = lineOf()
    line.service.ignoresStatus = true
    let lost = 9
    line.service.fault = ({ method }) => (method === 'DELETE' && lost-- > 0 ? { kind: 'unknown' } : undefined)
    await run(line, [row(1, '2')])
    lost = 0
    expect(await line.run()).toMatchObject({ in_doubt: 0 })
    expect(line.service.contacts.size).toBe(0)
  })

  it('counts as failed and as what became of it where the run that gave it up takes it up again', async () => {
    const line = lineOf()
    let away = true
    line.service.fault = ({ path }) => (path === '/contact' && away ? { kind: 'unknown' } : undefined)
    await run(line, [row(1, '2')])
    away = false
    let reads = 0
    line.service.fault = ({ method, id }) =>
      method === 'GET' && id !== undefined && (reads += 1) <= 2 ? { kind: 'unknown' } : undefined
    const from = (await entriesOf(line)).length
    const { created, failed, unchanged } = await line.run()
    const account = await runAccount((await entriesOf(line)).slice(from))
    expect(account).toMatchObject({ created, failed, unchanged })
    expect(failed).toBe(1)
  })

  it('is no delete of the run that took it back after an answer was lost', async () => {
    const line = lineOf()
    line.service.ignoresStatus = true
    let lost = 1
    line.service.fault = ({ method }) => (method === 'DELETE' && lost-- > 0 ? { kind: 'unknown' } : undefined)
    expect(await run(line, [row(1, '2')])).toMatchObject({ failed: 1, deleted: 0 })
    const account = await runAccount(await entriesOf(line))
    expect(account).toMatchObject({ failed: 1, deleted: 0 })
  })
})

describe('a released change whose contact is unsubscribed at the service', () => {
  it('is sent up to its status, counts once, and waits for another decision', async () => {
    const line = lineOf()
    await run(line, [row(1, '')])
    line.service.contacts.set(1, { ...line.service.contacts.get(1), mail_status: 2 })
    line.pipeline = { ...line.pipeline, guards: { ...GUARDS, max_changes: { count: 0 } } }
    const changed = [row(1, '4', { first: 'Anna' })]
    const { run_id: held } = await run(line, changed)
    await line.state.release(held, line.clock.now())
    expect(await run(line, changed)).toMatchObject({ status: 'held', read: 1, held: 1, updated: 0 })
    expect(line.service.contacts.get(1)).toMatchObject({ first_name: 'Anna', mail_status: 2 })
    expect(await line.state.released('shop')).toBe(0)
    expect(await line.run()).toMatchObject({ read: 0, held: 0, requests: 0 })
  })
})

describe('any other status that is ignored', () => {
  it('is not said to be set because a new contact has 3 in any case', async () => {
    const line = lineOf({ duplicate_check_method: 'none' })
    line.service.ignoresStatus = true
    const table = [row(1, '3'), row(2, '3'), row(3, '7'), row(4, '3')]
    expect(await run(line, table)).toMatchObject({ status: 'ok', created: 4 })
    expect((await loggedAsSet(line)).filter(([, to]) => to !== 3)).toEqual([])
    expect(await line.state.statusPermission()).toBe('refused')
    line.service.ignoresStatus = false
    await run(line, [row(9, '4')])
    expect(await run(line, table)).toMatchObject({ status: 'ok', updated: 1 })
    expect(statuses(line).sort()).toEqual([3, 3, 3, 4, 7])
  })

  it('is sent again where the key had the permission, lost it for a run, and has it again', async () => {
    const line = lineOf({ allow_consent_raise: true })
    await run(line, [row(1, '2')])
    line.service.ignoresStatus = true
    expect(await run(line, [row(1, '4')])).toMatchObject({ status: 'ok' })
    line.service.ignoresStatus = false
    expect(await run(line, [row(2, '7')])).toMatchObject({ created: 1 })
    expect(await run(line, [row(1, '4')])).toMatchObject({ updated: 1 })
    expect(statuses(line)).toEqual([4, 7])
  })

  it('stands in the sync log where it came with a create, and was seen later', async () => {
    const line = lineOf({ duplicate_check_method: 'none' })
    let lost = 1
    line.service.fault = ({ method, id }) =>
      method === 'GET' && id !== undefined && lost-- > 0 ? { kind: 'unknown' } : undefined
    await run(line, [row(1, '7')])
    await line.run()
    expect(statuses(line)).toEqual([7])
    expect(await loggedAsSet(line)).toEqual([['K1', 7]])
  })

  it('is not taken for what the key may set where a user has set what a create carried', async () => {
    const line = lineOf({ duplicate_check_method: 'none' })
    line.service.ignoresStatus = true
    let looks = 0
    line.service.fault = ({ method, id }) => {
      const contact = line.service.contacts.get(1)
      if (method === 'GET' && id === 1 && contact !== undefined && ++looks === 2) contact['mail_status'] = 7
      return undefined
    }
    await run(line, [row(1, '7'), row(2, '7')])
    expect(statuses(line)).toEqual([7, 3])
    expect((await loggedAsSet(line)).map(([key]) => key)).not.toContain('K2')
    expect(await line.state.statusPermission()).toBe('refused')
  })

  it('stands in the entry of its create where a newer record came before it was seen', async () => {
    const line = lineOf({ duplicate_check_method: 'none' })
    const reading = { fails: true }
    line.service.fault = ({ method, id }) =>
      method === 'GET' && id !== undefined && reading.fails ? { kind: 'unknown' } : undefined
    await run(line, [row(1, '7')])
    reading.fails = false
    expect(await run(line, [row(1, '4')])).toMatchObject({ failed: 0 })
    const [create] = (await entriesOf(line)).filter(({ action }) => action === 'create')
    expect(create).toMatchObject({ outcome: 'done' })
    expect(create?.fields['mail_status']).toBeUndefined()
    expect(create?.reason).toBe('mail_status 7 was sent with it, and is not seen at the contact yet')
  })

  it('stands in the entry of a create whose answer was lost', async () => {
    const line = lineOf({ duplicate_check_method: 'none' })
    line.service.fault = ({ path }) => (path === '/contact' ? { kind: 'unknown' } : undefined)
    await run(line, [row(1, '7')])
    const [create] = await entriesOf(line)
    expect(create).toMatchObject({ action: 'create', outcome: 'in_doubt' })
    expect(create?.fields['mail_status']).toMatchObject({ to: 7 })
  })

  it.each(['email', 'none'] as const)(
    'fails nobody, is not said to be set, and is tried again later (%s)',
    async (check) => {
      const line = lineOf({ duplicate_check_method: check })
      line.service.ignoresStatus = true
      expect(await run(line, rows(3, '4'))).toMatchObject({ status: 'ok', created: 3, failed: 0 })
      expect(line.service.contacts.size).toBe(3)
      expect(await loggedAsSet(line)).toEqual([])
      const warnings = line.log.filter(({ message }) => message.includes('mail_status ignored'))
      expect(warnings).toMatchObject([{ fields: { wanted: 4, found: 3 } }])
      // No change, no call.
      expect(await run(line, rows(3, '4'))).toMatchObject({ unchanged: 3, requests: 0 })
      // Another record shows that the key has the right by now.
      line.service.ignoresStatus = false
      expect(await run(line, [row(9, '7')])).toMatchObject({ created: 1 })
      expect(await run(line, rows(3, '4'))).toMatchObject({ status: 'ok', updated: 3 })
      expect(statuses(line)).toEqual([4, 4, 4, 7])
      expect((await loggedAsSet(line)).length).toBe(4)
    },
  )
})

/** Lets `steps` calls through; at the next one everything stops permanently, with or without that call's effect. */
function mortality(steps: number, isEffective: boolean) {
  const never = new Promise<never>(() => undefined)
  const { promise: died, resolve } = Promise.withResolvers<'died'>()
  let calls = 0
  const die = (): Promise<never> => {
    resolve('died')
    return never
  }
  const mortal = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(of, name) {
        const value: unknown = Reflect.get(of, name)
        if (typeof value !== 'function') return value
        return (...given: unknown[]): unknown => {
          calls += 1
          if (calls > steps + 1 || (calls > steps && !isEffective)) return die()
          const result: unknown = Reflect.apply(value, of, given)
          return calls <= steps ? result : Promise.resolve(result).then(die, die)
        }
      },
    })
  return { mortal, died }
}

describe('the process dies at any step', () => {
  test.each([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])(
    'and the next run ends as an undisturbed one (ignored: %s, applied: %s)',
    async (isIgnored, isEffective) => {
      for (let steps = 0; ; steps += 1) {
        const line = lineOf()
        await run(line, [row(1, '4')])
        line.service.ignoresStatus = isIgnored
        const table = [row(1, '2', { first: 'Anna' }), row(2, '2'), row(3, '', { tags: 'VIP' })]
        line.source.drop('last.csv', [COLUMNS, ...table])
        const { mortal, died } = mortality(steps, isEffective)
        const session = line.service.session.bind(line.service)
        const dying = testLine({
          pipeline: line.pipeline,
          state: mortal(line.state),
          service: { ...line.service, session: () => mortal(session()) },
          runs: 100,
        })
        Object.assign(dying, { source: mortal(line.source) })
        const ended = await Promise.race([dying.run(), died])
        await line.run()
        const left = [...line.service.contacts.values()].map(({ mail, mail_status: status = 3 }) => [
          mail,
          status,
        ])
        expect({ steps, left: left.sort() }).toEqual({
          steps,
          left: isIgnored
            ? [
                ['person1@example.com', 4],
                ['person3@example.com', 3],
              ]
            : [
                ['person1@example.com', 2],
                ['person2@example.com', 2],
                ['person3@example.com', 3],
              ],
        })
        if (isIgnored) expect(await loggedAsSet(line)).toEqual([['K1', 4]])
        if (ended !== 'died') break
      }
    },
  )
})
