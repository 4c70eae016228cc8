// Exports as vendors write them, by the real command line: lines before the header, ragged rows, damaged values, several rows
// for one person, and a file that is not as expected.
import { readdir, readFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkshop, type Workshop } from '../support/cli.ts'

let shop: Workshop
beforeEach(async () => (shop = await openWorkshop()))
afterEach(async () => shop.close())

const SERVICE = `
service: { base_url: "\${BASE_URL}", api_key: "\${API_KEY}", rate_limit: { requests: 500, per: 1s, concurrency: 4 } }
state: { path: state/contact-sync.db }
`

const pipelines = (result: { stdout: string }): Record<string, unknown>[] =>
  (JSON.parse(result.stdout) as { pipelines: Record<string, unknown>[] }).pipelines

const VARYING = `${SERVICE}
blocks:
  names: { first_name: Vorname, family_name: Nachname }
pipelines:
  shop:
    use: [names]
    source: { type: csv, folder: inbox/shop, settle: 0s, skip_lines: auto, ragged: auto }
    key: Nr
    repair: [spreadsheet, html]
    on_duplicate_key: union
    map: { mail: Mail, phone: Tel }
    terms: { assign: [{ column: Gruppe }] }
`

it(
  'an export with a title, trailing separators, damaged values and a row for each membership',
  { timeout: 60_000 },
  async () => {
    await shop.configure(VARYING)
    const rows = [
      '"0007";ann@example.com;"J&ouml;rg";Ash;\'+49 30 1;Red;',
      '8;bo@example.com;Bo;Birch;2;Red;',
      '"0007";;;;;Blue;',
    ]
    await shop.drop(
      'shop',
      'a.csv',
      ['Members of 1 May', '', 'Nr;Mail;Vorname;Nachname;Tel;Gruppe', ...rows, ''].join('\r\n'),
    )
    const check = await shop.cli('check')
    expect(check.stdout + check.stderr).not.toContain('rejected')
    const run = await shop.cli('run', '--json')
    expect(run.code).toBe(0)
    expect(pipelines(run)).toMatchObject([{ read: 2, created: 2 }])
    expect(await shop.contacts('ann@example.com', 'first_name,phone,terms')).toMatchObject([
      { first_name: 'Jörg', phone: '+49 30 1' },
    ])
    const log = await shop.cli('audit', 'show', 'ann@example.com')
    expect(log.stdout).toContain('a.csv:4,6')
    // Other lines before the header, the rows elsewhere: nothing has changed.
    const before = shop.writes()
    await shop.drop(
      'shop',
      'b.csv',
      ['Nr;Mail;Vorname;Nachname;Tel;Gruppe', rows[0], rows[2], rows[1], ''].join('\r\n'),
    )
    expect(pipelines(await shop.cli('run', '--json'))).toMatchObject([{ read: 2, unchanged: 2 }])
    expect(shop.writes()).toBe(before)
  },
)

it(
  'a rejected record of several rows is given back with all of them, and is one record when it is dropped again',
  { timeout: 60_000 },
  async () => {
    await shop.configure(VARYING)
    const head = 'Nr;Mail;Vorname;Nachname;Tel;Gruppe'
    await shop.drop(
      'shop',
      'a.csv',
      [head, '7;ann@example.com;Ann;Ash;1;Red', '7;nonsense;;;;Blue', ''].join('\n'),
    )
    expect((await shop.cli('run')).code).toBe(3)
    const done = await readdir(shop.path('inbox', 'shop', 'processed'))
    const name = done.find((one) => one.endsWith('.rejects.csv'))!
    const text = await readFile(shop.path('inbox', 'shop', 'processed', name), 'utf8')
    expect(text.trimEnd().split('\n')).toHaveLength(3)
    await shop.drop('shop', 'mended.csv', text.replace(';nonsense;', ';;'))
    const again = await shop.cli('run', '--json')
    expect(pipelines(again)).toMatchObject([{ read: 1, created: 1 }])
    expect(await shop.contacts('ann@example.com', 'first_name')).toMatchObject([{ first_name: 'Ann' }])
  },
)

