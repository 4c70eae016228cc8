// Canaries in every secret of a source: tokens that an interface gives, keys, passwords, what a tap is configured with. The servers
// say them back, and fail; none of them may come out anywhere, nor lie in a file of ours as it is.
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { findCanaries, type Sink } from '../support/canaries.ts'
import { openPlace, type Place } from '../support/in-process.ts'
import { peopleServer, type PeopleServer } from '../support/people-server.ts'

const SECRETS = {
  client: 'qzClient-Secret/+=81',
  refresh: 'qzRefresh0-5a1d',
  nextRefresh: 'qzRefresh1-77c2',
  access: 'qzAccess-19ef',
  bearer: 'qzBearer-c0ffee',
  header: 'qzHeader-4411',
  password: 'qzBasic:Pass/word',
  database: 'qzDatabase&pass%25',
  store: 'qzStore+secret/key=',
  session: 'qzSession-0b7e',
  passphrase: 'qzPass phrase 3',
  tap: 'qzTap-api-key-6d6d',
} as const

const { privateKey } = generateKeyPairSync('ed25519')
const pem = privateKey.export({
  type: 'pkcs8',
  format: 'pem',
  cipher: 'aes-256-cbc',
  passphrase: SECRETS.passphrase,
})
const KEY_LINE = String(pem).split('\n')[1] ?? ''

const TAP = `
import { readFileSync } from 'node:fs'
const { api_key } = JSON.parse(readFileSync(process.argv[process.argv.indexOf('--config') + 1], 'utf8'))
if (process.argv.includes('--discover')) {
  console.log(JSON.stringify({ streams: [{ stream: 'people', tap_stream_id: 'people', schema: { type: 'object', properties: { id: { type: 'string' }, mail: { type: 'string' } } }, metadata: [] }] }))
} else {
  console.error('INFO GET https://crm.example/people?api_key=' + api_key)
  console.log(JSON.stringify({ type: 'SCHEMA', stream: 'people', key_properties: ['id'], schema: { type: 'object', properties: {} } }))
  console.log(JSON.stringify({ type: 'RECORD', stream: 'people', record: { id: '1', mail: 'tap@example.com' } }))
  console.error('CRITICAL 401 for key ' + api_key)
  process.exit(1)
}
`

vi.setConfig({ testTimeout: 60_000 })

let sandbox: Sandbox
let place: Place
let server: PeopleServer
/** What the interfaces do now. */
let mood: 'good' | 'refuses' | 'fails' = 'good'

beforeEach(async () => {
  mood = 'good'
  sandbox = await startSandbox({ port: 0, apiKey: 'key', clock: systemClock })
  server = await peopleServer(({ url, headers, body }) => {
    if (url.pathname === '/token' && mood !== 'fails') {
      const granted = { access_token: SECRETS.access, refresh_token: SECRETS.nextRefresh, expires_in: 3600 }
      return { body: granted }
    }
    // As careless servers do: everything that was sent, in the answer.
    const echo = JSON.stringify({ message: 'no', url: url.href, headers, body })
    if (mood !== 'good')
      return { status: mood === 'refuses' ? 401 : 400, headers: { 'www-authenticate': echo }, body: echo }
    return { body: [{ id: url.pathname, mail: `${url.pathname.slice(1)}@example.com` }] }
  })
  place = await openPlace({ ...environment() })
  await place.write('tap.json', JSON.stringify({ api_key: SECRETS.tap }))
  await place.write('tap.mjs', TAP)
  await place.write('key.pem', String(pem))
  await place.write(
    'known_hosts',
    '[127.0.0.1]:1 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJxtQ2yYlYp4vRrRz0Fq5q5q5q5q5q5q5q5q5q5q5q5\n',
  )
  await place.write('config.yaml', configuration())
})
afterEach(async () => {
  await server.close()
  await sandbox.close()
  await place.close()
})

const environment = (): Record<string, string> =>
  Object.fromEntries(Object.entries(SECRETS).map(([name, value]) => [name.toUpperCase(), value]))

