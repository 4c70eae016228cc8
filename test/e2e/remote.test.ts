// A drop folder on a real SFTP server, by the commands: a whole run, connections that break anywhere, a server with another
// key, a value explained and a person erased over there.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'
import {
  type CuttingProxy,
  hasSshd,
  type SftpServer,
  startCuttingProxy,
  startSftpServer,
} from '../support/sftp-server.ts'

const KEY = 'key-of-the-remote-tests'
const REJECTED = '3,,,\n'
const EXPORT = 'no,mail,first,last\n1,ann@example.org,Ann,Oak\n2,bob@example.org,Bob,Elm\n'

describe.skipIf(!hasSshd)('a drop folder over SFTP', () => {
  let server: SftpServer
  let proxy: CuttingProxy
  let sandbox: Sandbox
  let place: Place
  let inbox: string
  let turn = 0

  beforeAll(async () => {
    server = await startSftpServer()
    proxy = await startCuttingProxy(server.port)
  })
  afterAll(async () => {
    await proxy.close()
    await server.stop()
  })
  beforeEach(async () => {
    sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
    place = await openPlace({ BASE_URL: sandbox.url, API_KEY: KEY })
    inbox = join(server.home, `in-${++turn}`)
    mkdirSync(inbox)
    proxy.cutAfter(Infinity)
    const known = readFileSync(server.knownHosts, 'utf8')
    await place.write('known_hosts', known + known.replace(`:${server.port}`, `:${proxy.port}`))
    await place.write('key', server.key)
    await configure(proxy.port)
  })
  afterEach(async () => {
    await sandbox.close()
    await place.close()
  })

  const configure = (port: number, login = 'key_file: key'): Promise<void> =>
    place.write(
      'config.yaml',
      `
service: { base_url: "\${BASE_URL}", api_key: "\${API_KEY}", rate_limit: { requests: 500, per: 1s }, retry: { attempts: 1 } }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source:
      type: csv
      folder: "sftp://${server.user}@127.0.0.1:${port}${inbox}"
      settle: 0s
      remote: { known_hosts: known_hosts, ${login}, timeout: 3s }
    key: no
    map: { mail: mail, first_name: first, family_name: last }
`,
    )
  const names = (folder = ''): string[] =>
    readdirSync(join(inbox, folder))
      .filter((name) => name !== '.claims')
      .sort()
  const spooled = (): string[] => readdirSync(place.path('state', 'spool', 'shop'))
  const writes = (): number => sandbox.requests().filter(({ method }) => method !== 'GET').length

  it('is read, put away with its rejects, explained, and rid of a person', async () => {
    writeFileSync(join(inbox, 'people.csv'), EXPORT + REJECTED)
    expect((await place.cli('check')).stdout).toContain('1 file')
    expect((await place.cli('plan')).stdout).toMatch(/create/)
    expect(names()).toEqual(['people.csv'])
    const run = await place.cli('run')
    expect(run.stdout).toMatch(/2 created/)
    expect(names()).toEqual(['processed'])
    const [file = '', rejects = ''] = names('processed')
    expect([file, rejects]).toEqual([
      expect.stringMatching(/^people\.\d{8}.*\.csv$/),
      expect.stringMatching(/\.rejects\.csv$/),
    ])
    expect(readFileSync(join(inbox, 'processed', file), 'utf8')).toBe(EXPORT + REJECTED)
    expect(spooled()).toEqual([])
    expect((await place.cli('explain', 'shop', 'bob@example.org')).stdout).toContain('Elm')
    const forgotten = await place.cli('audit', 'forget', 'bob@example.org', '--yes')
    expect(forgotten.code).toBe(0)
    expect(readFileSync(join(inbox, 'processed', file), 'utf8')).toBe(
      EXPORT.replace('2,bob@example.org,Bob,Elm', '') + REJECTED,
    )
    expect(spooled()).toEqual([])
  })

  it('takes a file that comes again for what it is', async () => {
    writeFileSync(join(inbox, 'people.csv'), EXPORT)
    await place.cli('run')
    const before = writes()
    writeFileSync(join(inbox, 'people.csv'), EXPORT)
    expect((await place.cli('run')).stdout).toMatch(/2 unchanged/)
    expect(writes()).toBe(before)
    expect(names('processed').filter((name) => !name.includes('rejects'))).toHaveLength(2)
  })

  it('loses nothing and doubles nothing, wherever connections break', async () => {
    const drop = (turn: number): void => {
      proxy.breakAll()
      proxy.cutAfter(Infinity)
      const people = Array.from(
        { length: 60 },
        (_, index) => `${turn}-${index},p${turn}-${index}@example.org,A,B\n`,
      )
      writeFileSync(join(inbox, 'people.csv'), `no,mail,first,last\n${people.join('')}`)
    }
    drop(0)
    expect((await place.cli('run')).code).toBe(0)
    // As much as the connections of a whole run bring, in so many parts: each is cut once.
    const [whole, parts] = [proxy.passed(), 7]
    for (let turn = 1; turn <= parts; turn += 1) {
      drop(turn)
      proxy.cutAfter((whole * turn) / (parts + 1))
      const { code, stdout } = await place.cli('run')
      expect([turn, code, stdout]).toEqual([turn, 3, expect.stringContaining('sftp://')])
      proxy.cutAfter(Infinity)
      expect((await place.cli('run')).code).toBe(0)
      expect(names()).toEqual(['processed'])
    }
    expect(names('processed')).toHaveLength(parts + 1)
    const sizes = names('processed').map((name) => statSync(join(inbox, 'processed', name)).size)
    expect(Math.min(...sizes)).toBeGreaterThan(1000)
    expect((await place.cli('status')).stdout).toContain(`${(parts + 1) * 60} contacts linked, nothing open`)
    // Two bulks of sixty people.
    expect(writes()).toBe(2 * (parts + 1))
    expect(spooled()).toEqual([])
  }, 120_000)

  it('says that the server cannot be reached, and leaves the file', async () => {
    writeFileSync(join(inbox, 'people.csv'), EXPORT)
    await configure(1)
    await place.write('known_hosts', readFileSync(server.knownHosts, 'utf8').replace(`:${server.port}`, ':1'))
    const { code, stdout } = await place.cli('run')
    expect(code).toBe(3)
    expect(stdout).toMatch(/the server cannot be reached \(ECONNREFUSED\)/)
    expect(stdout).toContain(`sftp://${server.user}@127.0.0.1:1`)
    expect(names()).toEqual(['people.csv'])
  })

  it('refuses a server that it does not know, and one whose key has changed', async () => {
    writeFileSync(join(inbox, 'people.csv'), EXPORT)
    await place.write('known_hosts', '# nobody\n')
    expect((await place.cli('run')).stdout).toMatch(/known_hosts has no key of .* shows ssh-ed25519 SHA256:/)
    const other = 'AAAAC3NzaC1lZDI1NTE5AAAAIBADBADBADBADBADBADBADBADBADBADBADBADBADBADB'
    await place.write('known_hosts', `[127.0.0.1]:${proxy.port} ssh-ed25519 ${other}\n`)
    const { code, stdout } = await place.cli('run')
    expect([code, stdout]).toEqual([3, expect.stringContaining('the key of the server has changed')])
    expect(stdout).toContain('on line 1')
    expect(names()).toEqual(['people.csv'])
  })

  it('refuses a login that the server refuses, and tells no secret', async () => {
    await configure(server.port, 'password_file: password')
    await place.write('password', 'canary-of-a-password\n')
    const { code, stdout, stderr } = await place.cli('run')
    expect([code, stdout]).toEqual([3, expect.stringContaining('the server refuses the user')])
    expect(stdout + stderr + readdirSync(place.folder, { recursive: true }).join()).not.toContain('canary')
  })

  it('gives back what a killed run had taken, and keeps the newer file of its name', async () => {
    mkdirSync(join(inbox, '.taken.20260101-000000-abcdef'))
    writeFileSync(join(inbox, '.taken.20260101-000000-abcdef', 'people.csv'), EXPORT)
    writeFileSync(join(inbox, 'people.csv'), EXPORT.replace('Oak', 'Ash'))
    expect((await place.cli('run')).code).toBe(0)
    expect(names()).toEqual(['processed'])
    const kept = names('processed').filter((name) => !name.includes('rejects'))
    expect(kept).toHaveLength(2)
    rmSync(join(inbox, 'processed'), { recursive: true })
  })

  it('says in the certificate which files could not be reached', async () => {
    writeFileSync(join(inbox, 'people.csv'), EXPORT)
    await place.cli('run')
    await configure(1)
    const { stdout } = await place.cli('audit', 'forget', 'bob@example.org', '--yes')
    expect(stdout).toMatch(/shop: processed.*not searched/s)
    await configure(proxy.port)
    const again = await place.cli('audit', 'forget', 'bob@example.org', '--yes')
    expect(again.code).toBe(0)
    expect(
      names('processed')
        .map((name) => readFileSync(join(inbox, 'processed', name), 'utf8'))
        .join(),
    ).not.toContain('Elm')
  })
})
