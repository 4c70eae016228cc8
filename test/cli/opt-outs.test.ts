// `consents.outbox`: who was found blocked or unsubscribed at the service is told to the source, once for each change.
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { HEADER, testLine } from '../support/line.ts'
import { openTemporaryState } from '../../src/store/state-store.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'opt-out-key'
const configuration = (url: string): string => `
service: { base_url: "${url}", api_key: "\${THE_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
consents: { outbox: outbox }
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 0s }
    key: no
    hand_edits: keep
    map: { mail: mail, first_name: first, mail_status: { column: status } }
    allow_consent_raise: true
`
let sandbox: Sandbox
let place: Place
let files = 0
beforeEach(async () => {
  sandbox = await startSandbox({
    port: 0,
    apiKey: KEY,
    habits: { mailStatusPermission: true },
    clock: systemClock,
  })
  place = await openPlace({ THE_KEY: KEY })
  await place.write('config.yaml', configuration(sandbox.url))
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

async function run(...rows: string[]) {
  await place.write(`inbox/${(files += 1)}.csv`, ['no,mail,first,status', ...rows, ''].join('\n'))
  return place.cli('run')
}

async function setStatus(mail: string, status: number): Promise<void> {
  const { contacts } = (await place.json('contact', mail)) as { contacts: { id: number }[] }
  const answer = await fetch(`${sandbox.url}/public/api/V1/contact/${contacts[0]?.id}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ mail_status: status }),
  })
  expect(answer.status).toBeLessThan(300)
}

/** The lines of all files without their times, in the order of the files. */
async function told(): Promise<string[]> {
  const names = await readdir(place.path('outbox')).catch(() => [])
  const texts = await Promise.all(names.sort().map((name) => readFile(place.path('outbox', name), 'utf8')))
  return texts
    .flatMap((text) => text.trim().split('\n').slice(1))
    .map((line) => line.replace(/"2\d{3}-[^"]*"/, 'T'))
}

it('tells each change of status once, and none that a source has asked for', async () => {
  expect((await run('K1,a@b.example,Ann,', 'K2,c@d.example,Cyd,', 'K3,e@f.example,Eve,2')).code).toBe(0)
  await run('K1,a@b.example,Anna,', 'K2,c@d.example,Cyd,2', 'K3,e@f.example,Eva,2')
  expect(await told()).toEqual([])
  await setStatus('a@b.example', 2)
  const { code, stderr } = await run('K1,a@b.example,Ann,', 'K2,c@d.example,Cy,2')
  expect(code).toBe(0)
  expect(stderr).not.toContain('a@b.example')
  const first = '"a@b.example","2",T,"shop","K1"'
  expect(await told()).toEqual([first])
  await run('K1,a@b.example,Annie,')
  expect(await told()).toEqual([first])
  await setStatus('a@b.example', 7)
  await run('K1,a@b.example,Ann,')
  await setStatus('a@b.example', 1)
  await run('K1,a@b.example,Annie,')
  expect(await told()).toEqual([first, '"a@b.example","1",T,"shop","K1"'])
})

it('keeps what it could not write for the next run, and loses a person who is erased', async () => {
  await run('K1,a@b.example,Ann,', 'K2,c@d.example,Cyd,')
  await setStatus('a@b.example', 2)
  await setStatus('c@d.example', 1)
  await place.write('outbox', 'not a folder')
  const { code } = await run('K1,a@b.example,Anna,', 'K2,c@d.example,Cy,')
  expect(code).toBe(0)
  await rm(place.path('outbox'))
  await mkdir(place.path('outbox'))
  await place.cli('run')
  expect(await told()).toEqual(['"a@b.example","2",T,"shop","K1"', '"c@d.example","1",T,"shop","K2"'])
  expect((await place.cli('audit', 'forget', 'a@b.example', '--yes')).code).toBe(0)
  expect(await told()).toEqual(['"c@d.example","1",T,"shop","K2"'])
})

it('a file keeps its number and its rows until it has been written, whatever is noted meanwhile', async () => {
  const state = openTemporaryState()
  const seen = { mail: 'a@b.example', status: 2, pipeline: 'shop', at: 0, isOurs: false }
  expect(await state.openOptOuts()).toBeUndefined()
  await state.noteStatus({ ...seen, contactId: 1 })
  await state.noteStatus({ ...seen, contactId: 1 })
  await state.noteStatus({ ...seen, contactId: 2, isOurs: true })
  const first = await state.openOptOuts()
  expect(first).toMatchObject({ number: 1, rows: [{ mail: 'a@b.example', status: 2, key: '' }] })
  await state.noteStatus({ ...seen, contactId: 3 })
  expect(await state.openOptOuts()).toEqual(first)
  await state.optOutsWritten(1)
  expect(await state.openOptOuts()).toMatchObject({ number: 2, rows: [{}] })
  await state.optOutsWritten(2)
  expect(await state.openOptOuts()).toBeUndefined()
  await state.close()
})

it('who subscribes again, and leaves again, is told, although a record asked for that status once', async () => {
  const state = openTemporaryState()
  const map = { mail: { column: 'mail' }, mail_status: { column: 'phone' } }
  const line = testLine({ state, pipeline: { map } })
  line.source.drop('1.csv', [[...HEADER], ['K1', 'a@b.example', '', '', '2']])
  await line.run()
  const seen = { contactId: 1, mail: 'a@b.example', pipeline: 'shop', at: 0, isOurs: false }
  await state.noteStatus({ ...seen, status: 2 })
  expect(await state.openOptOuts()).toBeUndefined()
  await state.noteStatus({ ...seen, status: 7 })
  await state.noteStatus({ ...seen, status: 2 })
  expect(await state.openOptOuts()).toMatchObject({ rows: [{ key: 'K1', status: 2 }] })
  await state.close()
})
