// What is noted of a held change that was dropped, so that the same form of its record is not planned again.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { droppedOf, printOfForm } from '../../../../src/core/change/waiting/dropped.ts'
import type { FieldValue } from '../../../../src/core/mapping/contact.ts'
import type { TermPlan } from '../../../../src/core/mapping/terms.ts'
import { operationWith } from '../../../support/operation.ts'

const plan = (add: readonly string[], remove: readonly string[] = []): TermPlan => ({
  add,
  remove,
  asserts: add,
})
const ANN = { mail: 'ann@example.com', first_name: 'Ann' }

describe('the form of a change', () => {
  it('is the same in whatever order fields and terms stand', () => {
    const fields = fc.dictionary(fc.string(), fc.string(), { minKeys: 2, noNullPrototype: true })
    fc.assert(
      fc.property(fields, fc.array(fc.string()), fc.array(fc.string()), (contact, add, remove) => {
        const turned: Record<string, FieldValue> = Object.fromEntries(Object.entries(contact).toReversed())
        expect(printOfForm(turned, plan(add.toReversed(), remove.toReversed()))).toBe(
          printOfForm(contact, plan(add, remove)),
        )
      }),
    )
  })

  it('is another with every other value, field, term to add and term to remove', () => {
    const prints = [
      printOfForm(ANN, undefined),
      printOfForm({ ...ANN, first_name: 'Anna' }, undefined),
      printOfForm({ ...ANN, family_name: 'Anna' }, undefined),
      printOfForm({ mail: 'ann@example.com' }, undefined),
      printOfForm(ANN, plan([])),
      printOfForm(ANN, plan(['A'])),
      printOfForm(ANN, plan(['B'])),
      printOfForm(ANN, plan([], ['A'])),
      printOfForm(ANN, plan(['A', 'B'])),
    ]
    expect(new Set(prints).size).toBe(prints.length)
  })

  // The state of an installation holds forms of former versions: another print would plan what was dropped.
  it('has the print that it had in former versions', () => {
    expect(printOfForm(ANN, undefined)).toBe('5f34668a16d0eeb6e3093ddea782aa6b')
    expect(printOfForm(ANN, plan(['B', 'A'], ['D', 'C']))).toBe('70285f4f46751ff7ced3112567a23384')
  })
})

describe('of a dropped change', () => {
  const own = { id: 12, pipeline: 'crm', key: 'K9', kind: 'update', desired: ANN } as const

  it('the form of its record is noted', () => {
    expect(droppedOf(operationWith({ ...own, terms: plan(['A']) }))).toStrictEqual({
      operation: 12,
      pipeline: 'crm',
      key: 'K9',
      cause: 'record',
      print: printOfForm(ANN, plan(['A'])),
    })
  })

  it('for a record that is missing, that it is', () => {
    expect(droppedOf(operationWith({ ...own, kind: 'delete', desired: {}, cause: 'missing' }))).toStrictEqual(
      {
        operation: 12,
        pipeline: 'crm',
        key: 'K9',
        cause: 'missing',
        print: printOfForm({}, undefined),
      },
    )
  })

  it('that puts a run back no form is noted, for no record asks for it', () => {
    expect(droppedOf(operationWith({ ...own, undoes: 'run-1' }))).toStrictEqual({
      operation: 12,
      pipeline: 'crm',
      key: 'K9',
      cause: 'record',
      print: undefined,
    })
  })
})
