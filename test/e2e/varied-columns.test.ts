// Real exports by the command line: columns that some files lack, rows without what a contact needs, names and lists of
// addresses in one column.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openWorkshop, type Workshop } from '../support/cli.ts'

// Each command is a separate process, and a machine may be slow.
vi.setConfig({ testTimeout: 120_000 })

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop()
})
afterEach(async () => shop.close())

const configured = (pipeline: string): Promise<void> =>
  shop.configure(`
service:
  base_url: \${BASE_URL}
  api_key: \${API_KEY}
  rate_limit: { requests: 500, per: 1s, concurrency: 4 }
  retry: { attempts: 2, max_delay: 1s }
state: { path: state/contact-sync.db }
server: { port: 0 }
pipelines:
  shop:
${pipeline.replaceAll(/^/gm, '    ')}
`)

/** Drops a file and runs; its counts. */
async function run(name: string, text: string): Promise<{ code: number | null; counts: unknown }> {
  await shop.drop('shop', name, text)
  const { code, stdout, stderr } = await shop.cli('run', 'shop', '--json')
  const said = stdout.startsWith('{') ? (JSON.parse(stdout) as { pipelines: unknown[] }) : undefined
  return { code, counts: said?.pipelines[0] ?? stderr }
}

it('a file may lack an optional column: nothing is emptied, and a later file with it is a change', async () => {
  await configured(`
source: { type: csv, folder: inbox/shop, settle: 0s }
key: no
blank: clear
map: { mail: mail, company: { column: Firma, optional: true }, phone: { column: Tel, optional: true } }
`)
  expect(await run('a.csv', 'no,mail,Firma,Tel\n1,a@example.com,ACME,030 1\n')).toMatchObject({
    code: 0,
    counts: { created: 1 },
  })
  expect(await run('b.csv', 'no,mail\n1,a@example.com\n')).toMatchObject({
    code: 0,
    counts: { unchanged: 1, updated: 0 },
  })
  expect(await run('c.csv', 'no,mail,Tel\n1,a@example.com,040 2\n')).toMatchObject({
    code: 0,
    counts: { updated: 1 },
  })
  expect(await shop.contacts('a@example.com', 'company,phone')).toMatchObject([
    { company: 'ACME', phone: '040 2' },
  ])
  // The column is back and blank: now it is spoken of.
  expect(await run('d.csv', 'no,mail,Firma,Tel\n1,a@example.com,,040 2\n')).toMatchObject({
    code: 0,
    counts: { updated: 1 },
  })
  expect((await shop.contacts('a@example.com', 'company'))[0]).not.toMatchObject({ company: 'ACME' })
})

it('a full export: whom skip_without passes over is still there, and a row without a key protects nobody', async () => {
  await configured(`
source: { type: csv, folder: inbox/shop, settle: 0s }
key: no
mode: full
on_missing: delete
guards: { max_deletes: 100%, max_deletes_per: off }
skip_without: [mail]
map: { mail: mail, company: Firma }
`)
  const people = 'no,mail,Firma\n1,a@example.com,A\n2,b@example.com,B\n3,c@example.com,C\n'
  expect(await run('a.csv', people)).toMatchObject({ code: 0, counts: { created: 3 } })
  // The second has no address any more, the third is gone; a row of totals has neither address nor key.
  expect(await run('b.csv', 'no,mail,Firma\n1,a@example.com,A\n2,,B\n,,total\n')).toMatchObject({
    code: 0,
    counts: { read: 3, unchanged: 1, skipped: 2, rejected: 0, deleted: 1 },
  })
  expect(await shop.contacts('b@example.com', 'company')).toHaveLength(1)
  expect(await shop.contacts('c@example.com', 'company')).toHaveLength(0)
  // Without its column no record could be distinguished: the file is refused, and nothing is deleted.
  const refused = await run('c.csv', 'no,Firma\n1,A\n')
  expect(refused.code).not.toBe(0)
  expect(await shop.contacts('a@example.com', 'company')).toHaveLength(1)
})

