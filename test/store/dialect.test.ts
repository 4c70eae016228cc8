// Statements of the state on disk, as a PostgreSQL server is told them.
import { expect, it } from 'vitest'
import { translated } from '../../src/store/postgres/dialect.ts'

const TABLES = [{ name: 'due', columns: ['pipeline', 'at', 'by'], unique: [['pipeline']] }]
const textOf = (source: string, ...given: unknown[]): string =>
  translated(source, () => TABLES).of(given).text

it('a row that takes the place of another one says by which key', () => {
  expect(textOf('INSERT OR REPLACE INTO due VALUES (?, ?, ?)', 'shop', 1, 'anna')).toContain(
    'ON CONFLICT ("pipeline") DO UPDATE SET "at" = excluded."at", "by" = excluded."by"',
  )
  expect(textOf('INSERT OR IGNORE INTO anything VALUES (?)', 1)).toContain('ON CONFLICT DO NOTHING')
})

it('a table whose key is not known, a temporary one, is refused in words that say what to do', () => {
  expect(() => textOf('INSERT OR REPLACE INTO claim_ask VALUES (?)', 1)).toThrow(
    'the key of claim_ask is not known: name it with ON CONFLICT',
  )
})

it('an update that need not be undone by itself is one like any other', () => {
  expect(textOf('UPDATE OR FAIL due SET at = ? WHERE pipeline = ?', 1, 'shop')).toBe(
    'UPDATE due SET at = $1::bigint WHERE pipeline = $2::text',
  )
})
