// Counting values that are not sent as their records have them.
import { expect, it } from 'vitest'
import {
  type LeftOutValue,
  leftOutCounter,
  leftOutCounts,
  MOST_LEFT_OUT,
} from '../../../src/core/change/plan/left-out.ts'

const at = (line: number) => ({ key: `K${line}`, file: 'a.csv', line })
const phone = (line: number): LeftOutValue => ({
  ...at(line),
  kind: 'owned',
  field: 'phone',
  pipelines: ['crm'],
})

it('adds up over the inputs of a run, with the first as examples', () => {
  const all = leftOutCounter()
  for (const from of [0, 100]) {
    const part = all.part()
    for (let line = from; line < from + MOST_LEFT_OUT; line += 1) part.note(phone(line))
    part.note({ ...at(from + 50), kind: 'evidence', status: 4, lack: 'missing' })
    part.note({ ...at(from + 51), kind: 'former', status: 2 })
    all.add(part.totals())
  }
  expect(leftOutCounts(all.totals())).toEqual({
    left_to_owners: { phone: { records: 2 * MOST_LEFT_OUT, pipelines: ['crm'] } },
    needs_evidence: { missing: 2 },
    former_statuses: 2,
  })
  expect(all.totals().examples.map(({ line }) => line)).toEqual(
    Array.from({ length: MOST_LEFT_OUT }, (_, index) => index),
  )
})

it('has examples of one record where that was asked for', () => {
  const all = leftOutCounter('K7')
  const part = all.part()
  for (const line of [1, 7]) part.note(phone(line))
  all.add(part.totals())
  expect(all.totals()).toMatchObject({ owned: { phone: { records: 2 } }, examples: [phone(7)] })
})

it('has no counts where nothing was left out', () => {
  expect(leftOutCounts(leftOutCounter().totals())).toEqual({})
})
