// Another service under the same state: the same ids are strangers there. Every command that would use a link refuses.
import { readFile, rm } from 'node:fs/promises'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { KEY, openWorkshop, peopleCsv, type Workshop } from '../support/cli.ts'

// Each command is a separate process, and a machine may be slow.
vi.setConfig({ testTimeout: 120_000 })

let shop: Workshop
/** Another service, with strangers under the same ids. */
let other: Sandbox
beforeEach(async () => {
  shop = await openWorkshop()
  other = await startSandbox({ port: 0, apiKey: KEY, clock: systemClock })
  await shop.drop('shop', 'a.csv', peopleCsv(3))
  expect((await shop.cli('run')).code).toBe(0)
})
afterEach(async () => {
  await other.close()
  await shop.close()
})

async function pointTo(url: string): Promise<void> {
  const yaml = await readFile(shop.path('config.yaml'), 'utf8')
  await shop.configure(yaml.replace(/base_url: .*/, `base_url: ${url}`))
}

async function makeStranger(number: number, mail = `stranger${number}@example.org`): Promise<void> {
  const contact = { mail, first_name: 'Fremd', family_name: `Stranger${number}`, phone: '0' }
  await fetch(`${other.url}/public/api/V1/contact`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ contact, duplicate_check_method: 'none' }),
  })
}

const inState = <T>(work: (db: Database.Database) => T): T => {
  const db = new Database(shop.path('state', 'contact-sync.db'))
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** As an older version left it. */
const unbind = (): void => inState((db) => void db.exec("DELETE FROM meta WHERE name = 'service'"))

const lastRun = (): string =>
  inState((db) => db.prepare<[], string>('SELECT id FROM run ORDER BY started_at DESC').pluck().get() ?? '')

describe('another base_url', () => {
  it('is refused by every command that would use a link, without one request, with both ways out', async () => {
    for (const number of [1, 2, 3]) await makeStranger(number)
    const before = other.requests().length
    await pointTo(other.url)
    await shop.drop('shop', 'b.csv', peopleCsv(3, [0]))
    const commands = [
      ['check'],
      ['run'],
      ['start'],
      ['plan'],
      ['rejects', 'retry'],
      ['state', 'rebuild'],
      ['undo', lastRun(), '--yes'],
      ['undo', lastRun(), '--plan'],
      ['audit', 'forget', 'K1', '--delete-at-service', '--yes'],
    ]
    for (const command of commands) {
      const { code, stdout, stderr } = await shop.cli(...command)
      const said = stdout + stderr
      expect([command, code]).toEqual([command, 2])
      expect(said).toContain(`belongs to the service ${shop.sandbox.url}`)
      expect(said).toContain('contact-sync state rebind')
      expect(said).toContain('state.path')
    }
    expect(other.requests()).toHaveLength(before)
  })

  it('is not taken by state rebind where strangers have the ids, nor where nobody is', async () => {
    await pointTo(other.url)
    const empty = await shop.cli('state', 'rebind', '--yes')
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('3 of 3 contacts')])
    for (const number of [1, 2, 3]) await makeStranger(number)
    const strangers = await shop.cli('state', 'rebind', '--yes')
    expect([strangers.code, strangers.stderr]).toEqual([2, expect.stringContaining('it is another service')])
    expect((await shop.cli('run')).code).toBe(2)
  })

  it('of the same service is taken by state rebind, which the sync log keeps', async () => {
    for (const number of [0, 1, 2]) await makeStranger(number, `person${number}@example.com`)
    await pointTo(other.url)
    const asked = await shop.cli('state', 'rebind')
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')])
    const { code, stdout } = await shop.cli('state', 'rebind', '--yes', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ from: shop.sandbox.url, to: other.url })
    await shop.drop('shop', 'b.csv', peopleCsv(3))
    expect((await shop.cli('run')).code).toBe(0)
    expect((await shop.cli('audit', 'list', '--action', 'rebind')).stdout).toContain(shop.sandbox.url)
  })

  it('is never taken with anything in doubt', async () => {
    inState((db) =>
      db.exec(`INSERT INTO operation (input_id, run_id, pipeline, key, line, file, kind, fields, desired, record, fingerprint, state, rank)
               VALUES (1, 'r', 'shop', 'K9', 1, 'a.csv', 'create', '{}', '{}', '[[]]', '', 'in_doubt', 1)`),
    )
    for (const number of [0, 1, 2]) await makeStranger(number, `person${number}@example.com`)
    await pointTo(other.url)
    const { code, stderr } = await shop.cli('state', 'rebind', '--yes')
    expect([code, stderr]).toEqual([2, expect.stringContaining('1 operation is in doubt')])
    expect((await shop.cli('run')).stderr).toContain('doubts resolve')
  })

  it('is refused by a reload: the configuration in use stays', async () => {
    const daemon = shop.start('start')
    await daemon.stderrHas(/daemon started/)
    await pointTo(other.url)
    daemon.process.kill('SIGHUP')
    await daemon.stderrHas(/configuration not reloaded/)
    expect(await daemon.stderrHas(/OTHER_SERVICE/)).toContain('state rebind')
    daemon.process.kill('SIGTERM')
    await daemon.ended
    expect(other.requests()).toEqual([])
  })

  it('under which no contact is known yet is bound without a word', async () => {
    await rm(shop.path('state'), { recursive: true })
    // No server answers at the address of a typing error.
    await pointTo('http://127.0.0.1:9')
    await shop.drop('shop', 'a.csv', peopleCsv(1))
    expect((await shop.cli('run')).code).toBe(5)
    await pointTo(other.url)
    expect((await shop.cli('check')).code).toBe(0)
    expect((await shop.cli('run')).code).toBe(0)
  })
})

describe('a state that an older version left unbound', () => {
  beforeEach(unbind)

  it('is bound at its first run, after a look at some contacts', async () => {
    const before = shop.sandbox.requests().length
    expect((await shop.cli('run')).code).toBe(0)
    expect(
      shop.sandbox
        .requests()
        .slice(before)
        .map(({ method }) => method),
    ).toEqual(['GET', 'GET', 'GET'])
    await pointTo(other.url)
    expect((await shop.cli('run')).code).toBe(2)
  })

  it.each([['check'], ['run'], ['start']])(
    'is refused by %s at a service that has strangers',
    async (command) => {
      for (const number of [1, 2, 3]) await makeStranger(number)
      await pointTo(other.url)
      await shop.drop('shop', 'b.csv', peopleCsv(3, [0]))
      const { code, stdout, stderr } = await shop.cli(command)
      expect([code, stdout + stderr]).toEqual([2, expect.stringContaining('it is another service')])
      expect(other.requests().filter(({ method }) => method !== 'GET')).toHaveLength(3)
    },
  )

  it('is not used where the service does not answer', async () => {
    await pointTo('http://127.0.0.1:9')
    await shop.drop('shop', 'b.csv', peopleCsv(3, [0]))
    expect((await shop.cli('run')).code).toBe(5)
    await pointTo(shop.sandbox.url)
    expect((await shop.cli('run')).code).toBe(0)
  })
})

it('check warns where contacts under the same address are not those that were sent', async () => {
  for (const id of [1, 2, 3])
    await fetch(`${shop.sandbox.url}/public/api/V1/contact/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${KEY}` },
    })
  const { code, stdout } = await shop.cli('check')
  expect([code, stdout]).toEqual([0, expect.stringContaining('warning: service: 3 of 3 contacts')])
})
