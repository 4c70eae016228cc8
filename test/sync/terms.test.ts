// Terms by name: policies, the ledger of who asserts them, names that are odd, and the fewest calls.
import { describe, expect, it } from 'vitest'
import type { PipelineSettings, TermSettings } from '../../src/core/settings.ts'
import { type Line, testLine } from '../support/line.ts'

const COLUMNS = ['no', 'mail', 'first', 'last', 'phone', 'tags'] as const

/** Records `K1`, `K2` ... with these tags. */
const tagged = (...tags: readonly string[]): string[][] => [
  [...COLUMNS],
  ...tags.map((tag, index) => [`K${index + 1}`, `person${index + 1}@example.com`, 'A', 'B', '', tag]),
]

const terms = (changes: Partial<TermSettings> = {}): Partial<PipelineSettings> => ({
  terms: {
    policy: 'add',
    create_missing: true,
    assign: [{ column: 'tags', split: ',' }],
    descriptions: {},
    verify: true,
    ...changes,
  },
})

const lineWith = (changes: Partial<TermSettings> = {}): Line => testLine({ pipeline: terms(changes) })

const callsSince = (line: Line, before: number) =>
  line.service.calls.slice(before).map(({ method, path, termIds }) => [method, path, termIds?.length])

const OF_CONTACT = '/contact/<contact_id>/terms'

async function drop(line: Line, ...tags: readonly string[]) {
  line.source.drop('a.csv', tagged(...tags))
  return line.run()
}

describe('policy add', () => {
  it('gives constants, columns and conditions, and makes what is missing', async () => {
    const line = lineWith({
      assign: [
        { name: 'Customer' },
        { column: 'tags', split: ',' },
        { name: 'VIP', when: 'record["tags"].contains("gold")' },
      ],
      descriptions: { vip: 'the best' },
    })
    const result = await drop(line, ' gold , Gold,silver', '')
    expect(result).toMatchObject({ status: 'ok', created: 2, terms_created: 4 })
    expect(line.service.termsOf(1)).toEqual(['Customer', 'VIP', 'gold', 'silver'])
    expect(line.service.termsOf(2)).toEqual(['Customer'])
    expect([...line.service.terms.values()].find(({ name }) => name === 'VIP')).toMatchObject({
      description: 'the best',
    })
  })

  it('calls nobody when nothing changed, and adds only what is new', async () => {
    const line = lineWith()
    await drop(line, 'a,b')
    const before = line.service.calls.length
    expect(await drop(line, 'a,b')).toMatchObject({ unchanged: 1, requests: 0 })
    // Another order and another case are no change, although the record is.
    expect(await drop(line, 'B, a')).toMatchObject({ unchanged: 1, requests: 0 })
    expect(await drop(line, 'b,c,a')).toMatchObject({ updated: 1, terms_created: 1 })
    expect(callsSince(line, before)).toEqual([
      ['GET', '/terms', undefined],
      ['POST', '/terms', undefined],
      ['GET', '/terms/<term_id>', undefined],
      ['PUT', OF_CONTACT, 1],
    ])
    // It never removes.
    const removed = line.service.calls.length
    expect(await drop(line, '')).toMatchObject({ unchanged: 1, requests: 0 })
    expect(line.service.termsOf(1)).toEqual(['a', 'b', 'c'])
    expect(line.service.calls).toHaveLength(removed)
  })

  it('counts a record whose terms alone changed as updated, once', async () => {
    const line = lineWith()
    await drop(line, 'a')
    line.source.drop('b.csv', [[...COLUMNS], ['K1', 'person1@example.com', 'A', 'B', '040', 'a,z']])
    expect(await line.run()).toMatchObject({ read: 1, updated: 1 })
    expect(line.service.termsOf(1)).toEqual(['a', 'z'])
  })
})

