// `key: { fields: [mail, first_name] }` over whole runs: several people of one mail, distinguished before any is created.
import { describe, expect, it } from 'vitest'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { type Line, testLine } from '../support/line.ts'
import { GUARDS } from '../support/pipeline.ts'

const HEADER = ['mail', 'first', 'last', 'phone', 'status']
const MAIL = 'ash@example.com'
const ANN = [MAIL, 'Ann', 'Ash', '1', '']
const BO = [MAIL, 'Bo', 'Ash', '2', '']
const CY = ['cy@example.com', 'Cy', 'Cedar', '3', '']

const PIPELINE: Partial<PipelineSettings> = {
  key: undefined,
  household: ['mail', 'first_name'],
  duplicate_check_method: 'none',
  map: {
    mail: { column: 'mail' },
    first_name: { column: 'first' },
    family_name: { column: 'last' },
    phone: { column: 'phone' },
  },
}
const WITH_STATUS = { ...PIPELINE, map: { ...PIPELINE.map, mail_status: { column: 'status' } } }

const household = (changes: Partial<PipelineSettings> = {}): Line =>
  testLine({ pipeline: { ...PIPELINE, ...changes } })

const firstNames = ({ service }: Line): unknown[] =>
  [...service.contacts.values()].map(({ first_name: name }) => name)

const of = ({ service }: Line, name: string): Record<string, unknown> | undefined =>
  [...service.contacts.values()].find(({ first_name: is }) => is === name)

const statuses = (line: Line): unknown[] =>
  [...line.service.contacts.values()].map(({ first_name: name, mail_status: status }) => [name, status])

