// What every store of sessions keeps to: that of one process, and that of several workers. Each test asks two of them that share
// what they keep; in memory they are one and the same.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SESSION_LIMITS, type SessionStore } from '../../src/core/console-sessions.ts'

export interface SessionWorld {
  readonly one: SessionStore
  readonly other: SessionStore
  /** Time passes for everything that is kept. */
  pass(ms: number): Promise<void>
  close(): Promise<void>
}

const MINUTE = 60_000
const ANNA = { holder: 'anna', account: undefined, isRefresh: false }

export function sessionsContract(name: string, open: () => Promise<SessionWorld>): void {
  describe(`sessions ${name}`, () => {
    let world: SessionWorld
    let one: SessionStore
    let other: SessionStore
    beforeEach(async () => {
      world = await open()
      ;({ one, other } = world)
    })
    afterEach(async () => world.close())

    it('are known to whoever answers, by their id alone, until they are ended', async () => {
      await one.begin('id-1', 'anna')
      await one.begin('id-2', 'ben')
      expect(await other.find('id-1', '/')).toEqual(ANNA)
      expect(await other.find('id-2', '/')).toEqual({ ...ANNA, holder: 'ben' })
      expect(await other.find('id-3', '/')).toBeUndefined()
      await other.end('id-1')
      expect(await one.find('id-1', '/')).toBeUndefined()
      expect(await one.find('id-2', '/')).toMatchObject({ holder: 'ben' })
    })

    it('end half an hour after the last request, at whichever', async () => {
      await one.begin('id', 'anna')
      await world.pass(29 * MINUTE)
      expect(await other.find('id', '/')).toEqual(ANNA)
      await world.pass(29 * MINUTE)
      expect(await one.find('id', '/')).toEqual(ANNA)
      await world.pass(32 * MINUTE)
      expect(await other.find('id', '/')).toBeUndefined()
    })

    it('end after twelve hours, however busy', async () => {
      await one.begin('id', 'anna')
      for (let passed = 20; passed < 12 * 60; passed += 20) {
        await world.pass(20 * MINUTE)
        expect(await one.find('id', '/')).toEqual(ANNA)
      }
      await world.pass(20 * MINUTE + 1000)
      expect(await one.find('id', '/')).toBeUndefined()
    })

    it('are no more than 200: the oldest ends', async () => {
      await one.begin('oldest', 'anna')
      for (let index = 1; index <= SESSION_LIMITS.most; index += 1) {
        if (index <= 2) await world.pass(10)
        await (index % 2 === 0 ? one : other).begin(`id-${index}`, 'anna')
      }
      expect(await one.find('oldest', '/')).toBeUndefined()
      expect(await one.find('id-1', '/')).toEqual(ANNA)
      expect(await one.find(`id-${SESSION_LIMITS.most}`, '/')).toEqual(ANNA)
    })

    it('remember the account that was chosen', async () => {
      await one.begin('id', 'anna')
      await one.chooseAccount('id', 'north')
      expect(await other.find('id', '/')).toMatchObject({ account: 'north' })
      await other.chooseAccount('id', 'south')
      expect(await one.find('id', '/')).toMatchObject({ account: 'south' })
    })

    it('tell a page that loads itself again from its user, by its path and for half a minute', async () => {
      await one.begin('id', 'anna')
      await one.noteRefresh('id', '/runs/1')
      await world.pass(5000)
      expect(await other.find('id', '/runs/1')).toMatchObject({ isRefresh: true })
      expect(await other.find('id', '/runs/2')).toMatchObject({ isRefresh: false })
      await world.pass(31_000)
      expect(await other.find('id', '/runs/1')).toMatchObject({ isRefresh: false })
    })

    it('are not kept alive by a page that loads itself again', async () => {
      await one.begin('id', 'anna')
      for (let minute = 1; minute <= 30; minute += 1) {
        await world.pass(MINUTE - 10_000)
        await one.noteRefresh('id', '/')
        await world.pass(10_000)
        expect(await other.find('id', '/')).toMatchObject({ isRefresh: true })
      }
      await world.pass(2 * MINUTE)
      expect(await other.find('id', '/')).toBeUndefined()
    })

    it('keep the last twenty searches, by number, each for itself', async () => {
      await one.begin('id', 'anna')
      await one.begin('foreign', 'ben')
      for (let index = 1; index <= 21; index += 1)
        expect(await (index % 2 === 0 ? one : other).addSearch('id', `search ${index}`)).toBe(index)
      expect(await one.search('id', 1)).toBeUndefined()
      expect(await one.search('id', 2)).toBe('search 2')
      expect(await one.search('id', 21)).toBe('search 21')
      expect(await one.search('foreign', 2)).toBeUndefined()
      expect(await one.addSearch('nowhere', 'x')).toBeUndefined()
    })

    it('give a form out once, however many ask at the same moment, and never to another session', async () => {
      await one.begin('id', 'anna')
      await one.begin('foreign', 'ben')
      await one.addForm('id', 'token', 'pause it')
      expect(await other.claimForm('foreign', 'token')).toBeUndefined()
      expect(await other.claimForm('id', 'guessed')).toBeUndefined()
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? one : other).claimForm('id', 'token')),
      )
      expect(claims.map((claim) => claim?.number)).toEqual(Array(8).fill(1))
      expect(claims.flatMap((claim) => claim?.text ?? [])).toEqual(['pause it'])
    })

    it('say what came of a form, once it is known', async () => {
      await one.begin('id', 'anna')
      await one.addForm('id', 'first', 'a')
      await one.addForm('id', 'second', 'b')
      expect(await other.outcome('id', 2)).toBeUndefined()
      const claim = await one.claimForm('id', 'second')
      expect(claim).toEqual({ number: 2, text: 'b' })
      expect(await other.outcome('id', 2)).toEqual({ text: undefined })
      await one.settleForm('id', 2, 'done')
      expect(await other.outcome('id', 2)).toEqual({ text: 'done' })
      expect(await other.claimForm('id', 'second')).toEqual({ number: 2, text: undefined })
      expect(await other.outcome('id', 1)).toBeUndefined()
      expect(await other.outcome('foreign', 2)).toBeUndefined()
    })

    it('keep the last hundred forms', async () => {
      await one.begin('id', 'anna')
      for (let index = 1; index <= SESSION_LIMITS.forms + 1; index += 1)
        await one.addForm('id', `token ${index}`, `form ${index}`)
      expect(await other.claimForm('id', 'token 1')).toBeUndefined()
      expect(await other.claimForm('id', 'token 2')).toEqual({ number: 2, text: 'form 2' })
    })

    it('forget every text when a person was erased, and end no session and no decision by it', async () => {
      await one.begin('id', 'anna')
      const search = (await one.addSearch('id', 'erika@example.com')) ?? 0
      for (const token of ['open', 'active', 'settled']) await one.addForm('id', token, 'Correct Erika')
      const active = await one.claimForm('id', 'active')
      const settled = await one.claimForm('id', 'settled')
      await one.settleForm('id', settled?.number ?? 0, 'Erika is corrected')
      await other.forgetTexts()
      expect(await one.search('id', search)).toBeUndefined()
      expect(await one.claimForm('id', 'open')).toBeUndefined()
      expect(await one.outcome('id', settled?.number ?? 0)).toBeUndefined()
      expect(await one.find('id', '/')).toEqual(ANNA)
      await one.settleForm('id', active?.number ?? 0, 'done')
      expect(await other.outcome('id', active?.number ?? 0)).toEqual({ text: 'done' })
      expect(await other.claimForm('id', 'active')).toMatchObject({ text: undefined })
      expect((await one.addSearch('id', 'ben')) ?? 0).toBeGreaterThan(search)
    })

    it('keep nothing for a session that was ended', async () => {
      await one.begin('id', 'anna')
      await one.addForm('id', 'token', 'pause it')
      await other.end('id')
      await one.addForm('id', 'later', 'x')
      await one.noteRefresh('id', '/')
      await one.chooseAccount('id', 'north')
      expect(await one.claimForm('id', 'token')).toBeUndefined()
      expect(await one.claimForm('id', 'later')).toBeUndefined()
      expect(await one.find('id', '/')).toBeUndefined()
    })
  })
}
