// Who counts as erased, and the configurations that were in force, against what the sync log says of them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { planEntry } from '../../../src/core/log/other-entries.ts'
import { recognition } from '../../../src/core/erasing.ts'
import { openState, type OwnedState } from '../../../src/store/state-store.ts'

let folder = ''
let state: OwnedState
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kept-'))
  state = openState(join(folder, 'state.db'), { pid: 1, since: 0, thorough: false })
})
afterEach(async () => {
  await state.close()
  rmSync(folder, { recursive: true })
})

const about = { at: 0, runId: 'run-1', pipeline: null, configHash: 'c' }
const names = (key: string) => ({ keys: [{ pipeline: 'shop', key }], mails: [`${key}@x.de`] })

function erase(key: string, at: number): void {
  const subject = { ...names(key), contactIds: [], values: [] }
  const [people, cleared, records] = [[], [], 0] as const
  state.forget({
    subject,
    people,
    recognition: recognition(subject),
    cleared,
    records,
    at,
    runId: `run-${at}`,
  })
}

async function readmit(key: string): Promise<void> {
  const id = await state.beginDecision({ kind: 'audit readmit', args: {}, decided: { by: 'anna' } }, 9)
  const entries = [planEntry({ action: 'readmit', reason: 'back' }, about)]
  await state.concludeDecision(id, { at: 9, effects: [{ do: 'readmit', named: names(key) }], entries })
}

function tamper(sql: string): void {
  const db = new Database(join(folder, 'state.db'))
  db.exec(sql)
  db.close()
}

it('finds tombstones as erasures and a readmission left them', async () => {
  expect(await state.checkKept()).toBeUndefined()
  erase('K1', 1)
  erase('K2', 2)
  expect(await state.checkKept()).toBeUndefined()
  await readmit('K1')
  expect(await state.checkKept()).toBeUndefined()
  await state.noteLeftOut(new Map([[(await tombstone('K2'))!, 3]]))
  expect(await state.checkKept()).toBeUndefined()
})

it('notices tombstones of which the log says nothing', async () => {
  tamper("INSERT INTO tombstone (print, at) VALUES (x'00112233445566778899aabbccddeeff', 1)")
  expect(await state.checkKept()).toMatchObject({
    table: 'tombstone',
    why: expect.stringContaining('no entry says that anyone was erased') as string,
  })
})

const tombstone = async (key: string): Promise<string | undefined> =>
  state.tombstoneOf('shop', { key, texts: [] })

it.each([
  ['removed', 'DELETE FROM tombstone WHERE at = 1'],
  ['removed, all', 'DELETE FROM tombstone'],
  ['put in', "INSERT INTO tombstone (print, at) VALUES (x'00112233445566778899aabbccddeeff', 1)"],
  ['said to be of another erasure', 'UPDATE tombstone SET at = 2 WHERE at = 1'],
])('notices tombstones that were %s', async (_, sql) => {
  erase('K1', 1)
  erase('K2', 2)
  tamper(sql)
  expect(await state.checkKept()).toMatchObject({
    table: 'tombstone',
    why: expect.stringContaining('it is not as entry 2 (erase) left it') as string,
  })
  expect((await state.checkLog({ seq: 0, hash: '0'.repeat(64) }, 10)).bad).toBeUndefined()
})

it('notices a readmission that the log does not have', async () => {
  erase('K1', 1)
  erase('K2', 2)
  await readmit('K1')
  erase('K1', 3)
  tamper('DELETE FROM tombstone WHERE at = 3')
  expect(await state.checkKept()).toMatchObject({ why: expect.stringContaining('entry 4 (erase)') as string })
})
