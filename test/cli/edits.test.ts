// `edits`: what a user changed at the service, as an admin sees it and lets it go.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'edits-key'
const configuration = (url: string): string => `
service: { base_url: "${url}", api_key: "\${THE_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 0s }
    key: no
    hand_edits: keep
    map: { mail: mail, first_name: first, phone: phone }
`
const csv = (first: string, phone: string): string =>
  ['no,mail,first,phone', `K1,anna@example.com,${first},${phone}`, ''].join('\n')

let sandbox: Sandbox
let place: Place
let id = 0
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  place = await openPlace({ THE_KEY: KEY })
  await place.write('config.yaml', configuration(sandbox.url))
  await place.write('inbox/1.csv', csv('Anna', '1'))
  expect((await place.cli('run')).code).toBe(0)
  const shown = (await place.json('contact', 'anna@example.com')) as {
    contacts?: { id: number }[]
    id?: number
  }
  id = shown.contacts?.[0]?.id ?? shown.id ?? 0
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
async function editAtService(fields: Record<string, string>): Promise<void> {
  const answer = await fetch(`${sandbox.url}/public/api/V1/contact/${id}`, {
    method: 'PUT',
    headers,
    body: JSON.stringify(fields),
  })
  expect(answer.status).toBeLessThan(300)
}

it('leaves the records of other links what they are after a release', async () => {
  const two = (phone: string): string => `${csv('Anna', phone)}K2,bert@example.com,Bert,5\n`
  await place.write('inbox/2.csv', two('1'))
  expect((await place.cli('run')).code).toBe(0)
  await editAtService({ phone: '99' })
  await place.write('inbox/3.csv', two('2'))
  await place.cli('run')
  await place.cli('edits', 'release', 'shop', 'K1')
  expect((await place.cli('run')).code).toBe(0)
  // What was sent without a record leaves no fingerprint: the next one of the walk must not be taken for it.
  await place.write('inbox/4.csv', two('2'))
  expect(await place.json('run')).toMatchObject({
    pipelines: [{ read: 2, unchanged: 2, rejected: 0 }],
  })
})

it('a plan ends a released edit by the record of a file, as a run does', async () => {
  await editAtService({ phone: '99' })
  await place.write('inbox/2.csv', csv('Anna', '2'))
  await place.cli('run')
  await place.cli('edits', 'release', 'shop', 'K1')
  await place.write('inbox/3.csv', csv('Anna', '3'))
  const counts = { read: 1, updated: 1, kept_edits: 0 }
  const plan = (await place.json('plan')) as { pipelines: { changes: unknown[] }[] }
  expect(plan).toMatchObject({ pipelines: [counts] })
  // It does not go back to what the source wanted while the edit was kept.
  expect(plan.pipelines[0]?.changes).toMatchObject([{ fields: { phone: { from: '1', to: '3' } } }])
  expect(await place.json('run')).toMatchObject({ pipelines: [counts] })
})

