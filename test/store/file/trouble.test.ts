// What the driver and the file system say about a full, broken or forbidden disk, and what is made of it.
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SyncError } from '../../../src/core/words/errors.ts'
import { openDatabase } from '../../../src/store/file/database.ts'
import { networkFileSystem } from '../../../src/store/file/network.ts'
import { createRunStore } from '../../../src/store/journal/runs.ts'
import { OLDEST_SCHEMA } from '../../../src/store/file/schema.ts'
import { stateDoubt, stateInfo } from '../../../src/store/info.ts'
import { openState, openStateForReading } from '../../../src/store/state-store.ts'
import { writeOldState } from '../old-state.ts'
import { createWatch, stateError } from '../../../src/store/file/trouble.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trouble-'))
})
afterEach(async () => {
  await chmod(folder, 0o700)
  await rm(folder, { recursive: true })
})

const sqliteError = (code: string): Error => new Database.SqliteError('what the driver says', code)
const systemError = (code: string): Error => Object.assign(new Error(`${code}: so it is`), { code })

describe('an error of the state', () => {
  it.each([
    [sqliteError('SQLITE_FULL'), 'STATE_FULL', 'the disk is full'],
    [sqliteError('SQLITE_IOERR_SHMSIZE'), 'STATE_FULL', 'the disk is full'],
    [systemError('ENOSPC'), 'STATE_FULL', 'the disk is full'],
    [systemError('Unknown system error -122'), 'STATE_FULL', 'the disk is full'],
    [sqliteError('SQLITE_IOERR_FSYNC'), 'STATE_IO', 'SQLITE_IOERR_FSYNC: what the driver says'],
    [systemError('EIO'), 'STATE_IO', '(EIO: so it is)'],
    [systemError('EMFILE'), 'TOO_MANY_FILES', 'too many open files'],
    [sqliteError('SQLITE_CORRUPT_VTAB'), 'STATE_UNUSABLE', 'is damaged'],
    [sqliteError('SQLITE_NOTADB'), 'STATE_UNUSABLE', 'is damaged'],
    [sqliteError('SQLITE_READONLY_DIRECTORY'), 'STATE_UNUSABLE', 'by the user with id'],
    [sqliteError('SQLITE_CANTOPEN'), 'STATE_UNUSABLE', 'by the user with id'],
    [systemError('EROFS'), 'STATE_UNUSABLE', 'by the user with id'],
    [sqliteError('SQLITE_BUSY'), 'STATE_LOCKED', 'another program'],
  ])('%s', (error, code, text) => {
    const known = stateError(error, '/state/x.db')
    expect(known).toMatchObject({ code })
    expect((known as Error).message).toContain('/state/x.db')
    expect((known as Error).message).toContain(text)
  })

  it('that is none of these is not hidden', () => {
    const error = sqliteError('SQLITE_CONSTRAINT')
    expect(stateError(error, 'x')).toBe(error)
    const known = new SyncError('USAGE', 'x')
    expect(stateError(known, 'x')).toBe(known)
  })
})

