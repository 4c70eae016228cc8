// A state that is not the latest: put back from a backup, exchanged, lost. It must be noticed before anything is sent.
import { chown, copyFile, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { planEntry } from '../../../src/core/log/other-entries.ts'
import { backupState } from '../../../src/store/file/backup.ts'
import { readMark } from '../../../src/store/file/mark.ts'
import { stateInfo } from '../../../src/store/info.ts'
import type { StateStore } from '../../../src/core/state-store.ts'
import { openState, openStateForReading, type OwnedState } from '../../../src/store/state-store.ts'
import { people, testLine } from '../../support/line.ts'
import { OLD_SCHEMAS, writeOldState } from '../old-state.ts'

let folder = ''
let path = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mark-'))
  path = join(folder, 'state.db')
})
afterEach(async () => rm(folder, { recursive: true }))

const owner = { pid: 1, since: 0, thorough: false }
const never = new AbortController().signal
const backup = (name: string) => backupState(path, join(folder, name), { at: 0, signal: never })

/** As the manual says: stop, copy, remove what belongs to the old one. */
async function restore(name: string): Promise<void> {
  await copyFile(join(folder, name), path)
  for (const part of ['-wal', '-shm']) await rm(`${path}${part}`, { force: true })
}

/** Each run's is another pipeline: the names of runs count anew for each line. */
let pipelines = 0
const nextLine = (state: StateStore) => testLine({ state, pipeline: { name: `shop${++pipelines}` } })

/** One run that sends `count` creates, in a separate process as far as the state is concerned. */
async function run(count: number, from = 1): Promise<void> {
  const state = openState(path, owner)
  const line = nextLine(state)
  line.source.drop('a.csv', people(count, from))
  await line.run()
  await state.close()
}

const refused = { code: 'STATE_OLDER' }

it('a first state is marked, and opened again without a word', async () => {
  await run(3)
  const mark = JSON.parse(await readFile(`${path}.mark`, 'utf8')) as Record<string, unknown>
  expect(mark).toMatchObject({ runs: 1, entries: 3 })
  expect((await stat(`${path}.mark`)).mode & 0o777).toBe(0o600)
  await run(3, 4)
  expect(await stateInfo(path, Date.now())).toMatchObject({
    doubt: undefined,
    isMarked: true,
    mark: { runs: 2, entries: 6 },
  })
})

it.each(OLD_SCHEMAS)(
  'a state of schema %i is taken over with its mark, and refused without',
  async (schema) => {
    writeOldState(path, schema)
    const mark = await readFile(`${path}.mark`)
    await rm(`${path}.mark`)
    expect(() => openState(path, owner)).toThrow('has no mark beside it')
    expect(() => openState(path, owner)).toThrow(expect.objectContaining(refused))
    await writeFile(`${path}.mark`, mark)
    await openState(path, owner).close()
    expect(await stateInfo(path, Date.now())).toMatchObject({ doubt: undefined, isMarked: true })
  },
)

it('has its mark before the first request of its first run', async () => {
  await openState(path, owner).close()
  expect(JSON.parse(await readFile(`${path}.mark`, 'utf8'))).toMatchObject({ runs: 0, entries: 0 })
})

it('a plain copy without its mark is refused, and accepted by a word', async () => {
  await run(3)
  const copy = join(folder, 'elsewhere.db')
  await copyFile(path, copy)
  expect(() => openState(copy, owner)).toThrow(
    /has no mark beside it: it may be a copy, and it is unknown what was sent since run 1 of/,
  )
  expect(() => openState(copy, owner)).toThrow(expect.objectContaining(refused))
  expect(await stateInfo(copy, Date.now())).toMatchObject({
    doubt: expect.stringContaining('no mark') as string,
    isMarked: false,
  })
  const state = openState(copy, { ...owner, evenOlder: true })
  state.accept()
  await state.close()
  await openState(copy, owner).close()
})

it('a copy that was accepted, and has worked since, says what it lacks and never less than nothing', async () => {
  await run(3)
  const mark = JSON.parse(await readFile(`${path}.mark`, 'utf8')) as { runs: number; entries: number }
  await writeFile(`${path}.mark`, JSON.stringify({ ...mark, runs: 0, entries: 9 }))
  expect(() => openState(path, owner)).toThrow(/; 6 entries of the sync log are missing/)
  await writeFile(`${path}.mark`, JSON.stringify({ ...mark, runs: 2, entries: 1 }))
  expect(() => openState(path, owner)).toThrow(/; 1 run is missing/)
  await writeFile(`${path}.mark`, JSON.stringify({ ...mark, runs: 2, entries: 4 }))
  expect(() => openState(path, owner)).toThrow(/; 1 run and 1 entry of the sync log are missing/)
})

