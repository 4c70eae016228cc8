// A person who was erased and is at the service again, or still: seen by a read, reported without the address, erased there by its id.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'erased-key'
const ADA = 'ada@example.com'
let sandbox: Sandbox
let place: Place
beforeEach(async () => {
  sandbox = await startSandbox({
    port: 0,
    apiKey: KEY,
    clock: systemClock,
    habits: { mailLookup: 'secondary' },
  })
  place = await openPlace({ THE_KEY: KEY })
  await place.write(
    'config.yaml',
    `service: { base_url: "${sandbox.url}", api_key: "\${THE_KEY}", rate_limit: { requests: 1000 } }
state: { path: state.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 1ms }
    key: no
    map: { mail: mail, mail2: other, first_name: first }
    duplicate_check_method: email
    hand_edits: keep
    writes: all
  news:
    source: { type: csv, folder: news, settle: 1ms }
    key: no
    map: { mail: mail, first_name: first }
    duplicate_check_method: email
    writes: create
`,
  )
  await place.write(
    'inbox/1.csv',
    `no,mail,other,first\n1,${ADA},ada.private@example.com,Ada\n2,bo@example.com,,Bo\n`,
  )
  await place.write('news/.keep', '')
  expect(await place.cli('run')).toMatchObject({ code: 0 })
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

const call = (method: string, path: string, body?: object) =>
  fetch(`${sandbox.url}/public/api/V1${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const seen = async (): Promise<readonly unknown[]> =>
  (await place.json('status'))['erased_at_service'] as readonly unknown[]

it('a contact that no record has is named by its id, and erased by it', async () => {
  expect((await place.cli('audit', 'forget', ADA, '--yes')).code).toBe(0)
  expect(await seen()).toEqual([])
  await place.write('news/1.csv', 'no,mail,first\n9,ada.private@example.com,Else\n')
  const ran = await place.cli('run', 'news')
  expect(ran.code).toBe(0)
  expect(ran.stdout + ran.stderr).toContain('erased person at the service again, contact_id 1')
  expect(ran.stdout + ran.stderr).not.toContain(ADA)
  expect(await seen()).toEqual([
    expect.objectContaining({
      contact_id: 1,
      linked: false,
      print: expect.stringMatching(/^[0-9a-f]+$/) as string,
    }),
  ])
  const said = (await place.cli('status')).stdout.replaceAll(/\s+/g, ' ')
  expect(said).toContain('To erase it there: contact-sync audit forget id:1 --at-service delete')

  const left = await place.cli('audit', 'forget', 'id:1', '--yes')
  expect([left.code, await seen()]).toEqual([0, [expect.anything()]])
  const deleted = await place.cli('audit', 'forget', 'id:1', '--at-service', 'delete', '--yes')
  expect(deleted.stdout).toContain('this person was erased before')
  expect(deleted.stdout).toContain('contact 1 at the service: looked up afterwards, and not there')
  expect((await call('GET', '/contact/1')).status).toBe(404)
  expect(await seen()).toEqual([])
})

it('a contact of another person is never named for erasure', async () => {
  await place.cli('audit', 'forget', ADA, '--at-service', 'delete', '--yes')
  await call('PUT', '/contact/2', { mail: ADA })
  const looked = await place.cli('drift', 'shop', '--all')
  expect(looked.stderr).toContain(
    'contact 2 at the service: with the e-mail address of a person who was erased',
  )
  expect(await seen()).toEqual([])
  await place.write('inbox/2.csv', 'no,mail,other,first\n2,bo@example.com,,Bob\n')
  expect((await place.cli('run', 'shop')).code).toBe(0)
  expect(await seen()).toEqual([expect.objectContaining({ contact_id: 2, linked: true })])
  const said = (await place.cli('status')).stdout.replaceAll(/\s+/g, ' ')
  expect(said).toContain('A record of another person has the contact: correct its address there.')
  expect(said).not.toContain('audit forget id:2')
  // The erased address leads to no contact that is another person's.
  await place.cli('audit', 'forget', ADA, '--at-service', 'delete', '--yes')
  expect((await call('GET', '/contact/2')).status).toBe(200)

  await call('PUT', '/contact/2', { mail: 'bo@example.com' })
  await place.write('inbox/3.csv', 'no,mail,other,first\n2,bo@example.com,,Bobby\n')
  await place.cli('run', 'shop')
  expect(await seen()).toEqual([])
})

it('who may come again is reported no more', async () => {
  await place.cli('audit', 'forget', ADA, '--yes')
  await place.write('news/1.csv', 'no,mail,first\n9,ada.private@example.com,Else\n')
  await place.cli('run', 'news')
  expect(await seen()).toHaveLength(1)
  expect((await place.cli('audit', 'forget', ADA, '--readmit', '--yes')).code).toBe(0)
  expect(await seen()).toEqual([])
})

it('where no one was erased, nothing more is asked for', async () => {
  const from = sandbox.requests().length
  await place.write('inbox/2.csv', 'no,mail,other,first\n2,bo@example.com,,Bob\n')
  await place.cli('run', 'shop')
  const asked = sandbox
    .requests()
    .slice(from)
    .filter(({ method }) => method === 'GET')
  expect(asked.length).toBeGreaterThan(0)
  expect(asked.every(({ query }) => !decodeURIComponent(query).includes('mail'))).toBe(true)
})
