// The thread that reads the state for the console: it answers beside the owner of the state, says what is wrong, and is
// started again when it has died or takes too long.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createReader, type StateReader } from '../../../src/app/daemon/reader.ts'
import { openState } from '../../../src/store/state-store.ts'

let folder = ''
let path = ''
const readers: StateReader[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reader-'))
  path = join(folder, 'state.db')
})
afterEach(async () => {
  await Promise.all(readers.splice(0).map(async (reader) => reader.close()))
  await rm(folder, { recursive: true })
})

function reading(patienceMs?: number): StateReader {
  const reader = createReader(path, patienceMs)
  readers.push(reader)
  return reader
}

it('answers many at once beside the owner, each its own question', async () => {
  const state = openState(path, { pid: 1, since: 0, thorough: false })
  await state.beginRun({ id: 'r1', pipeline: 'shop', startedAt: 5, configHash: 'c' })
  const { readable } = reading()
  const [runs, run, nobody, { entries }] = await Promise.all([
    readable.runs({}, { from: undefined, limit: 10 }),
    readable.run('r1'),
    readable.run('r2'),
    readable.verification(),
  ])
  expect(runs.rows.map(({ id }) => id)).toEqual(['r1'])
  expect(run).toMatchObject({ id: 'r1', startedAt: 5, configHash: 'c' })
  expect([nobody, entries]).toEqual([undefined, 0])
  // What the owner writes is seen at once.
  await state.beginRun({ id: 'r2', pipeline: 'shop', startedAt: 6, configHash: 'c' })
  expect(await readable.run('r2')).toMatchObject({ id: 'r2' })
  await state.close()
})

it('says that the state cannot be read, and reads it once it can', async () => {
  const { readable } = reading()
  await expect(readable.terms()).rejects.toMatchObject({ code: 'STATE_UNUSABLE' })
  await writeFile(path, 'no database, but long enough to be looked at as one, so many bytes of it there are')
  await expect(readable.terms()).rejects.toMatchObject({ code: 'STATE_UNUSABLE' })
  await rm(path)
  await openState(path, { pid: 1, since: 0, thorough: false }).close()
  expect(await readable.terms()).toMatchObject({ terms: [], records: 0 })
})

it('gives a question up that takes too long, and answers the next one', async () => {
  await openState(path, { pid: 1, since: 0, thorough: false }).close()
  // No thread starts in a millisecond.
  const { readable } = reading(1)
  await expect(readable.terms()).rejects.toThrow('has ended')
  const patient = reading()
  expect(await patient.readable.terms()).toMatchObject({ records: 0 })
  await patient.close()
  // Closed, it is started again by the next request.
  expect(await patient.readable.terms()).toMatchObject({ records: 0 })
})