it('lists what was edited, with all three values, and sends what the source wants once it is released', async () => {
  await editAtService({ phone: '99' })
  await place.write('inbox/2.csv', csv('Anne', '2'))
  const plan = await place.cli('plan')
  expect(plan.stdout).toContain('phone: "99" -> "2" (edited at the service, stays)')
  expect(await place.json('plan')).toMatchObject({ pipelines: [{ kept_edits: 1 }] })
  expect(await place.json('plan', '--offline')).toMatchObject({ pipelines: [{ kept_edits: null }] })
  const run = await place.cli('run')
  expect(run.code).toBe(0)
  expect(run.stdout).toContain('1 field left as edited at the service: contact-sync edits list shop')
  const edit = {
    pipeline: 'shop',
    key: 'K1',
    contact_id: id,
    field: 'phone',
    sent: '1',
    service: '99',
    source: '2',
  }
  expect(await place.json('edits', 'list')).toEqual({
    edits: [{ ...edit, since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string }],
  })
  const list = await place.cli('edits', 'list', 'shop')
  expect(list.stdout).toMatch(
    /^shop: 1 field edited at the service\n {2}K1 \(contact \d+\) phone: "99" at the service since [\d-]+, last sent "1", the source wants "2"\n$/,
  )
  expect(list.stderr).toContain('contact-sync edits release PIPELINE KEY')
  const explained = await place.cli('explain', 'shop', 'K1')
  expect(explained.stdout).toContain(
    'note: edited at the service, which shows "99": hand_edits: keep leaves it; the source wants "2"',
  )
  const wrong = await place.cli('edits', 'release', 'shop', 'K1', '--field', 'fax')
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('no edit of fax of record K1 is open in shop'),
  ])
  const unknown = await place.cli('edits', 'release', 'shopp', 'K1')
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('shop')])
  const released = await place.cli('edits', 'release', 'shop', 'K1')
  expect([released.code, released.stdout]).toEqual([
    0,
    'phone of record K1 released; the next run of shop sends what the source wants\n',
  ])
  expect(await place.json('run')).toMatchObject({ pipelines: [{ updated: 1, kept_edits: 0 }] })
  expect(await place.json('edits', 'list')).toEqual({ edits: [] })
  expect(JSON.stringify(await place.json('contact', 'anna@example.com'))).toContain('"2"')
  const log = JSON.stringify(await place.json('audit', 'list', '--action', 'release'))
  expect(log).toContain('values edited at the service may be overwritten')
})

it('under overwrite from now on: a newer file counts, and not what the source wanted while the edit was kept', async () => {
  await editAtService({ phone: '99' })
  await place.write('inbox/2.csv', csv('Anna', '2'))
  await place.cli('run')
  await place.write('config.yaml', configuration(sandbox.url).replace('edits: keep', 'edits: overwrite'))
  await place.write('inbox/3.csv', csv('Anna', '3'))
  const counts = { read: 1, updated: 1 }
  const changes = [{ fields: { phone: { from: '1', to: '3' } } }]
  expect(await place.json('plan')).toMatchObject({ pipelines: [{ ...counts, changes }] })
  expect(await place.json('run')).toMatchObject({ pipelines: [counts] })
  expect((await place.cli('contact', 'anna@example.com')).stdout).toMatch(/phone +3\n/)
  expect(await place.json('edits', 'list')).toEqual({ edits: [] })
})

it('forgets what was edited with the person', async () => {
  await editAtService({ phone: '99' })
  await place.write('inbox/2.csv', csv('Anna', '2'))
  await place.cli('run')
  expect(await place.json('edits', 'list')).toMatchObject({ edits: [{}] })
  expect((await place.cli('audit', 'forget', `id:${id}`, '--yes')).code).toBe(0)
  expect(await place.json('edits', 'list')).toEqual({ edits: [] })
})

it('under ask: the run, status and a plan say that an edit waits, and what releases it', async () => {
  await place.write('config.yaml', configuration(sandbox.url).replace('keep', 'ask'))
  await editAtService({ phone: '99' })
  await place.write('inbox/2.csv', csv('Anna', '2'))
  expect(await place.cli('plan', '--json')).toMatchObject({ code: 4 })
  const run = await place.cli('run')
  expect(run.code).toBe(4)
  expect(run.stdout).toContain('edits that wait: contact-sync edits list shop')
  expect((await place.cli('status')).stdout).toContain('1 edit at the service to be released')
  expect(await place.json('status')).toMatchObject({ pipelines: [{ edits_to_release: 1 }] })
  await place.cli('edits', 'release', 'shop', 'K1')
  expect((await place.cli('edits', 'list')).stdout).toMatch(/the source wants "2", released\n$/)
  expect(await place.json('edits', 'list')).toMatchObject({ edits: [{ key: 'K1', released: true }] })
  expect(await place.json('status')).toMatchObject({ pipelines: [{ edits_to_release: 0 }] })
  expect((await place.cli('run')).code).toBe(0)
  expect(await place.json('status')).toMatchObject({ pipelines: [{ edits_to_release: 0 }] })
})

