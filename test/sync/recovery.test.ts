// What a run does when answers are lost, the service fails, or the process dies in the middle.
import { describe, expect, it } from 'vitest'
import { type Call, type Fault, memoryService } from '../support/memory-service.ts'
import { HEADER, people, type Line, testLine } from '../support/line.ts'

const once = (fault: Fault, matches: (call: Call) => boolean): ((call: Call) => Fault | undefined) => {
  let done = false
  return (call) => {
    if (done || !matches(call)) return undefined
    done = true
    return fault
  }
}
const isPost = (call: Call): boolean => call.method === 'POST'

/** The process dies while a request is on its way: what is journalled stays, nothing after it happens. */
async function crashDuring(line: Line, matches: (call: Call) => boolean, applied: boolean): Promise<void> {
  class Crash extends Error {}
  line.service.fault = (call) => {
    if (!matches(call)) return undefined
    if (applied)
      for (const contact of call.contacts)
        line.service.contacts.set(1000 + line.service.contacts.size, { ...contact })
    throw new Crash()
  }
  await expect(line.run()).rejects.toThrow(Crash)
  line.service.fault = () => undefined
}

describe('a service that fails', () => {
  it('ends the run when the key is refused; the next one goes on', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(250))
    line.service.fault = (call) => (isPost(call) ? { kind: 'denied', status: 401 } : undefined)
    const result = await line.run()
    expect(result).toMatchObject({ status: 'failed', code: 'SERVICE_KEY_REFUSED', read: 250, failed: 250 })
    expect(line.source.waiting()).toEqual(['a.csv'])
    expect(line.service.calls.length).toBeLessThanOrEqual(line.settings.rate_limit.concurrency)
    line.service.fault = () => undefined
    expect(await line.run()).toMatchObject({ status: 'ok', read: 250, created: 250 })
    expect(line.service.contacts.size).toBe(250)
  })

  it('takes up what was not sent even when the file has gone meanwhile', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(3))
    line.service.fault = (call) => (isPost(call) ? { kind: 'not_applied' } : undefined)
    expect(await line.run()).toMatchObject({ status: 'failed', code: 'SERVICE_UNREACHABLE', failed: 3 })
    line.service.fault = () => undefined
    line.source.drop('a.csv', people(1, 9))
    expect(await line.run()).toMatchObject({ status: 'ok', read: 4, created: 4 })
    expect(line.service.contacts.size).toBe(4)
  })

  it('keeps a failed update and sends it next time, unless a newer record comes', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(2))
    await line.run()
    const changed = people(2)
    changed[1]![4] = '040 1'
    changed[2]![4] = '040 2'
    line.source.drop('b.csv', changed)
    line.service.fault = once({ kind: 'unknown', status: 500 }, ({ method }) => method === 'PUT')
    expect(await line.run()).toMatchObject({ status: 'partial', failed: 1, updated: 1 })
    expect(line.source.waiting()).toEqual([])
    expect(await line.run()).toMatchObject({ status: 'ok', read: 1, updated: 1 })
    expect([...line.service.contacts.values()].map(({ phone }) => phone)).toEqual(['040 1', '040 2'])
  })

  it('gives up after three unknown outcomes in a row', async () => {
    const line = testLine({
      settings: {
        bulk: { size: 1, container: 'array' },
        rate_limit: { requests: 9, per: 1, concurrency: 1, per_day: undefined },
      },
    })
    line.source.drop('a.csv', people(10))
    line.service.fault = () => ({ kind: 'unknown', status: 503 })
    const result = await line.run()
    expect(result).toMatchObject({ status: 'failed', code: 'SERVICE_UNREACHABLE', in_doubt: 3, failed: 7 })
    expect(line.service.calls).toHaveLength(3)
  })
})

describe('one bad contact', () => {
  it.each(['email', 'none'] as const)(
    'is found in a refused bulk call and rejected alone, under %s',
    async (duplicateCheckMethod) => {
      const line = testLine({ pipeline: { duplicate_check_method: duplicateCheckMethod } })
      line.source.drop('a.csv', people(50))
      line.service.fault = (call) =>
        isPost(call) && call.contacts.some(({ mail }) => mail === 'person17@example.com')
          ? { kind: 'refused', status: 422 }
          : undefined
      expect(await line.run()).toMatchObject({ status: 'partial', created: 49, rejected: 1 })
      expect(line.service.contacts.size).toBe(49)
      expect(line.source.rejects.get('a.csv')).toMatchObject([{ line: 18, reason: 'made to be refused' }])
    },
  )
})

