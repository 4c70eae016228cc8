// `plan --offline`: state and files alone. No connection is opened, no key is needed, and what cannot be known is said.
import { Socket } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'plan-offline-key'

const configuration = (url: string, map = '', terms = '') => `
service: { base_url: "${url}", api_key: "\${THE_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 0s }
    key: no
    map: { mail: mail, phone: phone${map} }
    terms: { assign: [{ column: tags, split: "," }]${terms} }
`
const csv = (phone: string, tags: string): string =>
  ['no,mail,phone,tags,shoes', `K1,a@example.com,${phone},"${tags}",42`, ''].join('\n')

let sandbox: Sandbox
let place: Place
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  place = await openPlace({ THE_KEY: KEY })
  await place.write('config.yaml', configuration(sandbox.url))
  await place.write('inbox/1.csv', csv('030 1', 'a'))
  expect((await place.cli('run')).code).toBe(0)
  await place.write('inbox/2.csv', csv('040 1', 'a,b'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await sandbox.close()
  await place.close()
})

const planned = async (...args: string[]) => {
  const { pipelines } = (await place.json('plan', ...args)) as { pipelines: Record<string, unknown>[] }
  return pipelines[0] ?? {}
}

it('plans the same changes as with the service, without a connection', async () => {
  const asked = await planned()
  const connect = vi.spyOn(Socket.prototype, 'connect')
  const offline = await planned('--offline')
  expect(connect).not.toHaveBeenCalled()
  expect(offline).toMatchObject({ offline: true, unknown: ['terms'], terms_created: null, updated: 1 })
  expect(offline['changes']).toEqual(asked['changes'])
  expect(asked).toMatchObject({ terms_created: 1 })
  expect(asked).not.toHaveProperty('offline')
})

it('needs neither a service nor its key, and says so in each form', async () => {
  await sandbox.close()
  const without = await openPlace()
  try {
    await without.write('config.yaml', configuration('http://127.0.0.1:9'))
    await without.write('inbox/1.csv', csv('030 1', 'a'))
    expect((await without.cli('plan')).code).toBe(2)
    const { code, stdout } = await without.cli('plan', '--offline', '--markdown', 'plan.md')
    expect(code).toBe(0)
    expect(stdout).toContain('1 to be created')
    expect(stdout).toContain('offline: the service was not asked')
    expect(stdout).toContain('not known: which terms it has')
  } finally {
    await without.close()
    sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  }
})

it('takes the definitions of custom fields from the state, and leaves out what no run has seen', async () => {
  await place.write(
    'config.yaml',
    configuration(sandbox.url, ', custom_fields: { shoes: { column: shoes } }'),
  )
  expect(await planned('--offline')).toMatchObject({
    unknown: ['custom_fields.shoes', 'terms'],
    by_field: { phone: 1 },
  })
  expect((await place.cli('plan', '--offline')).stdout).toContain('the custom fields shoes, which no run')
})

it('rejects nothing for a term that only the service knows', async () => {
  await place.write('config.yaml', configuration(sandbox.url, '', ', create_missing: false'))
  expect(await planned()).toMatchObject({ rejected: 1 })
  expect(await planned('--offline')).toMatchObject({ rejected: 0, updated: 1 })
})
