// What is noted of a fetch, beside what it brought.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { removeNote, writeNote } from '../../../src/sources/pull/note.ts'

const NAME = 'fetch-20261121-140509.jsonl'
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'note-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('goes with the records', async () => {
  const note = { records: 1, isFull: true, before: undefined, cursor: undefined, problem: undefined }
  await writeNote(folder, NAME, note)
  await removeNote(folder, NAME)
  expect(readdirSync(folder)).toEqual([])
})

it('ends no run where it cannot be removed: the records are archived already', async () => {
  // A folder stands in its place.
  mkdirSync(join(folder, `.${NAME}.fetch`))
  await removeNote(folder, NAME)
  expect(readdirSync(folder)).toEqual([`.${NAME}.fetch`])
})
