// The state in the hands of those who look after it: info, backup, restore, rebuild, by the program itself.
import { copyFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newestSchema } from '../../src/store/file/schema.ts'
import { openWorkshop, peopleCsv, type Workshop } from '../support/cli.ts'

// Each command is a separate process, and a machine may be slow.
vi.setConfig({ testTimeout: 120_000 })

let shop: Workshop
beforeEach(async () => (shop = await openWorkshop()))
afterEach(async () => shop.close())

const STATE = ['state', 'contact-sync.db'] as const
const state = (): string => shop.path(...STATE)

async function json(...args: string[]): Promise<{ code: number | null; said: Record<string, unknown> }> {
  const { code, stdout, stderr } = await shop.cli(...args, '--json')
  try {
    return { code, said: JSON.parse(stdout) as Record<string, unknown> }
  } catch {
    throw new Error(`${args.join(' ')}: ${code}\n${stdout}\n${stderr}`)
  }
}

const check = async (method: string): Promise<void> => {
  const yaml = await readFile(shop.path('config.yaml'), 'utf8')
  await shop.configure(yaml.replace('    key: no', `    duplicate_check_method: ${method}\n    key: no`))
}

/** How often each of the people is at the service. */
const census = async (count: number): Promise<number[]> =>
  Promise.all(
    Array.from(
      { length: count },
      async (_, index) => (await shop.contacts(`person${index}@example.com`, 'phone')).length,
    ),
  )
const once = (count: number): number[] => Array.from({ length: count }, () => 1)

async function restore(backup: string): Promise<void> {
  for (const part of ['', '-wal', '-shm']) await rm(`${state()}${part}`, { force: true })
  await copyFile(backup, state())
}

describe('state info', () => {
  it('says what there is before, beside and after a daemon', async () => {
    expect(await json('state', 'info')).toEqual({
      code: 0,
      said: { path: state(), exists: false, doubt: null },
    })
    await shop.drop('shop', 'a.csv', peopleCsv(3))
    await shop.cli('run')
    const daemon = shop.start('start')
    await daemon.stderrHas(/daemon started/)
    const { code, said } = await json('state', 'info')
    expect(code).toBe(0)
    expect(said).toMatchObject({
      exists: true,
      schema: newestSchema(),
      application_id: 'CSY1',
      owner: { pid: daemon.process.pid },
      integrity: 'ok',
      service: shop.sandbox.url,
      pipelines: [{ pipeline: 'shop', linked: 3, rejects: 0, held: 0, in_doubt: 0, to_be_tried_again: 0 }],
      sync_log: { entries: 3 },
      runs: 1,
      marked: true,
      doubt: null,
    })
    daemon.process.kill('SIGKILL')
    await daemon.ended
    expect((await json('state', 'info')).said).toMatchObject({ owner: null })
    expect((await shop.cli('state', 'info')).stdout).toMatch(
      /belongs to the service http:.*\n.*not held by a process\n.*integrity: ok\n.*1 run, the last/,
    )
  })

  it('names damage, and ends with 1', async () => {
    await shop.drop('shop', 'a.csv', peopleCsv(500))
    await shop.cli('run')
    const bytes = await readFile(state())
    // A page in the midst, not the first: the header is whole.
    bytes.fill(0xa5, 4096 * 20, 4096 * 24)
    await writeFile(state(), bytes)
    const info = await shop.cli('state', 'info')
    expect(info.code).toBe(1)
    expect(info.stdout + info.stderr).toMatch(/integrity: (?!ok)|STATE_UNUSABLE/)
    const start = await shop.cli('start')
    expect(start.code).toBe(1)
    expect(start.stderr).toMatch(/STATE_UNUSABLE: the state .* is damaged/)
    expect(start.stderr).not.toContain('    at ')
  })
})

describe('state backup', () => {
  it('is whole, for its owner only, replaces nothing, and leaves nothing else behind', async () => {
    await shop.drop('shop', 'a.csv', peopleCsv(3))
    await shop.cli('run')
    const { code, said } = await json('state', 'backup', 'copy.db')
    expect(code).toBe(0)
    expect(said).toMatchObject({ file: shop.path('copy.db'), links: 3, runs: 1, sync_log: { entries: 3 } })
    expect((await stat(shop.path('copy.db'))).mode & 0o777).toBe(0o600)
    expect((await readdir(shop.folder)).filter((name) => name.startsWith('copy'))).toEqual(['copy.db'])
    const again = await shop.cli('state', 'backup', 'copy.db')
    expect(again.code).toBe(2)
    expect(again.stderr).toContain('exists already')
    const nowhere = await shop.cli('state', 'backup', 'nowhere/copy.db')
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('cannot be written (ENOENT)')])
  })

  it('of a run that goes on is of one moment: whoever is not in it is in doubt or new, and nobody is made twice', async () => {
    const people = 300
    await check('none')
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    await shop.configure(
      yaml.replace('doubt:', 'bulk: { size: 3 }\n  doubt:').replace('requests: 500', 'requests: 40'),
    )
    await shop.drop('shop', 'a.csv', peopleCsv(people))
    const run = shop.start('run')
    while (shop.writes() < 10) await new Promise((wake) => setImmediate(wake))
    const { code, said } = await json('state', 'backup', 'copy.db')
    expect(code).toBe(0)
    expect((await run.ended).code).toBe(0)
    expect(said['links']).toBeLessThan(people)
    const copy = new Database(shop.path('copy.db'))
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
    copy.close()
    await restore(shop.path('copy.db'))
    await shop.drop('shop', 'a.csv', peopleCsv(people))
    expect((await shop.cli('run')).code).toBe(1)
    const rebuilt = await json('state', 'rebuild')
    expect([rebuilt.code, rebuilt.said['left']]).toEqual([0, []])
    expect((await json('run')).said).toMatchObject({ status: 'ok' })
    expect(await census(people)).toEqual(once(people))
  })
})

