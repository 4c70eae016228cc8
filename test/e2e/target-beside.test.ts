// `target` beside a running daemon: the daemon makes the runs, and each STATE is given out once its records have their outcomes.
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { spoolFolder } from '../../src/config/spool-folder.ts'
import { isOwned } from '../../src/store/file/lock.ts'
import { type Ended, openWorkshop, type Running, type Workshop } from '../support/cli.ts'
import { POSTGRES, startPostgres } from '../support/postgres-server.ts'

let shop: Workshop
let daemon: Running
// Its own runs of the pipeline come all the time.
const configure = (place: string): Promise<void> =>
  shop.configure(`
service:
  base_url: \${BASE_URL}
  api_key: \${API_KEY}
  rate_limit: { requests: 500, per: 1s }
state: { ${place} }
server: { port: 0 }
pipelines:
  crm:
    schedule: "* * * * * *"
    source: { type: singer, stream: people }
    key: id
    map: { mail: email, first_name: name }
`)

beforeEach(async () => {
  shop = await openWorkshop()
  await configure('path: state/contact-sync.db')
  daemon = shop.start('start')
  await daemon.stderrHas(/daemon started/)
})
afterEach(async () => {
  daemon.process.kill('SIGTERM')
  await daemon.ended
  await shop.close()
})

const line = (message: object): string => `${JSON.stringify(message)}\n`
const schema = line({ type: 'SCHEMA', stream: 'people', key_properties: ['id'], schema: { properties: {} } })
const record = (id: number, name: string): string =>
  line({ type: 'RECORD', stream: 'people', record: { id, email: `p${id}@tap.example`, name } })
const state = (value: number): string => line({ type: 'STATE', value })

function fed(text: string): Promise<Ended> {
  const { process, ended } = shop.start('target')
  process.stdin?.end(text)
  return ended
}
const name = async (id: number): Promise<unknown> =>
  (await shop.contacts(`p${id}@tap.example`, 'first_name'))[0]?.['first_name']

it(
  'pushes what comes by the daemon, and what has not changed costs nothing',
  { timeout: 60_000 },
  async () => {
    const first = await fed(schema + record(1, 'Ann') + state(1) + record(2, 'Bo') + state(2))
    expect(first).toMatchObject({ code: 0, stdout: '1\n2\n' })
    // None where a run of the schedule took them first.
    expect(first.stderr).toMatch(/crm: done: [02] records/)
    expect(await Promise.all([1, 2].map(name))).toEqual(['Ann', 'Bo'])
    const writes = shop.writes()
    const again = await fed(schema + record(1, 'Ann') + record(2, 'Bo') + state(3))
    expect(again).toMatchObject({ code: 0, stdout: '3\n' })
    expect(shop.writes()).toBe(writes)
    const changed = await fed(schema + record(2, 'Bob') + state(4))
    expect(changed).toMatchObject({ code: 0, stdout: '4\n' })
    expect(await name(2)).toBe('Bob')
  },
)

it(
  'takes one pipe for a pipeline at a time, and ends at a line that is no message',
  { timeout: 60_000 },
  async () => {
    const open = shop.start('target')
    open.process.stdin?.write(schema + record(1, 'Ann') + state(1))
    // A second one that came before it would have the spool.
    const spool = spoolFolder(shop.path('state', 'contact-sync.db'), 'crm')
    await expect.poll(() => isOwned(join(spool, '.target')), { timeout: 20_000 }).toBe(true)
    expect((await fed(schema)).stderr).toContain('another target feeds the pipeline crm')
    open.process.stdin?.end('no message\n')
    const ended = await open.ended
    expect(ended).toMatchObject({ code: 3, stdout: '1\n' })
    expect(ended.stderr).toContain('line 4')
    expect(await name(1)).toBe('Ann')
  },
)

it('a daemon that was killed leaves nothing undone', { timeout: 60_000 }, async () => {
  const open = shop.start('target')
  open.process.stdin?.write(schema + record(1, 'Ann') + state(1))
  daemon.process.kill('SIGKILL')
  await daemon.ended
  open.process.stdin?.end(record(2, 'Bo') + state(2))
  expect(await open.ended).toMatchObject({ code: 0, stdout: '1\n2\n' })
  expect(await Promise.all([1, 2].map(name))).toEqual(['Ann', 'Bo'])
})

it.skipIf(POSTGRES === undefined)(
  'with a state at a server, the worker that has the pipeline makes the runs, if it sees the spool folder',
  { timeout: 90_000 },
  async () => {
    daemon.process.kill('SIGTERM')
    await daemon.ended
    const server = await startPostgres(POSTGRES ?? '')
    try {
      await configure(`path: state/s.db, url: "${server.url}"`)
      daemon = shop.start('start')
      await daemon.stderrHas(/pipelines of this worker/)
      const first = await fed(schema + record(1, 'Ann') + state(1) + record(2, 'Bo') + state(2))
      expect(first).toMatchObject({ code: 0, stdout: '1\n2\n' })
      // As on another machine, which has a folder of its own for what it spools.
      await configure(`path: elsewhere/s.db, url: "${server.url}"`)
      const elsewhere = await fed(schema + record(3, 'Cy') + state(3))
      expect(elsewhere).toMatchObject({ code: 3, stdout: '' })
      expect(elsewhere.stderr).toContain('start target on the machine of the one that runs the pipeline')
      daemon.process.kill('SIGTERM')
      await daemon.ended
      expect(await fed(schema + state(4))).toMatchObject({ code: 0, stdout: '4\n' })
      expect(await Promise.all([1, 2, 3].map(name))).toEqual(['Ann', 'Bo', 'Cy'])
    } finally {
      daemon.process.kill('SIGTERM')
      await daemon.ended
      await server.stop()
    }
  },
)
