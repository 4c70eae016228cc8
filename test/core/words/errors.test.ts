// The manual's list of messages is the program's list, both ways.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { ERRORS } from '../../../src/core/words/errors.ts'

const MANUAL = readFileSync(resolve(import.meta.dirname, '../../../state/README.md'), 'utf8')

it('every code is in the manual with its hint, and no other is', () => {
  const rows = [...MANUAL.matchAll(/^\| `([A-Z_]+)` \| (\w+) \| (.+) \|$/gm)].map(([, code, kind, hint]) => [
    code,
    kind,
    hint,
  ])
  const codes = Object.entries(ERRORS).map(([code, entry]) => [code, entry.class, entry.hint])
  expect(rows).toEqual(codes)
})
