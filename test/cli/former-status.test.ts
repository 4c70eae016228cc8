// A person unsubscribes at the service, is missing in an export, and comes back: by the command line, at services that remember
// the status of an address whose contact is deleted, and at services that forget it.
import { afterEach, expect, it } from 'vitest'
import { habitsOf } from '../../src/sandbox/habit-text.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'former-key'
const WITH = 'no,mail,first,news\n1,ada@example.com,Ada,4\n2,bo@example.com,Bo,4\n'
const WITHOUT = 'no,mail,first,news\n2,bo@example.com,Bo,4\n'
let sandbox: Sandbox
let place: Place
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

async function open(habits: readonly string[], service = ''): Promise<void> {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, clock: systemClock, habits: habitsOf(habits) })
  place = await openPlace({ THE_KEY: KEY })
  await place.write(
    'config.yaml',
    `service: { base_url: "${sandbox.url}", api_key: "\${THE_KEY}", rate_limit: { requests: 1000 }${service} }
state: { path: state.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 1ms }
    mode: full
    on_missing: delete
    guards: { max_deletes: 100%, max_deletes_per: off, hold_first_deletes: false }
    key: no
    map: { mail: mail, first_name: first, mail_status: news }
    duplicate_check_method: email
`,
  )
}

const call = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
  const answer = await fetch(`${sandbox.url}/public/api/V1${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return (await answer.json()) as Record<string, unknown>
}

/** The contact's status after it was unsubscribed there, deleted, and created again; and what the last run said. */
async function comesBack(): Promise<{ status: unknown; said: string; deleting: readonly string[] }> {
  await place.write('inbox/1.csv', WITH)
  expect(await place.cli('run')).toMatchObject({ code: 0 })
  await call('PUT', '/contact/1', { mail_status: 2 })
  const from = sandbox.requests().length
  await place.write('inbox/2.csv', WITHOUT)
  expect(await place.cli('run')).toMatchObject({ code: 0 })
  const deleting = sandbox
    .requests()
    .slice(from)
    .map(({ method }) => method)
  await place.write('inbox/3.csv', WITH)
  const { stdout, stderr } = await place.cli('run')
  const [status, ...others] = await statusesOfAda()
  expect(others).toEqual([])
  return { status, said: stdout + stderr, deleting }
}

async function statusesOfAda(): Promise<readonly unknown[]> {
  const found = await call('GET', '/contact/ada%40example.com?fields=mail_status')
  return (found as unknown as { mail_status: unknown }[]).map(({ mail_status: status }) => status)
}

const OF_ADDRESS = 'mail_status 1 or 2 of a deleted contact stands again, records 1'

it('a service that forgets: the status is read before the delete, and goes with the create', async () => {
  await open(['mail-status-permission'])
  const { status, said, deleting } = await comesBack()
  expect([status, deleting]).toEqual([2, ['GET', 'DELETE']])
  expect(said).toContain(OF_ADDRESS)
})

it('a service that remembers, of which nothing is known: the same', async () => {
  await open(['mail-status-permission', 'status-after-delete=remembered'])
  const { status, said } = await comesBack()
  expect(status).toBe(2)
  expect(said).toContain(OF_ADDRESS)
})

it('a service that remembers, by its profile: it is left to the service', async () => {
  await open(['mail-status-permission', 'status-after-delete=remembered'], ', profile: service.yaml')
  await place.write('service.yaml', 'status_after_delete: remembered\n')
  const { status, said, deleting } = await comesBack()
  expect([status, deleting]).toEqual([2, ['DELETE']])
  expect(said).not.toContain(OF_ADDRESS)
})

it.each(['delete', 'blank'])(
  'an erasure at the service (%s), after which the person is admitted again',
  async (did) => {
    await open(['mail-status-permission'])
    await place.write('inbox/1.csv', WITH)
    await place.cli('run')
    await call('PUT', '/contact/1', { mail_status: 2 })
    await place.cli('audit', 'forget', 'ada@example.com', '--at-service', did, '--yes')
    expect((await place.cli('audit', 'forget', 'ada@example.com', '--readmit', '--yes')).code).toBe(0)
    await place.write('inbox/2.csv', WITH)
    expect((await place.cli('run')).stdout).not.toContain('erased by request')
    expect(await statusesOfAda()).toEqual([2])
  },
)