/** JSON is YAML. */
function configuration(): string {
  const http = (path: string, auth: object) => ({
    type: 'http',
    url: `${server.url}/${path}`,
    auth,
    attempts: 1,
  })
  const oauth = {
    token_url: `${server.url}/token`,
    client_id: 'me',
    client_secret: '${CLIENT}',
    refresh_token: '${REFRESH}',
  }
  const store = {
    endpoint: server.url,
    access_key_id: 'AKIATEST',
    secret_access_key: '${STORE}',
    session_token: '${SESSION}',
  }
  const sources = {
    oauth: http('oauth', { oauth2: oauth }),
    bearer: http('bearer', { bearer: '${BEARER}' }),
    header: http('header', { header: { name: 'X-Api-Key', value: '${HEADER}' } }),
    basic: http('basic', { basic: { user: 'me', password: '${PASSWORD}' } }),
    database: {
      type: 'sql',
      url: 'postgres://me@127.0.0.1:1/crm',
      password: '${DATABASE}',
      query: 'select 1 as id',
    },
    bucket: { type: 'csv', folder: 's3://exports/in', remote: store },
    sftp: {
      ...{ type: 'csv', folder: 'sftp://me@127.0.0.1:1/in' },
      remote: { key_file: 'key.pem', passphrase: '${PASSPHRASE}', known_hosts: 'known_hosts' },
    },
    tap: { type: 'singer', command: [process.execPath, 'tap.mjs', '--config', 'tap.json'], stream: 'people' },
  }
  const pipelines = Object.fromEntries(
    Object.entries(sources).map(([name, source]) => [name, { source, key: 'id', map: { mail: 'mail' } }]),
  )
  return JSON.stringify({
    service: { base_url: sandbox.url, api_key: 'key', rate_limit: { requests: 500, per: '1s' } },
    state: { path: 'state/contact-sync.db' },
    log: { level: 'debug', folder: 'logs' },
    pipelines,
  })
}

async function filesIn(folder: string): Promise<Sink[]> {
  const found = await readdir(place.path(folder), { recursive: true, withFileTypes: true })
  return Promise.all(
    found
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name)
        return { name: path.slice(place.folder.length), text: await readFile(path, 'latin1') }
      }),
  )
}

it('no secret of a source comes out, whatever its server does with it', async () => {
  await mkdir(place.path('state'))
  const sinks: Sink[] = []
  const type = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await place.cli(...args)
    sinks.push({ name: `${mood}: ${args.join(' ')} (${code})`, text: stdout + stderr })
    return stdout
  }
  for (const next of ['good', 'refuses', 'fails', 'good'] as const) {
    mood = next
    for (const command of ['check', 'plan', 'run', 'status']) await type(command)
    await type('run', '--json')
    await type('streams', 'tap')
  }
  await type('support-bundle', 'bundle.tar.gz')
  await type('schema')
  const bundle = String(execFileSync('tar', ['-xzOf', place.path('bundle.tar.gz')]))
  const files = [...(await filesIn('state')), ...(await filesIn('logs'))]

  // Otherwise nothing would have been tried.
  const asked = server.asked.map(({ headers, body }) => `${JSON.stringify(headers)}${body}`).join('\n')
  for (const secret of [SECRETS.access, SECRETS.bearer, SECRETS.header, SECRETS.session])
    expect(asked).toContain(secret)
  expect(
    new URLSearchParams(
      asked
        .split('\n')
        .find((one) => one.includes('grant_type'))
        ?.replace(/^.*}/, ''),
    ).get('refresh_token'),
  ).toBe(SECRETS.refresh)
  const text = sinks.map((sink) => sink.text).join('\n')
  for (const name of ['oauth', 'database', 'bucket', 'sftp', 'tap']) expect(text).toContain(name)
  expect(files.map(({ name }) => name)).toContain('/state/contact-sync.db.tokens')
  expect(files.map((file) => file.text).join('')).toContain('message from the tap')

  expect(
    findCanaries(
      [...sinks, ...files, { name: 'bundle', text: bundle }],
      [...Object.values(SECRETS), KEY_LINE],
    ),
  ).toEqual([])
})