describe('a bulk answer', () => {
  it('is matched by mail in any order and case, and missing members are looked up', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(10))
    line.service.answer = (members) =>
      members
        .reverse()
        .slice(2)
        .map(({ id, email }) => ({ id, email: email.toUpperCase() }))
    expect(await line.run()).toMatchObject({ status: 'ok', created: 10 })
    expect(line.service.contacts.size).toBe(10)
    const changed = people(10).map((row, index) => (index === 0 ? row : [...row.slice(0, 4), `new ${index}`]))
    line.source.drop('b.csv', changed)
    await line.run()
    for (const { mail, phone } of line.service.contacts.values())
      expect(phone).toBe(`new ${String(mail).replace(/\D/g, '')}`)
  })

  it('that gives two people one contact holds both', async () => {
    const line = testLine({ pipeline: { duplicate_check_method: 'auto' } })
    line.source.drop('a.csv', people(3))
    line.service.answer = (members) =>
      members.map((member) => ({ ...member, id: member.id === 2 ? 1 : member.id }))
    expect(await line.run()).toMatchObject({ status: 'held', created: 1, held: 2 })
  })
})

describe('a lost answer', () => {
  it.each([
    ['applied', true],
    ['not applied', false],
  ])('under email the create is sent again: %s', async (_, applied) => {
    const line = testLine()
    line.source.drop('a.csv', people(3))
    line.service.fault = once({ kind: 'unknown', applied }, isPost)
    expect(await line.run()).toMatchObject({ status: 'ok', created: 3, in_doubt: 0 })
    expect(line.service.contacts.size).toBe(3)
  })

  it('under none the contact is adopted when it is found', async () => {
    const line = testLine({ pipeline: { duplicate_check_method: 'none' } })
    line.source.drop('a.csv', people(3))
    line.service.fault = once({ kind: 'unknown', applied: true }, isPost)
    expect(await line.run()).toMatchObject({ status: 'ok', created: 3 })
    expect(line.service.contacts.size).toBe(3)
    expect(line.service.writes()).toHaveLength(1)
  })

  it.each([
    ['a name', { family_name: 'Renamed' }],
    ['both names', { first_name: 'Re', family_name: 'Named' }],
    ['the phone', { phone: 'changed' }],
  ])(
    'under none it is in doubt, and not made again, where others changed %s before the look',
    async (_, edit) => {
      const line = testLine({ pipeline: { duplicate_check_method: 'none' } })
      line.source.drop('a.csv', people(1))
      let posts = 0
      line.service.fault = (call) => {
        if (isPost(call)) return posts++ === 0 ? { kind: 'unknown', applied: true } : undefined
        for (const contact of line.service.contacts.values()) Object.assign(contact, edit)
        return undefined
      }
      expect(await line.run()).toMatchObject({ status: 'partial', created: 0, in_doubt: 1 })
      await line.run()
      expect(await line.state.leftOpen('in_doubt', 'shop')).toHaveLength(1)
      expect(line.service.contacts.size).toBe(1)
    },
  )

  it.each([
    ['a stranger', { first_name: 'Zoe' }, { status: 'ok', created: 1, in_doubt: 0 }, 2],
    ['who may be ours', { phone: '1' }, { status: 'partial', created: 0, in_doubt: 1 }, 1],
  ])('under none a look-up that brings another mail: %s', async (_, fields, result, size) => {
    const service = memoryService()
    service.contacts.set(77, { mail: 'person1@example.com.invalid', ...fields })
    service.alsoFound = () => [77]
    const line = testLine({ service, pipeline: { duplicate_check_method: 'none' } })
    line.source.drop('a.csv', [[...HEADER], ['K1', 'person1@example.com', 'A', 'B', '1']])
    line.service.fault = once({ kind: 'unknown' }, isPost)
    expect(await line.run()).toMatchObject(result)
    expect(service.contacts.get(77)).toEqual({ mail: 'person1@example.com.invalid', ...fields })
    expect(service.contacts.size).toBe(size)
  })

  it('under none it is sent again only when it was missing often enough, quiesce apart', async () => {
    const line = testLine({ pipeline: { duplicate_check_method: 'none' } })
    line.source.drop('a.csv', people(1))
    line.service.fault = once({ kind: 'unknown' }, isPost)
    const started = line.clock.now()
    expect(await line.run()).toMatchObject({ status: 'ok', created: 1 })
    expect(line.service.contacts.size).toBe(1)
    expect(line.clock.now() - started).toBeGreaterThanOrEqual(2 * line.settings.doubt.quiesce)
    expect(line.service.calls.filter(({ method }) => method === 'GET').length).toBeGreaterThanOrEqual(2)
  })

  it('of a contact without a mail stays in doubt and is never sent again', async () => {
    const map = {
      first_name: { column: 'first' },
      family_name: { column: 'last' },
      ba_street: { column: 'mail' },
      ba_city: { value: 'Ort' },
      ba_postal_code: { value: '1' },
    }
    const line = testLine({ pipeline: { map } })
    line.source.drop('a.csv', people(1))
    line.service.fault = once({ kind: 'unknown' }, isPost)
    expect(await line.run()).toMatchObject({ status: 'partial', in_doubt: 1 })
    expect(line.service.writes()).toHaveLength(1)
    // A newer record of the same key waits behind it.
    line.source.drop('b.csv', [[...HEADER], ['K1', 'Andere Straße', 'A', 'B', '']])
    expect(await line.run()).toMatchObject({ status: 'partial', read: 1, in_doubt: 1 })
    expect(line.service.writes()).toHaveLength(1)
    expect(await line.state.backlog('shop')).toMatchObject({ inDoubt: 1, retriable: 1 })
  })
})