describe('the watch', () => {
  const run = (id: string) => ({ id, pipeline: 'shop', startedAt: 0, configHash: 'x' })

  it('says that the disk is full, leaves nothing behind, and goes on when there is space', async () => {
    const path = join(folder, 'state.db')
    const db = openDatabase(path, { thorough: false })
    const watch = createWatch(path)
    const heard: string[] = []
    const ignore = watch.listen(({ code }) => heard.push(code))
    const runs = watch.over(createRunStore(db))
    const pages = db.pragma('page_count', { simple: true })
    db.pragma(`max_page_count = ${Number(pages)}`)
    const large = { ...run('large'), configHash: 'x'.repeat(100_000) }
    await expect(async () => runs.beginRun(large)).rejects.toMatchObject({ code: 'STATE_FULL' })
    expect(await runs.lastRun('shop')).toBeUndefined()
    db.pragma('max_page_count = 1000000')
    await runs.beginRun(large)
    expect(await runs.lastRun('shop')).toMatchObject({ id: 'large' })
    ignore()
    expect(heard).toEqual(['STATE_FULL'])
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    db.close()
  })

  it('lets nothing be done after an error that is final', async () => {
    let calls = 0
    const methods = createWatch('x').over({
      broken: () => Promise.reject(sqliteError('SQLITE_IOERR_WRITE')),
      write() {
        calls += 1
        return Promise.resolve()
      },
    })
    await methods.write()
    await expect(async () => methods.broken()).rejects.toMatchObject({ code: 'STATE_IO' })
    await expect(async () => methods.write()).rejects.toMatchObject({ code: 'STATE_IO' })
    expect(calls).toBe(1)
  })

  it('turns errors in the midst of a list, and leaves faults of the program alone', async () => {
    const methods = createWatch('x').over({
      async *list() {
        yield await Promise.resolve(1)
        throw sqliteError('SQLITE_CORRUPT')
      },
      faulty: () => Promise.reject(new TypeError('a fault')),
    })
    await expect(methods.faulty()).rejects.toThrow(TypeError)
    const seen: number[] = []
    await expect(async () => {
      for await (const one of methods.list()) seen.push(one)
    }).rejects.toMatchObject({ code: 'STATE_UNUSABLE' })
    expect(seen).toEqual([1])
  })
})

describe('a network file system', () => {
  it.each([
    [0x6969, 'NFS'],
    [0x517b, 'SMB'],
    [0xff534d42, 'CIFS'],
    [0xff534d42 | 0, 'CIFS'],
    [0xfe534d42, 'SMB2'],
  ])('of type %i is told: %s', (type, name) => {
    expect(networkFileSystem('/x', () => ({ type }))).toBe(name)
  })

  it('is none of ext4, btrfs, xfs, overlay, tmpfs, 9p', () => {
    for (const type of [0xef53, 0x9123683e, 0x58465342, 0x794c7630, 0x01021994, 0x01021997])
      expect(networkFileSystem('/x', () => ({ type }))).toBeUndefined()
    expect(networkFileSystem(folder)).toBeUndefined()
  })
})

describe('a damaged page', () => {
  const PAGE = 4096

  it('is damage to those who read beside the owner, wherever it is, and no bug', async () => {
    const path = join(folder, 'state.db')
    writeOldState(path, OLDEST_SCHEMA)
    await openState(path, { pid: 1, since: 0, thorough: true }).close()
    const whole = await readFile(path)
    const said = new Map<string, number>()
    const note = async (work: () => unknown): Promise<void> => {
      try {
        await work()
      } catch (error) {
        const code = error instanceof SyncError ? error.code : String(error)
        said.set(code, (said.get(code) ?? 0) + 1)
      }
    }
    for (let page = 1; page < whole.length / PAGE; page++) {
      await writeFile(path, Buffer.from(whole).fill(0, page * PAGE, (page + 1) * PAGE))
      await note(() => stateInfo(path, Date.now()))
      await note(() => stateDoubt(path))
      await note(() => openStateForReading(path)?.close())
    }
    expect([...said.keys()]).toEqual(['STATE_UNUSABLE'])
    expect(said.get('STATE_UNUSABLE')).toBeGreaterThan(3)
  })
})

describe('a copy that was cut off within its last page', () => {
  it('is refused by those who write and by those who read, and left unchanged', async () => {
    const path = join(folder, 'state.db')
    writeOldState(path, OLDEST_SCHEMA)
    const owner = { pid: 1, since: 0, thorough: true }
    await openState(path, owner).close()
    const whole = await readFile(path)
    await writeFile(path, whole.subarray(0, -100))
    expect(() => openState(path, owner)).toThrow('is cut off')
    expect(() => openStateForReading(path)).toThrow('is cut off')
    await expect(stateInfo(path, Date.now())).rejects.toThrow('is cut off')
    expect((await readFile(path)).length).toBe(whole.length - 100)
    await writeFile(path, whole)
    await openState(path, owner).close()
  })
})
