// Who decides: a user of server.users who shows their token, or the user of the system.
import { userInfo } from 'node:os'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPlace, type Place } from '../support/in-process.ts'

const TOKENS = { anna: 'a'.repeat(32), otto: 'o'.repeat(32) }
const CONFIGURATION = `
service: { base_url: "http://127.0.0.1:1", api_key: key }
state: { path: state.db }
server:
  users:
    - { name: anna, token: "${TOKENS.anna}", role: operator }
    - { name: otto, token: "${TOKENS.otto}", role: viewer }
pipelines:
  shop:
    source: { type: csv, folder: inbox }
    key: no
    map: { mail: mail }
`

let place: Place
const env: Record<string, string> = {}
beforeEach(async () => {
  place = await openPlace(env)
  await place.write('inbox/.keep', '')
  await place.write('config.yaml', CONFIGURATION)
})
afterEach(async () => {
  delete env['CONTACT_SYNC_USER_TOKEN']
  await place.close()
})

const entries = async (): Promise<readonly Record<string, unknown>[]> =>
  (await place.json('audit', 'list'))['entries'] as Record<string, unknown>[]

it('is the user of the system where no name is given', async () => {
  expect(await place.cli('pause', 'shop', '--note', 'because')).toMatchObject({ code: 0 })
  expect(await entries()).toMatchObject([
    { action: 'pause', pipeline: 'shop', by: userInfo().username, note: 'because' },
  ])
})

it('is the user whose token is in the environment', async () => {
  env['CONTACT_SYNC_USER_TOKEN'] = TOKENS.anna
  expect(await place.cli('pause', '--by', 'anna', '--reason', 'because')).toMatchObject({ code: 0 })
  expect(await entries()).toMatchObject([{ by: 'anna', role: 'operator', note: 'because' }])
  expect((await place.cli('audit', 'list')).stdout).toContain('by anna (operator); note: because')
  expect((await place.cli('audit', 'verify')).code).toBe(0)
})

it('types the token where no variable has it', async () => {
  expect(await place.cliAnswering([TOKENS.anna], 'pause', '--by', 'anna')).toMatchObject({ code: 0 })
  expect(await entries()).toMatchObject([{ by: 'anna' }])
})

it('ends as by a signal where Ctrl-C is typed for the token, and nothing is done', async () => {
  const told = await place.cliInterrupted('pause', '--by', 'anna')
  expect(told).toMatchObject({
    code: 130,
    stderr: expect.stringContaining('interrupted, not done') as string,
  })
  expect((await place.json('status'))['pipelines']).toMatchObject([{ paused: null }])
})

describe('is refused, and nothing is done', () => {
  it.each([
    ['without a token', '', ['--by', 'anna'], 'the token of anna is missing'],
    ['with a token of another user', TOKENS.otto, ['--by', 'anna'], 'that is not the token of anna'],
    ['as one who is not configured', TOKENS.anna, ['--by', 'ana'], 'server.users has no ana'],
    ['as a viewer', TOKENS.otto, ['--by', 'otto'], 'otto is a viewer and decides nothing'],
  ])('%s', async (_, token, options, text) => {
    if (token !== '') env['CONTACT_SYNC_USER_TOKEN'] = token
    const told = await place.cli('pause', ...options)
    expect(told).toMatchObject({ code: 2, stderr: expect.stringContaining(text) as string })
    for (const secret of Object.values(TOKENS)) expect(told.stderr).not.toContain(secret)
    expect((await place.json('status'))['pipelines']).toMatchObject([{ paused: null }])
  })
})

it('is refused for an account that is not open to the user', async () => {
  const service = '{ base_url: "http://127.0.0.1:1", api_key: key }'
  const accounts = `accounts: { south: { service: ${service}, users: [otto] } }\n`
  const moved = CONFIGURATION.replace(/^service: .*$/m, '').replace(
    '  shop:\n',
    '  shop:\n    account: south\n',
  )
  await place.write('config.yaml', accounts + moved)
  env['CONTACT_SYNC_USER_TOKEN'] = TOKENS.anna
  const told = await place.cli('pause', 'shop', '--by', 'anna')
  expect(told).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('account south has no user anna') as string,
  })
})