it('a backup that is the latest is taken as it is', async () => {
  await run(3)
  await backup('copy.db')
  await rm(path)
  await restore('copy.db')
  await run(1, 4)
  expect(await stateInfo(path, Date.now())).toMatchObject({ doubt: undefined, mark: { runs: 2 } })
})

it('an older backup is refused, with how far behind it is', async () => {
  await run(3)
  await backup('copy.db')
  await run(2, 4)
  await restore('copy.db')
  expect(() => openState(path, owner)).toThrow(
    expect.objectContaining({
      ...refused,
      message: expect.stringMatching(
        /is at run 1 of .*, the mark at run 2 of .*; 1 run and 2 entries/,
      ) as string,
    }),
  )
  expect((await stateInfo(path, Date.now())) as unknown).toMatchObject({
    doubt: expect.stringContaining('older') as string,
  })
})

it('a copy from before a decision is older, though nothing was sent since', async () => {
  await run(3)
  await backup('copy.db')
  const state = openState(path, owner)
  const pause = { pipeline: 'shop1', since: 1, by: 'anna', reason: undefined }
  const entry = { at: 1, runId: 'r', pipeline: 'shop1', configHash: 'c', decided: { by: 'anna' } }
  await state.concludeDecision(1, {
    at: 1,
    effects: [{ do: 'pause', pauses: [pause] }],
    entries: [planEntry({ action: 'pause', reason: 'paused' }, entry)],
  })
  await state.close()
  await backup('later.db')
  await restore('copy.db')
  expect(() => openState(path, owner)).toThrow(/; 1 entry of the sync log is missing/)
  await restore('later.db')
  await openState(path, owner).close()
})

it('a copy beside the log of the state before it is refused, and neither is touched', async () => {
  await run(3)
  await backup('copy.db')
  const state = openState(path, owner)
  await state.beginDecision({ kind: 'pause', args: {}, decided: { by: 'anna' } }, 1)
  await copyFile(`${path}-wal`, join(folder, 'log'))
  await state.close()
  await restore('copy.db')
  await copyFile(join(folder, 'log'), `${path}-wal`)
  const mixed = { code: 'STATE_UNUSABLE', message: expect.stringContaining('the state that was') as string }
  expect(() => openState(path, owner)).toThrow(expect.objectContaining(mixed))
  expect(() => openStateForReading(path)).toThrow(expect.objectContaining(mixed))
  await expect(stateInfo(path, Date.now())).rejects.toMatchObject(mixed)
  expect(await readFile(path)).toEqual(await readFile(join(folder, 'copy.db')))
  expect(await readFile(`${path}-wal`)).toEqual(await readFile(join(folder, 'log')))
  await rm(`${path}-wal`)
  await run(1, 4)
})

it.each<[string, () => Promise<void>]>([
  ['removed', () => rm(path)],
  ['replaced', () => rename(join(folder, 'copy.db'), path)],
])('a state that is %s while it is used takes nothing more, and nothing is sent', async (what, change) => {
  await run(3)
  await backup('copy.db')
  const state = openState(path, owner)
  const line = nextLine(state)
  line.source.drop('a.csv', people(1, 4))
  await change()
  await expect(line.run()).rejects.toMatchObject({
    code: 'STATE_UNUSABLE',
    message: `the state ${path} was ${what} while this process was using it`,
  })
  expect(line.service.calls).toEqual([])
  await state.close()
})

it.each<[string, (state: OwnedState) => Promise<unknown>]>([
  ['decision', (state) => state.beginDecision({ kind: 'resume', args: {}, decided: { by: 'anna' } }, 2)],
  ['run', (state) => state.beginRun({ id: 'a', pipeline: 'shop', startedAt: 2, configHash: '' })],
])(
  'a decision that was refused since nothing could be written is withdrawn with the next %s',
  async (_, next) => {
    const state = openState(path, owner)
    const id = await state.beginDecision({ kind: 'pause', args: {}, decided: { by: 'anna' } }, 1)
    const disk = new Database(path)
    // In place of a full disk.
    disk.exec("CREATE TRIGGER full BEFORE DELETE ON decision BEGIN SELECT RAISE(ABORT, 'full'); END")
    await expect(state.concludeDecision(id, { at: 2 })).rejects.toThrow('full')
    await expect(next(state)).rejects.toThrow('full')
    disk.exec('DROP TRIGGER full')
    disk.close()
    await next(state)
    expect((await state.openDecisions()).filter(({ kind }) => kind === 'pause')).toEqual([])
    await state.close()
  },
)