describe('policy managed', () => {
  it('takes away only what it gave; what others gave stays', async () => {
    const line = lineWith({ policy: 'managed' })
    await drop(line, 'ours,both')
    line.service.giveTerm(1, 'theirs')
    const result = await drop(line, 'both')
    expect(result).toMatchObject({ status: 'ok', updated: 1 })
    expect(line.service.termsOf(1)).toEqual(['both', 'theirs'])
  })

  it('leaves a term that the contact had before it was asserted', async () => {
    const line = lineWith({ policy: 'managed' })
    await drop(line, '')
    line.service.giveTerm(1, 'VIP')
    await drop(line, 'VIP')
    expect(await drop(line, '')).toMatchObject({ status: 'ok' })
    expect(line.service.termsOf(1)).toEqual(['VIP'])
  })

  it('that it could not give is not its own once others have given it', async () => {
    const line = lineWith({ policy: 'managed' })
    await drop(line, '')
    line.service.fault = ({ path, method }) =>
      path === OF_CONTACT && method === 'PUT' ? { kind: 'denied' } : undefined
    await drop(line, 'VIP')
    line.service.fault = () => undefined
    line.service.giveTerm(1, 'VIP')
    await drop(line, 'other')
    expect(line.service.termsOf(1)).toEqual(['VIP', 'other'])
  })

  it('that it gave before the rest of the step was refused stays its own', async () => {
    const line = lineWith({ policy: 'managed' })
    await drop(line, 'old')
    line.service.fault = ({ path, method }) =>
      path === OF_CONTACT && method === 'DELETE' ? { kind: 'denied' } : undefined
    await drop(line, 'new')
    line.service.fault = () => undefined
    await drop(line, '')
    expect(line.service.termsOf(1)).toEqual([])
  })

  it('leaves a term that another pipeline still asserts, until that one withdraws, too', async () => {
    const shop = lineWith({ policy: 'managed' })
    const crm = testLine({
      state: shop.state,
      service: shop.service,
      pipeline: { ...terms({ policy: 'managed' }), name: 'crm' },
    })
    await drop(shop, 'VIP')
    expect(await drop(crm, 'VIP')).toMatchObject({ created: 1 })
    expect(shop.service.contacts.size).toBe(1)
    expect(await drop(shop, '')).toMatchObject({ unchanged: 1 })
    expect(shop.service.termsOf(1)).toEqual(['VIP'])
    expect(await drop(crm, '')).toMatchObject({ updated: 1 })
    expect(shop.service.termsOf(1)).toEqual([])
  })

  it('shrinks the list by one call, and looks whether the service did just that', async () => {
    const line = lineWith({ policy: 'managed' })
    await drop(line, 'a,b,c')
    const before = line.service.calls.length
    await drop(line, 'a')
    expect(callsSince(line, before)).toEqual([
      ['GET', OF_CONTACT, undefined],
      ['DELETE', OF_CONTACT, 2],
      ['GET', OF_CONTACT, undefined],
    ])
  })

  it('puts back what the service removed beyond what it was asked to', async () => {
    const line = lineWith({ policy: 'managed' })
    await drop(line, 'a,b')
    line.service.giveTerm(1, 'theirs')
    line.service.fault = (call) => {
      // The body got lost on the way, and the service took that for "all".
      if (call.method === 'DELETE') line.service.contactTerms.set(1, new Set())
      return undefined
    }
    expect(await drop(line, 'a')).toMatchObject({ status: 'ok', updated: 1 })
    expect(line.service.termsOf(1)).toEqual(['a', 'theirs'])
    expect(line.log.map(({ message }) => message)).toContain('service removed too many terms: restored')
    const entries = await line.state.logPage({}, { order: 'newest', limit: 1 })
    expect(entries).toMatchObject([{ terms: { add: ['a', 'theirs'], remove: ['b'] } }])
  })

  it('warns once of a term that it cannot remove, because it was renamed at the service', async () => {
    const line = lineWith({ policy: 'managed' })
    await drop(line, 'a,b', 'a,b', 'a,b')
    for (const [id, term] of line.service.terms)
      if (term.name === 'b') line.service.terms.set(id, { ...term, name: 'renamed' })
    line.service.contactTerms.delete(3)
    expect(await drop(line, 'a', 'a', '')).toMatchObject({ status: 'ok', rejected: 0, failed: 0 })
    expect(line.service.termsOf(1)).toEqual(['a', 'renamed'])
    const warned = line.log.filter(({ message }) => message.startsWith('term not removed'))
    expect(warned).toEqual([
      { message: 'term not removed: the service has none of that name', fields: { term: 'b' } },
    ])
  })

  it('is no reason to end a run where the list of terms cannot be read for that warning', async () => {
    const line = lineWith({ policy: 'managed' })
    await drop(line, 'a,b')
    for (const [id, term] of line.service.terms)
      if (term.name === 'b') line.service.terms.set(id, { ...term, name: 'renamed' })
    let asked = 0
    line.service.fault = ({ method, path }) => {
      if (method !== 'GET' || path !== '/terms') return undefined
      asked += 1
      return { kind: 'unknown', status: 502 }
    }
    // The removal needs no list; the warning does.
    expect(await drop(line, '')).toMatchObject({ status: 'ok', read: 1, updated: 1 })
    expect([asked, line.service.termsOf(1)]).toEqual([1, ['renamed']])
    expect(line.source.waiting()).toEqual([])
  })

  it('counts a planned record once, however many steps its change takes', async () => {
    const line = lineWith({ policy: 'managed' })
    line.source.drop('a.csv', tagged('a', 'b', ''))
    expect((await line.preview()).totals).toMatchObject({ read: 3, created: 3, updated: 0, terms_created: 2 })
    // Also where a last step of another record stands before the second step of this one.
    const mixed = lineWith({ policy: 'managed' })
    mixed.pipeline = {
      ...mixed.pipeline,
      map: { mail: { column: 'mail' }, mail_status: { column: 'phone' } },
    }
    const row = (number: number, status: string) => [
      `K${number}`,
      `p${number}@example.com`,
      'A',
      'B',
      status,
      'a',
    ]
    mixed.source.drop('a.csv', [[...COLUMNS], row(1, '')])
    await mixed.run()
    mixed.source.drop('a.csv', [[...COLUMNS], row(1, '4'), row(2, '4')])
    expect((await mixed.preview()).totals).toMatchObject({ read: 2, created: 1, updated: 1 })
  })

  it('tells the plan before it is done, with the names', async () => {
    const line = lineWith({ policy: 'managed' })
    await drop(line, 'a,b')
    line.source.drop('a.csv', tagged('b,neu'))
    const calls = line.service.writes().length
    const { changes, totals } = await line.preview()
    expect(changes).toMatchObject([{ action: 'update', fields: {}, terms: { add: ['neu'], remove: ['a'] } }])
    expect(totals).toMatchObject({ updated: 1, terms_created: 1 })
    expect(line.service.writes()).toHaveLength(calls)
  })
})