it('names and addresses of one column arrive in their fields; what is not sure is rejected with the reason', async () => {
  await configured(`
source: { type: csv, folder: inbox/shop, settle: 0s }
key: no
map:
  title2: { column: Name, name: title2 }
  first_name: { column: Name, name: first }
  family_name: { column: Name, name: family }
  mail: { column: Mails, address: 1 }
  mail2: { column: Mails, address: 2 }
  company: { column: Firma, unless: "^(privat|-)$" }
  job_title: { expression: 'record["Position"] + ", " + record["Abteilung"]' }
terms: { assign: [{ column: Tags, split: ";", transform: [{ replace: { find: "#", with: "" } }] }] }
`)
  const header = 'no,Name,Mails,Firma,Position,Abteilung,Tags\n'
  const rows = [
    '1,"Heide, Dr. Anna von der","Anna <a@example.com>; a2@example.com",privat,Lead,Sales,#VIP;#Blue',
    '2,Müller Anna,mailto:b@example.com,-,Lead,Sales,',
  ]
  expect(await run('a.csv', `${header}${rows.join('\n')}\n`)).toMatchObject({
    code: 3,
    counts: { created: 1, rejected: 1 },
  })
  const fields = 'title2,first_name,family_name,mail2,company,job_title'
  const [contact] = await shop.contacts('a@example.com', fields)
  expect(contact).toMatchObject({
    title2: 'dr',
    first_name: 'Anna',
    family_name: 'von der Heide',
    mail2: 'a2@example.com',
    job_title: 'Lead, Sales',
  })
  expect(contact).not.toMatchObject({ company: 'privat' })
  expect((await shop.cli('terms')).stdout).toMatch(/^ +\d+  VIP\n +\d+  Blue\n$/)
  const rejects = await shop.cli('rejects', 'list')
  expect(rejects.stdout).toContain('may have the family name first')
})

it('a list of objects may lack an optional name, and nothing is emptied', async () => {
  await configured(`
source: { type: json, folder: inbox/shop, settle: 0s }
key: no
blank: clear
map: { mail: mail, company: { column: firm.name, optional: true } }
`)
  const one = (more: object) => JSON.stringify([{ no: '1', mail: 'a@example.com', ...more }])
  expect(await run('a.json', one({ firm: { name: 'ACME' } }))).toMatchObject({
    code: 0,
    counts: { created: 1 },
  })
  expect(await run('b.json', one({}))).toMatchObject({ code: 0, counts: { unchanged: 1 } })
  expect(await shop.contacts('a@example.com', 'company')).toMatchObject([{ company: 'ACME' }])
  expect(await run('c.json', one({ firm: { name: null } }))).toMatchObject({
    code: 0,
    counts: { updated: 1 },
  })
})

it('test runs the tests of the mapping, without service or state', async () => {
  const tests = (family: string) => `
source: { type: csv, folder: inbox/shop, settle: 0s }
key: no
map: { mail: mail, first_name: { column: Name, name: first }, family_name: { column: Name, name: family } }
tests:
  - { name: a doctor, record: { Name: "Dr. Anna Berger" }, contact: { first_name: Anna, family_name: ${family} } }
  - { name: one word, record: { Name: Madonna }, rejected: is one word }
`
  await configured(tests('Berger'))
  expect(await shop.cli('test')).toMatchObject({ code: 0, stdout: 'shop: 2 tests passed\n' })
  await configured(tests('Burger'))
  expect(await shop.cli('test', 'shop')).toMatchObject({
    code: 3,
    stdout: 'shop: 1 of 2 tests failed\n  a doctor\n    family_name: expected "Burger", got "Berger"\n',
  })
  const { code, stdout } = await shop.cli('test', '--json')
  expect([code, JSON.parse(stdout)]).toEqual([
    3,
    {
      ok: false,
      pipelines: [
        {
          pipeline: 'shop',
          passed: 1,
          failed: [
            { name: 'a doctor', differences: [{ of: 'family_name', expected: '"Burger"', got: '"Berger"' }] },
          ],
        },
      ],
    },
  ])
  expect(await shop.cli('test', 'nowhere')).toMatchObject({ code: 2 })
  expect(shop.sandbox.requests()).toHaveLength(0)
})
