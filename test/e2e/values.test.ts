// Dates, countries and telephone numbers as exporters write them, by the program itself.
import { readdir, readFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openWorkshop, type Workshop } from '../support/cli.ts'

// Each command is a separate process, and a machine may be slow.
vi.setConfig({ testTimeout: 120_000 })

let shop: Workshop
beforeEach(async () => (shop = await openWorkshop()))
afterEach(async () => shop.close())

const FIELDS = 'mail,date_of_birth,ba_country,phone,phone_type'
const HEADER = 'no,mail,born,land,tel'

/** The workshop's configuration with another mapping. */
async function configure(born: string): Promise<void> {
  const before = await readFile(shop.path('config.yaml'), 'utf8')
  const map = `    map:
      mail: mail
      date_of_birth: { column: born, ${born} }
      ba_country: { column: land, country: true }
      phone: { column: tel, phone: DE }
      phone_type: { phone_type_of: phone, otherwise: work }
`
  await shop.configure(before.replace(/^ {4}map:.*\n/m, map))
}

const csv = (...rows: string[]): string => [HEADER, ...rows, ''].join('\n')

async function run(text: string, name: string) {
  await shop.drop('shop', name, text)
  const { code, stdout } = await shop.cli('run', '--json')
  const { pipelines } = JSON.parse(stdout) as { pipelines: [Record<string, unknown>] }
  return { code, ...pipelines[0] }
}

it('a file of three exporters arrives in the form of the service, and what cannot is named', async () => {
  await configure('date: [dd.MM.yyyy, "d. MMMM yyyy", d/M/yy], two_digit_years_until: 26')
  const text = csv(
    'K1,p1@example.com,31.12.1980,Österreich,0171 1234567',
    'K2,p2@example.com,31. grudnia 1980,D,+49 (0)30 901820',
    'K3,p3@example.com,31/12/27,United States,0049 171 1234567',
    'K4,p4@example.com,00.00.0000,,',
    'K5,p5@example.com,12/31/1980,Deutschlnd,030 901820; 0171 1234567',
  )
  await shop.drop('shop', 'a.csv', text)
  expect((await shop.cli('check')).stdout).toContain('1 of the first 5 records would be rejected')
  expect(await run(text, 'a.csv')).toMatchObject({ code: 3, created: 4, rejected: 1 })
  const made = await Promise.all([1, 2, 3, 4].map((at) => shop.contacts(`p${at}@example.com`, FIELDS)))
  expect(made.flat()).toMatchObject([
    {
      date_of_birth: '1980-12-31T12:00:00+00:00',
      ba_country: 'AT',
      phone: '+491711234567',
      phone_type: 'mobile',
    },
    {
      date_of_birth: '1980-12-31T12:00:00+00:00',
      ba_country: 'DE',
      phone: '+4930901820',
      phone_type: 'work',
    },
    {
      date_of_birth: '1927-12-31T12:00:00+00:00',
      ba_country: 'US',
      phone: '+491711234567',
      phone_type: 'mobile',
    },
    { mail: 'p4@example.com' },
  ])
  const { rejects } = JSON.parse((await shop.cli('rejects', 'list', '--json')).stdout) as {
    rejects: { key: string; reason: string; line: number }[]
  }
  expect(rejects).toMatchObject([{ key: 'K5', line: 6 }])
  expect(rejects[0]!.reason).toContain('contains several phone numbers')
  expect(rejects[0]!.reason).toContain('the nearest is "Deutschland" (DE)')
  expect(rejects[0]!.reason).toContain('M/d/yyyy would read it')
  expect(await run(text.replace(/^K5.*\n/m, ''), 'b.csv')).toMatchObject({ unchanged: 4, requests: 0 })
})

it('date: auto takes the order that a file proves, keeps it, and holds a file that contradicts it', async () => {
  await configure('date: auto')
  expect(
    await run(csv('K1,p1@example.com,03/04/1980,,', 'K2,p2@example.com,31/12/1980,,'), 'a.csv'),
  ).toMatchObject({ code: 0, created: 2 })
  expect(await shop.contacts('p1@example.com', FIELDS)).toMatchObject([
    { date_of_birth: '1980-04-03T12:00:00+00:00' },
  ])
  await shop.drop('shop', 'b.csv', csv('K3,p3@example.com,05/06/1980,,', 'K4,p4@example.com,12/31/1980,,'))
  const plan = await shop.cli('plan', '--json')
  expect(plan.code).toBe(4)
  expect(JSON.parse(plan.stdout)).toMatchObject({ pipelines: [{ changes: [] }] })
  const held = await shop.cli('run')
  expect(held.code).toBe(4)
  expect(held.stdout + held.stderr).toContain(
    'column "born": the month comes first on line 3, and in the files before it was the day',
  )
  expect(await shop.contacts('p3@example.com', FIELDS)).toEqual([])
  const kept = await readdir(shop.path('inbox', 'shop', 'failed'))
  expect(kept.filter((name) => name.startsWith('b.')).length).toBeGreaterThan(0)
  expect(await run(csv('K3,p3@example.com,05/06/1980,,'), 'c.csv')).toMatchObject({ code: 0, created: 1 })
  expect(await shop.contacts('p3@example.com', FIELDS)).toMatchObject([
    { date_of_birth: '1980-06-05T12:00:00+00:00' },
  ])
})
