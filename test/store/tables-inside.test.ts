// What a server is told of the tables of a state, so that it keeps those who use it waiting for no longer than has to be.
import { expect, it } from 'vitest'
import { connectInside } from '../support/state/inside.ts'

const TABLES = `
SELECT relname AS name, array_to_string(reloptions, ' ') AS told FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`

it('each table is cleaned and measured after a thousand changed rows, so that many small ones keep nobody waiting', async () => {
  const db = await connectInside()
  const tables = db.prepare<[], { name: string; told: string | null }>(TABLES).all()
  expect(tables.length).toBeGreaterThan(40)
  const isTold = (told: string | null): boolean =>
    ['vacuum', 'analyze'].every((what) => told?.includes(`autovacuum_${what}_threshold=1000`))
  expect(tables.filter(({ told }) => !isTold(told))).toEqual([])
  db.close()
})

it('tables are measured by few of their rows', async () => {
  const db = await connectInside()
  const target = db.prepare<[], string>("SELECT current_setting('default_statistics_target')").pluck()
  expect(target.get()).toBe('10')
  db.close()
})
