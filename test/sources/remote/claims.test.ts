// A file on another machine is processed by one installation: claims before reading, two installations at once, a run that is
// killed with its claim, a claim of one that is gone, and a store that cannot keep claims.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../../src/sandbox/server.ts'
import { systemClock } from '../../../src/system.ts'
import { SOURCE_MAIN } from '../../support/cli.ts'
import { openPlace, type Place } from '../../support/in-process.ts'
import { type S3Server, startS3Server } from '../../support/s3-server.ts'
import { hasSshd, type SftpServer, startSftpServer } from '../../support/sftp-server.ts'

const FILES = 6
/** Without an e-mail address: a second create makes a second contact. */
const people = (file: number): string =>
  `no,first,last,street\n${Array.from({ length: 3 }, (_, row) => `${file}-${row},A,B,Road ${row}\n`).join('')}`

let sandbox: Sandbox
let places: Place[] = []

beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: 'key', clock: systemClock })
})
afterEach(async () => {
  await sandbox.close()
  for (const place of places) await place.close()
  places = []
})

/** An installation with a state of its own. */
async function install(folder: string, remote: string): Promise<Place> {
  const place = await openPlace({})
  places.push(place)
  await place.write(
    'config.yaml',
    `
service: { base_url: "${sandbox.url}", api_key: key, rate_limit: { requests: 500, per: 1s }, retry: { attempts: 1 } }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: "${folder}", settle: 0s, remote: { ${remote}, timeout: 5s } }
    key: no
    map: { first_name: first, family_name: last, ba_street: street, ba_city: { value: Bern }, ba_postal_code: { value: "3000" } }
`,
  )
  return place
}

const created = (): number => sandbox.requests().filter(({ method }) => method !== 'GET').length

async function race(one: Place, other: Place): Promise<void> {
  await Promise.all([one.cli('run'), other.cli('run')])
  // What one of them left because the other had it.
  await one.cli('run')
  await other.cli('run')
}

