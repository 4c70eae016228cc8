// `state forget-date-order`: a source that has changed the order of day and month permanently.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'forget-date-order-key'
const configuration = (url: string): string => `
service: { base_url: "${url}", api_key: "\${THE_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 0s }
    key: no
    map: { mail: mail, date_of_birth: { column: Birthday, date: auto } }
`
const csv = (number: number, born: string): string =>
  ['no,mail,Birthday', `K${number},p${number}@example.com,${born}`, ''].join('\n')

let sandbox: Sandbox
let place: Place
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  place = await openPlace({ THE_KEY: KEY })
  await place.write('config.yaml', configuration(sandbox.url))
  await place.write('inbox/1.csv', csv(1, '31/12/1980'))
  expect((await place.cli('run')).code).toBe(0)
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

it('the file that is held names the command, and is taken after it', async () => {
  await place.write('inbox/2.csv', csv(2, '12/31/1980'))
  const held = await place.cli('run')
  expect(held.code).toBe(4)
  expect(held.stdout).toContain('contact-sync state forget-date-order PIPELINE COLUMN')
  const unasked = await place.cli('state', 'forget-date-order', 'shop', 'Birthday')
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--yes')])
  const forgotten = await place.cli('state', 'forget-date-order', 'shop', 'Birthday', '--yes')
  expect(forgotten).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Birthday: day first in dates with /') as string,
  })
  await place.write('inbox/2.csv', csv(2, '12/31/1980'))
  expect(await place.json('run')).toMatchObject({ pipelines: [{ created: 1 }] })
  const log = await place.json('audit', 'list', '--action', 'forget_order')
  expect(JSON.stringify(log)).toContain('the order of day and month is forgotten for: Birthday')
})

it('says what is kept where the column has nothing, and has the same as JSON for all columns', async () => {
  const wrong = await place.cli('state', 'forget-date-order', 'shop', 'Geburtstag', '--yes')
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Kept for: Birthday')])
  expect(await place.json('state', 'forget-date-order', 'shop', '--yes')).toEqual({
    pipeline: 'shop',
    forgotten: { Birthday: { '/': 'day' } },
  })
  const none = await place.cli('state', 'forget-date-order', 'shop', '--yes')
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('No column has one')])
  expect((await place.cli('state', 'forget-date-order', 'other', '--yes')).code).toBe(2)
})
