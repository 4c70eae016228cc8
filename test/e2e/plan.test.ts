// What an admin sees of a plan: the overview, single changes on request, JSON, a page and Markdown.
import { readFile, stat } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { openWorkshop, type Workshop } from '../support/cli.ts'

// Each command is a separate process, and a machine may be slow.
vi.setConfig({ testTimeout: 120_000 })

const planJson = z.object({
  pipelines: z.array(
    z.looseObject({
      changes: z.array(z.looseObject({ key: z.string() })),
      by_field: z.record(z.string(), z.number()),
      by_term: z.record(z.string(), z.object({ add: z.number(), remove: z.number() })),
      by_country: z.record(z.string(), z.number()),
      held_by: z.array(z.looseObject({ guard: z.string() })),
    }),
  ),
})

const CONFIGURATION = `
service: { base_url: "\${BASE_URL}", api_key: "\${API_KEY}", rate_limit: { requests: 500, per: 1s, concurrency: 4 } }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox/shop, settle: 0s }
    mode: full
    on_missing: delete
    key: no
    map: { mail: mail, first_name: first, phone: phone, ba_country: country }
    terms: { policy: managed, assign: [{ column: tags, split: "," }] }
`

const COUNTRIES = ['DE', 'DE', 'AT', '']

/** So many people; `phones` say how their numbers begin. */
const csv = (count: number, phone: (index: number) => string, tags: string): string =>
  [
    'no,mail,first,phone,country,tags',
    ...Array.from(
      { length: count },
      (_, index) =>
        `K${index},person${index}@example.com,Vorname${index},${phone(index)} ${index},${COUNTRIES[index % 4]},"${index === 0 ? tags : 'a'}"`,
    ),
    '',
  ].join('\n')

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop()
  await shop.configure(CONFIGURATION)
  await shop.drop(
    'shop',
    '1.csv',
    csv(40, () => '030', 'a'),
  )
  expect((await shop.cli('run')).code).toBe(0)
  await shop.drop(
    'shop',
    '2.csv',
    csv(40, (index) => (index < 30 ? '040' : '030'), 'b'),
  )
})
afterEach(async () => shop.close())

describe('a plan', () => {
  it('shows what changes how often, an example of each kind, and each change where that is asked for', async () => {
    const { stdout, code } = await shop.cli('plan')
    expect(code).toBe(0)
    expect(stdout).toContain('phone changes for 30 of 40 records')
    expect(stdout).toContain('term b: added to 1')
    expect(stdout).toContain('term a: removed from 1')
    expect(stdout).toContain('changes by country: DE 16, AT 7; no country 7')
    expect(stdout).toContain('~ 29 updates of phone; the first:')
    expect(stdout).toContain('~ update K1 (contact 2)  [2.csv:3]')
    expect(stdout).toContain('~ update K0 (contact 1)  [2.csv:2]')
    expect(stdout).not.toContain('K7')
    expect(stdout).toContain('2 of 30 changes shown')
    expect(stdout.split('\n').length).toBeLessThan(40)
    const listed = (await shop.cli('plan', '--limit', '8')).stdout
    expect(listed.match(/~ update/g)).toHaveLength(8)
    expect(listed).toContain('8 of 30 changes shown')
    const one = (await shop.cli('plan', '--key', 'K7')).stdout
    expect(one.match(/~ update/g)).toHaveLength(1)
    expect(one).toContain('phone: "030 7" -> "040 7"')
    expect((await shop.cli('plan', '--key', 'K39')).stdout).toContain('no change of K39 is planned')
  })

  it('has the same as JSON, every change or those that are asked for, and the totals of the whole', async () => {
    const planned = async (...args: string[]) =>
      planJson.parse(JSON.parse((await shop.cli('plan', '--json', ...args)).stdout)).pipelines[0]
    const all = await planned()
    expect(all?.changes).toHaveLength(30)
    const totals = {
      by_field: { phone: 30 },
      by_term: { b: { add: 1, remove: 0 }, a: { add: 0, remove: 1 } },
      by_country: { DE: 16, AT: 7 },
      held_by: [],
    }
    expect(all).toMatchObject(totals)
    const few = await planned('--limit', '3')
    expect(few).toMatchObject({ ...totals, updated: 30 })
    expect(few?.changes.map(({ key }) => key)).toEqual(all?.changes.slice(0, 3).map(({ key }) => key))
    const one = await planned('--key', 'K7')
    expect(one).toMatchObject({ ...totals, changes: [{ key: 'K7' }] })
    expect((await planned('--limit', '0'))?.changes).toEqual([])
  })

  it('names the guard that holds it, as the run would, with number and threshold', async () => {
    await shop.drop(
      'shop',
      '3.csv',
      csv(20, () => '050', 'b'),
    )
    const { stdout, code } = await shop.cli('plan', '--json')
    expect(code).toBe(4)
    expect(planJson.parse(JSON.parse(stdout)).pipelines[0]?.held_by).toMatchObject([
      { file: '3.csv', guard: 'max_deletes', holds: 'deletes', number: 20, threshold: '5% (2)' },
    ])
    expect((await shop.cli('plan')).stdout).toContain('held: 3.csv: 20 of 40 contacts are missing')
    expect((await shop.cli('run')).code).toBe(4)
  })

  it('is written as a page for its owner alone, and as Markdown without values', async () => {
    const files = ['--output', 'plan.html', '--markdown', 'plan.md']
    const { code, stderr, stdout } = await shop.cli('plan', ...files)
    expect(code).toBe(0)
    expect(stdout).toContain('phone changes for 30 of 40 records')
    expect(stderr).toContain(`plan written to ${shop.path('plan.html')}`)
    const page = await readFile(shop.path('plan.html'), 'utf8')
    expect(page.match(/<article/g)).toHaveLength(30)
    expect(page).toContain('<ins><bdi>040 7</bdi></ins>')
    expect((await stat(shop.path('plan.html'))).mode & 0o077).toBe(0)
    const markdown = await readFile(shop.path('plan.md'), 'utf8')
    expect(markdown).toContain('| phone | 30 | 0 |')
    expect(markdown).not.toMatch(/040|Vorname|K\d|@/)
    const again = await shop.cli('plan', '--json', ...files, '--limit', '2')
    expect(again.stderr).toContain('replacing the existing file')
    expect((await readFile(shop.path('plan.html'), 'utf8')).match(/<article/g)).toHaveLength(2)
    expect(planJson.parse(JSON.parse(again.stdout)).pipelines[0]?.changes).toHaveLength(2)
  })

  it.each(['-1', 'all', '100001', ''])('--limit %j is refused', async (limit) => {
    const { code, stderr } = await shop.cli('plan', `--limit=${limit}`)
    expect(code).toBe(2)
    expect(stderr).toContain('Write a number from 0 to 100000')
  })
})
