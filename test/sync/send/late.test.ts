// A request that was lost and is carried out after all, once its contact has another mail or has gone: sent by the mail, it
// would make a second one. So the mail stays, and so does the contact, until it can no longer come.
import { describe, expect, it } from 'vitest'
import type { CreateOptions } from '../../../src/core/ports.ts'
import type { Contact } from '../../../src/core/mapping/contact.ts'
import { type Line, people, testLine } from '../../support/line.ts'
import { GUARDS } from '../../support/pipeline.ts'

const QUIESCE_MS = 60_000

/** The first attempt of every create is lost, the second answered; gives what carries the lost ones out. */
function losingFirstAttempts(line: Line): () => Promise<void> {
  const session = line.service.session
  const lost: (() => Promise<unknown>)[] = []
  line.service.session = () => {
    const real = session()
    const twice = async (contact: Contact, options: CreateOptions) => {
      lost.push(() => real.createContact(contact, options))
      const result = await real.createContact(contact, options)
      return result.kind === 'ok' ? ({ ...result, echo: true } as const) : result
    }
    return { ...real, createContact: twice }
  }
  return async () => {
    for (const carryOut of lost.splice(0)) await carryOut()
  }
}

const mails = (line: Line): unknown[] => [...line.service.contacts.values()].map(({ mail }) => mail)

const movedTo = (mail: string): string[][] =>
  people(1).map((row, index) => (index === 0 ? row : row.with(1, mail)))

describe('a create of which an earlier attempt may still come', () => {
  it('keeps its mail until then', async () => {
    const line = testLine()
    const carryOutLost = losingFirstAttempts(line)
    line.source.drop('a.csv', people(1))
    line.source.drop('b.csv', movedTo('new@example.com'))
    expect(await line.run()).toMatchObject({ created: 1, failed: 1 })
    await carryOutLost()
    line.clock.advance(QUIESCE_MS)
    expect(await line.run()).toMatchObject({ updated: 1, status: 'ok' })
    expect(mails(line)).toEqual(['new@example.com'])
  })

  it('keeps its mail no longer where the clock went back a year meanwhile', async () => {
    const line = testLine()
    const carryOutLost = losingFirstAttempts(line)
    line.source.drop('a.csv', people(1))
    await line.run()
    line.clock.advance(-31_536_000_000)
    line.source.drop('b.csv', movedTo('new@example.com'))
    expect(await line.run()).toMatchObject({ failed: 1 })
    line.clock.advance(QUIESCE_MS / 2)
    expect(await line.run()).toMatchObject({ failed: 1 })
    await carryOutLost()
    line.clock.advance(QUIESCE_MS)
    expect(await line.run()).toMatchObject({ updated: 1, status: 'ok' })
    expect(mails(line)).toEqual(['new@example.com'])
  })

  it('keeps its contact until then', async () => {
    const guards = { ...GUARDS, max_deletes: { share: 1 } }
    const line = testLine({ pipeline: { mode: 'full', on_missing: 'delete', guards } })
    line.source.drop('a.csv', people(2, 2))
    await line.run()
    const carryOutLost = losingFirstAttempts(line)
    line.source.drop('b.csv', people(3))
    expect(await line.run()).toMatchObject({ created: 1 })
    line.source.drop('c.csv', people(2, 2))
    expect(await line.run()).toMatchObject({ deleted: 0, status: 'partial' })
    await carryOutLost()
    line.clock.advance(QUIESCE_MS)
    line.source.drop('d.csv', people(2, 2))
    expect(await line.run()).toMatchObject({ deleted: 1, status: 'ok' })
    expect(line.service.contacts.size).toBe(2)
  })

  it('keeps its mail also where a look-up has found it', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(1))
    line.service.fault = ({ method }) => (method === 'POST' ? { kind: 'unknown', applied: true } : undefined)
    expect(await line.run()).toMatchObject({ in_doubt: 0 })
    line.service.fault = () => undefined
    line.source.drop('b.csv', movedTo('new@example.com'))
    expect(await line.run()).toMatchObject({ updated: 0, failed: 1 })
    line.clock.advance(QUIESCE_MS)
    expect(await line.run()).toMatchObject({ updated: 1 })
  })
})

describe('a create under none that was sent again, and cut off', () => {
  it('is looked up as often as the first, and in as much time, before it is sent once more', async () => {
    const line = testLine({ pipeline: { duplicate_check_method: 'none' } })
    line.source.drop('a.csv', people(1))
    line.service.fault = ({ method }) => (method === 'POST' ? { kind: 'unknown' } : undefined)
    const session = line.service.session
    let sent = 0
    let carryOutLost: () => Promise<unknown> = () => Promise.resolve()
    line.service.session = () => {
      const real = session()
      const createContact: typeof real.createContact = async (contact, options) => {
        sent += 1
        if (sent !== 2) return real.createContact(contact, options)
        carryOutLost = () => real.createContact(contact, options)
        throw new Error('killed')
      }
      return { ...real, createContact }
    }
    await expect(line.run()).rejects.toThrow('killed')
    line.service.fault = () => undefined
    // The first look after the crash finds nothing; then the lost request is carried out.
    const sleep = line.clock.sleep.bind(line.clock)
    Object.assign(line.clock, {
      sleep: async (ms: number, signal?: AbortSignal) => {
        await carryOutLost()
        carryOutLost = () => Promise.resolve()
        await sleep(ms, signal)
      },
    })
    expect(await line.run()).toMatchObject({ in_doubt: 0 })
    expect(sent).toBe(2)
    expect(line.service.contacts.size).toBe(1)
  })
})

describe('an update that went by its mail, and was lost', () => {
  it('finds its contact when it comes after all', async () => {
    const line = testLine({ pipeline: { update_via: 'bulk' } })
    line.source.drop('a.csv', people(2))
    await line.run()
    const changed = people(2).map((row, index) => (index === 0 ? row : row.with(4, '040')))
    line.service.fault = ({ path }) => (path === '/contacts' ? { kind: 'unknown' } : undefined)
    line.source.drop('b.csv', changed)
    expect(await line.run()).toMatchObject({ failed: 2 })
    line.service.fault = () => undefined
    line.source.drop(
      'c.csv',
      changed.map((row, index) => (index === 1 ? row.with(1, 'new@example.com') : row)),
    )
    expect(await line.run()).toMatchObject({ failed: 1 })
    expect(mails(line)).toEqual(['person1@example.com', 'person2@example.com'])
    line.clock.advance(QUIESCE_MS)
    expect(await line.run()).toMatchObject({ updated: 1 })
    expect(mails(line)).toEqual(['new@example.com', 'person2@example.com'])
  })
})