describe.each(['email', 'none'])('under check %s', (method) => {
  beforeEach(async () => check(method))

  it('a backup that is put back is noticed, rebuilt, and goes on without doubling anybody', async () => {
    await shop.drop('shop', 'a.csv', peopleCsv(4))
    await shop.cli('run')
    await shop.cli('state', 'backup', 'copy.db')
    await shop.drop('shop', 'b.csv', peopleCsv(9, [0]))
    await shop.cli('run')
    await restore(shop.path('copy.db'))
    await shop.drop('shop', 'b.csv', peopleCsv(10, [0]))
    const before = shop.writes()
    {
      const { code, stderr } = await shop.cli(method === 'none' ? 'start' : 'run')
      expect(code).toBe(1)
      expect(stderr).toMatch(
        /STATE_OLDER: the state .* is older than its mark: it is at run 1 of .*, the mark at run 2/,
      )
      expect(stderr).toContain('contact-sync state rebuild')
    }
    expect((await json('state', 'info')).code).toBe(1)
    expect((await shop.cli(method === 'none' ? 'plan' : 'status')).stderr).toMatch(
      /^warning: the state .* is older than its mark/m,
    )
    const { code, said } = await json('state', 'rebuild')
    expect(code).toBe(0)
    expect(said).toMatchObject({
      status: 'ok',
      left: [],
      pipelines: [{ pipeline: 'shop', read: 10, known: 4, found: 5, absent: 1, in_doubt: 0, complete: true }],
    })
    expect(shop.writes()).toBe(before)
    expect(await readdir(shop.path('inbox', 'shop'))).toContain('b.csv')
    expect((await json('run')).said).toMatchObject({
      status: 'ok',
      pipelines: [{ created: 1, held: 0, in_doubt: 0 }],
    })
    expect(await census(10)).toEqual(once(10))
    await shop.drop('shop', 'b.csv', peopleCsv(10, [0]))
    expect((await json('run')).said).toMatchObject({ pipelines: [{ unchanged: 10, requests: 0 }] })
  })

  it('a state that is gone is found again from the last export', async () => {
    await shop.drop('shop', 'a.csv', peopleCsv(6))
    await shop.cli('run')
    for (const part of ['', '-wal', '-shm']) await rm(`${state()}${part}`, { force: true })
    expect((await shop.cli('run')).stderr).toContain('does not exist, but its mark says that run 1')
    const empty = await json('state', 'rebuild')
    expect(empty.code).toBe(3)
    expect(empty.said).toMatchObject({ left: ['shop'], pipelines: [{ complete: false }] })
    expect((await shop.cli('run')).code).toBe(1)
    await shop.drop('shop', 'a.csv', peopleCsv(6))
    expect(await json('state', 'rebuild')).toMatchObject({
      code: 0,
      said: { left: [], pipelines: [{ read: 6, found: 6, requests: 12 }] },
    })
    const writes = shop.writes()
    expect((await json('run')).said).toMatchObject({
      status: 'ok',
      pipelines: [{ unchanged: 6, requests: 0 }],
    })
    expect(shop.writes()).toBe(writes)
  })
})

