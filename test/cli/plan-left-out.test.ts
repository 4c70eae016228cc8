// What a plan says of values that are not sent as their records have them, and that the run which follows counts the same.
import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

let sandbox: Sandbox
let place: Place
beforeEach(async () => {
  const habits = { mailStatusPermission: true }
  sandbox = await startSandbox({ port: 0, apiKey: 'key', habits, clock: systemClock })
  place = await openPlace({})
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

const pipeline = (name: string, more: string): string => `
  ${name}:
    source: { type: csv, folder: ${name}, settle: 0s }
    key: no
    ${more}`
const configure = (pipelines: string): Promise<void> =>
  place.write(
    'config.yaml',
    `
service: { base_url: "${sandbox.url}", api_key: key, rate_limit: { requests: 500, per: 1s } }
state: { path: state.db }
pipelines:${pipelines}
`,
  )
const of = async (command: 'plan' | 'run', ...args: string[]): Promise<Record<string, unknown>> => {
  const told = (await place.json(command, ...args)) as { pipelines: Record<string, unknown>[] }
  return told.pipelines[0] ?? {}
}
const write = (name: string, ...rows: string[]): Promise<void> => place.write(name, [...rows, ''].join('\n'))

it('names fields that another pipeline owns, where the record has another value', async () => {
  const map = 'blank: clear\n    map: { mail: mail, first_name: first, phone: phone }'
  await configure(
    pipeline('crm', `owns: [phone]\n    ${map}`) +
      pipeline('shop', `owns: [phone]\n    ${map}`) +
      pipeline('erp', map),
  )
  const head = 'no,mail,first,phone'
  await write('crm/1.csv', head, 'K1,ada@example.com,Ada,1', 'K2,bo@example.com,Bo,2')
  await of('run', 'crm')
  await write(
    'erp/1.csv',
    head,
    'K1,ada@example.com,Ada,1',
    'K2,bo@example.com,Bo,3',
    'K3,cy@example.com,Cy,4',
  )
  // K1 is a contact that has this phone number already, by its mail; K3 is none yet.
  const first = { phone: { records: 2, pipelines: ['crm', 'shop'] } }
  expect(await of('plan', 'erp')).toMatchObject({ left_to_owners: first })
  expect(await of('run', 'erp')).toMatchObject({ left_to_owners: first })
  await write(
    'erp/2.csv',
    head,
    'K1,ada@example.com,Eda,1',
    'K2,bo@example.com,Ob,3',
    'K3,cy@example.com,Cy,4',
  )
  const counted = { phone: { records: 1, pipelines: ['crm', 'shop'] } }
  expect(await of('plan', 'erp')).toMatchObject({
    updated: 2,
    left_to_owners: counted,
    left_out: [
      { kind: 'owned', key: 'K2', file: '2.csv', line: 3, field: 'phone', pipelines: ['crm', 'shop'] },
    ],
  })
  const { stdout } = await place.cli('plan', 'erp', '--output', place.path('plan.html'))
  expect(stdout).toContain('  left to the pipelines that own the field: phone 1 (crm, shop)\n')
  expect(await readFile(place.path('plan.html'), 'utf8')).toContain('K2: phone is left to crm or shop (owns)')
  const text = (await place.cli('plan', 'erp', '--key', 'K2')).stdout
  expect(text).toContain('K2: phone is left to crm or shop (owns)  [2.csv:3]')
  expect((await place.cli('plan', 'erp', '--key', 'K1')).stdout).not.toContain('K2')
  const run = await place.cli('run', 'erp')
  expect(run.stdout).toContain('  left to the pipelines that own the field: phone 1 (crm, shop)\n')
  expect(await of('run', 'erp')).not.toHaveProperty('left_to_owners')
  // An owner that goes before another one leaves nothing to it.
  await write('shop/1.csv', head, 'K1,ada@example.com,Eda,5')
  expect(await of('plan', 'shop')).toMatchObject({ left_to_owners: { phone: { pipelines: ['crm'] } } })
  await of('run', 'shop')
  // What it sent itself before is not at the contact any more when the first owner has sent another value.
  await write('crm/2.csv', head, 'K1,ada@example.com,Ada,')
  await write('shop/2.csv', head, 'K1,ada@example.com,Eda,5')
  await of('run', 'crm')
  expect(await of('run', 'shop')).not.toHaveProperty('left_to_owners')
  await write('crm/3.csv', head, 'K1,ada@example.com,Ada,1')
  await of('run', 'crm')
  await write('shop/3.csv', head, 'K1,ada@example.com,Eda,5')
  expect(await of('run', 'shop')).toMatchObject({ left_to_owners: { phone: { records: 1 } } })
})

const CONSENT = 'mail_status: { column: news, evidence: { at: agreed }, require_evidence: true }'

it('names raises that wait for evidence', async () => {
  await configure(pipeline('shop', `map: { mail: mail, first_name: first, ${CONSENT} }`))
  const head = 'no,mail,first,news,agreed'
  await write(
    'shop/1.csv',
    head,
    'K1,ada@example.com,Ada,4,',
    'K2,bo@example.com,Bo,7,2999-01-01',
    'K3,cy@example.com,Cy,4,2020-01-01',
  )
  const counted = { needs_evidence: { missing: 1, future: 1 } }
  const planned = await of('plan')
  expect(planned).toMatchObject({
    ...counted,
    left_out: [
      { kind: 'evidence', key: 'K1', status: 4, lack: 'missing' },
      { kind: 'evidence', key: 'K2', status: 7, lack: 'future' },
    ],
  })
  const { stdout } = await place.cli('plan', '--markdown', place.path('plan.md'))
  const line = 'needs evidence, so mail_status is not raised: missing 1, future 1'
  expect(stdout).toContain(`  ${line}\n`)
  // It has a line of its own already.
  expect(stdout).not.toContain('warning:')
  expect(await readFile(place.path('plan.md'), 'utf8')).toContain('needs evidence, so mail')
  expect((await place.cli('plan', '--key', 'K1')).stdout).toContain(
    'K1: mail_status 4 needs evidence: the record has no evidence of a consent',
  )
  expect(await of('run')).toMatchObject(counted)
  // A 1 or 2 that was seen before counts for a plan as for the run.
  await write('shop/2.csv', head, 'K3,cy@example.com,Cy,2,')
  expect(await of('run')).toMatchObject({ updated: 1 })
  await write('shop/3.csv', head, 'K3,cy@example.com,Cy,4,2020-01-01')
  expect(await of('plan')).toMatchObject({ unchanged: 1, needs_evidence: { earlier: 1 } })
  expect(await of('run')).toMatchObject({ unchanged: 1, needs_evidence: { earlier: 1 } })
})

it('names a status that outlives its contact, and plans the create with it', async () => {
  await configure(
    pipeline(
      'shop',
      `mode: full
    on_missing: delete
    guards: { max_deletes: 100%, max_deletes_per: off, hold_first_deletes: false }
    map: { mail: mail, first_name: first, mail_status: news }`,
    ),
  )
  const head = 'no,mail,first,news'
  await write('shop/1.csv', head, 'K1,ada@example.com,Ada,4', 'K2,bo@example.com,Bo,4')
  await of('run')
  const api = `${sandbox.url}/public/api/V1/contact`
  const headers = { authorization: 'Bearer key', 'content-type': 'application/json' }
  await fetch(`${api}/1`, { method: 'PUT', headers, body: '{"mail_status":2}' })
  await write('shop/2.csv', head, 'K2,bo@example.com,Bo,4')
  expect(await of('run')).toMatchObject({ deleted: 1 })
  await write('shop/3.csv', head, 'K1,ada@example.com,Ada,4', 'K2,bo@example.com,Bo,4')
  const named = {
    created: 1,
    former_statuses: 1,
    changes: [{ key: 'K1', fields: { mail_status: { to: 2 } } }],
    left_out: [{ kind: 'former', key: 'K1', file: '3.csv', line: 2, status: 2 }],
  }
  expect(await of('plan')).toMatchObject(named)
  expect(await of('plan', '--offline')).toMatchObject({ ...named, unknown: ['contacts'] })
  expect((await place.cli('plan')).stdout).toContain(
    '  mail_status 1 or 2 of a deleted contact stands again: 1 record\n',
  )
  // A contact that is there has a status of its own.
  await fetch(api, { method: 'POST', headers, body: '{"contact":{"mail":"ada@example.com"}}' })
  expect(await of('plan')).not.toHaveProperty('former_statuses')
  const found = (await (await fetch(`${api}/ada%40example.com`, { headers })).json()) as { id: number }[]
  await fetch(`${api}/${found[0]?.id}`, { method: 'DELETE', headers })
  expect(await of('run')).toMatchObject({ created: 1, former_statuses: 1 })
})
