// What operators have decided and the next run is to send, as the daemon sees it: there after each decision, gone after the run.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { openState } from '../../src/store/state-store.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'left-by-decisions-key'
const configuration = (url: string): string => `
service: { base_url: "${url}", api_key: "\${THE_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 0s }
    key: no
    hand_edits: ask
    guards: { max_changes: 1, brake: { terms: [Newsletter], above: 1, first: 1, watch: 1h, stop_when: {} } }
    terms: { assign: [{ column: tags }] }
    map: { mail: mail, first_name: first }
  staff:
    source: { type: csv, folder: staff, settle: 0s }
    key: no
    duplicate_check_method: none
    # Without an e-mail address no look-up settles a doubt.
    map: { first_name: first, family_name: last, ba_street: street, ba_city: city, ba_postal_code: code }
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

const rows = (first: string, tags = ''): string =>
  `no,mail,first,tags\nK1,anna@example.com,${first},${tags}\nK2,bert@example.com,${first},${tags}\n`

async function left(pipeline = 'shop'): Promise<string> {
  const state = openState({ path: place.path('state.db') }, { pid: 1, since: 0, thorough: false })
  try {
    return await state.leftByDecisions(pipeline)
  } finally {
    await state.close()
  }
}

async function heldRun(): Promise<string> {
  const { held } = (await place.json('held', 'list')) as { held: { run_id: string }[] }
  return held[0]?.run_id ?? ''
}

/** What a decision left; the run that follows sends it. */
async function decided(...command: string[]): Promise<string> {
  expect(await left()).toBe('')
  expect((await place.cli(...command)).code).toBe(0)
  const now = await left()
  expect(now).not.toBe('')
  await place.cli('run')
  expect(await left()).toBe('')
  return now
}

it('is what was released, granted, corrected and let go', async () => {
  await place.write('inbox/1.csv', rows('Anna'))
  await place.cli('run')
  await decided('held', 'release', await heldRun())
  // Both are the first of their kind, and one may follow the other within a minute.
  const corrected = await decided('correct', 'shop', 'K1', 'first_name=Ann')
  await fetch(`${sandbox.url}/public/api/V1/contact/2`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ first_name: 'Berta' }),
  })
  await place.write('inbox/2.csv', `no,mail,first,tags\nK2,bert@example.com,Bob,\n`)
  await place.cli('run')
  expect(await decided('edits', 'release', 'shop', 'K2')).not.toBe(corrected)
  await place.write('inbox/3.csv', rows('Anna', 'Newsletter'))
  await place.cli('run')
  await decided('held', 'release', await heldRun())
})

it('is a doubt that was resolved as not done', async () => {
  await place.write('staff/1.csv', 'no,first,last,street,city,code\nS1,Anna,Adler,Hauptstr. 1,Bonn,53111\n')
  sandbox.control.faults.add({ match: 'POST *', next: 1, do: 'lost', ms: 0 })
  await place.cli('run', 'staff')
  const { doubts } = (await place.json('doubts', 'list')) as { doubts: { id: number }[] }
  expect(await left('staff')).toBe('')
  await place.cli('doubts', 'resolve', String(doubts[0]?.id), '--as', 'not-done')
  expect(await left('staff')).not.toBe('')
  await place.cli('run', 'staff')
  expect(await left('staff')).toBe('')
})
