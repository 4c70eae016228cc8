// Mishaps that are not the program's fault and must leave no mark: half of a bulk call, a process that dies again and again,
// a clock that goes back, people who edit at the service, two sources that disagree.
import { describe, expect, it } from 'vitest'
import type { Contact } from '../../src/core/mapping/contact.ts'
import type { Call } from '../support/memory-service.ts'
import { HEADER, type Line, people, testLine } from '../support/line.ts'

const CHECKS = ['email', 'none'] as const
const isPost = ({ method }: Call): boolean => method === 'POST'
const mailsOf = (line: Line): string[] =>
  [...line.service.contacts.values()].map(({ mail }) => String(mail)).sort()
const MAILS = people(5)
  .slice(1)
  .map(([, mail]) => mail)

/** What the service does to the members of a call that it does not finish. */
const apply = (line: Line, contacts: readonly Contact[]): void => {
  for (const contact of contacts)
    if (!mailsOf(line).includes(String(contact['mail'])))
      line.service.contacts.set(1000 + line.service.contacts.size, { ...contact })
}

describe.each(CHECKS)('a bulk call of which two members were applied, under %s', (duplicateCheckMethod) => {
  const rig = (): Line => {
    const line = testLine({ pipeline: { duplicate_check_method: duplicateCheckMethod } })
    line.source.drop('a.csv', people(5))
    return line
  }

  it.each([
    ['an unknown outcome', { kind: 'unknown', status: 500 }],
    ['a refusal', { kind: 'refused', status: 422 }],
  ] as const)('and answered with %s: everybody is there once', async (_, fault) => {
    const line = rig()
    let first = true
    line.service.fault = (call) => {
      if (!isPost(call) || !first) return undefined
      first = false
      apply(line, call.contacts.slice(0, 2))
      return fault
    }
    expect(await line.run()).toMatchObject({ status: 'ok', created: 5, in_doubt: 0 })
    expect(mailsOf(line)).toEqual(MAILS)
    line.source.drop('a.csv', people(5))
    expect(await line.run()).toMatchObject({ unchanged: 5, requests: 0 })
  })

  it('when the process died: two are found, three are sent', async () => {
    const line = rig()
    line.service.fault = (call) => {
      if (isPost(call)) {
        apply(line, call.contacts.slice(0, 2))
        throw new Error('died')
      }
      return undefined
    }
    await expect(line.run()).rejects.toThrow('died')
    line.service.fault = () => undefined
    expect(await line.run()).toMatchObject({ read: 5, failed: 0, in_doubt: 0 })
    expect(mailsOf(line)).toEqual(MAILS)
  })
})

it('what is in doubt is looked up side by side, as far as the limit allows', async () => {
  const line = testLine({ pipeline: { duplicate_check_method: 'none' } })
  line.source.drop('a.csv', people(12))
  line.service.fault = () => {
    throw new Error('died')
  }
  await expect(line.run()).rejects.toThrow('died')
  line.service.fault = () => undefined
  const { session } = line.service
  let [underway, most] = [0, 0]
  line.service.session = () => {
    const own = session()
    return {
      ...own,
      async contactsByMail(mail, fields) {
        underway += 1
        most = Math.max(most, underway)
        await new Promise((resolve) => setImmediate(resolve))
        underway -= 1
        return own.contactsByMail(mail, fields)
      },
    }
  }
  expect(await line.run()).toMatchObject({ failed: 0, in_doubt: 0 })
  expect(line.service.contacts.size).toBe(12)
  expect(most).toBe(line.settings.rate_limit.concurrency + 1)
})

describe('a process that dies twenty times while it recovers', () => {
  it.each(CHECKS)('ends with everybody once, under %s', async (duplicateCheckMethod) => {
    const line = testLine({ pipeline: { duplicate_check_method: duplicateCheckMethod } })
    line.source.drop('a.csv', people(5))
    for (let death = 0; death < 21; death += 1) {
      let isDead = false
      line.service.fault = (call) => {
        // The first call arrives; what follows dies at once, or after it arrived. The dead makes no further call.
        if (!isDead && death % 2 === 0 && isPost(call)) apply(line, call.contacts)
        isDead = true
        throw new Error('died')
      }
      await expect(line.run()).rejects.toThrow('died')
    }
    line.service.fault = () => undefined
    expect(await line.run()).toMatchObject({ status: 'ok', read: 5, failed: 0, in_doubt: 0 })
    expect(mailsOf(line)).toEqual(MAILS)
    expect(line.source.waiting()).toEqual([])
  })
})

