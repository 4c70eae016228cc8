// What `check` says of the records that wait.
import { chmodSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

let sandbox: Sandbox
let place: Place
const configure = (onDuplicateKey: string, more = ''): Promise<void> =>
  place.write(
    'config.yaml',
    `
service: { base_url: "${sandbox.url}", api_key: key, rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox/shop, settle: 0s }
    key: no
    on_duplicate_key: ${onDuplicateKey}
    map: { mail: mail }
${more}`,
  )

beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: 'key', clock: systemClock })
  place = await openPlace({})
  const rows = ['1,bad', '1,a@x.example', '2,b@x.example', '1,c@x.example', '2,d@x.example']
  await place.write('inbox/shop/a.csv', ['no,mail', ...rows, ''].join('\n'))
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

it('counts records whose key an earlier one has, as many as the run rejects', async () => {
  await configure('reject')
  const check = await place.cli('check')
  expect(check.stdout).toContain('3 of the first 5 records would be rejected')
  expect(check.stdout).toContain('key: an earlier record has the same key (2)')
  expect(await place.json('run')).toMatchObject({ pipelines: [{ read: 5, created: 2, rejected: 3 }] })
})

it('counts none of them where the last one counts', async () => {
  await configure('last')
  expect((await place.cli('check')).stdout).toContain('1 of the first 5 records would be rejected')
})

it('names the files in the folder that no pattern takes', async () => {
  await configure('last')
  for (const name of ['b.txt', 'c.xlsx', '.hidden', 'd.csv.part', 'e.CSV'])
    await place.write(`inbox/shop/${name}`, 'x')
  await place.write('inbox/shop/kept/f.txt', 'x')
  const { stdout, code } = await place.cli('check')
  expect(stdout).toContain(
    'warning: pipeline shop: 2 files in the folder not read, because source.files matches none of them: b.txt, c.xlsx\n',
  )
  expect(code).toBe(2)
})

it('names none that another pipeline takes', async () => {
  await place.write('inbox/shop/b.txt', 'no,mail\n7,x@x.example\n')
  await configure(
    'last',
    '  club: { source: { type: csv, folder: inbox/shop, files: "*.txt", settle: 0s }, map: { mail: mail } }',
  )
  expect((await place.cli('check')).stdout).not.toContain('source.files')
})

it.skipIf(process.getuid?.() === 0)('names a folder from which no file could be put away', async () => {
  await configure('last')
  chmodSync(place.path('inbox/shop'), 0o555)
  const { stdout } = await place.cli('check')
  chmodSync(place.path('inbox/shop'), 0o755)
  expect(stdout).toMatch(
    /warning: pipeline shop: this user may not write to .*inbox\/shop: a run could put no/,
  )
})

it('names a state that was lost, which no run takes', async () => {
  await configure('last')
  expect(await place.json('run')).toMatchObject({ pipelines: [{ created: 2 }] })
  expect(await place.cli('check')).toMatchObject({ code: 0 })
  for (const part of ['', '-wal', '-shm']) rmSync(place.path(`state/contact-sync.db${part}`), { force: true })
  const { stdout, code } = await place.cli('check')
  expect(stdout).toMatch(/^state: .*contact-sync\.db does not exist, but its mark says that run 1 /m)
  expect(code).toBe(2)
})

it('names the place of a state that was moved, and so does each list that would be empty', async () => {
  await configure('last')
  await place.cli('run')
  expect(await place.cli('state', 'move', '--to', 'state/moved.db', '--yes')).toMatchObject({ code: 0 })
  const said = 'Name the place that it was moved to in the configuration'
  const { stdout } = await place.cli('check')
  expect(stdout).toContain(said)
  expect(stdout).not.toContain('state rebuild')
  for (const list of ['held', 'rejects', 'doubts', 'edits', 'corrections'])
    expect(await place.cli(list, 'list')).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining(said) as string,
    })
})

it.skipIf(process.getuid?.() === 0)('warns of a state that its user cannot write', async () => {
  await configure('last')
  await place.write('state/other', '')
  chmodSync(place.path('state'), 0o500)
  const { stdout, code } = await place.cli('check')
  chmodSync(place.path('state'), 0o700)
  expect(stdout).toContain(`warning: state: this user may not write to ${place.path('state')};`)
  expect(code).toBe(2)
})