it.skipIf(process.platform !== 'linux')(
  'looking whose log it is keeps one handle of the file, however often',
  async () => {
    await run(1)
    const state = openState(path, owner)
    await state.beginDecision({ kind: 'pause', args: {}, decided: { by: 'anna' } }, 1)
    const opened = async (): Promise<number> => {
      await openStateForReading(path)?.close()
      return (await readdir('/proc/self/fd')).length
    }
    const first = await opened()
    expect([await opened(), await opened()]).toEqual([first, first])
    await state.close()
  },
)

it('a plain copy of an older state is refused, too', async () => {
  await run(3)
  await copyFile(path, join(folder, 'plain.db'))
  await run(2, 4)
  await restore('plain.db')
  expect(() => openState(path, owner)).toThrow(expect.objectContaining(refused))
})

it('a run that was killed after its first request counts', async () => {
  await run(3)
  await copyFile(path, join(folder, 'plain.db'))
  const state = openState(path, owner)
  const line = nextLine(state)
  line.service.fault = () => {
    throw new Error('the end of the process')
  }
  line.source.drop('a.csv', people(1, 4))
  await expect(line.run()).rejects.toThrow('the end of the process')
  await state.close()
  await restore('plain.db')
  expect(() => openState(path, owner)).toThrow(expect.objectContaining(refused))
})

it('a backup from the midst of a run is noticed, though the run never came to its end', async () => {
  await run(3)
  const marked = await readFile(`${path}.mark`)
  await run(2, 4)
  await backup('copy.db')
  // The mark stands where the run that was killed had put it.
  await writeFile(`${path}.mark`, marked)
  await restore('copy.db')
  expect(() => openState(path, owner)).toThrow(expect.objectContaining(refused))
})

it('a backup on a machine that has no mark is not known to be the latest', async () => {
  await run(3)
  await backup('copy.db')
  await rm(`${path}.mark`)
  await restore('copy.db')
  expect(() => openState(path, owner)).toThrow('is a backup of 1970-01-01')
})

it('a state that is gone is never begun afresh', async () => {
  await run(3)
  await rm(path)
  expect(() => openState(path, owner)).toThrow('does not exist, but its mark says that run 1')
  await expect(stat(path)).rejects.toThrow('ENOENT')
  expect(await stateInfo(path, Date.now())).toMatchObject({
    doubt: expect.stringContaining('does not exist') as string,
  })
})

it.each<[string, () => Promise<void>, RegExp]>([
  [
    'another state in its place',
    async () => {
      const other = join(folder, 'other.db')
      await openState(other, owner).close()
      await copyFile(other, path)
    },
    /not the one that was used here last/,
  ],
  [
    'a mark that cannot be read',
    async () => writeFile(`${path}.mark`, '{"inst'),
    /a mark that cannot be read/,
  ],
  [
    'a sync log that went another way',
    async () => {
      const mark = JSON.parse(await readFile(`${path}.mark`, 'utf8')) as object
      await writeFile(`${path}.mark`, JSON.stringify({ ...mark, hash: 'f'.repeat(64) }))
    },
    /another sync log/,
  ],
])('%s is refused', async (_, spoil, message) => {
  await run(3)
  await spoil()
  expect(() => openState(path, owner)).toThrow(expect.objectContaining(refused))
  expect(() => openState(path, owner)).toThrow(message)
})

it('goes on once the state is accepted, and never gives the number of an operation twice', async () => {
  await run(3)
  await backup('copy.db')
  await run(2, 4)
  await restore('copy.db')
  const state = openState(path, { ...owner, evenOlder: true })
  expect(state.doubt()).toContain('older')
  state.accept()
  expect(state.doubt()).toBeUndefined()
  await state.close()
  const db = new Database(path)
  expect(
    db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'operation'").pluck().get(),
  ).toBeGreaterThan(1_000_000)
  db.close()
  await run(2, 4)
  expect(await stateInfo(path, Date.now())).toMatchObject({ doubt: undefined, mark: { runs: 2, entries: 5 } })
})

it.runIf(process.getuid?.() === 0)('a mark that root writes belongs to the owner of the folder', async () => {
  const daemon = 65_534
  await chown(folder, daemon, daemon)
  const state = openState(path, owner)
  await testLine({ state }).run()
  await state.close()
  expect(await stat(`${path}.mark`)).toMatchObject({ uid: daemon, gid: daemon })
  expect((await stat(`${path}.mark`)).mode & 0o777).toBe(0o600)
})

it('a mark that this user may not read is a state that cannot be used, and no bug', async () => {
  await writeFile(join(folder, 'file'), '')
  // For every user what a missing permission is for some.
  expect(() => readMark(join(folder, 'file', 'state.db'))).toThrow(
    expect.objectContaining({ code: 'STATE_UNUSABLE' }) as Error,
  )
})