describe('a term of which nobody knows whether it arrived', () => {
  it.each([false, true])('is given when it is named again, after a look (arrived: %s)', async (applied) => {
    const line = lineWith()
    await drop(line, '')
    line.service.fault = ({ method, path }) =>
      path === OF_CONTACT || method === 'PUT' ? { kind: 'unknown', applied } : undefined
    expect(await drop(line, 'first')).toMatchObject({ failed: 1 })
    // It is looked at once more, in vain; then the source no longer names it.
    let lost = 1
    line.service.fault = ({ path }) => (path === OF_CONTACT && lost-- > 0 ? { kind: 'unknown' } : undefined)
    expect(await drop(line, 'second')).toMatchObject({ updated: 1 })
    expect(line.service.termsOf(1)).toEqual(applied ? ['first', 'second'] : ['second'])
    const before = line.service.calls.length
    expect(await drop(line, 'first,second')).toMatchObject({ status: 'ok' })
    expect(line.service.termsOf(1)).toEqual(['first', 'second'])
    const given = callsSince(line, before).filter(([method]) => method === 'PUT')
    expect(given).toHaveLength(applied ? 0 : 1)
  })
})

describe('terms that a request without an answer has given or taken', () => {
  it.each(['add', 'managed', 'replace'] as const)(
    'are in the log once a look shows them (%s)',
    async (policy) => {
      const line = lineWith({ policy, verify: false })
      await drop(line, 'a')
      let isOver = false
      line.service.fault = ({ path }) => {
        if (path !== OF_CONTACT) return undefined
        if (isOver) return { kind: 'unknown' }
        const { method } = line.service.calls.at(-1) ?? {}
        // The last write of the step arrives, and nothing is heard any more.
        isOver = method === (policy === 'managed' ? 'DELETE' : policy === 'add' ? 'PUT' : 'POST')
        return isOver ? { kind: 'unknown', applied: true } : undefined
      }
      expect(await drop(line, 'b')).toMatchObject({ failed: 1 })
      line.service.fault = () => undefined
      const before = line.service.writes().length
      const result = await drop(line, 'b')
      expect(result).toMatchObject({ status: 'ok' })
      expect(line.service.writes()).toHaveLength(before)
      const entries = await line.state.logPage({}, { order: 'oldest', limit: 20 })
      const log = entries.filter(({ action }) => action === 'terms')
      const done = log.filter(({ outcome }) => outcome === 'done')
      const told = new Set<string>()
      for (const { terms } of done) {
        for (const name of terms.add) told.add(name)
        for (const name of terms.remove) told.delete(name)
      }
      expect([...told].sort()).toEqual(line.service.termsOf(1))
      expect(log.at(-1)).toMatchObject({ outcome: 'done', request: { method: 'GET' } })
    },
  )
})

