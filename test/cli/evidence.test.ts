// Evidence of consents by the command line: what is checked, what a run says, and the proof of one contact in one command.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

let sandbox: Sandbox
let place: Place
const configure = (status: string): Promise<void> =>
  place.write(
    'config.yaml',
    `
service: { base_url: "${sandbox.url}", api_key: key, rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox/shop, settle: 0s }
    key: no
    map: { mail: mail, first_name: first, mail_status: ${status} }
`,
  )
const PROVEN =
  '{ column: status, evidence: { at: { column: agreed, date: dd.MM.yyyy }, source: form, text: words }, require_evidence: true }'

beforeEach(async () => {
  sandbox = await startSandbox({
    port: 0,
    apiKey: 'key',
    habits: { mailStatusPermission: true },
    clock: systemClock,
  })
  place = await openPlace({})
  await configure(PROVEN)
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

const drop = (name: string, ...rows: readonly string[]): Promise<void> =>
  place.write(`inbox/shop/${name}`, ['no,mail,first,status,agreed,form,words', ...rows, ''].join('\n'))

it('is printed with the change that it allowed, and an erasure takes it away', async () => {
  await drop(
    '1.csv',
    'K1,ann@example.com,Ann,7,01.05.2025,fair,"Yes, write to me"',
    'K2,bob@example.com,Bob,7,,,',
  )
  const run = await place.cli('run')
  expect([run.code, run.stderr]).toEqual([
    0,
    expect.stringContaining('consents not raised: no evidence, file 1.csv, lack missing, records 1'),
  ])
  expect((await place.cli('audit', 'show', 'ann@example.com')).stdout).toContain(
    'consent of 2025-05-01, fair: "Yes, write to me"',
  )
  expect((await place.cli('audit', 'show', 'bob@example.com')).stdout).not.toContain('consent of')
  const told = await place.json('contact', 'bob@example.com')
  expect(JSON.stringify(told)).not.toContain('"mail_status":7')
  expect((await place.cli('audit', 'verify')).code).toBe(0)
  expect((await place.cli('audit', 'forget', 'ann@example.com', '--yes')).code).toBe(0)
  expect((await place.cli('audit', 'list', '--json')).stdout).not.toContain('Yes, write to me')
})

it('is only recorded where it is not required', async () => {
  await configure('{ column: status, evidence: { at: agreed } }')
  await drop('1.csv', 'K1,ann@example.com,Ann,7,2025-05-01,,', 'K2,bob@example.com,Bob,7,,,')
  expect((await place.cli('run')).code).toBe(0)
  expect(JSON.stringify(await place.json('contact', 'bob@example.com'))).toContain('"mail_status":7')
  expect((await place.cli('audit', 'show', 'ann@example.com')).stdout).toContain('consent of 2025-05-01')
})

it.each([
  ['{ column: status, require_evidence: true }', 'needs evidence; name its columns'],
  ['{ column: status, evidence: { source: form } }', 'evidence.at'],
])('%s is refused', async (status, message) => {
  await configure(status)
  const { code, stdout } = await place.cli('check')
  expect([code, stdout]).toEqual([2, expect.stringContaining(message)])
})

it('check names evidence that is nowhere to be found, and a rule that never needs any', async () => {
  await drop('1.csv', 'K1,ann@example.com,Ann,7,soon,fair,"Yes"', 'K2,bob@example.com,Bob,4,,,')
  const unproven =
    'warning: pipeline shop: 1.csv: 2 records of the first 2 say mail_status 4 or 7, and none has the evidence that require_evidence asks for, so none would be raised: every column of "agreed", "form", "words" must be filled'
  const said = await place.cli('check')
  expect([said.code, said.stdout]).toEqual([0, expect.stringContaining(unproven)])
  await drop('1.csv', 'K1,ann@example.com,Ann,7,01.05.2025,fair,"Yes"', 'K2,bob@example.com,Bob,4,,,')
  expect((await place.cli('check')).stdout).not.toContain('evidence')
  await drop('1.csv', 'K2,bob@example.com,Bob,3,,,')
  expect((await place.cli('check')).stdout).not.toContain('evidence')
  const vain = 'warning: pipeline shop: require_evidence has no effect'
  for (const [rule, isVain] of [
    ['value: "3"', true],
    ['value: "4"', false],
    ['column: status, lookup: { out: "2" }, otherwise: null', true],
    ['column: status, lookup: { out: "2" }, otherwise: null, default: "4"', false],
  ] as const) {
    await configure(`{ ${rule}, evidence: { at: agreed }, require_evidence: true }`)
    expect((await place.cli('check')).stdout.includes(vain), rule).toBe(isVain)
  }
})

it('a file that lacks its columns is refused', async () => {
  await place.write('inbox/shop/1.csv', 'no,mail,first,status\nK1,ann@example.com,Ann,7\n')
  expect((await place.cli('check')).stdout).toContain('column "agreed" (map.mail_status.evidence.at)')
  const { code, stdout } = await place.cli('run')
  expect([code, stdout]).toEqual([
    3,
    expect.stringContaining('column "agreed" (map.mail_status.evidence.at)'),
  ])
})
