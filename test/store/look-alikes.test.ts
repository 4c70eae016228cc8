// The looks for linked records that may be the same people: made for every new record, so each goes along an index.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Connection, openTemporaryDatabase } from '../../src/store/file/database.ts'
import { LINKED_LIKE_SEARCHES } from '../../src/store/journal/contacts/look-alikes.ts'

let db: Connection
beforeEach(() => {
  db = openTemporaryDatabase()
})
afterEach(() => db.close())

it.each([
  ['byNames', 'link_by_name'],
  ['byMail', 'link_by_mail'],
] as const)('%s goes along %s, and not over all links of a pipeline', (name, index) => {
  const given = { pipeline: 'a', family: 'b', first: 'c', from: 'd', to: 'e' }
  const statement = db.prepare<[object], { detail: string }>(
    `EXPLAIN QUERY PLAN ${LINKED_LIKE_SEARCHES[name]}`,
  )
  const [step] = statement.all(given)
  expect(step?.detail).toContain(index)
})
