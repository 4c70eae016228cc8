// What `explain` says of a consent: the evidence that counts, what is missing and what to do, and what an earlier contact of the
// address had; by the command line and on the page of the console.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { explainPage } from '../../src/console/pages/explain.ts'
import type { Explanation } from '../../src/core/explain/explanation.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

let sandbox: Sandbox
let place: Place
const configure = (status: string, more = ''): Promise<void> =>
  place.write(
    'config.yaml',
    `
service: { base_url: "${sandbox.url}", api_key: key, rate_limit: { requests: 500, per: 1s } }
state: { path: state.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 0s }
    key: no
    ${more}
    map: { mail: mail, first_name: first, mail_status: ${status} }
`,
  )
const PROVEN = '{ column: news, evidence: { at: agreed, source: form }, require_evidence: true }'

beforeEach(async () => {
  const habits = { mailStatusPermission: true }
  sandbox = await startSandbox({ port: 0, apiKey: 'key', habits, clock: systemClock })
  place = await openPlace({})
  await configure(PROVEN)
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

let files = 0
async function run(...rows: string[]): Promise<void> {
  await place.write(`inbox/${++files}.csv`, ['no,mail,first,news,agreed,form', ...rows, ''].join('\n'))
  expect((await place.cli('run')).code).toBe(0)
}
async function explained(key: string) {
  const json = (await place.json('explain', 'shop', key)) as unknown as Explanation
  const { stdout } = await place.cli('explain', 'shop', key)
  const lines = /^ {2}consent\n((?: {4}.*\n)+)/m.exec(stdout)?.[1]?.trim().split(/\n +/) ?? []
  const page = (await explainPage(json).body).toString()
  for (const line of lines) expect(page).toContain(line.replaceAll('"', '&quot;'))
  return { consent: json.consent, lines }
}

it('names the evidence that was sent, and what is missing where a status was not raised', async () => {
  await run(
    'K1,ada@example.com,Ada,4,2026-05-01,fair',
    'K2,bo@example.com,Bo,7,,',
    'K3,cy@example.com,Cy,2,,',
  )
  const proven = await explained('K1')
  expect(proven.consent).toMatchObject({
    ...{ required: true, says: 4, lack: null, hint: null, withdrawn_at: null, former_status: null },
    proof: 'consent of 2026-05-01, fair',
  })
  expect(proven.lines[1]).toBe('the present status was sent with this evidence: consent of 2026-05-01, fair')
  const unproven = await explained('K2')
  expect(unproven.consent).toMatchObject({ says: 7, evidence: null, proof: null, lack: 'missing' })
  expect(unproven.lines).toEqual([
    expect.stringMatching(/^the row \d+\.csv:3 has mail_status 7 and no evidence$/),
    'not raised to 7: fill "agreed", "form" of the row in the source, with a day that can be read, and export it again',
  ])
  await run('K3,cy@example.com,Cyd,4,2026-05-01,fair', 'K2,bo@example.com,Bob,7,2999-01-01,fair')
  const withdrawn = await explained('K3')
  const today = new Date().toISOString().slice(0, 10)
  expect(withdrawn.consent).toMatchObject({ lack: 'earlier', evidence: 'consent of 2026-05-01, fair' })
  expect(withdrawn.consent?.withdrawn_at).toContain(today)
  expect(withdrawn.lines.join('\n')).toContain(`a consent of a later day than ${today} is needed`)
  expect(withdrawn.lines.join('\n')).toContain('allow_consent_raise is off')
  expect((await explained('K2')).consent).toMatchObject({ lack: 'future' })
})

it('names the status of an earlier contact of the address', async () => {
  const full =
    'mode: full\n    on_missing: delete\n    guards: { max_deletes: 100%, max_deletes_per: off, hold_first_deletes: false }'
  await configure('news', full)
  const [ada, bo] = ['K1,ada@example.com,Ada,4,,', 'K2,bo@example.com,Bo,4,,']
  await run(ada, bo)
  expect((await explained('K1')).consent).toBeUndefined()
  const headers = { authorization: 'Bearer key', 'content-type': 'application/json' }
  await fetch(`${sandbox.url}/public/api/V1/contact/1`, { method: 'PUT', headers, body: '{"mail_status":2}' })
  await run(bo)
  const gone = await explained('K1')
  expect(gone.consent).toMatchObject({ required: false, former_status: 2 })
  await run(ada, bo)
  const { consent, lines } = await explained('K1')
  expect(consent).toMatchObject({ says: 4, former_status: 2, lack: null })
  expect(lines).toContain('the address had mail_status 2 when an earlier contact of it was deleted')
  expect(lines.join('\n')).toContain('allow_consent_raise is off')
})