describe('a process that dies while a request is on its way', () => {
  it.each([
    ['email', true],
    ['email', false],
    ['none', true],
    ['none', false],
  ] as const)(
    'ends with the same contacts as an undisturbed one: check %s, applied %s',
    async (duplicateCheckMethod, applied) => {
      const line = testLine({
        pipeline: { duplicate_check_method: duplicateCheckMethod },
        settings: { bulk: { size: 2, container: 'array' } },
      })
      line.source.drop('a.csv', people(5))
      await crashDuring(line, isPost, applied)
      const result = await line.run()
      expect(result).toMatchObject({ read: 5, failed: 0, in_doubt: 0 })
      expect(line.source.waiting()).toEqual([])
      const mails = [...line.service.contacts.values()].map(({ mail }) => String(mail)).sort()
      expect(mails).toEqual([1, 2, 3, 4, 5].map((number) => `person${number}@example.com`))
      line.source.drop('a.csv', people(5))
      expect(await line.run()).toMatchObject({ unchanged: 5, requests: 0 })
    },
  )

  it('puts an update through again', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(2))
    await line.run()
    const changed = people(2)
    changed[1]![4] = '040 1'
    line.source.drop('b.csv', changed)
    await crashDuring(line, ({ method }) => method === 'PUT', false)
    expect(await line.run()).toMatchObject({ status: 'ok', read: 2 })
    expect(line.service.contacts.get(1)).toMatchObject({ phone: '040 1' })
  })
})

describe('a contact that is gone at the service', () => {
  it('is held, never made again, and not asked for again', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(1))
    await line.run()
    line.service.contacts.clear()
    const changed = people(1)
    changed[1]![4] = '040 1'
    line.source.drop('b.csv', changed)
    expect(await line.run()).toMatchObject({ status: 'held', held: 1 })
    expect(await line.state.lastRun('shop')).toMatchObject({ drift: 1 })
    line.source.drop('c.csv', changed)
    expect(await line.run()).toMatchObject({ status: 'held', held: 1, requests: 0 })
    expect(line.service.contacts.size).toBe(0)
  })
})

describe('a pipeline that is paused', () => {
  const DATES = { date_of_birth: { column: 'phone', date: ['auto'] } } as const
  it.each([
    ['read', {}],
    ['read for what its dates prove', DATES],
  ])('while its file is %s: leaves the file, and plans nothing of it', async (_, dates) => {
    const line = testLine()
    line.pipeline = { ...line.pipeline, map: { ...line.pipeline.map, ...dates } }
    line.source.drop('a.csv', people(20))
    const { open } = line.source
    Object.assign(line.source, {
      open: (...args: Parameters<typeof open>) => {
        line.circuit?.halt({ code: 'PAUSED', message: 'the pipeline was paused' })
        return open(...args)
      },
    })
    expect(await line.run()).toMatchObject({
      ...{ status: 'held', code: 'PAUSED', read: 0, failed: 0, requests: 0 },
      files: [{ file: 'a.csv', status: 'left' }],
    })
    expect(await line.state.unfinishedInputs('shop')).toEqual([])
    expect(line.source.waiting()).toEqual(['a.csv'])
  })
})

describe('a run that is ended by a signal', () => {
  it('sends nothing more and leaves the file for the next one', async () => {
    const line = testLine({ settings: { bulk: { size: 1, container: 'array' } } })
    line.source.drop('a.csv', people(20))
    line.service.fault = () => {
      line.abort.abort()
      return undefined
    }
    const result = await line.run()
    expect(result.created).toBeLessThanOrEqual(line.settings.rate_limit.concurrency)
    expect(result.failed).toBe(20 - result.created)
    expect(result).toMatchObject({
      status: 'failed',
      error: 'the run was stopped before it was complete; the next one continues from here',
    })
    expect(result.code).toBeUndefined()
    expect(line.source.waiting()).toEqual(['a.csv'])
    line.abort = new AbortController()
    line.service.fault = () => undefined
    expect(await line.run()).toMatchObject({
      status: 'ok',
      created: 20 - result.created,
      unchanged: result.created,
    })
  })

  it('while it reads the terms: the service is not called unreachable', async () => {
    const line = testLine()
    const terms = { ...line.pipeline.terms, assign: [{ name: 'Customer' }] }
    line.pipeline = { ...line.pipeline, terms }
    line.source.drop('a.csv', people(2))
    line.service.fault = ({ path }) => {
      if (path !== '/terms') return undefined
      line.abort.abort()
      return { kind: 'not_applied' }
    }
    const result = await line.run()
    expect(result).toMatchObject({
      status: 'failed',
      failed: 2,
      error: 'the run was stopped before it was complete; the next one continues from here',
    })
    expect(result.code).toBeUndefined()
  })
})
