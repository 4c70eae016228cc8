// How many links a pipeline has: the same number by either way of counting, and the fast one where it is the only pipeline.
import { expect, it } from 'vitest'
import { openTemporaryDatabase } from '../../../src/store/file/database.ts'
import { linkCount } from '../../../src/store/file/link-count.ts'

const db = openTemporaryDatabase()
const add = db.prepare("INSERT INTO link (pipeline, key, contact_id, known) VALUES (?, ?, ?, '{}')")
const linksOf = (pipeline: string): number =>
  db
    .prepare<{ pipeline: string }, number>(`SELECT ${linkCount('@pipeline')}`)
    .pluck()
    .get({ pipeline }) ?? NaN

it('is that of its own, with none, alone and among others', () => {
  expect(linksOf('shop')).toBe(0)
  add.run('shop', 'a', 1)
  add.run('shop', 'b', 2)
  expect(linksOf('shop')).toBe(2)
  expect(linksOf('crm')).toBe(0)
  add.run('crm', 'a', 3)
  expect(['crm', 'shop', 'web'].map(linksOf)).toEqual([1, 2, 0])
})
