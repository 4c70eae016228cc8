// Several services in one configuration, by the command line: each command is about one account, or about each by turns.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place, type Told } from '../support/in-process.ts'

const KEYS = { NORTH: 'key-of-the-north', SOUTH: 'key-of-the-south' }
const configuration = (north: string, south: string): string => `
accounts:
  north: { service: { base_url: "${north}", api_key: "\${NORTH}", rate_limit: { requests: 500, per: 1s } } }
  south: { service: { base_url: "${south}", api_key: "\${SOUTH}", rate_limit: { requests: 500, per: 1s } } }
state: { path: state/contact-sync.db }
pipelines:
  fjord:
    account: north
    source: { type: csv, folder: inbox/fjord, settle: 0s }
    key: no
    map: { mail: mail, first_name: first }
    terms: { assign: [{ name: Fjord }] }
  oasis:
    account: south
    source: { type: csv, folder: inbox/oasis, settle: 0s }
    key: no
    guards: { max_deletes_per: off }
    map: { mail: mail, first_name: first }
`
const csv = (...rows: string[]): string => ['no,mail,first', ...rows, ''].join('\n')

let sandboxes: { north: Sandbox; south: Sandbox }
let place: Place
beforeEach(async () => {
  const start = async (apiKey: string) => startSandbox({ port: 0, apiKey, habits: {}, clock: systemClock })
  sandboxes = { north: await start(KEYS.NORTH), south: await start(KEYS.SOUTH) }
  place = await openPlace(KEYS)
  await place.write('config.yaml', configuration(sandboxes.north.url, sandboxes.south.url))
  await place.write('inbox/fjord/1.csv', csv('N1,anna@example.com,Anna', 'N2,nils@example.com,Nils'))
  await place.write('inbox/oasis/1.csv', csv('S1,anna@example.com,Amira'))
})
afterEach(async () => {
  await sandboxes.north.close()
  await sandboxes.south.close()
  await place.close()
})

/** The first name of the contact that an account has under an address. */
async function nameOf(account: 'north' | 'south', mail: string): Promise<string | undefined> {
  const { stdout } = await place.cli('contact', mail, '--account', account, '--json')
  return /"first_name":"(\w+)"/.exec(stdout)?.[1]
}

const runsOf = ({ stdout }: Told) =>
  JSON.parse(stdout) as { status: string; pipelines: Record<string, unknown>[] }

