// How long a count of terms is shown before they are counted again.
import { expect, it } from 'vitest'
import type { Connection } from '../../../src/store/file/database.ts'
import { createTermCount } from '../../../src/store/views/views-terms.ts'

it('terms are counted again after a minute, and where the clock was put back', async () => {
  let links = 1
  const all = () => Array.from({ length: links }, (_, id) => ({ id, pipeline: 'shop', terms: null }))
  const db = { prepare: () => ({ all }) } as unknown as Connection
  let now = 1_000_000
  const count = createTermCount(db, () => now)
  const records = async () => (await count()).records
  expect(await records()).toBe(1)
  links = 2
  expect(await records()).toBe(1)
  now += 60_000
  expect(await records()).toBe(2)
  links = 3
  now -= 900_000
  expect(await records()).toBe(3)
})
