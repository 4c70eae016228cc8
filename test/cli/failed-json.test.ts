// Commands that end without a result: standard output still is one JSON document where that was asked for.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openPlace, type Place } from '../support/in-process.ts'

let place: Place
beforeEach(async () => {
  place = await openPlace({})
  await place.write(
    'config.yaml',
    `service: { base_url: http://127.0.0.1:1, api_key: "\${NO_SUCH_KEY:-key}", retry: { attempts: 1 } }
state: { path: state.db }
pipelines:
  shop: { source: { type: csv, folder: inbox }, key: no, map: { mail: mail } }
`,
  )
})
afterEach(() => place.close())

it.each([
  [['run', 'nosuch'], 2, 'USAGE', /nosuch/],
  [['held', 'release', 'nosuch'], 2, 'USAGE', /nosuch|no state/],
  [['audit', 'verify'], 2, 'USAGE', /no state/],
  [['run', '--nosuch'], 2, 'USAGE', /^unknown option '--nosuch'/],
  [['audit', 'show', '--limit', 'x'], 2, 'USAGE', /--limit/],
])('%j', async (words, exit, code, error) => {
  const { code: ended, stdout, stderr } = await place.cli(...words, '--json')
  expect(ended).toBe(exit)
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'failed',
    code,
    error: expect.stringMatching(error) as string,
    hint: expect.stringMatching(/./) as string,
  })
  expect(stderr).toMatch(error.source.startsWith('^') ? new RegExp(error.source.slice(1)) : error)
})

it('problems of the configuration, each on a line', async () => {
  await place.write('config.yaml', 'service: {}\npipelines: 3\n')
  const { code, stdout } = await place.cli('run', '--json')
  expect(code).toBe(2)
  const { error, ...rest } = JSON.parse(stdout) as { error: string }
  expect(rest).toEqual({ status: 'failed', code: 'CONFIG_INVALID', hint: 'Nothing was done.' })
  expect(error.split('\n').length).toBeGreaterThan(1)
  expect(error).toContain('config.yaml:1:')
})

it('what a command says itself', async () => {
  const { code, stdout, stderr } = await place.cli('terms', '--json')
  expect(code).toBe(5)
  const { error, ...rest } = JSON.parse(stdout) as { error: string }
  expect(rest).toEqual({ status: 'failed' })
  expect(error).toContain('ECONNREFUSED')
  expect(stderr.trim()).toBe(error)
})

it('what is the matter with each of several accounts', async () => {
  const service = '{ base_url: http://127.0.0.1:1, api_key: "${NO_SUCH_KEY:-key}" }'
  const of = (account: string): string =>
    `\n  ${account}-people: { account: ${account}, source: { type: csv, folder: ${account} }, key: no, map: { mail: mail } }`
  await place.write(
    'config.yaml',
    `accounts: { north: { service: ${service} }, south: { service: ${service} } }
state: { path: state.db }
pipelines:${of('north')}${of('south')}
`,
  )
  const { code, stdout } = await place.cli('audit', 'verify', '--json')
  expect(code).toBe(2)
  const { status, error } = JSON.parse(stdout) as { status: string; error: string }
  expect(status).toBe('failed')
  expect(error).toMatch(/account north: .*no state[^]*account south: .*no state/)
})

it('nothing on standard output without --json', async () => {
  expect(await place.cli('run', 'nosuch')).toMatchObject({ code: 2, stdout: '' })
  expect(await place.cli('run', '--nosuch')).toMatchObject({ code: 2, stdout: '' })
})
