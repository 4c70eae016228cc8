// What an operator says of a create in doubt: the sync log claims no more of it than of one that was answered.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../../src/sandbox/server.ts'
import { systemClock } from '../../../src/system.ts'
import { openPlace, type Place } from '../../support/in-process.ts'

const KEY = 'doubts-of-people-key'
// Without an e-mail address no look-up settles a doubt.
const MAP =
  'map: { first_name: first, family_name: last, ba_street: street, ba_city: city, ba_postal_code: code, phone: phone }'
const configuration = (url: string): string => `
service: { base_url: "${url}", api_key: "\${THE_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state.db }
pipelines:
  crm:
    source: { type: csv, folder: crm, settle: 0s }
    key: no
    duplicate_check_method: auto
    ${MAP}
  shop:
    source: { type: csv, folder: shop, settle: 0s }
    key: no
    duplicate_check_method: auto
    duplicate_merge_method: add
    ${MAP}
`

let sandbox: Sandbox
let place: Place
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  place = await openPlace({ THE_KEY: KEY })
  await place.write('config.yaml', configuration(sandbox.url))
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

const rows = (no: string, phone: string): string =>
  `no,first,last,street,city,code,phone\n${no},Anna,Adler,Hauptstr. 1,Bonn,53111,${phone}\n`

it('done, where the contact of another pipeline kept what it had: the log does not claim it', async () => {
  await place.write('crm/1.csv', rows('C1', '111'))
  await place.cli('run', 'crm')
  await place.write('shop/1.csv', rows('S1', '222'))
  sandbox.control.faults.add({ match: 'POST *', next: 1, do: 'lost', ms: 0 })
  expect((await place.cli('run', 'shop')).code).toBe(3)
  const { doubts } = (await place.json('doubts', 'list')) as { doubts: { id: number }[] }
  const id = String(doubts[0]?.id)
  expect((await place.cli('doubts', 'resolve', id, '--as', 'done', '--contact-id', '1')).code).toBe(0)
  const { entries } = (await place.json('audit', 'list')) as {
    entries: { key: string; outcome: string; by: string | null; fields: Record<string, unknown> }[]
  }
  const said = entries.filter(({ key, outcome }) => key === 'S1' && outcome !== 'in_doubt')
  expect(said.map(({ outcome, fields }) => [outcome, fields['phone']])).toEqual([
    ['unchanged', { from: '111', to: '222' }],
    ['done', undefined],
  ])
})