describe('policy replace', () => {
  it('makes the list of the source the whole list, in one call', async () => {
    const line = lineWith({ policy: 'replace' })
    await drop(line, 'a,b')
    line.service.giveTerm(1, 'theirs')
    const before = line.service.calls.length
    expect(await drop(line, 'a,c')).toMatchObject({ updated: 1 })
    expect(line.service.termsOf(1)).toEqual(['a', 'c'])
    expect(callsSince(line, before).filter(([, path]) => path === OF_CONTACT)).toEqual([
      ['GET', OF_CONTACT, undefined],
      ['POST', OF_CONTACT, 2],
    ])
  })

  it('names what it was taking away in the entry of a call whose answer was lost', async () => {
    const line = lineWith({ policy: 'replace' })
    await drop(line, 'a,b')
    line.service.giveTerm(1, 'theirs')
    line.service.fault = ({ method, path }) =>
      method === 'POST' && path === OF_CONTACT ? { kind: 'unknown', applied: true } : undefined
    expect(await drop(line, 'a,c')).toMatchObject({ failed: 1 })
    const log = await line.state.logPage({}, { order: 'newest', limit: 20 })
    const failed = log.find(({ action, outcome }) => action === 'terms' && outcome === 'failed')
    expect(failed?.terms).toEqual({ add: ['c'], remove: ['b', 'theirs'] })
  })

  it('empties a list without ever sending an empty one', async () => {
    const line = lineWith({ policy: 'replace' })
    await drop(line, 'a,b')
    line.service.giveTerm(1, 'theirs')
    expect(await drop(line, '')).toMatchObject({ status: 'ok', updated: 1 })
    expect(line.service.termsOf(1)).toEqual([])
    expect(line.service.writes().every(({ termIds }) => termIds?.length !== 0)).toBe(true)
  })
})