describe('a household', () => {
  it('is one contact for each of its people, whatever their mail', async () => {
    const line = household()
    line.source.drop('a.csv', [HEADER, ANN, BO, CY])
    expect(await line.run()).toMatchObject({ read: 3, created: 3, held: 0, status: 'ok' })
    expect(firstNames(line)).toEqual(['Ann', 'Bo', 'Cy'])
    for (const { options } of line.service.calls.filter(({ method }) => method === 'POST'))
      expect(options?.duplicateCheckMethod).toBe('none')
    line.source.drop('b.csv', [HEADER, BO, CY, ANN])
    expect(await line.run()).toMatchObject({ unchanged: 3, requests: 0 })
  })

  it('adopts exactly the one contact that is equal in all fields of the key', async () => {
    const line = household()
    line.service.contacts.set(70, { mail: 'ASH@example.com', first_name: ' ann ', phone: '0' })
    line.service.contacts.set(71, { mail: MAIL, first_name: 'Annabel' })
    line.source.drop('a.csv', [HEADER, ANN, BO])
    expect(await line.run()).toMatchObject({ updated: 1, created: 1 })
    expect(line.service.contacts.get(70)).toMatchObject({ first_name: 'Ann', phone: '1' })
    expect(line.service.contacts.get(71)).toEqual({ mail: MAIL, first_name: 'Annabel' })
    expect(line.service.contacts.size).toBe(3)
  })

  it('is in doubt where several are equal, does not wait for it, and goes on once one is left', async () => {
    const line = household()
    line.service.contacts.set(70, { mail: MAIL, first_name: 'Ann' })
    line.service.contacts.set(71, { mail: MAIL, first_name: 'ANN' })
    line.source.drop('a.csv', [HEADER, ANN])
    const before = line.clock.now()
    expect(await line.run()).toMatchObject({ in_doubt: 1, created: 0, updated: 0, status: 'partial' })
    expect(line.clock.now() - before).toBeLessThan(line.settings.doubt.quiesce)
    expect(line.service.writes()).toEqual([])
    const [doubt] = await line.state.leftOpen('in_doubt', 'shop')
    expect(doubt?.reason).toMatch(/several contacts with the same mail and first_name \(2\)/)
    line.service.contacts.delete(71)
    await line.run()
    expect(line.service.contacts.get(70)).toMatchObject({ phone: '1' })
    expect(await line.state.leftOpen('in_doubt', 'shop')).toEqual([])
  })

  it('keys are readable, and no two of them fall together', async () => {
    const line = household()
    const odd = ['x@example.com', 'a|b\\c', 'Ash', '1', '']
    line.source.drop('a.csv', [HEADER, odd, CY, ['', 'Di', 'Dogwood', '', ''], [MAIL, '', 'Ash', '', '']])
    expect(await line.run()).toMatchObject({ created: 2, rejected: 2 })
    const keys = await line.state.known('shop', ['x@example.com|a\\|b\\\\c', 'cy@example.com|cy'])
    expect(keys.map(({ link }) => link?.contactId)).toEqual([1, 2])
    const reasons: string[] = []
    for await (const { reason } of line.state.rejects(['shop'])) reasons.push(reason)
    expect(reasons).toEqual([
      expect.stringMatching(/^key: the record has no mail, .*skip_without: \[mail\]/) as string,
      expect.stringMatching(/^key: the record has no first_name, /) as string,
    ])
  })

  it.each([
    ['reject', { created: 1, rejected: 1 }],
    ['last', { created: 1, skipped: 1 }],
    ['union', { created: 1, read: 1 }],
  ] as const)('two records of one person in a file are duplicates: %s', async (onDuplicateKey, counts) => {
    const line = household({ on_duplicate_key: onDuplicateKey })
    line.source.drop('a.csv', [HEADER, ANN, ['Ash@Example.com', 'ANN', 'Ash', '9', '']])
    expect(await line.run()).toMatchObject(counts)
    expect(line.service.contacts.size).toBe(1)
  })

  it('loses none of its people where another pipeline tells people apart by their mail', async () => {
    const line = household()
    line.source.drop('a.csv', [HEADER, ANN, BO])
    await line.run()
    const other = testLine({
      state: line.state,
      service: line.service,
      pipeline: { name: 'other', key: undefined, map: { mail: { column: 'mail' }, fax: { column: 'fax' } } },
    })
    other.source.drop('o.csv', [
      ['mail', 'fax'],
      [MAIL, '7'],
    ])
    await other.run()
    line.source.drop('b.csv', [HEADER, ANN, [...BO.slice(0, 3), '22', ''], [MAIL, 'Cleo', 'Ash', '3', '']])
    expect(await line.run()).toMatchObject({ unchanged: 1, updated: 1, created: 1, held: 0 })
    expect(firstNames(line)).toEqual(['Ann', 'Bo', 'Cleo'])
  })

  it('a full export that lacks one of its people deletes that one alone', async () => {
    const line = household({
      mode: 'full',
      on_missing: 'delete',
      guards: { ...GUARDS, max_deletes: { share: 1 } },
    })
    line.source.drop('a.csv', [HEADER, ANN, BO, CY])
    await line.run()
    line.source.drop('b.csv', [HEADER, BO, CY])
    expect(await line.run()).toMatchObject({ deleted: 1, unchanged: 2 })
    expect(firstNames(line)).toEqual(['Bo', 'Cy'])
    line.source.drop('c.csv', [HEADER, ANN, BO, CY])
    expect(await line.run()).toMatchObject({ created: 1, held: 0 })
  })

  it('a plan has the counts of the run', async () => {
    const lines = [household(), household()] as const
    for (const line of lines) {
      line.service.contacts.set(70, { mail: MAIL, first_name: 'Ann' })
      for (const id of [71, 72]) line.service.contacts.set(id, { mail: CY[0], first_name: 'Cy' })
      line.source.drop('a.csv', [HEADER, ANN, BO, CY])
    }
    const { totals, changes } = await lines[0].preview()
    expect(totals).toMatchObject({ created: 1, updated: 1, in_doubt: 1 })
    expect(changes.map(({ action, contact_id: id }) => [action, id])).toEqual(
      expect.arrayContaining([
        ['update', 70],
        ['create', null],
      ]),
    )
    const { created, updated, in_doubt: inDoubt } = await lines[1].run()
    expect({ created, updated, inDoubt }).toEqual({ created: 1, updated: 1, inDoubt: 1 })
  })
})

