// Two versions of the program with one state at a server: this one, and a next one that adds something to the state.
import { mkdir, readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/system.ts'
import { type Mutant, mutant } from '../processes/mutant.ts'
import { openWorkshop, peopleCsv, type Program, type Running, type Workshop } from '../support/cli.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../support/postgres-server.ts'

// Each command is a separate process, and a machine may be slow.
vi.setConfig({ testTimeout: 180_000 })

const NONE = 'UPGRADES: readonly Upgrade[] = []'
/** Tables whose rows are read whole, by statements that the version before has compiled already. */
const ADDS = 'ALTER TABLE run ADD COLUMN weather text; ALTER TABLE input ADD COLUMN weather text;'
const NAMES = ['shop', 'crm', 'fair', 'club'] as const

async function nextVersion(alone: boolean): Promise<Mutant> {
  const upgrade = `{ sql: '${ADDS}'${alone ? ', alone: true' : ''} }`
  return mutant([
    { file: 'store/postgres/upgrades.ts', from: NONE, to: `UPGRADES: readonly Upgrade[] = [${upgrade}]` },
  ])
}

describe.skipIf(POSTGRES === undefined)('two versions with one state', () => {
  let server: PostgresServer
  let shop: Workshop
  let next: Mutant | undefined
  const daemons: Running[] = []
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
  }, 60_000)
  afterAll(async () => server.stop())
  beforeEach(async () => {
    shop = await openWorkshop()
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    for (const name of NAMES) await mkdir(shop.path('inbox', name), { recursive: true })
    const pipelines = NAMES.map(
      (name) =>
        `  ${name}: { source: { type: csv, folder: inbox/${name}, settle: 0s }, key: no, watch: true, map: { mail: mail, first_name: first, phone: phone } }\n`,
    )
    await shop.configure(
      yaml
        .replace(
          'state: { path: state/contact-sync.db }',
          `state: { path: state/s.db, url: "${server.url}" }`,
        )
        .replace(/pipelines:[^]*/, `pipelines:\n${pipelines.join('')}`),
    )
  })
  afterEach(async () => {
    for (const daemon of daemons.splice(0)) {
      daemon.process.kill('SIGKILL')
      await daemon.ended
    }
    await next?.remove()
    await server.query('DROP SCHEMA IF EXISTS contact_sync CASCADE')
    await shop.close()
  })

  const nextProgram = (): Program => [process.execPath, next?.main ?? '']

  async function start(program?: Program): Promise<Running> {
    const daemon = program === undefined ? shop.start('start') : shop.startBy(program, 'start')
    daemons.push(daemon)
    await daemon.stderrHas(/daemon started/)
    return daemon
  }

  interface Status {
    readonly workers: readonly { readonly pid: number; readonly pipelines: readonly string[] }[]
    readonly pipelines: readonly {
      readonly pipeline: string
      readonly linked: number
      readonly in_doubt: number
    }[]
  }

  /** What this version says, once it is as it should be. */
  async function until(isReached: (now: Status) => boolean): Promise<Status> {
    const latest = systemClock.monotonic() + 90_000
    for (;;) {
      const { stdout, stderr } = await shop.cli('status', '--json')
      const now = stdout === '' ? undefined : (JSON.parse(stdout) as Status)
      if (now !== undefined && isReached(now)) return now
      if (systemClock.monotonic() > latest) throw new Error(`it stays ${stdout}${stderr}`)
      await systemClock.sleep(200)
    }
  }

  async function dropEverywhere(file: string, count: number): Promise<void> {
    for (const name of NAMES) await shop.drop(name, file, peopleCsv(count).replaceAll('person', `${name}-`))
  }

  const areLinked =
    (count: number) =>
    ({ pipelines }: Status): boolean =>
      pipelines.every(({ linked, in_doubt: doubts }) => linked === count && doubts === 0)

  it('work side by side where the next one only adds, whichever starts again', async () => {
    const old = await start()
    await dropEverywhere('a.csv', 5)
    await until(areLinked(5))
    next = await nextVersion(false)
    const newer = await start(nextProgram())
    expect(await server.query("SELECT value FROM contact_sync.meta WHERE name = 'upgrade'")).toEqual([
      { value: '2' },
    ])
    await until(
      ({ workers }) => workers.length === 2 && workers.every(({ pipelines }) => pipelines.length === 2),
    )
    await dropEverywhere('b.csv', 8)
    await until(areLinked(8))
    // What it had compiled before does not hold any more: it joined once more.
    await old.stderrHas(/was upgraded meanwhile.*state available again/s)
    old.process.kill('SIGTERM')
    expect((await old.ended).code).toBe(143)
    await start()
    await until(
      ({ workers }) => workers.length === 2 && workers.every(({ pipelines }) => pipelines.length === 2),
    )
    newer.process.kill('SIGKILL')
    await newer.ended
    await dropEverywhere('c.csv', 9)
    await until(areLinked(9))
    // One call for the new ones of each file.
    expect(shop.writes()).toBe(3 * NAMES.length)
    const { code } = await shop.cli('audit', 'verify')
    expect(code).toBe(0)
  })

  it('wait for each other where the next one changes what is there', async () => {
    const old = await start()
    next = await nextVersion(true)
    const refused = await shop.startBy(nextProgram(), 'run').ended
    expect(refused.code).toBe(6)
    expect(refused.stderr).toMatch(
      /cannot be upgraded while an older contact-sync is at work \(process \d+ on /,
    )
    const unread = await shop.startBy(nextProgram(), 'status').ended
    expect(unread.stderr).toContain('is that of an older contact-sync (1, this one has 2)')
    old.process.kill('SIGTERM')
    await old.ended
    await start(nextProgram())
    const tooOld = await shop.cli('run')
    expect(tooOld.code).toBe(1)
    expect(tooOld.stderr).toContain('was upgraded by a newer contact-sync (to 2, this one knows 1)')
  })
})