it('a file with two headers is refused with the lines of both', async () => {
  await shop.configure(VARYING)
  const head = 'Nr;Mail;Vorname;Nachname;Tel;Gruppe'
  await shop.drop('shop', 'a.csv', [head, '7;ann@example.com;Ann;Ash;1;Red', head, ''].join('\n'))
  const run = await shop.cli('run')
  expect(run.code).toBe(3)
  expect(run.stdout + run.stderr).toContain('line 1 and line 3 name 6 mapped columns each')
})

it('check names a block that is not there', async () => {
  await shop.configure(VARYING.replace('use: [names]', 'use: [nams]'))
  const { code, stderr, stdout } = await shop.cli('check')
  expect(code).toBe(2)
  expect(stdout + stderr).toMatch(
    /config\.yaml:\d+:\d+: pipelines\.shop\.use\[0\]: names no block; did you mean names\?/,
  )
})

const EXPECTING = `${SERVICE}
pipelines:
  shop:
    source: { type: csv, folder: inbox/shop, settle: 0s }
    mode: full
    on_missing: delete
    key: Nr
    expect: { columns: exact, records: { change: 30% }, values: { Status: [active, inactive] } }
    map: { mail: Mail, first_name: Vorname }
`

const members = (count: number, status = 'active', more = ''): string =>
  [
    `Nr,Mail,Vorname,Status${more}`,
    ...Array.from(
      { length: count },
      (_, index) => `${index},m${index}@example.com,V${index},${status}${more === '' ? '' : ','}`,
    ),
    '',
  ].join('\n')

it('a file that is not as expected is held, and a later one goes', { timeout: 120_000 }, async () => {
  await shop.configure(EXPECTING)
  await shop.drop('shop', 'a.csv', members(10))
  expect((await shop.cli('run')).code).toBe(0)
  const before = shop.writes()
  await shop.drop('shop', 'b.csv', members(5).replace('V1,', 'W1,'))
  expect((await shop.cli('plan')).code).toBe(4)
  const held = await shop.cli('run', '--json')
  expect(held.code).toBe(4)
  expect(pipelines(held)).toMatchObject([{ status: 'held', held: 1, deleted: 0 }])
  expect(shop.writes()).toBe(before)
  expect((await shop.cli('held', 'list')).stdout).toContain(
    'expect.records: 5 records, the last accepted file has 10: a change of more than 30%',
  )
  await shop.drop('shop', 'c.csv', members(10, 'on hold'))
  expect((await shop.cli('run')).stdout).toContain(
    '"Status" has 10 values that are not in the list, the first on line 2',
  )
  // An ordinary file goes, and what it says takes the place of what was held.
  await shop.drop('shop', 'd.csv', members(10))
  expect((await shop.cli('run')).code).toBe(0)
  expect((await shop.cli('held', 'list')).stdout).not.toContain('expect')
})

it(
  'what was held as unexpected goes when it is released, and the next file is the measure',
  { timeout: 120_000 },
  async () => {
    await shop.configure(EXPECTING)
    await shop.drop('shop', 'a.csv', members(10))
    expect((await shop.cli('run')).code).toBe(0)
    const wider = members(10, 'active', ',Fax').replace('V1,', 'W1,')
    await shop.drop('shop', 'b.csv', wider)
    const held = await shop.cli('run', '--json')
    expect(held.code).toBe(4)
    expect((await shop.cli('held', 'release', String(pipelines(held)[0]!['run_id']))).code).toBe(0)
    expect(pipelines(await shop.cli('run', '--json'))).toMatchObject([{ status: 'ok', updated: 1 }])
    await shop.drop('shop', 'c.csv', wider)
    expect((await shop.cli('run')).code).toBe(0)
    expect(await shop.contacts('m1@example.com', 'first_name')).toMatchObject([{ first_name: 'W1' }])
  },
)
