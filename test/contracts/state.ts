// What every state keeps to, whatever it is kept in: said in the words of a run, so that it holds for one on another machine, too.
import { beforeEach, describe, expect, it } from 'vitest'
import { contactMailKey } from '../../src/core/mapping/contact.ts'
import type { Operation, Settled } from '../../src/core/change/operation.ts'
import { GONE_REASON } from '../../src/core/change/diff.ts'
import { NOT_DONE_REASON } from '../../src/core/change/lookup/doubt.ts'
import { noCounts } from '../../src/core/outcome/summary.ts'
import type { TestState } from '../support/state/memory-state.ts'
import { aboutRun, AT, done, ended, person, type World, worldOver } from './state-world.ts'

const ANNA = person('K1', { phone: '1' })
const BEN = person('K2', { phone: '2' })
const FULL = { apartMs: 0, at: AT, isLast: true }
const MISSING = { onMissing: 'delete', takesAllTerms: false, missingIn: 1, apartMs: 0, at: AT } as const

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

const forms = (operations: readonly Operation[]): string[] =>
  operations.map(({ kind, key, state }) => `${kind} ${key} ${state}`)

export function stateContract(name: string, open: () => TestState): void {
  describe(`the state ${name}`, () => {
    let world: World
    let state: TestState
    beforeEach(() => {
      state = open()
      world = worldOver(state)
    })
    const link = async (key: string, pipeline = 'shop') => (await state.known(pipeline, [key]))[0]?.link
    const push = async (people: Parameters<World['plan']>[0], pipeline = 'shop', run = 'r1') => {
      const staged = await world.plan(people, { pipeline, run, version: `${pipeline} ${run}` })
      await world.send(done, run)
      await state.endInput(staged, { as: 'processed' })
    }

    it('counts nothing of an input before its plan is committed, and nothing of one that is discarded', async () => {
      const staged = await world.read([ANNA], { rejected: ['K9'] })
      expect(await all(state.rejects(['shop']))).toEqual([])
      expect(await state.inputNumbers(staged)).toMatchObject({ rejected: 1, changes: 1, links: 0 })
      await state.discardInput(staged)
      expect(await state.unfinishedInputs('shop')).toEqual([])
      expect(await state.takeToSend('r1', undefined, 9)).toEqual([])
      const next = await world.plan([ANNA], { rejected: ['K9'] })
      expect(await state.unfinishedInputs('shop')).toMatchObject([{ id: next.id, pipeline: 'shop' }])
      expect(await all(state.rejects(['shop']))).toMatchObject([
        { key: 'K9', line: 3, code: 'FIELD_INVALID' },
      ])
      expect(await all(state.rejectsOfInput(next))).toMatchObject([{ reason: 'bad', line: 3 }])
    })

    it('keeps the last mail_status of an address once it was 1 or 2', async () => {
      const note = (mail: string, status: number) => state.noteFormerStatus({ mail, status, at: AT })
      await note('A@x.de', 2)
      await note('b@x.de', 4)
      await note('c@x.de', 1)
      await note('c@x.de', 7)
      await note('d@x.de', 1)
      await note('d@x.de', 2)
      expect(await state.formerStatuses(['a@X.de', 'b@x.de', 'c@x.de', 'd@x.de', ''])).toEqual([
        2,
        undefined,
        undefined,
        2,
        undefined,
      ])
    })

    it('keeps since when a contact, or its address, has a 1 or 2, and that of a withdrawal that has ended', async () => {
      const seen = (contactId: number, mail: string, at: number, isWithdrawn = true) =>
        state.noteWithdrawal({ contactId, mail, isWithdrawn, at })
      const since = async (contactId: number | undefined, ...mails: string[]) =>
        (await state.withdrawnAt([{ contactId, mails }]))[0]
      await seen(1, 'a@x.de', AT, false)
      expect(await since(1, 'a@x.de')).toBeUndefined()
      await seen(1, 'A@x.de', AT + 1)
      await seen(1, 'a@x.de', AT + 2)
      await seen(2, '', AT + 3)
      expect(
        await state.withdrawnAt([
          { contactId: 2, mails: ['b@x.de'] },
          { contactId: 1, mails: [] },
          { contactId: undefined, mails: ['a@X.de'] },
          { contactId: 1, mails: ['a@x.de', 'b@x.de'] },
          { contactId: 3, mails: [] },
        ]),
      ).toEqual([AT + 3, AT + 1, AT + 1, AT + 1, undefined])
      // Another status at the contact: what its address is at another contact is not known.
      await seen(1, 'a@x.de', AT + 4, false)
      expect([await since(1), await since(undefined, 'a@x.de')]).toEqual([AT + 1, AT + 1])
      await seen(1, 'a@x.de', AT + 5)
      expect([await since(1), await since(undefined, 'a@x.de')]).toEqual([AT + 5, AT + 1])
      expect(await since(1, 'a@x.de')).toBe(AT + 5)
      // Raised: the next one begins when it is seen.
      await state.endWithdrawal({ contactId: 1, mails: ['A@x.de', 'c@x.de'] })
      expect(await since(1, 'a@x.de', 'c@x.de')).toBe(AT + 5)
      await seen(3, 'a@x.de', AT + 6)
      expect([await since(1), await since(undefined, 'a@x.de')]).toEqual([AT + 5, AT + 6])
    })

    it('counts what was noted at the delete of a contact as a withdrawal of its address', async () => {
      const note = (mail: string, status: number, at: number) => state.noteFormerStatus({ mail, status, at })
      const since = async (mail: string, contactId?: number) =>
        (await state.withdrawnAt([{ contactId, mails: [mail] }]))[0]
      await note('a@x.de', 4, AT)
      expect(await since('a@x.de')).toBeUndefined()
      await note('A@x.de', 2, AT + 1)
      await note('a@x.de', 1, AT + 2)
      await note('a@x.de', 4, AT + 3)
      expect(await since('a@X.de')).toBe(AT + 1)
      await state.noteWithdrawal({ contactId: 5, mail: '', isWithdrawn: true, at: AT + 9 })
      expect([await since('a@x.de', 5), await since('a@x.de', 6)]).toEqual([AT + 9, AT + 1])
    })

    it('keeps what is known of a suppression list by its path', async () => {
      const kept = { entries: 3, digest: 'd1', edition: 1 }
      await state.keepSuppressionList('/a.csv', kept)
      await state.keepSuppressionList('/b.csv', { ...kept, entries: 9 })
      await state.keepSuppressionList('/b.csv', { ...kept, edition: 2 })
      const lists = await Promise.all(
        ['/a.csv', '/b.csv', '/c.csv'].map((path) => state.suppressionList(path)),
      )
      expect(lists).toEqual([kept, { ...kept, edition: 2 }, undefined])
    })

    it('lists the keys that have a contact, by pages', async () => {
      await push([BEN, ANNA])
      await push([person('K3')], 'crm')
      await world.plan([person('K4')], { version: 'later' })
      const keys = async (after?: string) => state.linkedKeys('shop', { after, limit: 1 })
      expect([await keys(), await keys('K1'), await keys('K2')]).toEqual([['K1'], ['K2'], []])
    })

    it('gives the records of other pipelines that have a contact, or its mail', async () => {
      await push([ANNA, BEN])
      await push([person('K1', { phone: '5' })], 'crm')
      const mailKey = contactMailKey(ANNA.contact)
      const [byContact, byMail, byNothing, own] = await state.sharers('crm', [
        { contactId: 1, mailKey: undefined },
        { contactId: undefined, mailKey },
        { contactId: undefined, mailKey: undefined },
        { contactId: 2, mailKey },
      ])
      const anna = [{ pipeline: 'shop', fields: ANNA.contact, missing: 0 }]
      expect([byContact, byMail, byNothing]).toEqual([anna, anna, []])
      expect(own).toMatchObject([{ pipeline: 'shop', fields: BEN.contact }])
    })

    it('marks what a record gives up once its plan is settled, and others see it until it is sent again', async () => {
      await push([ANNA, BEN])
      const without = { key: 'K1', contact: { mail: ANNA.contact['mail'] ?? '' }, givesUp: ['phone', 'fax'] }
      const seen = async () => (await state.sharers('crm', [{ contactId: 1, mailKey: undefined }]))[0]
      const staged = await world.plan([without, { ...BEN, givesUp: ['fax'] }], { run: 'r2' })
      // What only gives a field up is no change of a contact, and no request.
      expect(await state.inputNumbers(staged)).toMatchObject({ changes: 0 })
      expect(await state.planTotals('r2')).toMatchObject({ operations: 1, updates: 0 })
      const [operation] = await state.takeToSend('r2', undefined, 9)
      expect(operation).toMatchObject({ kind: 'update', key: 'K1', fields: {}, givesUp: ['phone', 'fax'] })
      expect(operation?.desired).toEqual(without.contact)
      expect(await seen()).toEqual([{ pipeline: 'shop', fields: ANNA.contact, missing: 0 }])
      await world.send(ended({ kind: 'settled' }), 'r2')
      const marked = [{ pipeline: 'shop', fields: ANNA.contact, missing: 0, givenUp: ['phone'] }]
      expect(await seen()).toEqual(marked)
      expect(await link('K1')).toMatchObject({ fields: ANNA.contact, unsure: ['given up phone'] })
      expect(await state.sharers('crm', [{ contactId: 2, mailKey: undefined }])).toEqual([
        [{ pipeline: 'shop', fields: BEN.contact, missing: 0 }],
      ])
      await world.plan([without], { run: 'r3' })
      expect(await state.takeToSend('r3', undefined, 9)).toEqual([])
      // Not sent, it is still given up.
      await world.plan([{ ...ANNA, contact: { ...ANNA.contact, phone: '3' } }], { run: 'r4' })
      await world.send(ended({ kind: 'failed', reason: 'no' }), 'r4')
      expect(await seen()).toEqual(marked)
      await world.plan([{ ...ANNA, contact: { ...ANNA.contact, phone: '4' } }], { run: 'r5' })
      await world.send(done, 'r5')
      expect(await seen()).toMatchObject([{ fields: { phone: '4' } }])
      expect(await link('K1')).toMatchObject({ unsure: [] })
    })

    it('keeps what a change that waits gives up', async () => {
      await push([ANNA])
      const without = { key: 'K1', contact: { ...ANNA.contact, phone: '2' }, givesUp: ['fax'] }
      await world.plan([without], { run: 'r2' })
      await world.send(ended({ kind: 'failed', reason: 'no' }), 'r2')
      const [failed] = await state.leftOpen('failed', 'shop')
      expect(failed).toMatchObject({ givesUp: ['fax'], desired: without.contact })
      if (failed === undefined) throw new Error('nothing is left')
      const next = { state: 'planned', kind: 'update', linkId: 1, contactId: 1, fields: {} } as const
      await state.replan('r3', [{ operation: failed, next }])
      const [again] = await state.takeToSend('r3', undefined, 9)
      expect(again).toMatchObject({ fields: {}, givesUp: ['fax'], desired: without.contact })
    })

    it('gives what is planned in the order of sending, by pages', async () => {
      await push([ANNA, BEN, person('K3', {}, ['A'])])
      const { mail: _, ...withoutMail } = person('K7').contact
      const changed = [
        person('K4', { mail_status: 7 }, ['B']),
        { key: 'K7', contact: { ...withoutMail, first_name: 'A' } },
        { ...ANNA, contact: { ...ANNA.contact, phone: '9' } },
        { ...BEN, contact: { ...BEN.contact, mail_status: 2, phone: '8' } },
        person('K3', {}, ['B']),
      ]
      await world.plan(changed, { run: 'r2', version: 'second' })
      const order = ['consent K2', 'update K1', 'create K4', 'terms K3']
      const found = await state.takeToSend('r2', undefined, 9)
      expect(found.map(({ kind, key }) => `${kind} ${key}`)).toEqual(order)
      const first = await state.takeToSend('r2', undefined, 2)
      expect(first).toEqual(found.slice(0, 2))
      expect(await state.takeToSend('r2', first[1], 2)).toEqual(found.slice(2))
      expect(await state.planTotals('r2', 1)).toMatchObject({
        ...{
          operations: 4,
          updates: 2,
          createsWithMail: 1,
          createsWithoutMail: 0,
          withdrawals: 1,
          consents: 1,
        },
        ...{ termAdditions: 2, termRemovals: 1, termChanges: 2, termsOfCreates: 1 },
        ...{ deletes: 0, terms: ['B'] },
      })
      // A record without a mail and an address is a reject.
      expect(await all(state.rejects(undefined))).toMatchObject([{ key: 'K7', code: 'CONTACT_INCOMPLETE' }])
    })

    it('knows what was sent, takes one step after the other, and knows a settled record by its form', async () => {
      await world.plan([{ ...ANNA, terms: ['A'], contact: { ...ANNA.contact, mail_status: 7 } }])
      expect(await world.send()).toEqual(['create K1', 'terms K1', 'consent K1'])
      expect(await link('K1')).toMatchObject({
        contactId: 1,
        fields: { mail: 'k1@x.example', phone: '1', mail_status: 7 },
        terms: [{ name: 'A', ours: true, shared: false, unsure: false }],
        unsure: [],
        gone: false,
      })
      expect(await state.countRemaining('r1')).toBe(0)
      const again = [{ ...ANNA, terms: ['A'], contact: { ...ANNA.contact, mail_status: 7 } }]
      await world.plan(again, { run: 'r2' })
      expect(await state.takeToSend('r2', undefined, 9)).toEqual([])
    })

    it('is unsure of what is on its way, and restores it where nothing was applied', async () => {
      await push([ANNA])
      const changed = [{ ...ANNA, contact: { ...ANNA.contact, phone: '9' } }]
      await world.plan(changed, { run: 'r2' })
      const [update] = await state.takeToSend('r2', undefined, 1)
      if (update === undefined) throw new Error('nothing is planned')
      await state.markSending([update])
      expect(await link('K1')).toMatchObject({
        unsure: ['phone'],
        fields: { phone: '1' },
        isUnfinished: true,
      })
      expect(await state.countRemaining('r2')).toBe(1)
      const settled = { operation: update, request: undefined }
      const lost = { ...settled, settlement: { kind: 'failed', reason: 'lost', unknown: true } } as const
      await state.settleBatch([lost], aboutRun('r2'))
      expect(await link('K1')).toMatchObject({ unsure: ['phone'] })
      const refused = { ...settled, settlement: { kind: 'failed', reason: 'no' } } as const
      await state.settleBatch([refused], aboutRun('r2'))
      expect(await link('K1')).toMatchObject({ unsure: [] })
      expect(forms(await state.leftOpen('failed', 'shop'))).toEqual(['update K1 failed'])
    })

    it('marks what is to leave and settles what has ended at once, each as by itself', async () => {
      await push([ANNA])
      const termed = { ...ANNA, contact: { ...ANNA.contact, phone: '9' }, terms: ['A'] }
      await world.plan([termed, BEN], { run: 'r2' })
      const [update, create] = await state.takeToSend('r2', undefined, 9)
      if (update === undefined || create === undefined) throw new Error('two changes are planned')
      expect(
        await state.markAndSettle([{ operations: [update] }, { operations: [create] }], undefined),
      ).toEqual([])
      expect(await link('K1')).toMatchObject({ unsure: ['phone'], isUnfinished: true })
      expect(await state.countRemaining('r2')).toBe(2)
      expect(await state.remainingOf('r2', ['K9', 'K1'])).toEqual(['K1'])
      expect(await state.remainingOf('r2', [])).toEqual([])
      const endOf = (operation: Operation): Settled =>
        ({ operation, request: undefined, ...done(operation) }) as Settled
      const updated = { settled: [endOf(update)], context: aboutRun('r2') }
      expect(await state.markAndSettle([], updated)).toMatchObject([{ kind: 'done', contactId: 1 }])
      const [terms] = await state.takeToSend('r2', undefined, 9)
      if (terms === undefined) throw new Error('the terms come next')
      const marks = [{ operations: [terms], terms: [{ name: 'A', ours: true }] }]
      const created = { settled: [endOf(create)], context: aboutRun('r2') }
      expect(await state.markAndSettle(marks, created)).toMatchObject([{ kind: 'done', contactId: 2 }])
      expect(await link('K2')).toMatchObject({ contactId: 2, unsure: [] })
      expect(await link('K1')).toMatchObject({ fields: { phone: '9' }, terms: [{ name: 'A', unsure: true }] })
    })

    it('holds a create that was given the contact of another key', async () => {
      await push([ANNA])
      await world.plan([ANNA, BEN], { run: 'r2' })
      await world.send(() => ({ settlement: { kind: 'done', contactId: 1 } }), 'r2')
      expect(await link('K2')).toBeUndefined()
      expect(await link('K1')).toMatchObject({ merged: true })
      expect(forms(await all(state.held(['shop'])))).toEqual(['create K2 held'])
      expect(await state.backlog('shop')).toMatchObject({ linked: 1, held: 1, retriable: 0 })
    })

    it('counts how often an input was begun to be read and never ended, for each version in its pipeline', async () => {
      expect(await state.beginReading('shop', 'a')).toBe(0)
      expect(await state.beginReading('shop', 'a')).toBe(1)
      expect(await state.beginReading('shop', 'b')).toBe(0)
      await state.endReading('shop', 'b')
      expect(await state.beginReading('crm', 'a')).toBe(0)
      expect(await state.beginReading('shop', 'a')).toBe(2)
      await state.endReading('shop', 'a')
      expect(await state.beginReading('shop', 'a')).toBe(0)
      expect(await state.beginReading('crm', 'a')).toBe(1)
    })

    it('remembers an input that could not be moved until it is, for its own pipeline', async () => {
      const staged = await world.plan([ANNA])
      expect(await state.unmovedInputs('shop')).toEqual([])
      const unmoved = { sha256: 'abc', hasRejects: true }
      await state.endInput(staged, { as: 'processed', unmoved })
      expect(await state.unfinishedInputs('shop')).toEqual([])
      expect(await state.unmovedInputs('crm')).toEqual([])
      const [found, ...others] = await state.unmovedInputs('shop')
      expect(found).toMatchObject({ ...unmoved, staged, folder: 'processed' })
      expect(others).toEqual([])
      await state.endUnmoved(staged)
      expect(await state.unmovedInputs('shop')).toEqual([])
    })

    it('knows no mail as that of one contact alone while a create of another pipeline with it is in doubt', async () => {
      await push([ANNA])
      await world.plan([{ ...ANNA, contact: { ...ANNA.contact, phone: '9' } }], { run: 'r2', version: '2' })
      const updates = await state.takeToSend('r2', undefined, 9)
      const alone = async () => [...(await state.withMailOfTheirOwn(updates))]
      expect(await alone()).toEqual(updates.map(({ id }) => id))
      await world.plan([{ ...ANNA, key: 'X1' }], { pipeline: 'crm', run: 'r3', version: '3' })
      await world.send(ended({ kind: 'in_doubt', reason: 'lost', notBefore: AT }), 'r3')
      expect(await alone()).toEqual([])
    })

    it('keeps what a person has said of a doubt for the record that comes again', async () => {
      const settle = async (settlement: Settled['settlement'], of: readonly Operation[]) =>
        state.settleBatch(
          of.map((operation) => ({ operation, settlement, request: undefined })),
          aboutRun('r1'),
        )
      const staged = await world.plan([BEN], { run: 'r1' })
      await settle(
        { kind: 'in_doubt', reason: 'lost', notBefore: AT },
        await state.takeToSend('r1', undefined, 9),
      )
      await state.endInput(staged, { as: 'processed' })
      // One comes while it is in doubt, and another one once a person has decided.
      await state.endInput(await world.plan([BEN], { run: 'r2', version: '2' }), { as: 'processed' })
      await settle({ kind: 'failed', reason: NOT_DONE_REASON }, await state.leftOpen('in_doubt', 'shop'))
      const [waiting] = await state.leftOpen('waiting', 'shop', { runId: 'r2' })
      expect(waiting).toMatchObject({ key: 'K2', reason: NOT_DONE_REASON })
      expect(await state.leftOpen('failed', 'shop')).toHaveLength(1)
      await settle({ kind: 'failed', reason: NOT_DONE_REASON }, waiting === undefined ? [] : [waiting])
      await world.plan([BEN], { run: 'r3', version: '3' })
      expect(await state.takeToSend('r3', undefined, 9)).toMatchObject([
        { key: 'K2', reason: NOT_DONE_REASON },
      ])
      expect(await state.leftOpen('failed', 'shop')).toEqual([])
    })

    it('tells after a crash what is in doubt and what is tried again', async () => {
      await push([ANNA])
      const staged = await world.plan([{ ...ANNA, contact: { ...ANNA.contact, phone: '9' } }, BEN], {
        run: 'r2',
      })
      await state.markSending(await state.takeToSend('r2', undefined, 9))
      expect(forms(await state.openDoubts('shop'))).toEqual(['create K2 sending'])
      expect(await state.backlog('shop')).toMatchObject({ onItsWay: 2, inDoubt: 0 })
      expect(await state.reopen('shop', AT)).toBe(1)
      expect(await state.leftOpen('in_doubt', 'shop')).toMatchObject([{ key: 'K2', sent: 1, notBefore: AT }])
      expect(forms(await state.leftOpen('failed', 'shop'))).toEqual(['update K1 failed'])
      expect(await state.known('shop', ['K2'])).toEqual([{ link: undefined, inDoubt: true }])
      await state.endInput(staged, { as: 'vanished' })
      expect(await state.unfinishedInputs('shop')).toEqual([])
      // A newer record waits behind the doubt.
      await world.plan([ANNA, { ...BEN, contact: { ...BEN.contact, phone: '7' } }], { run: 'r3' })
      expect(forms(await state.leftOpen('waiting', 'shop', { runId: 'r3' }))).toEqual(['create K2 waiting'])
      expect(await state.leftOpen('waiting', 'shop', { runId: 'r2' })).toEqual([])
    })

    it('tries again of one key only what is newest, where a crash has left two', async () => {
      await push([ANNA])
      const phone = (value: string) => ({ ...ANNA, contact: { ...ANNA.contact, phone: value } })
      const first = await world.plan([phone('8')], { run: 'r2', version: '2' })
      const second = await world.plan([phone('9')], { run: 'r3', version: '3' })
      await state.reopen('shop', AT)
      for (const staged of [first, second]) await state.endInput(staged, { as: 'vanished' })
      expect(await state.leftOpen('failed', 'shop')).toMatchObject([{ key: 'K1', fields: { phone: '9' } }])
      expect(await state.backlog('shop')).toMatchObject({ retriable: 1 })
    })

    it.each(['unread', 'vanished'] as const)('ends an input that was cut off: %s', async (as) => {
      const staged = await world.plan([ANNA, BEN], { rejected: ['K9'] })
      const [first] = await state.takeToSend('r1', undefined, 1)
      await state.markSending(first === undefined ? [] : [first])
      await state.reopen('shop', AT)
      await state.endInput(staged, { as })
      const left = forms(await state.leftOpen('failed', 'shop'))
      expect(left).toEqual(as === 'unread' ? [] : ['create K2 failed'])
      expect(await all(state.rejects(['shop']))).toHaveLength(as === 'unread' ? 0 : 1)
      expect(await state.leftOpen('in_doubt', 'shop')).toHaveLength(1)
    })

    it('lets what was given up give way to what is newer, and gives the rest a new form', async () => {
      await push([ANNA, BEN])
      const older = [ANNA, BEN].map((one) => ({ ...one, contact: { ...one.contact, phone: '8' } }))
      await state.endInput(await world.plan(older, { run: 'r2' }), { as: 'vanished' })
      expect(await state.leftOpen('failed', 'shop', { after: 0, limit: 1 })).toHaveLength(1)
      await world.plan([{ ...ANNA, contact: { ...ANNA.contact, phone: '9' } }], { run: 'r3' })
      const left = await state.leftOpen('failed', 'shop')
      expect(forms(left)).toEqual(['update K2 failed'])
      const [operation] = left
      if (operation === undefined) throw new Error('nothing is left')
      const planned = {
        state: 'planned',
        kind: 'update',
        linkId: 2,
        contactId: 2,
        fields: { phone: '8' },
      } as const
      await state.replan('r4', [{ operation, next: planned }])
      expect(await state.takeToSend('r4', undefined, 9)).toMatchObject([
        { key: 'K2', reason: 'not sent yet' },
      ])
      const [again] = await state.takeToSend('r4', undefined, 1)
      await state.replan('r4', again === undefined ? [] : [{ operation: again, next: { state: 'settled' } }])
      expect(await state.takeToSend('r4', undefined, 9)).toEqual([])
    })

    it('holds a plan, releases it, and lets the same change of a later file go', async () => {
      const hold = { guard: 'max_changes', holds: 'all', number: 2, threshold: '1', reason: 'many' } as const
      const staged = await world.read([ANNA, BEN])
      expect(await state.holdPlan(staged, hold, { at: AT, configHash: 'h' })).toEqual({
        records: 2,
        deletes: 0,
      })
      await state.commitPlan(staged, 'sum')
      await state.endInput(staged, { as: 'processed' })
      expect(await state.heldPlans(['shop'])).toMatchObject([
        { runId: 'r1', number: 2, left: 2, releasedAt: undefined },
      ])
      expect(await state.leftOpen('released', 'shop')).toEqual([])
      await state.release('r1', AT + 1)
      expect(await state.released('shop')).toBe(2)
      expect(await state.heldPlans(['shop'])).toMatchObject([{ releasedAt: AT + 1 }])
      const later = await world.read([ANNA, person('K3')], { run: 'r2' })
      // What was released in just this form is not judged again.
      expect(await state.inputNumbers(later, 5)).toMatchObject({ changes: 1, terms: [] })
      await state.commitPlan(later, 'sum')
      expect(forms(await state.leftOpen('released', 'shop'))).toEqual(['create K2 held'])
      expect(forms(await state.takeToSend('r2', undefined, 9))).toEqual([
        'create K1 planned',
        'create K3 planned',
      ])
    })

    it('does not list what another file of the run brought since as released', async () => {
      const hold = { guard: 'max_changes', holds: 'all', number: 1, threshold: '0' } as const
      const about = { at: AT, configHash: 'h' }
      const first = await world.read([ANNA])
      await state.holdPlan(first, { ...hold, reason: 'first' }, about)
      await state.commitPlan(first, 'sum')
      await state.release('r1', AT + 1)
      const second = await world.read([BEN])
      await state.holdPlan(second, { ...hold, reason: 'second' }, about)
      await state.commitPlan(second, 'sum')
      const counts = { number: 1, left: 1, ready: 1 }
      expect(await state.heldPlans(['shop'])).toMatchObject([
        { runId: 'r1', reason: 'second', releasedAt: undefined, ...counts },
      ])
      await state.release('r1', AT + 2)
      expect(await state.heldPlans(['shop'])).toMatchObject([{ number: 2, left: 2, ready: 0 }])
    })

    it('counts what is released beside changes that wait for approvers as decided, not as changed', async () => {
      const hold = { guard: 'max_changes', holds: 'all', number: 2, threshold: '1', reason: 'many' } as const
      const staged = await world.read([ANNA, { ...BEN, terms: ['Newsletter'] }])
      await state.holdPlan(staged, hold, { at: AT, configHash: 'h' })
      const rule = { of: 'given', terms: ['Newsletter'], by: 2, threshold: 't', reason: 'r' } as const
      await state.holdForApproval(staged, [rule], { at: AT, configHash: 'h' })
      await state.commitPlan(staged, 'sum')
      await state.endInput(staged, { as: 'processed' })
      for (const later of [1, 2]) {
        await state.release('r1', AT + later)
        expect(await state.heldPlans(['shop'])).toMatchObject([
          { number: 1, left: 1, ready: 1, needed: 2, releasedAt: undefined },
        ])
      }
    })

    it('lets what was released go once: what ends as held after that waits for another decision', async () => {
      const hold = { guard: 'max_changes', holds: 'all', number: 1, threshold: '0', reason: 'many' } as const
      const staged = await world.read([ANNA])
      await state.holdPlan(staged, hold, { at: AT, configHash: 'h' })
      await state.commitPlan(staged, 'sum')
      await state.endInput(staged, { as: 'processed' })
      await state.release('r1', AT + 1)
      const later = await world.read([ANNA], { run: 'r2' })
      const released = { changes: 1, deletes: 0, terms: [] }
      expect(await state.inputNumbers(later)).toMatchObject({ changes: 0, released })
      await state.commitPlan(later, 'sum')
      await world.send(ended({ kind: 'held', reason: 'merged' }), 'r2')
      expect(await state.released('shop')).toBe(0)
      expect(await state.leftOpen('released', 'shop')).toEqual([])
      const [held] = await all(state.held(['shop']))
      expect(held).toMatchObject({ key: 'K1', reason: 'merged' })
    })

    it('holds the changes of some records of a plan, and lets the others go', async () => {
      const about = { guard: 'other_person', number: 1, threshold: '0', reason: 'another' } as const
      const staged = await world.read([ANNA, BEN])
      const hold = { ...about, holds: 'records', keys: ['K2', 'K9'] } as const
      expect(await state.holdPlan(staged, hold, { at: AT, configHash: 'h' })).toEqual({
        records: 1,
        deletes: 0,
      })
      await state.commitPlan(staged, 'sum')
      await state.endInput(staged, { as: 'processed' })
      expect(forms(await state.takeToSend('r1', undefined, 9))).toEqual(['create K1 planned'])
      expect(await state.heldPlans(['shop'])).toMatchObject([{ guard: 'other_person', number: 1, left: 1 }])
    })

    it('deletes what a full export lacks, once it was missing often enough, unless it is named elsewhere', async () => {
      await push([ANNA, BEN])
      await push([{ ...BEN, key: 'X2' }], 'crm', 'r2')
      const rules = { missing: { ...MISSING, missingIn: 2 } }
      await world.plan([person('K3')], { run: 'r3', version: 'a', rules, full: FULL })
      expect((await state.planTotals('r3')).deletes).toBe(0)
      await world.plan([person('K3')], { run: 'r4', version: 'b', rules, full: FULL })
      const deletes = (await state.takeToSend('r4', undefined, 9)).filter(({ kind }) => kind === 'delete')
      // Ben's contact is that of a record of the other pipeline, too.
      expect(deletes).toMatchObject([{ key: 'K1', cause: 'missing', contactId: 1 }])
      expect(await state.isNamedElsewhere(deletes[0] as Operation)).toBe(false)
      await world.send(done, 'r4')
      expect(await link('K1')).toBeUndefined()
      expect(await link('K2')).toBeDefined()
      expect(await state.inputNumbers(await world.read([], { run: 'r5' }))).toMatchObject({
        hasDeleted: true,
        links: 2,
      })
    })

    it('counts deletes over time: done ones, and those whose outcome is unknown', async () => {
      await push([ANNA, BEN, person('K3')])
      await state.noteLinks('shop', { at: AT, links: 3 })
      await world.plan([], { run: 'r2', version: 'a', rules: { missing: MISSING }, full: FULL })
      expect(await state.deletedSince('shop', 0)).toEqual({ deletes: 0, links: 3 })
      const [first, ...others] = await state.takeToSend('r2', undefined, 9)
      await state.markSending(others)
      expect(await state.deletedSince('shop', 0)).toEqual({ deletes: 2, links: 3 })
      await world.send(done, 'r2')
      expect(first?.kind).toBe('delete')
      expect(await state.deletedSince('shop', AT)).toEqual({ deletes: 3, links: 3 })
      expect(await state.deletedSince('shop', AT + 2 * 3_600_000)).toEqual({ deletes: 2, links: 2 })
      expect(await state.deletedSince('crm', 0)).toEqual({ deletes: 0, links: 0 })
    })

    it('takes back the count of a record that is there again, and protects those whom an unreadable row may be', async () => {
      await push([ANNA, BEN])
      const rules = { missing: { ...MISSING, missingIn: 2 } }
      await world.plan([BEN], { run: 'r2', version: 'a', rules, full: FULL })
      await world.plan([BEN], { run: 'r3', version: 'b', rules, full: FULL, present: ['K1'] })
      await world.plan([BEN], { run: 'r4', version: 'c', rules, full: FULL })
      expect((await state.planTotals('r4')).deletes).toBe(0)
      await world.plan([BEN], { run: 'r5', version: 'd', rules, full: FULL })
      expect((await state.planTotals('r5')).deletes).toBe(1)
    })

    it('holds creates of one mail, those whose mail another key has, and drops rejects behind an accepted record', async () => {
      await push([ANNA])
      const double = { mail: 'same@x.example' }
      const rules = { holdSharedMails: true, yieldRejects: 'last' } as const
      const people = [person('K4', double), person('K5', double), person('K6', { mail: 'k1@x.example' }), BEN]
      await world.plan(people, { run: 'r2', rejected: ['K2'], rules })
      const held = await all(state.held(['shop']))
      expect(held.map(({ key, reason }) => `${key} ${reason?.split(',')[0]}`)).toEqual([
        'K4 the same e-mail address as on line 3',
        'K5 the same e-mail address as on line 2',
        'K6 the e-mail address belongs to key K1 of this pipeline',
      ])
      expect(await all(state.rejects(['shop']))).toMatchObject([{ key: 'K2', code: 'FIELD_INVALID' }])
      const [staged] = await state.unfinishedInputs('shop')
      if (staged === undefined) throw new Error('no input is open')
      const again = await world.read([BEN], { run: 'r3', rejected: ['K2'], rules: { yieldRejects: 'first' } })
      expect(await all(state.rejectsOfInput(again))).toMatchObject([
        { reason: 'bad; key: the record on line 2 has the same key and was accepted' },
      ])
    })

    it('claims each identity once, and knows who of others has a contact, a mail or a term', async () => {
      await push([{ ...ANNA, terms: ['A'] }])
      await push([{ ...ANNA, key: 'X1', terms: ['A', 'B'] }], 'crm', 'r2')
      expect(await link('K1')).toMatchObject({ terms: [{ name: 'A', shared: true }] })
      const staged = await world.read([ANNA, ANNA], { run: 'r3' })
      expect(await all(state.rejectsOfInput(staged))).toMatchObject([{ reason: 'twice', line: 3 }])
      const linkId = (await link('K1'))?.id ?? 0
      expect(await state.claim(staged, [undefined, { linkId, line: 9 }], 'last')).toEqual([undefined, 2])
      expect(await state.claim(staged, [{ linkId, line: 10 }], 'first')).toEqual([9])
      await state.commitPlan(staged, 'sum')
      const operation = { pipeline: 'shop', key: 'K8' }
      expect(await state.contactsOfOthers(operation, [1, 5])).toEqual({
        here: [1],
        elsewhere: new Map([[1, { mail: 'k1@x.example', phone: '1' }]]),
      })
      await world.plan([person('K8', { mail: 'k1@x.example' })], { run: 'r4' })
      const [create] = await state.takeToSend('r4', undefined, 1)
      if (create === undefined) throw new Error('nothing is planned')
      expect(await state.mailOwners([create])).toEqual(new Map([[create.id, { key: 'K1', isMoving: false }]]))
      expect(await state.isCreatedElsewhere(create)).toBe(false)
    })

    it('knows which other key of the pipeline has a create of the mail in doubt, and the mail_status that it carried', async () => {
      const lost = { kind: 'in_doubt', reason: 'lost', notBefore: AT } as const
      const loseAt = async (pipeline: string, run: string): Promise<void> => {
        const [operation] = await state.takeToSend(run, undefined, 1)
        if (operation === undefined) throw new Error('nothing is planned')
        await state.markSending([{ ...operation, carried: 2 }])
        await state.settleBatch([{ operation, request: undefined, settlement: lost }], aboutRun(run))
        expect(await state.leftOpen('in_doubt', pipeline)).toHaveLength(1)
      }
      await world.plan([ANNA], { pipeline: 'crm', run: 'r1' })
      await loseAt('crm', 'r1')
      await world.plan([person('K8', { mail: 'K1@x.example' }), BEN], { run: 'r2' })
      const [create, ben] = await state.takeToSend('r2', undefined, 2)
      if (create === undefined || ben === undefined) throw new Error('nothing is planned')
      expect(await state.mailDoubts([create, ben])).toEqual(new Map())
      await world.plan([ANNA], { run: 'r3', version: 'other' })
      await loseAt('shop', 'r3')
      expect(await state.mailDoubts([create, ben])).toEqual(new Map([[create.id, { key: 'K1', carried: 2 }]]))
      expect(await state.mailDoubts(await state.leftOpen('in_doubt', 'shop'))).toEqual(new Map())
    })

    it('knows what was sent to a contact: by its link, by the last of several, and without an answer', async () => {
      await push([ANNA])
      expect(await state.sentValues([1, 7])).toEqual([
        { last: {}, pushed: [ANNA.contact], open: [] },
        { last: {}, pushed: [], open: [] },
      ])
      const other = { key: 'X1', contact: { ...ANNA.contact, phone: '5' } }
      await push([other], 'crm', 'r2')
      expect(await state.sentValues([1])).toMatchObject([{ last: { phone: '5' }, pushed: [{}, {}] }])
      // The create may have been merged: what the contact shows of it may be what the first one sent.
      expect(await state.sentValues([1])).toMatchObject([{ open: [['phone', ANNA.contact['phone']]] }])
      await state.markSending([], { attempt: { contactId: 1, fields: { phone: '6', fax: '7' } } })
      await state.markSending([], { attempt: { contactId: 1, fields: { phone: '6' } } })
      const attempts = [
        ['phone', '1'],
        ['phone', '6'],
        ['fax', '7'],
      ]
      expect(await state.sentValues([1])).toMatchObject([{ last: { phone: '5' }, open: attempts }])
      await push([{ ...ANNA, contact: { ...ANNA.contact, phone: '8' } }], 'shop', 'r3')
      expect(await state.sentValues([1])).toMatchObject([{ last: { phone: '8' }, open: [['fax', '7']] }])
    })

    it('keeps what was sent without an answer where a create of another pipeline may have been merged', async () => {
      await push([ANNA])
      await state.markSending([], { attempt: { contactId: 1, fields: { phone: '6' } } })
      await push([{ key: 'X1', contact: { ...ANNA.contact, phone: '5' } }], 'crm', 'r2')
      const [sent] = await state.sentValues([1])
      expect(sent?.last).toMatchObject({ phone: '5' })
      expect(sent?.open).toEqual(
        expect.arrayContaining([
          ['phone', '1'],
          ['phone', '6'],
        ]),
      )
      expect(sent?.open).toHaveLength(2)
    })

    it('keeps what a create sent without an answer where its contact is found by its mail later', async () => {
      await world.plan([ANNA])
      const [operation] = await state.takeToSend('r1', undefined, 1)
      if (operation === undefined) throw new Error('nothing is planned')
      await state.markSending([operation])
      const lost = { kind: 'in_doubt', reason: 'lost', notBefore: AT } as const
      await state.settleBatch([{ operation, request: undefined, settlement: lost }], aboutRun('r1'))
      const [doubt] = await state.leftOpen('in_doubt', 'shop')
      if (doubt === undefined) throw new Error('nothing is in doubt')
      const found = { kind: 'settled', contactId: 1, reason: 'found' } as const
      await state.settleBatch(
        [{ operation: doubt, request: undefined, sent: {}, settlement: found }],
        aboutRun('r1'),
      )
      const [sent] = await state.sentValues([1])
      expect(Object.fromEntries(sent?.open ?? [])).toEqual(ANNA.contact)
    })

    it('lists edits made at the service, gives those that are to be looked at again, and releases them', async () => {
      await push([ANNA, BEN])
      const edit = (field: string, service: string) =>
        ({ field, rule: 'keep', sent: '1', service, source: '2' }) as const
      const about = { pipeline: 'shop', key: 'K1', contactId: 1, judged: ['phone', 'fax'] }
      await state.keepEdits({ ...about, open: [edit('phone', '9'), edit('fax', '8')] }, AT)
      await state.keepEdits({ ...about, key: 'K2', contactId: 2, open: [edit('term A', '')] }, AT)
      await state.keepEdits({ ...about, open: [edit('phone', '9')] }, AT + 5)
      expect(await state.openEdits(['shop', 'crm'])).toEqual([
        { ...edit('phone', '9'), pipeline: 'shop', key: 'K1', contactId: 1, since: AT },
        { ...edit('term A', ''), pipeline: 'shop', key: 'K2', contactId: 2, since: AT },
      ])
      const due = async (before: number, after?: string, now = AT + 9) =>
        state.editsToLookAt('shop', { before, now, after, limit: 9 })
      expect(await due(AT + 5)).toEqual([])
      // The clock went back: that look is in no past.
      expect(await due(AT, undefined, AT + 4)).toHaveLength(1)
      const record = { key: 'K1', contactId: 1, fields: [{ field: 'phone', source: '2' }] }
      expect([await due(AT + 6), await due(AT + 6, 'K1')]).toEqual([[record], []])
      await state.keepEdits({ ...about, open: [edit('phone', '10')] }, AT + 7)
      expect(await state.openEdits(['shop'])).toMatchObject([{ since: AT + 7 }, {}])
      expect(await state.releaseEdits({ pipeline: 'shop', key: 'K1', field: 'fax' })).toBe(0)
      expect(await state.releaseEdits({ pipeline: 'shop', key: 'K1', field: 'phone' })).toBe(1)
      expect(await due(AT)).toEqual([record])
      expect(await state.sentValues([1])).toMatchObject([{ open: [['phone', '10']] }])
      expect(await state.releaseEdits({ pipeline: 'shop', key: 'K2' })).toBe(1)
    })

    it('ends the edit of a field that was written without a look, and no other', async () => {
      await push([ANNA, BEN])
      const edit = (field: string) => ({ field, rule: 'keep', sent: '1', service: '9', source: '2' }) as const
      const about = { pipeline: 'shop', judged: ['phone', 'fax'] }
      const open = [edit('phone'), edit('fax')]
      await state.keepEdits({ ...about, key: 'K1', contactId: 1, open }, AT)
      await state.keepEdits({ ...about, key: 'K2', contactId: 2, open }, AT)
      await push([{ ...ANNA, contact: { ...ANNA.contact, phone: '3' } }], 'shop', 'r2')
      expect((await state.openEdits(['shop'])).map(({ key, field }) => `${key} ${field}`)).toEqual([
        'K1 fax',
        'K2 fax',
        'K2 phone',
      ])
    })

    it('keeps a reject with its reason, and drops it when the record is accepted', async () => {
      await world.plan([ANNA])
      await world.send(ended({ kind: 'rejected', code: 'REFUSED', reason: 'too long' }))
      expect(await all(state.rejects(undefined))).toMatchObject([
        { key: 'K1', code: 'REFUSED', reason: 'too long' },
      ])
      expect(await state.takeToSend('r1', undefined, 9)).toEqual([])
      await push([ANNA], 'shop', 'r2')
      expect(await all(state.rejects(undefined))).toEqual([])
    })

    it('knows the rejects on the place of a row, those of its key before others', async () => {
      const rejected = ['K7', 'K8', '']
      await world.plan([ANNA], { rejected, version: 'a' })
      await world.plan([BEN], { rejected: ['K7'], version: 'a', pipeline: 'other' })
      const staged = await world.read([], { run: 'r2', version: 'b', rejected: ['K7'] })
      const keysAt = async (line: number, key: string, reason = 'bad', file = 'a.csv') => {
        const place = { file, line, reason, values: {} }
        const [found = []] = await state.rejectsAt(staged, [{ place, key }])
        return found.map((one) => one.key)
      }
      expect(await keysAt(3, 'K7')).toEqual(['K7'])
      expect(await keysAt(3, 'K1', '')).toEqual(['K7'])
      expect(await keysAt(4, 'K7')).toEqual(['K8'])
      expect(await keysAt(5, 'K7')).toEqual([])
      expect(await keysAt(3, 'K7', 'another')).toEqual([])
      expect(await keysAt(3, 'K7', 'bad', 'b.csv')).toEqual([])
    })

    it('lists the rejects of one input, with what it was', async () => {
      const first = await world.plan([ANNA], { rejected: ['K8', 'K9'], version: 'a' })
      await world.plan([BEN], { rejected: ['K7'], version: 'b' })
      const keys = async (input?: number) =>
        (await all(state.rejects(['shop'], input))).map(({ key, input: { id } }) => [key, id === first.id])
      expect(await keys(first.id)).toEqual([
        ['K8', true],
        ['K9', true],
      ])
      expect(await keys()).toEqual([
        ['K8', true],
        ['K9', true],
        ['K7', false],
      ])
      const [one] = await all(state.rejects(['shop'], first.id))
      expect(one?.input).toEqual({ id: first.id, name: first.input.name, sha256: 'sum of a' })
    })

    it('drops rejects whose record came again, named by file, line and reason, once the plan stands', async () => {
      await world.plan([ANNA], { rejected: ['', 'K8', ''], version: 'a' })
      await world.plan([BEN], { rejected: [''], version: 'a', pipeline: 'other' })
      const places = async () =>
        (await all(state.rejects(undefined))).map(({ pipeline, line }) => [pipeline, line])
      const before = await places()
      expect(before).toEqual([
        ['shop', 3],
        ['shop', 4],
        ['shop', 5],
        ['other', 3],
      ])
      const reread = [
        { file: 'a.csv', line: 3, reason: 'bad', values: {} },
        { file: 'a.csv', line: 4, reason: '', values: {} },
        { file: 'a.csv', line: 5, reason: 'of another file of this name', values: {} },
        { file: 'b.csv', line: 5, reason: '', values: {} },
      ]
      const discarded = await world.read([], { run: 'r2', version: 'b' })
      await state.stageBatch(discarded, { entries: [], reread })
      expect(await places()).toEqual(before)
      await state.discardInput(discarded)
      await world.plan([], { run: 'r3', version: 'c' })
      expect(await places()).toEqual(before)
      const staged = await world.read([], { run: 'r4', version: 'a', rejected: ['K6', 'K7'] })
      await state.stageBatch(staged, {
        entries: [],
        reread: [...reread, { file: 'a.csv', line: 2, reason: '', values: {} }],
      })
      await state.commitPlan(staged, 'sum')
      expect(await places()).toEqual([
        ['shop', 5],
        ['other', 3],
        ['shop', 2],
        ['shop', 3],
      ])
    })

    it('knows whose contact may have a mail since an answer was lost, whatever its record says by now', async () => {
      const moved = (mail: string) => ({ ...ANNA, contact: { ...ANNA.contact, mail } })
      const owner = async () => {
        await world.plan([person('K8', { mail: 'New@x.example' })], { run: 'r8', version: 'other' })
        const [create] = await state.takeToSend('r8', undefined, 1)
        return create && (await state.mailOwners([create])).get(create.id)
      }
      await push([ANNA])
      await state.markSending([], { attempt: { contactId: 1, fields: { mail: 'new@X.example' } } })
      // Nothing has left yet.
      expect(await owner()).toBeUndefined()
      await world.plan([moved('new@x.example')], { run: 'r2' })
      await world.send(ended({ kind: 'failed', reason: 'lost', unknown: true }), 'r2')
      expect(await owner()).toEqual({ key: 'K1', isMoving: true })
      await world.plan([moved('third@x.example')], { run: 'r3' })
      expect(await owner()).toEqual({ key: 'K1', isMoving: true })
      await world.send(done, 'r3')
      expect(await owner()).toBeUndefined()
    })

    it('takes what a run writes while its lists are read', async () => {
      await world.plan([ANNA, BEN], { rejected: ['K8', 'K9'] })
      await world.send(ended({ kind: 'held', reason: 'other' }))
      const listed: string[] = []
      const writeBetween = async ({ key = '' }: { readonly key?: string | undefined }) => {
        listed.push(key)
        await push([person(`K${listed.length + 2}`)], 'shop', `r${listed.length + 1}`)
      }
      for await (const one of state.held(['shop'])) await writeBetween(one)
      for await (const one of state.rejects(['shop'])) await writeBetween(one)
      expect(listed).toEqual(['K1', 'K2', 'K8', 'K9'])
    })

    it('knows how many requests a run has sent, once it has ended', async () => {
      await state.beginRun({ id: 'r1', pipeline: 'shop', startedAt: AT, configHash: '' })
      expect(await state.run('r1')).toMatchObject({ pipeline: 'shop', requests: undefined })
      await state.endRun('r1', {
        ...{ endedAt: AT + 1, status: 'ok', counts: noCounts(), error: undefined, code: undefined },
        ...{ drift: 0, files: 1, refused: 0, figures: { requests: 7, fileMs: undefined } },
      })
      expect(await state.run('r1')).toMatchObject({ status: 'ok', requests: 7 })
    })

    it('enters what ended into the sync log, and keeps pipelines apart', async () => {
      await push([ANNA])
      expect(await all(state.entriesOfRun('r1'))).toMatchObject([
        { action: 'create', key: 'K1', outcome: 'done' },
      ])
      expect(await state.known('crm', ['K1'])).toEqual([{ link: undefined, inDoubt: false }])
      expect(await state.backlog('crm')).toMatchObject({ linked: 0 })
    })

    it('knows a create that was merged into the contact of another key, as long as that one has it', async () => {
      const mergedCreate = async (key: string) => (await state.known('shop', [key]))[0]?.mergedCreate
      await push([ANNA])
      const twin = person('K7', { phone: '7', mail_status: 4 })
      await world.plan([twin], { run: 'r2' })
      expect(await mergedCreate('K7')).toBeUndefined()
      await world.send(ended({ kind: 'held', reason: 'merged', contactId: 1 }), 'r2')
      const fields = { mail: 'k7@x.example', phone: '7' }
      expect(await mergedCreate('K7')).toEqual({ contactId: 1, fields, consent: 4, reason: 'merged' })
      // Read again it is held again, and the contact is still that of both.
      await world.plan([twin], { run: 'r3' })
      expect(await state.takeToSend('r3', undefined, 9)).toEqual([])
      expect(await all(state.held(['shop']))).toMatchObject([
        { kind: 'create', key: 'K7', runId: 'r3', contactId: 1, fields, desired: twin.contact },
      ])
      expect(await mergedCreate('K7')).toEqual({ contactId: 1, fields, consent: 4, reason: 'merged' })
      expect(await link('K1')).toMatchObject({ merged: true })
      expect(await mergedCreate('K1')).toBeUndefined()
    })

    it('says nothing of a merge any more once the contact of the other key is gone', async () => {
      await push([ANNA])
      await world.plan([{ ...ANNA, contact: { ...ANNA.contact, phone: '9' } }], { run: 'r2' })
      await world.plan([person('K7')], { run: 'r3' })
      await world.send(ended({ kind: 'held', reason: 'merged', contactId: 1 }), 'r3')
      expect(await state.known('shop', ['K7'])).toMatchObject([{ mergedCreate: { contactId: 1 } }])
      await world.send(ended({ kind: 'held', reason: GONE_REASON, gone: true }), 'r2')
      expect(await state.known('shop', ['K7'])).toEqual([{ link: undefined, inDoubt: false }])
      // Two creates that were merged with each other.
      await world.plan([person('K8')], { run: 'r4' })
      await world.send(ended({ kind: 'held', reason: 'merged', contactId: 1 }), 'r4')
      expect(await state.known('shop', ['K7', 'K8'])).toMatchObject([
        { mergedCreate: { contactId: 1 } },
        { mergedCreate: { contactId: 1 } },
      ])
    })

    it('takes back what is held of a record, and says why it was', async () => {
      await push([ANNA])
      const changed = { ...ANNA, contact: { ...ANNA.contact, phone: '9' } }
      await world.plan([changed], { run: 'r2' })
      await world.send(ended({ kind: 'held', reason: GONE_REASON, gone: true }), 'r2')
      const staged = await world.read([{ ...ANNA, contact: { ...ANNA.contact, phone: '8' } }], { run: 'r3' })
      expect(await state.unstage(staged, [{ line: 2, key: 'K1' }])).toEqual([
        { was: 'held', terms: undefined, reason: GONE_REASON },
      ])
    })

    it('takes back several records of one line, each as what it was', async () => {
      await push([ANNA])
      const changed = { ...ANNA, contact: { ...ANNA.contact, phone: '8' } }
      const staged = await world.read([changed, BEN, person('K7')], { run: 'r2' })
      const line = 2
      expect(
        await state.unstage(
          staged,
          ['K1', 'K6'].map((key) => ({ line, key })),
        ),
      ).toMatchObject([{ was: 'updated' }, { was: 'unchanged' }])
      expect(await state.unstage(staged, [{ line, key: 'K1' }])).toMatchObject([{ was: 'unchanged' }])
    })

    it('takes empty batches', async () => {
      const staged = await world.read([])
      expect(await state.matchFingerprints(staged, [''])).toEqual([undefined])
      expect(await state.known('shop', [])).toEqual([])
      expect(await state.unstage(staged, [{ line: 7, key: 'K1' }])).toEqual([
        { was: 'unchanged', terms: undefined },
      ])
      await state.markSending([])
      expect(await state.settleBatch([], aboutRun('r1'))).toEqual([])
      expect(await state.markAndSettle([], undefined)).toEqual([])
      await state.replan('r1', [])
      expect(await state.mailOwners([])).toEqual(new Map())
      expect(await state.mailDoubts([])).toEqual(new Map())
      expect(await state.takeReleasedDeletes('shop', 'r1', { missing: true, deletes: true })).toEqual([])
    })
  })
}
