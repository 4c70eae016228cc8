// Families with one address, and pipelines that only change whom they find, by the command line.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openWorkshop, type Workshop } from '../support/cli.ts'

// Each command is a separate process, and a machine may be slow.
vi.setConfig({ testTimeout: 120_000 })

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop()
  for (const name of ['families', 'phones'])
    await mkdir(join(shop.folder, 'inbox', name), { recursive: true })
})
afterEach(async () => shop.close())

const configured = (families: string): Promise<void> =>
  shop.configure(`
service:
  base_url: \${BASE_URL}
  api_key: \${API_KEY}
  rate_limit: { requests: 500, per: 1s, concurrency: 4 }
  retry: { attempts: 2, max_delay: 1s }
state: { path: state/contact-sync.db }
server: { port: 0 }
pipelines:
  families:
    source: { type: csv, folder: inbox/families, settle: 0s }
    key: { fields: [mail, first_name] }
    map: { mail: mail, first_name: Vorname, family_name: Nachname }
${families}
  phones:
    source: { type: csv, folder: inbox/phones, settle: 0s }
    writes: update
    map: { mail: mail, phone: Tel }
`)

const json = (text: string): unknown => (text.startsWith('{') ? (JSON.parse(text) as unknown) : text)

it('two people of one mail are two contacts, planned as they are made; a list of phones makes nobody', async () => {
  await configured('')
  await shop.drop(
    'families',
    'a.csv',
    'mail,Vorname,Nachname\nash@example.com,Ann,Ash\nash@example.com,Bo,Ash\n',
  )
  const planned = await shop.cli('plan', 'families', '--json')
  expect(json(planned.stdout)).toMatchObject({
    pipelines: [{ created: 2, changes: [{ key: 'ash@example.com|ann' }, { key: 'ash@example.com|bo' }] }],
  })
  const made = await shop.cli('run', 'families', '--json')
  expect({ code: made.code, said: json(made.stdout) }).toMatchObject({
    code: 0,
    said: { pipelines: [{ created: 2, held: 0, in_doubt: 0 }] },
  })
  expect(await shop.contacts('ash@example.com', 'first_name')).toMatchObject([
    { first_name: 'Ann' },
    { first_name: 'Bo' },
  ])
  // The address has two contacts: it is unknown which of them a phone is for.
  await shop.drop('phones', 'p.csv', 'mail,Tel\nash@example.com,1\nnobody@example.com,2\n')
  const phones = await shop.cli('run', 'phones', '--json')
  expect({ code: phones.code, said: json(phones.stdout) }).toMatchObject({
    code: 0,
    said: { pipelines: [{ read: 2, skipped: 2, created: 0, updated: 0 }] },
  })
})

it('check refuses what would merge a family, with place and advice', async () => {
  await configured('    duplicate_check_method: email')
  const { code, stderr, stdout } = await shop.cli('check')
  expect(code).toBe(2)
  expect(stderr + stdout).toMatch(
    /families\.duplicate_check_method: cannot be combined with key: .*leave it out/,
  )
})