describe('a lost create of a household', () => {
  it('is found again by all fields of the key, whatever else the contact shows by now', async () => {
    const line = household()
    line.service.contacts.set(70, { mail: MAIL, first_name: 'Bo', family_name: 'Ash', phone: '1' })
    line.source.drop('a.csv', [HEADER, ANN])
    let lost = 0
    line.service.fault = ({ method }) => {
      if (method === 'POST' && lost++ === 0) return { kind: 'unknown', applied: true }
      for (const contact of line.service.contacts.values())
        if (contact['first_name'] === 'Ann') contact['family_name'] = 'Oak'
      return undefined
    }
    expect(await line.run()).toMatchObject({ created: 1, in_doubt: 0, status: 'ok' })
    expect(firstNames(line)).toEqual(['Bo', 'Ann'])
  })

  it('whose member the answer to a call lacks is waited for, and is not created again because a look is early', async () => {
    const line = household()
    const { service } = line
    const late = new Map<number, Record<string, unknown>>()
    service.answer = ([first, ...others]) => {
      for (const { id } of others) {
        late.set(id, service.contacts.get(id) ?? {})
        service.contacts.delete(id)
      }
      return first === undefined ? [] : [first]
    }
    let looks = 0
    service.fault = ({ method, path }) => {
      if (looks > 0) for (const [id, contact] of late) service.contacts.set(id, contact)
      if (late.size > 0 && method === 'GET' && path === '/contact/<contact_mail>') looks += 1
      return undefined
    }
    line.source.drop('a.csv', [HEADER, ANN, CY])
    expect(await line.run()).toMatchObject({ created: 2, updated: 0, in_doubt: 0 })
    expect(firstNames(line).sort()).toEqual(['Ann', 'Cy'])
    expect(service.writes()).toHaveLength(1)
    const entries = await line.state.logPage({}, { order: 'oldest', limit: 100 })
    expect(entries.filter(({ action, outcome }) => action === 'create' && outcome === 'done')).toHaveLength(2)
  })

  it('that never arrived is sent again, though others of the address look much like it', async () => {
    const line = household()
    line.service.contacts.set(70, { mail: MAIL, first_name: 'Bo', family_name: 'Ash', phone: '1' })
    line.source.drop('a.csv', [HEADER, ANN])
    let lost = 0
    line.service.fault = ({ method }) => (method === 'POST' && lost++ === 0 ? { kind: 'unknown' } : undefined)
    expect(await line.run()).toMatchObject({ created: 1, in_doubt: 0 })
    expect(firstNames(line)).toEqual(['Bo', 'Ann'])
  })
})