describe('a configuration of two accounts', () => {
  it('sends each pipeline to its service, with a state for each', async () => {
    const { code, stdout } = await place.cli('run', '--json')
    expect(code).toBe(0)
    expect(runsOf({ code, stdout, stderr: '' })).toMatchObject({
      status: 'ok',
      pipelines: [
        { account: 'north', pipeline: 'fjord', created: 2 },
        { account: 'south', pipeline: 'oasis', created: 1 },
      ],
    })
    // One address, two persons: none is known to the other account.
    expect(await nameOf('north', 'anna@example.com')).toBe('Anna')
    expect(await nameOf('south', 'anna@example.com')).toBe('Amira')
    expect(existsSync(place.path('state/contact-sync.north.db'))).toBe(true)
    expect(existsSync(place.path('state/contact-sync.south.db'))).toBe(true)
    expect(existsSync(place.path('state/contact-sync.db'))).toBe(false)
  })

  it('shows both one below the other, or the one that is meant', async () => {
    await place.cli('run')
    const { stdout } = await place.cli('status')
    expect(stdout).toMatch(/^account north:\n[^]*fjord[^]*^account south:\n[^]*oasis/m)
    expect((await place.cli('status', 'oasis')).stdout).not.toContain('fjord')
    expect((await place.cli('status', '--account', 'north')).stdout).not.toMatch(/oasis|account/)
    expect(await place.json('status')).toMatchObject({
      pipelines: [
        { account: 'north', pipeline: 'fjord', linked: 2 },
        { account: 'south', pipeline: 'oasis', linked: 1 },
      ],
      accounts: { north: { pause: null }, south: { pause: null } },
    })
    expect(await place.json('audit', 'verify')).toMatchObject({ ok: true })
  })

  it('asks for a name where one account must be meant', async () => {
    const { code, stderr } = await place.cli('terms')
    expect(code).toBe(2)
    expect(stderr).toContain('the configuration has several accounts: north, south')
    expect((await place.cli('terms', '--account', 'nroth')).stderr).toContain('did you mean north?')
    expect((await place.cli('run', 'fjrod')).stderr).toContain('there is no pipeline fjrod')
    await place.cli('run')
    expect((await place.cli('terms', '--account', 'north')).stdout).toContain('Fjord')
    expect((await place.cli('terms', '--account', 'south')).stdout).not.toContain('Fjord')
  })

  it('goes on with the others where the key of one is refused', async () => {
    await place.write(
      'config.yaml',
      configuration(sandboxes.north.url, sandboxes.south.url).replace('${NORTH}', 'a-wrong-key-of-north'),
    )
    const { code, stdout } = await place.cli('run', '--json')
    expect(code).toBe(5)
    expect(runsOf({ code, stdout, stderr: '' })).toMatchObject({
      status: 'failed',
      pipelines: [
        { account: 'north', status: 'failed' },
        { account: 'south', status: 'ok' },
      ],
    })
    expect((await place.cli('check')).stdout).toMatch(/account north: service: .*key/)
  })

  it('finds a run, a person and a held plan in whichever account has them', async () => {
    const { pipelines } = runsOf(await place.cli('run', '--json'))
    const [north, south] = pipelines.map((one) => String(one['run_id']))
    expect((await place.cli('audit', 'run', south ?? '')).stdout).toContain('oasis')
    expect(await place.json('audit', 'run', north ?? '')).not.toHaveProperty('accounts')
    expect((await place.cli('undo', south ?? '', '--delete-created', '--yes')).code).toBe(0)
    expect(await nameOf('south', 'anna@example.com')).toBeUndefined()
    expect(await nameOf('north', 'nils@example.com')).toBe('Nils')
    const both = await place.json('audit', 'show', 'anna@example.com')
    expect(Object.keys(both['accounts'] ?? {})).toEqual(['north', 'south'])
    const none = await place.cli('audit', 'show', 'zoe@example.com')
    expect(none).toMatchObject({ code: 2 })
    expect(none.stderr).toContain('knows no contact zoe@example.com')
  })

  it('erases a person in every account that knows them', async () => {
    await place.cli('run')
    expect((await place.cli('audit', 'forget', 'anna@example.com', '--yes')).code).toBe(0)
    for (const account of ['north', 'south'])
      expect((await place.cli('audit', 'show', 'anna@example.com', '--account', account)).code).toBe(2)
    expect((await place.cli('audit', 'show', 'nils@example.com')).code).toBe(0)
  })
})

describe('a folder as the configuration', () => {
  const piece = (url: string, variable: string, name: string): string => `
service: { base_url: "${url}", api_key: "\${${variable}}", rate_limit: { requests: 500, per: 1s } }
pipelines:
  ${name}:
    source: { type: csv, folder: ../inbox/${name}, settle: 0s }
    key: no
    map: { mail: mail, first_name: first }
`
  beforeEach(async () => {
    await rm(place.path('config.yaml'))
    await place.write(
      'config.yaml/contact-sync.yaml',
      'allow: [outside_paths]\nstate: { path: ../state/sync.db }\n',
    )
    await place.write('config.yaml/north.yaml', piece(sandboxes.north.url, 'NORTH', 'fjord'))
    await place.write('config.yaml/south.yaml', piece(sandboxes.south.url, 'SOUTH', 'oasis'))
  })

  it('is a file for each account', async () => {
    expect(await place.json('run')).toMatchObject({
      status: 'ok',
      pipelines: [
        { account: 'north', created: 2 },
        { account: 'south', created: 1 },
      ],
    })
    expect(existsSync(place.path('state/sync.south.db'))).toBe(true)
    expect((await place.cli('completion', 'pipelines')).stdout).toBe('fjord\noasis\n')
  })

  it('runs the others where a file is broken, and names it everywhere', async () => {
    await place.write(
      'config.yaml/south.yaml',
      piece(sandboxes.south.url, 'SOUTH', 'oasis').replace('map:', 'mop:'),
    )
    const { code, stdout, stderr } = await place.cli('run')
    expect(code).toBe(2)
    expect(stdout).toContain('fjord')
    expect(stderr).toMatch(/south\.yaml:7:5: pipelines\.oasis\.mop: is not a known key; did you mean map\?/)
    expect(stderr).toContain('2 problems in south.yaml; its pipelines are not in use.')
    expect(await place.json('status')).toMatchObject({
      pipelines: [{ pipeline: 'fjord', linked: 2 }],
      broken: [{ file: place.path('config.yaml/south.yaml') }],
    })
    expect((await place.cli('run', 'fjord')).code).toBe(0)
    const check = await place.cli('check')
    expect(check.code).toBe(2)
    expect(check.stdout).toContain('configuration: 1 file not in use: south.yaml')
    expect((await place.cli('terms', '--account', 'north')).code).toBe(0)
  })
})
