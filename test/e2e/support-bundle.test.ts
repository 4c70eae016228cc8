// `support-bundle` by the real command line, read again by the machine's own tar.
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { KEY, openWorkshop, peopleCsv, type Workshop } from '../support/cli.ts'

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop()
  const yaml = await readFile(shop.path('config.yaml'), 'utf8')
  await shop.configure(
    yaml
      .replace('state: {', 'log: { folder: logs }\nstate: {')
      .replace(
        'server: { port: 0 }',
        'server: { port: 0, users: [{ name: erika.muster, token: "\${API_KEY}-long-enough-for-a-user", role: viewer }] }',
      )
      .replace(
        'phone: phone',
        'phone: phone, company: { column: last, lookup: { Muster: "Muster & Co" }, otherwise: "info@muster.example" }',
      ),
  )
})
afterEach(() => shop.close())

const names = (file: string): string[] =>
  String(execFileSync('tar', ['-tzf', file]))
    .trim()
    .split('\n')
    .map((name) => name.replace(/^contact-sync-support-\d{8}-\d{6}\//, ''))
const text = (file: string, name: string): string =>
  String(execFileSync('tar', ['-xzOf', file, '--wildcards', `*/${name}`]))

it('has what is needed for help, says so before, is for its owner alone, and never replaces a file', async () => {
  await shop.drop('shop', 'Anna Muster.csv', `${peopleCsv(2)}K9,nonsense,A,B,1\n`)
  await shop.cli('run')
  // What is no line of this log is not passed on, wherever it came from.
  const [log = ''] = await readdir(shop.path('logs'))
  await writeFile(shop.path('logs', log), 'anna@example.com called\n{"message":"mine","note":"anna"}\n', {
    flag: 'a',
  })
  const file = shop.path('help.tar.gz')
  const { code, stdout } = await shop.cli('support-bundle', file)
  expect(code).toBe(0)
  const inside = names(file)
  expect(inside).toEqual([
    'README.txt',
    'versions.json',
    'configuration.txt',
    'state.json',
    'state-files.json',
    'schema.sql',
    'runs.json',
    `logs/${log}`,
  ])
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' (')[0]),
  ).toEqual(inside)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(JSON.parse(text(file, 'versions.json'))).toMatchObject({
    node: process.versions.node,
    sqlite: expect.stringMatching(/^3\./) as string,
  })
  expect(text(file, 'configuration.txt')).toContain('pipelines.shop.map.company.lookup: 1 entries')
  expect(text(file, 'configuration.txt')).toContain('server.users.1.name: (not shown)')
  expect(text(file, 'schema.sql')).toContain('CREATE TABLE link')
  expect(JSON.parse(text(file, 'runs.json'))).toMatchObject([{ pipeline: 'shop', status: 'partial' }])
  expect(JSON.parse(text(file, 'state.json'))).toMatchObject({
    integrity: 'ok',
    pipelines: [{ linked: 2, rejects: 1 }],
  })
  expect(text(file, log)).toContain('run ended')
  const all = String(execFileSync('tar', ['-xzOf', file]))
  expect(all).not.toMatch(/anna|muster|nonsense|person\d|vorname|@/i)
  expect(all).not.toContain(KEY)
  const before = await readFile(file)
  expect(await shop.cli('support-bundle', file)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not replaced') as string,
  })
  expect(await readFile(file)).toEqual(before)
})

it('only lists with --list, and has a name of its own where none is given', async () => {
  const listed = JSON.parse((await shop.cli('support-bundle', '--list', '--json')).stdout) as {
    file: null
    entries: unknown[]
  }
  expect(listed.file).toBeNull()
  expect(listed.entries.length).toBeGreaterThan(4)
  expect((await readdir(shop.folder)).filter((name) => name.endsWith('.gz'))).toEqual([])
  await shop.cli('support-bundle')
  expect((await readdir(shop.folder)).filter((name) => name.endsWith('.gz'))).toEqual([
    expect.stringMatching(/^contact-sync-support-\d{8}-\d{6}\.tar\.gz$/) as string,
  ])
})

it('is made also where the configuration is wrong, the state is damaged, or there is no log', async () => {
  await mkdir(shop.path('state'))
  await writeFile(shop.path('state', 'contact-sync.db'), 'no database at all, '.repeat(100))
  await shop.cli('support-bundle', 'damaged.tar.gz')
  expect(text(shop.path('damaged.tar.gz'), 'state.json')).toContain('STATE_UNUSABLE')
  expect(text(shop.path('damaged.tar.gz'), 'logs.json')).toContain('not_to_be_had')
  await shop.configure('service: { api_key: ${NOWHERE} }\n')
  expect((await shop.cli('support-bundle', 'wrong.tar.gz')).code).toBe(0)
  expect(text(shop.path('wrong.tar.gz'), 'configuration.txt')).toContain('config.yaml:1:')
})