describe('mail_status 1 and 2 hold for the address', () => {
  it.each([
    ['', 1],
    ['4', 1],
    ['2', 1],
  ])('a record that says %j beside a blocked contact is made with %d', async (said, made) => {
    const line = household(WITH_STATUS)
    line.service.contacts.set(70, { mail: MAIL, first_name: 'Bo', mail_status: 1 })
    line.source.drop('a.csv', [HEADER, [...ANN.slice(0, 4), said]])
    expect(await line.run()).toMatchObject({ created: 1, status: 'ok' })
    expect(statuses(line)).toEqual([
      ['Bo', 1],
      ['Ann', made],
    ])
    const posts = line.service.calls.filter(({ method }) => method === 'POST')
    expect(posts.map(({ contacts: [contact] }) => contact?.['mail_status'])).toEqual([made])
  })

  it('a stricter record is made as it says', async () => {
    const line = household(WITH_STATUS)
    line.service.contacts.set(70, { mail: MAIL, first_name: 'Bo', mail_status: 2 })
    line.source.drop('a.csv', [HEADER, [...ANN.slice(0, 4), '1']])
    await line.run()
    expect(of(line, 'Ann')).toMatchObject({ mail_status: 1 })
  })

  it.each([[['2', '4']], [['4', '2']]])('of one file, in any order: %j', async ([ofAnn, ofBo]) => {
    const line = household(WITH_STATUS)
    line.source.drop('a.csv', [
      HEADER,
      [...ANN.slice(0, 4), ofAnn ?? ''],
      [...BO.slice(0, 4), ofBo ?? ''],
      CY,
    ])
    expect(await line.run()).toMatchObject({ created: 3 })
    expect(statuses(line)).toEqual([
      ['Ann', 2],
      ['Bo', 2],
      ['Cy', undefined],
    ])
  })

  describe('of one file, and sent later:', () => {
    const drop = ({ source }: Line): void =>
      source.drop('a.csv', [HEADER, [...ANN.slice(0, 4), '7'], [...BO.slice(0, 4), '1']])

    it('where its plan is released', async () => {
      const line = household({ ...WITH_STATUS, guards: { ...GUARDS, max_changes: { count: 1 } } })
      drop(line)
      const { run_id: run, ...result } = await line.run()
      expect(result).toMatchObject({ held: 2 })
      await line.state.release(run, line.clock.now())
      expect(await line.run()).toMatchObject({ created: 2 })
      expect(statuses(line)).toEqual([
        ['Ann', 1],
        ['Bo', 1],
      ])
    })

    it('where the key could not set it before', async () => {
      const line = household(WITH_STATUS)
      line.service.ignoresStatus = true
      drop(line)
      expect(await line.run()).toMatchObject({ created: 0, failed: 2 })
      expect(await line.run()).toMatchObject({ created: 0, failed: 2 })
      line.service.ignoresStatus = false
      expect(await line.run()).toMatchObject({ created: 2 })
      expect(statuses(line)).toEqual([
        ['Ann', 1],
        ['Bo', 1],
      ])
    })

    it('what a newer file says of the blocked one counts', async () => {
      const line = household({ ...WITH_STATUS, guards: { ...GUARDS, max_changes: { count: 1 } } })
      drop(line)
      await line.run()
      line.pipeline = { ...line.pipeline, guards: GUARDS }
      line.source.drop('b.csv', [HEADER, [...ANN.slice(0, 4), '7'], [...BO.slice(0, 4), '3']])
      expect(await line.run()).toMatchObject({ created: 2 })
      expect(of(line, 'Ann')).toMatchObject({ mail_status: 7 })
    })

    it('what waits of the blocked one counts', async () => {
      const line = household({ ...WITH_STATUS, guards: { ...GUARDS, max_changes: { count: 1 } } })
      drop(line)
      await line.run()
      line.source.drop('b.csv', [HEADER, [...ANN.slice(0, 4), '7']])
      expect(await line.run()).toMatchObject({ created: 1 })
      expect(of(line, 'Ann')).toMatchObject({ mail_status: 1 })
    })
  })

  it('nobody is raised above another of the address, even where the pipeline raises consents', async () => {
    const line = household({ ...WITH_STATUS, allow_consent_raise: true })
    line.source.drop('a.csv', [HEADER, [...ANN.slice(0, 4), '3'], CY])
    await line.run()
    line.service.contacts.set(70, { mail: MAIL, first_name: 'Bo', mail_status: 2 })
    line.source.drop('b.csv', [HEADER, [...ANN.slice(0, 4), '4'], [...CY.slice(0, 4), '4']])
    expect(await line.run()).toMatchObject({ held: 1, updated: 1, status: 'held' })
    expect(of(line, 'Ann')?.['mail_status']).not.toBe(4)
    expect(of(line, 'Cy')).toMatchObject({ mail_status: 4 })
  })

  it.each([[['4', '1']], [['1', '4']]])(
    'nobody is raised beside a record of the same file that is made with it: %j',
    async (said) => {
      const line = household({ ...WITH_STATUS, allow_consent_raise: true })
      const linked = said[0] === '4' ? ANN : BO
      line.source.drop('a.csv', [HEADER, [...linked.slice(0, 4), '3']])
      await line.run()
      line.source.drop('b.csv', [
        HEADER,
        [...ANN.slice(0, 4), said[0] ?? ''],
        [...BO.slice(0, 4), said[1] ?? ''],
      ])
      expect(await line.run()).toMatchObject({ created: 1, held: 1 })
      expect(of(line, String(linked[1]))?.['mail_status']).not.toBe(4)
    },
  )

  it('nobody is made where the key may not set it', async () => {
    const line = household()
    line.service.ignoresStatus = true
    line.service.contacts.set(70, { mail: MAIL, first_name: 'Bo', mail_status: 1 })
    line.source.drop('a.csv', [HEADER, ANN])
    expect(await line.run()).toMatchObject({ created: 0, failed: 1 })
    expect(firstNames(line)).toEqual(['Bo'])
  })

  it('a create that is sent again has the status that the address has by then', async () => {
    const line = household()
    line.source.drop('a.csv', [HEADER, ANN])
    let lost = 0
    line.service.fault = ({ method }) => {
      if (method !== 'POST' || lost++ > 0) return undefined
      line.service.contacts.set(70, { mail: MAIL, first_name: 'Bo', mail_status: 1 })
      return { kind: 'unknown' }
    }
    expect(await line.run()).toMatchObject({ created: 1 })
    expect(of(line, 'Ann')).toMatchObject({ mail_status: 1 })
  })
})

