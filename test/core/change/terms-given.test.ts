// What is known of terms after a request that failed half-way, and what becomes of a record that `writes` leaves alone.
import { expect, it } from 'vitest'
import type { AssertedTerm } from '../../../src/core/mapping/terms.ts'
import { after, operationWith } from '../../support/operation.ts'

const asserted = (name: string, ours: boolean): AssertedTerm => ({ name, ours, shared: false, unsure: false })

it('a term that the contact had already is none of ours, unless it was ours before', () => {
  const before = [asserted('Theirs', false), asserted('Ours', true), asserted('Stays', true)]
  const names = ['Theirs', 'Ours', 'Found']
  const operation = operationWith({
    ...{ kind: 'terms', asserted: before, terms: { add: names, remove: [], asserts: names } },
  })
  const given = names.map((name) => ({ name, ours: false }))
  expect(after(operation, { kind: 'failed', reason: 'x' }, { given })).toMatchObject({
    restored: {
      terms: [
        ...[asserted('Stays', true), asserted('Theirs', false)],
        ...[asserted('Ours', true), asserted('Found', false)],
      ],
    },
  })
})

it('a record that is left alone passes: nothing of it stays but that it was looked at', () => {
  const settlement = { kind: 'skipped', reason: 'writes: update makes no contact' } as const
  expect(after(operationWith({ kind: 'create' }), settlement)).toStrictEqual({
    ...{ kind: 'passed', settlement, logged: settlement },
  })
})