describe('claims in a bucket', () => {
  let store: S3Server

  beforeEach(async () => {
    store = await startS3Server()
  })
  afterEach(() => store.close())

  const installed = async (more = ''): Promise<Place> => {
    const remote = `endpoint: "${store.url}", access_key_id: ${store.keyId}, secret_access_key_file: secret${more}`
    const place = await install('s3://exports/in', remote)
    await place.write('secret', store.secret)
    return place
  }
  const claims = (): string[] => store.keys().filter((key) => key.startsWith('in/.claims/'))
  const waiting = (): string[] => store.keys().filter((key) => /^in\/[^/]*$/.test(key))

  it.each([[false], [true]])('two installations process each file once (versions: %s)', async (versions) => {
    Object.assign(store.habits, { versions })
    for (let file = 0; file < FILES; file += 1) store.put(`in/${file}.csv`, people(file))
    await race(await installed(), await installed())
    expect(waiting()).toEqual([])
    expect(claims()).toEqual([])
    expect(store.keys()).toHaveLength(FILES)
    expect(created()).toBe(FILES * 3)
    expect(store.everything().join('')).not.toContain('pipeline shop')
  })

  it('what another one has claimed is left, by a plan too, and processed once the claim is deleted', async () => {
    const [one, other] = [await installed(), await installed()]
    store.put('in/a.csv', people(0))
    // It ends between its claim and the end of its reading.
    store.before = (method, key) => {
      if (method === 'GET' && key === 'in/a.csv') store.failAfter(0)
    }
    expect((await one.cli('run')).code).toBe(3)
    store.before = () => undefined
    store.failAfter(Infinity)
    expect(claims()).toEqual(['in/.claims/a.csv'])

    const said = /a\.csv is claimed by \S+, pipeline shop since \S+ \(s3:\/\/exports\/in\/\.claims\/a\.csv\)/
    expect((await other.cli('plan')).stdout).toMatch(said)
    const { code, stdout } = await other.cli('run')
    expect([code, stdout]).toEqual([3, expect.stringMatching(said)])
    expect((await one.cli('plan')).stdout).toMatch(/3 to be created/)
    expect([created(), waiting(), claims()]).toEqual([0, ['in/a.csv'], ['in/.claims/a.csv']])

    rmSync(one.path('state'), { recursive: true })
    expect((await one.cli('run')).stdout).toMatch(said)
    store.remove('in/.claims/a.csv')
    expect((await other.cli('run')).stdout).toMatch(/3 created/)
    expect([created(), waiting(), claims()]).toEqual([3, [], []])
  })

  it.each([
    ['before the file is read', 'GET', 'in/a.csv'],
    ['before it is archived', 'PUT', 'in/processed/'],
    ['before the claim is released', 'DELETE', 'in/.claims/a.csv'],
  ])('a run that is killed %s keeps its file, and the next one goes on', async (_moment, wanted, key) => {
    const [one, other] = [await installed(), await installed()]
    store.put('in/a.csv', people(0))
    const child = spawn(process.execPath, [SOURCE_MAIN, 'run', '--config', one.path('config.yaml')])
    store.before = (method, asked) => {
      if (method === wanted && asked.startsWith(key)) child.kill('SIGKILL')
    }
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
    expect(signal).toBe('SIGKILL')
    store.before = () => undefined
    await other.cli('run')
    await one.cli('run')
    expect(created()).toBe(3)
    expect([waiting(), claims()]).toEqual([[], []])
  })

  it('a claim of its own on a file that is gone is removed by the next run, and no other', async () => {
    const place = await installed()
    let own = ''
    store.put('in/a.csv', people(1))
    store.before = (method, key) => {
      if (method === 'DELETE' && key === 'in/.claims/a.csv') own = store.all(key).join('')
    }
    await place.cli('run')
    const claim = JSON.parse(own) as object
    store.put('in/.claims/own.csv', own)
    store.put('in/.claims/other.csv', JSON.stringify({ ...claim, owner: 'another' }))
    store.put('in/.claims/pipeline.csv', JSON.stringify({ ...claim, pipeline: 'another' }))
    store.put('in/.claims/rubbish.csv', '{')
    store.put('in/rubbish.csv', people(0))
    expect((await place.cli('run')).stdout).toContain('rubbish.csv is claimed by another program')
    expect(claims()).toEqual(['in/.claims/other.csv', 'in/.claims/pipeline.csv', 'in/.claims/rubbish.csv'])
  })

  it('a claim of a pipeline is its own after the pipeline was renamed, while no other one has that name', async () => {
    const place = await installed()
    store.put('in/a.csv', people(0))
    store.before = (method, key) => {
      if (method === 'GET' && key === 'in/a.csv') store.failAfter(0)
    }
    expect((await place.cli('run')).code).toBe(3)
    store.before = () => undefined
    store.failAfter(Infinity)
    expect(claims()).toEqual(['in/.claims/a.csv'])
    const renamed = readFileSync(place.path('config.yaml'), 'utf8').replace('  shop:', '  store:')
    await place.write('config.yaml', renamed)
    expect((await place.cli('state', 'rename-pipeline', 'shop', 'store')).code).toBe(0)
    const another = 'shop: { source: { type: csv, folder: elsewhere }, key: no, map: { mail: mail } }'
    await place.write('config.yaml', `${renamed}  ${another}\n`)
    expect((await place.cli('run', 'store')).stdout).toMatch(/a\.csv is claimed by \S+, pipeline shop/)
    await place.write('config.yaml', renamed)
    expect((await place.cli('plan')).stdout).toMatch(/3 to be created/)
    expect((await place.cli('run')).stdout).toMatch(/3 created/)
    expect([created(), waiting(), claims()]).toEqual([3, [], []])
  })

  it('from a store that overwrites what it must not a file is read with a warning, or left where claims are required', async () => {
    store.habits.conditionalWrite = false
    store.put('in/a.csv', people(0))
    const careful = await installed(', claim: true')
    const { code, stdout } = await careful.cli('run')
    expect([code, stdout]).toEqual([3, expect.stringMatching(/a\.csv cannot be claimed: the store of s3:/)])
    expect(stdout).toContain('remove source.remote.claim')
    expect([created(), store.keys()]).toEqual([0, ['in/a.csv']])
    const told = await (await installed()).cli('run')
    expect([told.code, told.stdout]).toEqual([0, expect.stringMatching(/3 created/)])
    expect(told.stderr).toContain('store keeps no claims')
    expect([waiting(), claims()]).toEqual([[], []])
  })
})

describe.skipIf(!hasSshd)('claims on an SFTP server', () => {
  let server: SftpServer
  let inbox: string

  beforeAll(async () => {
    server = await startSftpServer()
    inbox = join(server.home, 'claims')
    mkdirSync(inbox)
  })
  afterAll(() => server.stop())

  it('two installations process each file once', async () => {
    for (let file = 0; file < FILES; file += 1) writeFileSync(join(inbox, `${file}.csv`), people(file))
    const installed = async (): Promise<Place> => {
      const address = `sftp://${server.user}@127.0.0.1:${server.port}${inbox}`
      const place = await install(address, 'known_hosts: known_hosts, key_file: key')
      await place.write('known_hosts', readFileSync(server.knownHosts, 'utf8'))
      await place.write('key', server.key)
      return place
    }
    await race(await installed(), await installed())
    expect(readdirSync(inbox).sort()).toEqual(['.claims', 'processed'])
    expect(readdirSync(join(inbox, '.claims'))).toEqual([])
    expect(readdirSync(join(inbox, 'processed'))).toHaveLength(FILES)
    expect(created()).toBe(FILES * 3)
  })
})
