// The life of a change, played step by step against a small model: whatever its parts are and however its steps end, each
// part is sent once, in order, and what is known in the end is what was taken.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AfterStep } from '../../../src/core/change/after-step.ts'
import type { OperationKind, Settlement } from '../../../src/core/change/operation.ts'
import { firstStep, sendingOrder, stepFields } from '../../../src/core/change/steps.ts'
import type { Contact } from '../../../src/core/mapping/contact.ts'
import { after, operationWith } from '../../support/operation.ts'

const TERMS = { add: ['Customer'], remove: [], asserts: ['Customer'] }

interface Parts {
  readonly isCreate: boolean
  readonly fields: Contact
  readonly hasTerms: boolean
  readonly consent: number | undefined
}

const parts: fc.Arbitrary<Parts> = fc
  .record({
    isCreate: fc.boolean(),
    fields: fc.constantFrom<Contact>({}, { phone: '1' }, { mail: 'a@x.de', phone: '1' }),
    hasTerms: fc.boolean(),
    consent: fc.constantFrom(undefined, 1, 2, 4, 7),
  })
  .filter(
    (one) => one.isCreate || Object.keys(one.fields).length > 0 || one.hasTerms || one.consent !== undefined,
  )

/** The steps that such a change takes, by the manual. */
function modelOf({ isCreate, fields, hasTerms, consent }: Parts, isTakenByCreate: boolean): OperationKind[] {
  const isWithdrawal = consent === 1 || consent === 2
  const terms: OperationKind[] = hasTerms ? ['terms'] : []
  const status: OperationKind[] = consent === undefined ? [] : ['consent']
  if (isCreate && isTakenByCreate) return ['create', ...terms]
  if (isCreate) return isWithdrawal ? ['create', ...status, ...terms] : ['create', ...terms, ...status]
  const update: OperationKind[] = Object.keys(fields).length > 0 ? ['update'] : []
  return isWithdrawal ? [...status, ...update, ...terms] : [...update, ...terms, ...status]
}

/** Plays the change to its end, each step being done; gives its steps and the last decision. */
function play(
  change: Parts,
  isTakenByCreate: boolean,
): { steps: OperationKind[]; known: Contact; last: AfterStep } {
  const { isCreate, fields, hasTerms, consent } = change
  const terms = hasTerms ? TERMS : undefined
  const form = {
    ...{ state: 'planned', fields, ...(terms === undefined ? {} : { terms }) },
    ...(consent === undefined ? {} : { consent }),
    ...(isCreate ? { kind: 'create' } : { kind: 'update', linkId: 1, contactId: 7 }),
  } as Parameters<typeof firstStep>[0]
  const steps: OperationKind[] = []
  let known: Contact = {}
  const desired = { ...fields, ...(consent === undefined ? {} : { mail_status: consent }) }
  let operation = operationWith({ kind: firstStep(form), fields, terms, consent, desired })
  for (;;) {
    steps.push(operation.kind)
    expect(steps.length).toBeLessThan(6)
    const isTaken = operation.kind === 'create' ? isTakenByCreate : operation.kind === 'consent'
    const status = isTaken && consent !== undefined ? { status: 'taken' as const } : {}
    const last = after(operation, { kind: 'done', contactId: 7 }, { sent: stepFields(operation), ...status })
    if (last.kind !== 'linked') throw new Error(last.kind)
    known = { ...known, ...last.link.known }
    if (last.next === undefined) return { steps, known, last }
    expect(last.isSettled).toBe(false)
    expect(last.next.order).toBe(sendingOrder(last.next.kind, last.next))
    operation = { ...operation, ...last.next, known: last.link.known }
  }
}

describe('the life of a change', () => {
  it('takes the steps of the manual, each once, and ends settled with all that was taken', () =>
    fc.assert(
      fc.property(parts, fc.boolean(), (change, isTakenByCreate) => {
        const isTaken = isTakenByCreate && change.consent !== undefined
        const { steps, known, last } = play(change, isTaken)
        expect(steps).toEqual(modelOf(change, isTaken))
        expect(last).toMatchObject({ kind: 'linked', isSettled: true })
        const status = change.consent === undefined ? {} : { mail_status: change.consent }
        const shown = steps.some((step) => step === 'create' || step === 'update') ? change.fields : {}
        expect(known).toEqual({ ...shown, ...status })
      }),
    ))

  it('ends at any step where a newer record of the key has come, and leaves the record to be compared again', () =>
    fc.assert(
      fc.property(parts, (change) => {
        const kind = change.isCreate ? 'create' : 'update'
        const terms = change.hasTerms ? TERMS : undefined
        const operation = operationWith({ kind, fields: change.fields, terms, consent: change.consent })
        const done: Settlement = { kind: 'done', contactId: 7 }
        const alone = after(operation, done)
        const overtaken = after(operation, done, {}, { hasNewer: () => true })
        expect(overtaken).toMatchObject({ kind: 'linked', next: undefined, settlement: done })
        if (alone.kind === 'linked' && alone.next !== undefined)
          expect(overtaken).toMatchObject({ isSettled: false })
      }),
    ))
})