describe('what cannot be known', () => {
  const MIXED = [
    'no,mail,first,last,phone',
    'K0,person0@example.com,Vorname0,Nachname0,030 0',
    'K1,person1@example.com,Vorname1,Nachname1,CHANGED',
    'K2,,Ohne,Mail,030 2',
    '',
  ].join('\n')
  const ADDRESS = `    map: { mail: mail, first_name: first, family_name: last, phone: phone, ba_street: { value: Weg 1 }, ba_city: { value: Ort }, ba_postal_code: { value: "1" } }`

  async function lostWithDoubts(): Promise<void> {
    await check('none')
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    await shop.configure(yaml.replace(/ {4}map: .*/, ADDRESS))
    await shop.drop('shop', 'a.csv', MIXED.replace('CHANGED', '030 1'))
    expect((await shop.cli('run')).code).toBe(0)
    for (const part of ['', '-wal', '-shm']) await rm(`${state()}${part}`, { force: true })
    await shop.drop('shop', 'a.csv', MIXED)
  }

  it('waits for a person, run after run, and is settled by their word', async () => {
    await lostWithDoubts()
    const { code, stdout, stderr } = await shop.cli('state', 'rebuild')
    expect(code).toBe(3)
    expect(stdout).toContain('3 records looked at, 4 requests')
    expect(stdout).toContain('1 found and linked')
    expect(stdout).toContain('2 in doubt: an operator decides')
    expect(stdout).toContain('What can no longer be known:')
    expect(stdout).toContain('the state counts as the latest again')
    expect(stderr).toContain('nothing was sent, no file was moved')
    const writes = shop.writes()
    const first = await json('run')
    expect(first).toMatchObject({ code: 3, said: { pipelines: [{ read: 3, unchanged: 1, in_doubt: 2 }] } })
    expect(shop.writes()).toBe(writes)
    const { doubts } = (await json('doubts', 'list')).said as {
      doubts: { id: number; key: string; reason: string }[]
    }
    expect(doubts.map(({ key }) => key)).toEqual(['K1', 'K2'])
    expect(doubts[0]?.reason).toContain('none shows the current values of the record')
    expect(doubts[1]?.reason).toContain('no e-mail address to look it up by')
    const [contact] = await shop.contacts('person1@example.com', 'phone')
    const one = await shop.cli(
      'doubts',
      'resolve',
      `${doubts[0]?.id}`,
      '--as',
      'done',
      '--contact-id',
      String(contact?.['id']),
    )
    expect(one.code).toBe(0)
    const two = await shop.cli('doubts', 'resolve', `${doubts[1]?.id}`, '--as', 'not-done')
    expect(two.code).toBe(0)
    expect(await json('run')).toMatchObject({
      code: 0,
      said: { pipelines: [{ created: 1, updated: 1, in_doubt: 0 }] },
    })
    expect(await shop.contacts('person1@example.com', 'phone')).toMatchObject([{ phone: 'CHANGED' }])
    expect((await json('run')).said).toMatchObject({ pipelines: [{ read: 0, requests: 0 }] })
  })
})

it('state accept goes on with an older state by a person’s word, and the sync log keeps it', async () => {
  await shop.drop('shop', 'a.csv', peopleCsv(2))
  await shop.cli('run')
  await shop.cli('state', 'backup', 'copy.db')
  await shop.drop('shop', 'a.csv', peopleCsv(3))
  await shop.cli('run')
  await restore(shop.path('copy.db'))
  expect(await json('state', 'accept')).toMatchObject({
    code: 0,
    said: { accepted: expect.any(String) as string },
  })
  expect(await json('state', 'accept')).toMatchObject({ code: 0, said: { accepted: null } })
  await shop.drop('shop', 'a.csv', peopleCsv(3))
  expect((await json('run')).said).toMatchObject({ status: 'ok', pipelines: [{ created: 1, unchanged: 2 }] })
  expect(await census(3)).toEqual(once(3))
  const db = new Database(state())
  const entries = db.prepare<[], string>('SELECT entry FROM audit ORDER BY seq').pluck().all()
  db.close()
  expect(entries.map((entry) => (JSON.parse(entry) as { action: string }).action)).toContain('accept')
})

it('a rebuild that is ended goes on where it stopped', async () => {
  const people = 40
  const yaml = await readFile(shop.path('config.yaml'), 'utf8')
  await shop.drop('shop', 'a.csv', peopleCsv(people))
  await shop.cli('run')
  for (const part of ['', '-wal', '-shm']) await rm(`${state()}${part}`, { force: true })
  await shop.drop('shop', 'a.csv', peopleCsv(people))
  await shop.configure(yaml.replace('requests: 500, per: 1s', 'requests: 20, per: 1s'))
  const before = shop.sandbox.requests().length
  const rebuild = shop.start('state', 'rebuild')
  while (shop.sandbox.requests().length < before + 8) await new Promise((wake) => setImmediate(wake))
  rebuild.process.kill('SIGINT')
  expect((await rebuild.ended).code).toBe(130)
  expect((await shop.cli('run')).stderr).toContain('STATE_OLDER')
  await shop.configure(yaml)
  const { code, said } = await json('state', 'rebuild')
  const [result] = said['pipelines'] as { known: number; found: number }[]
  expect(code).toBe(0)
  expect(result?.known).toBeGreaterThan(0)
  expect((result?.known ?? 0) + (result?.found ?? 0)).toBe(people)
  expect((await json('run')).said).toMatchObject({ pipelines: [{ unchanged: people, requests: 0 }] })
})
