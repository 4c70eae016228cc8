// Each row of a file of corrected rejects ends the reject that it was, and no other one of its place.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { endedRejects } from '../../../src/core/outcome/ended-rejects.ts'

const reject = (id: number, values: Record<string, string>, reason = 'no mail') => ({
  id,
  file: 'a.json',
  line: 1,
  reason,
  values: () => values,
})
const row = (values: Record<string, string>, reason = 'no mail') => ({
  file: 'a.json',
  line: 1,
  reason,
  values,
})

it('a row ends the one that it resembles, of several on one line', () => {
  const rejects = [reject(1, { Mail: '', Name: 'Ann' }), reject(2, { Mail: '', Name: 'Ben' })]
  expect([...endedRejects([row({ Mail: 'b@x.example', Name: 'Ben' })], rejects)]).toEqual([2])
  expect([...endedRejects([row({ Mail: 'c@x.example', Name: 'Cy' })], rejects)]).toEqual([1])
})

it('a row ends none of another reason, file or line; without a reason, any', () => {
  const rejects = [reject(1, { Name: 'Ann' }, 'bad'), reject(2, { Name: 'Ann' }, 'worse')]
  expect(endedRejects([row({ Name: 'Ann' })], rejects).size).toBe(0)
  expect(endedRejects([{ ...row({ Name: 'Ann' }, 'bad'), line: 2 }], rejects).size).toBe(0)
  expect(endedRejects([{ ...row({ Name: 'Ann' }, 'bad'), file: 'b.json' }], rejects).size).toBe(0)
  expect([...endedRejects([row({ Name: 'Ann' }, '')], rejects)]).toEqual([1])
})

it('whichever of them are corrected, exactly these end', () => {
  const people = fc.uniqueArray(fc.record({ name: fc.string(), city: fc.string() }), {
    selector: ({ name }) => name.trim(),
    maxLength: 8,
  })
  fc.assert(
    fc.property(people, fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), (all, isCorrected) => {
      const rejects = all.map(({ name, city }, id) => reject(id, { Mail: '', Name: name, City: city }))
      const rows = all.flatMap(({ name, city }, id) =>
        isCorrected[id] === true ? [row({ Mail: `${id}@x.example`, Name: name, City: city })] : [],
      )
      const ids = [...all.keys()].filter((id) => isCorrected[id] === true)
      expect([...endedRejects(rows, rejects)].sort((a, b) => a - b)).toEqual(ids)
    }),
  )
})
