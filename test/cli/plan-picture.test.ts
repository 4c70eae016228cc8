// The picture of a plan in the README: what `plan` prints today of the sample export, with made-up people.
// `npm run docs` draws it.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'
import { terminalPicture } from '../support/terminal-picture.ts'

const ROOT = resolve(import.meta.dirname, '../..')

let sandbox: Sandbox
let place: Place
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: 'key', clock: systemClock })
  place = await openPlace({})
  await configure('{ requests: 500, per: 1s, concurrency: 1 }')
})
const configure = (limit: string): Promise<void> =>
  place.write(
    'config.yaml',
    `
service: { base_url: "${sandbox.url}", api_key: key, rate_limit: ${limit} }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 0s }
    key: customer_no
    map: { mail: E-Mail, first_name: Vorname, family_name: Nachname, phone: Telefon, ba_street: Straße, ba_city: Ort }
    terms: { policy: managed, assign: [{ name: Newsletter, when: 'record["Newsletter"] == "ja"' }] }
`,
  )
afterAll(async () => {
  await sandbox.close()
  await place.close()
})

it('shows what a plan is', async () => {
  const monday = readFileSync(resolve(ROOT, 'config/samples/shop.csv'), 'utf8')
  await place.write('inbox/shop.csv', monday)
  await place.cli('run')
  const tuesday = monday
    .split('\r\n')
    .map((line) => {
      if (line.startsWith('S10003;')) return line.replace(/;Ring \d+;/, ';Neuer Weg 7;')
      return line.startsWith('S10001;') ? line.replace(/ja$/, 'nein') : line
    })
    .join('\r\n')
  await place.write(
    'inbox/shop.csv',
    `${tuesday.trimEnd()}\r\nS10120;ida.neu@post.example;Ida;Neu;;;Am Markt 1;04109;Leipzig;DE;ja\r\n`,
  )
  await configure('{ requests: 5, per: 1s }')
  const { stdout } = await place.cli('plan', 'shop', '--limit', '3')
  const lines = ['$ contact-sync plan shop --limit 3', '', ...stdout.trimEnd().split('\n')]
  await expect(terminalPicture('contact-sync plan', lines)).toMatchFileSnapshot(
    resolve(ROOT, 'docs/pictures/plan.svg'),
  )
})