describe('a file that would resolve a key otherwise is held', () => {
  it('where the contact of one person would become another person', async () => {
    const line = household()
    line.source.drop('a.csv', [HEADER, ANN])
    await line.run()
    // A user renames Ann at the service; then Bo comes.
    for (const contact of line.service.contacts.values()) contact['first_name'] = 'Bo'
    line.source.drop('b.csv', [HEADER, ANN, BO, CY])
    expect(await line.run()).toMatchObject({ held: 2, unchanged: 1, created: 0, status: 'held' })
    expect(await line.state.heldPlans(['shop'])).toMatchObject([
      { guard: 'household', reason: expect.stringContaining('line 3: it would be contact 1') as string },
    ])
  })

  it('where the rule for a field of the key has changed, and its person may be one of those who are there', async () => {
    const line = household()
    line.source.drop('a.csv', [HEADER, ANN, CY])
    await line.run()
    const map = { ...line.pipeline.map, first_name: { column: 'last' } }
    line.pipeline = { ...line.pipeline, map, hash: 'mapping-2' }
    line.source.drop('b.csv', [HEADER, ANN, CY])
    const { run_id: run, ...result } = await line.run()
    expect(result).toMatchObject({ held: 2, created: 0, status: 'held' })
    expect(firstNames(line)).toEqual(['Ann', 'Cy'])
    // Released, they are made; from then on their addresses go by the new rule.
    await line.state.release(run, line.clock.now())
    expect(await line.run()).toMatchObject({ created: 2 })
    line.source.drop('c.csv', [HEADER, [MAIL, 'Bo', 'Birch', '2', '']])
    expect(await line.run()).toMatchObject({ created: 1, held: 0 })
  })
})

it('writes: update adopts by all fields of the key, and makes nobody', async () => {
  const line = household({ writes: 'update' })
  line.service.contacts.set(70, { mail: MAIL, first_name: 'Ann' })
  line.source.drop('a.csv', [HEADER, ANN, BO])
  expect(await line.run()).toMatchObject({ updated: 1, skipped: 1, created: 0 })
  line.source.drop('b.csv', [HEADER, ANN, BO])
  expect(await line.run()).toMatchObject({ unchanged: 1, skipped: 1, requests: 0 })
})

it('writes: create leaves whom it finds by all fields of the key, and makes the others of the mail', async () => {
  const line = household({ writes: 'create' })
  line.service.contacts.set(70, { mail: MAIL, first_name: 'Ann' })
  line.source.drop('a.csv', [HEADER, ANN, BO])
  expect(await line.run()).toMatchObject({ created: 1, skipped: 1 })
  expect(line.service.contacts.get(70)).toEqual({ mail: MAIL, first_name: 'Ann' })
})

it('a rebuild finds people by all fields of the key', async () => {
  const line = household()
  line.service.contacts.set(70, { mail: MAIL, first_name: 'Ann', phone: 'other' })
  line.service.contacts.set(71, { mail: MAIL, first_name: 'Cleo' })
  line.source.drop('a.csv', [HEADER, ANN, BO])
  expect(await line.rebuild()).toMatchObject({ found: 1, absent: 1, in_doubt: 0 })
  expect(await line.run()).toMatchObject({ updated: 1, created: 1 })
})