it('under ask: nothing is left to be released of a contact that was deleted at the service', async () => {
  await place.write('config.yaml', configuration(sandbox.url).replace('keep', 'ask'))
  await editAtService({ phone: '99' })
  await place.write('inbox/2.csv', csv('Anna', '2'))
  expect((await place.cli('run')).code).toBe(4)
  const answer = await fetch(`${sandbox.url}/public/api/V1/contact/${id}`, { method: 'DELETE', headers })
  expect(answer.status).toBe(200)
  await place.write('inbox/3.csv', csv('Anne', '3'))
  expect((await place.cli('run')).code).toBe(4)
  expect((await place.cli('held', 'list')).stdout).toContain('the contact was deleted at the service')
  expect(await place.json('status')).toMatchObject({ pipelines: [{ held: 1, edits_to_release: 0 }] })
  expect(await place.json('edits', 'list')).toEqual({ edits: [] })
})

it('a delete that waits for an edit says so, and once it is released, when it goes', async () => {
  const full = configuration(sandbox.url).replace(
    '    key: no',
    '    mode: full\n    on_missing: delete\n    key: no',
  )
  await place.write('config.yaml', full.replace('keep', 'ask'))
  await editAtService({ phone: '99' })
  const without = 'no,mail,first,phone\nK2,bert@example.com,Bert,5\n'
  await place.write('inbox/2.csv', without)
  expect((await place.cli('run')).code).toBe(4)
  expect((await place.cli('held', 'list')).stdout).toContain(
    'not deleted before an operator releases the edits',
  )
  expect((await place.cli('edits', 'release', 'shop', 'K1')).stdout).toBe(
    'phone of record K1 released; the contact is deleted with the next full export of shop that lacks the record\n',
  )
  expect((await place.cli('held', 'list')).stdout).toContain(
    'were released: it is deleted with the next full export',
  )
  await place.write('inbox/3.csv', without)
  expect(await place.json('run')).toMatchObject({ pipelines: [{ deleted: 1 }] })
})

describe('a correction whose field was edited at the service, once it is dropped', () => {
  const corrected = async (): Promise<unknown> => {
    await place.cli('correct', 'shop', 'K1', 'phone=3')
    await place.cli('run')
    expect(await place.json('edits', 'list')).toMatchObject({ edits: [{ source: '3' }] })
    await place.cli('corrections', 'drop', '1')
    return place.json('edits', 'list')
  }

  it('gives the edit what the source says', async () => {
    await editAtService({ phone: '99' })
    await place.write('inbox/2.csv', csv('Anna', '2'))
    await place.cli('run')
    expect(await corrected()).toMatchObject({ edits: [{ service: '99', source: '2' }] })
    await place.cli('edits', 'release', 'shop', 'K1')
    expect(await place.json('run')).toMatchObject({ pipelines: [{ updated: 1 }] })
    expect(JSON.stringify(await place.json('contact', 'anna@example.com'))).toContain('"phone":"2"')
  })

  it('leaves no edit where the source says nothing', async () => {
    await place.write('inbox/2.csv', `${csv('Anna', '1')}K2,bert@example.com,Bert,\n`)
    await place.cli('run')
    const bert = (await place.json('contact', 'bert@example.com')) as { contacts: { id: number }[] }
    id = bert.contacts[0]?.id ?? 0
    await editAtService({ phone: '99' })
    await place.cli('correct', 'shop', 'K2', 'phone=3')
    await place.cli('run')
    expect(await place.json('edits', 'list')).toMatchObject({ edits: [{ source: '3' }] })
    await place.cli('corrections', 'drop', '1')
    expect(await place.json('edits', 'list')).toEqual({ edits: [] })
  })
})