describe('a clock', () => {
  it.each([
    ['an hour back', -3_600_000],
    ['a year back', -31_536_000_000],
    ['an hour ahead', 3_600_000],
  ])('that goes %s makes nobody twice, and no run wait for it', async (_, jumpMs) => {
    const line = testLine({ pipeline: { duplicate_check_method: 'none' } })
    line.source.drop('a.csv', people(1))
    let waitedMs = 0
    const { sleep } = line.clock
    let hasJumped = false
    line.clock.sleep = async (ms, signal) => {
      await sleep(ms, signal)
      waitedMs += ms
      if (!hasJumped) line.clock.advance(jumpMs)
      hasJumped = true
      if (waitedMs > 20 * line.settings.doubt.quiesce) throw new Error('waits for the clock')
    }
    let lost = 0
    line.service.fault = (call) => (isPost(call) && lost++ === 0 ? { kind: 'unknown' } : undefined)
    expect(await line.run()).toMatchObject({ status: 'ok', created: 1 })
    expect(waitedMs).toBeGreaterThanOrEqual(2 * line.settings.doubt.quiesce)
    expect(line.service.contacts.size).toBe(1)
  })
})

describe('what somebody edited at the service', () => {
  it('is left alone until the source changes that very field', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(1))
    await line.run()
    Object.assign(line.service.contacts.get(1)!, { first_name: 'Edited', company: 'Theirs' })
    const later = people(1)
    later[1]![4] = '040 1'
    line.source.drop('b.csv', later)
    expect(await line.run()).toMatchObject({ updated: 1 })
    expect(line.service.contacts.get(1)).toMatchObject({
      first_name: 'Edited',
      company: 'Theirs',
      phone: '040 1',
    })
    later[1]![2] = 'Ours'
    line.source.drop('c.csv', later)
    await line.run()
    expect(line.service.contacts.get(1)).toMatchObject({ first_name: 'Ours', company: 'Theirs' })
  })
})

describe('two sources that say different things of one mail', () => {
  it('send what each has to say once, and then nothing more', async () => {
    const shop = testLine()
    const crm = testLine({ state: shop.state, service: shop.service, pipeline: { name: 'crm' } })
    const other = [[...HEADER], ['C7', 'person1@example.com', 'Anders', 'Nachname1', '']]
    const round = async (): Promise<number> => {
      const before = shop.service.writes().length
      shop.source.drop('shop.csv', people(1))
      await shop.run()
      crm.source.drop('crm.csv', other)
      await crm.run()
      return shop.service.writes().length - before
    }
    expect(await round()).toBe(2)
    expect(await round()).toBe(0)
    expect(await round()).toBe(0)
    expect(shop.service.contacts.size).toBe(1)
    expect(shop.service.contacts.get(1)).toMatchObject({ first_name: 'Anders', phone: '030 1' })
  })
})

describe('two people who swap their mails', () => {
  it.each(CHECKS)('keep their contacts, under %s', async (duplicateCheckMethod) => {
    const line = testLine({ pipeline: { duplicate_check_method: duplicateCheckMethod } })
    line.source.drop('a.csv', people(2))
    await line.run()
    const swapped = people(2)
    ;[swapped[1]![1], swapped[2]![1]] = [swapped[2]![1]!, swapped[1]![1]!]
    line.source.drop('b.csv', swapped)
    expect(await line.run()).toMatchObject({ status: 'ok', updated: 2 })
    const named = [...line.service.contacts.values()].map(({ first_name, mail }) => [first_name, mail])
    expect(named).toEqual([
      ['Vorname1', 'person2@example.com'],
      ['Vorname2', 'person1@example.com'],
    ])
    line.source.drop('c.csv', swapped)
    expect(await line.run()).toMatchObject({ unchanged: 2, requests: 0 })
  })
})

describe('a file whose text was encoded twice', () => {
  it('is sent as it is, and said', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(1))
    const { open } = line.source
    line.source.open = async (input, options) =>
      Object.assign(await open(input, options), { twiceEncoded: { places: 2, line: 5 } })
    expect(await line.run()).toMatchObject({ status: 'ok', created: 1 })
    expect(line.log).toContainEqual({
      message: 'text appears to be encoded twice ("Ã¼" instead of "ü")',
      fields: { file_number: 1, file: 'a.csv', places: 2, line: 5 },
    })
  })
})

describe('an address where the interface is not', () => {
  it('ends the run, and everything is kept for the next one', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(3))
    line.service.fault = (call) => (isPost(call) ? { kind: 'not_applied', status: 404 } : undefined)
    expect(await line.run()).toMatchObject({ status: 'failed', code: 'SERVICE_CONTRACT', failed: 3 })
    expect(line.service.calls.length).toBeLessThanOrEqual(line.settings.rate_limit.concurrency)
    line.service.fault = () => undefined
    expect(await line.run()).toMatchObject({ status: 'ok', created: 3 })
  })
})