describe('names', () => {
  it('finds 1,200 terms in other case, with slashes, umlauts and digits, and doubles none', async () => {
    const line = lineWith()
    const names = Array.from({ length: 1200 }, (_, index) => `Term ${index}`)
    names.push('2024', 'A/B', 'Müller', 'ΟΔΟΣ')
    const session = line.service.session()
    for (const name of names) await session.createTerm(name)
    const result = await drop(line, 'TERM 1199,term 7,2024', 'a/b, MU\u0308LLER ,οδος')
    expect(result).toMatchObject({ status: 'ok', created: 2, terms_created: 0 })
    expect(line.service.terms.size).toBe(names.length)
    expect(line.service.termsOf(1)).toEqual(['2024', 'Term 1199', 'Term 7'])
    expect(line.service.termsOf(2)).toEqual(['A/B', 'Müller', 'ΟΔΟΣ'])
  })

  it('makes 1,200 terms by one request each, and reads the list once more to see what came of them', async () => {
    const line = lineWith()
    const names = Array.from({ length: 1200 }, (_, index) => `Term ${index}`)
    const result = await drop(line, names.slice(0, 600).join(','), names.slice(600).join(','))
    expect(result).toMatchObject({ status: 'ok', created: 2, terms_created: 1200 })
    expect(line.service.termsOf(1)).toHaveLength(600)
    const paths = line.service.calls.map(({ method, path }) => `${method} ${path}`)
    const count = (call: string): number => paths.filter((path) => path === call).length
    expect(count('POST /terms')).toBe(1200)
    expect(count('GET /terms')).toBe(2)
    expect(count('GET /terms/<term_id>')).toBe(0)
  })

  it('does not use those of many that the service folds, into an old one or into one another', async () => {
    const line = lineWith()
    line.service.foldName = (name) => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
    await line.service.session().createTerm('Cafe')
    const result = await drop(line, 'Café,Tee,Tée,Milch,Wasser')
    expect(result).toMatchObject({ status: 'partial', created: 1, terms_created: 3 })
    expect(line.service.termsOf(1)).toHaveLength(3)
    expect(line.service.terms.size).toBe(4)
    expect(line.log.filter(({ message }) => message.startsWith('term not used'))).toHaveLength(2)
  })

  it('rejects a record alone where one of many terms is refused', async () => {
    const line = lineWith()
    line.service.fault = ({ method, path, term }) =>
      method === 'POST' && path === '/terms' && term?.name === 'bad'
        ? { kind: 'refused', status: 422 }
        : undefined
    const result = await drop(line, 'a,b,c,d', 'bad')
    expect(result).toMatchObject({ status: 'partial', rejected: 1, terms_created: 4 })
    expect(line.service.termsOf(1)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('does not use a term that the service folds into another, says so, and the rest goes', async () => {
    const line = lineWith()
    line.service.foldName = (name) => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
    await line.service.session().createTerm('Cafe')
    const result = await drop(line, 'Café,Tee')
    expect(result).toMatchObject({ status: 'partial', created: 1, terms_created: 1 })
    expect(line.service.termsOf(1)).toEqual(['Tee'])
    expect(line.log).toContainEqual({
      message: 'term not used: the service treats its name as that of another',
      fields: { term: 'Café', into: 'Cafe' },
    })
  })

  it('rejects a record that names an unknown term where none may be made, with the nearest', async () => {
    const line = lineWith({ create_missing: false })
    await line.service.session().createTerm('Customer')
    const result = await drop(line, 'customer', 'Custommer')
    expect(result).toMatchObject({ status: 'partial', created: 1, rejected: 1, terms_created: 0 })
    expect(line.source.rejects.get('a.csv')).toMatchObject([
      { line: 3, reason: expect.stringContaining('"Custommer" (the nearest is "Customer")') as string },
    ])
  })

  it('rejects a record with a damaged name', async () => {
    const line = lineWith()
    expect(await drop(line, 'M\uFFFDller')).toMatchObject({ status: 'partial', rejected: 1, requests: 0 })
  })
})

describe('descriptions', () => {
  it('are kept as the configuration has them, without a call when they are', async () => {
    const line = lineWith({ descriptions: { vip: 'More than 1000 a year' } })
    await line.service.session().createTerm('VIP', 'old')
    await drop(line, 'vip')
    expect([...line.service.terms.values()]).toMatchObject([
      { name: 'VIP', description: 'More than 1000 a year' },
    ])
    const writes = line.service.writes().length
    await drop(line, 'vip')
    expect(line.service.writes()).toHaveLength(writes)
  })
})

describe('what goes wrong', () => {
  it('finishes the terms of a contact in the next run, without a second create', async () => {
    const line = lineWith()
    line.service.fault = ({ method, path }) =>
      method === 'PUT' && path === OF_CONTACT ? { kind: 'not_applied', status: 429 } : undefined
    expect(await drop(line, 'a')).toMatchObject({ status: 'failed', failed: 1, created: 0 })
    line.service.fault = () => undefined
    expect(await line.run()).toMatchObject({ status: 'ok', read: 1, updated: 1 })
    expect(line.service.termsOf(1)).toEqual(['a'])
    expect(line.service.contacts.size).toBe(1)
    expect(await drop(line, 'a')).toMatchObject({ unchanged: 1, requests: 0 })
  })

  it('looks after a lost answer before it adds again: a term may start a mailing', async () => {
    const line = lineWith()
    line.service.fault = ({ method, path }) =>
      method === 'PUT' && path === OF_CONTACT ? { kind: 'unknown', applied: true } : undefined
    expect(await drop(line, 'a')).toMatchObject({ status: 'ok', created: 1 })
    expect(line.service.writes().filter(({ path }) => path === OF_CONTACT)).toHaveLength(1)
  })

  it('ends the run when the terms cannot be read, and leaves the file', async () => {
    const line = lineWith({ create_missing: false })
    line.service.fault = ({ path }) => (path === '/terms' ? { kind: 'denied', status: 401 } : undefined)
    const result = await drop(line, 'a')
    expect(result).toMatchObject({ status: 'failed', code: 'SERVICE_KEY_REFUSED', read: 0 })
    expect(line.source.waiting()).toEqual(['a.csv'])
  })

  it('settles a lost create by looking, and then gives it its terms', async () => {
    const line = testLine({ pipeline: { ...terms(), duplicate_check_method: 'none' } })
    line.service.fault = ({ method, path }) =>
      method === 'POST' && path === '/contact' ? { kind: 'unknown', applied: true } : undefined
    expect(await drop(line, 'a')).toMatchObject({ status: 'ok', read: 1, created: 1 })
    expect(line.service.termsOf(1)).toEqual(['a'])
  })

  it('does not take a contact for deleted where the service knows no such term', async () => {
    const line = lineWith()
    await drop(line, '')
    line.service.fault = ({ method, path }) =>
      method === 'PUT' && path === OF_CONTACT ? { kind: 'absent', status: 404 } : undefined
    expect(await drop(line, 'a')).toMatchObject({ status: 'partial', failed: 1, held: 0 })
    line.service.fault = () => undefined
    expect(await line.run()).toMatchObject({ status: 'ok', updated: 1 })
    expect(line.service.termsOf(1)).toEqual(['a'])
  })

  it('says of a contact that has gone meanwhile that it is gone', async () => {
    const line = lineWith()
    await drop(line, 'a')
    line.service.contacts.clear()
    expect(await drop(line, 'a,b')).toMatchObject({ status: 'held', held: 1 })
  })
})
