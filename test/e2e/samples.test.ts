// Real exports from elsewhere, by the command line: each is synced, or refused with a sentence that tells what
// to do. Runs where SAMPLES_DIR names the folder that holds them.
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PipelineResult } from '../../src/sync/run.ts'
import { firstColumn } from '../support/header.ts'
import { openWorkshop, type Workshop } from '../support/cli.ts'

const SAMPLES = process.env['SAMPLES_DIR'] ?? ''
const here = SAMPLES !== '' && existsSync(SAMPLES)
const FOLDERS = ['contacts-csv', 'csv-torture']

function filesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return filesIn(path)
    return /\.(csv|txt|tsv)$/.test(name) && !name.startsWith('README') ? [path] : []
  })
}

const SERVICE = `
service: { base_url: "\${BASE_URL}", api_key: "\${API_KEY}", rate_limit: { requests: 500, per: 1s, concurrency: 4 } }
state: { path: state/contact-sync.db }
pipelines:
`

/** Whatever the columns are, a contact is made of a record: its first column is the family name, the rest is constant. */
const anyPipeline = (name: string, column: string): string => `
  ${name}:
    source: { type: csv, folder: inbox/${name}, files: "*", settle: 0s }
    key: ${JSON.stringify(column)}
    duplicate_check_method: none
    on_invalid: truncate
    map:
      first_name: { value: A }
      family_name: { column: ${JSON.stringify(column)} }
      ba_street: { value: B }
      ba_city: { value: C }
      ba_postal_code: { value: "1" }
`

describe.skipIf(!here)('real exports (SAMPLES_DIR)', () => {
  let shop: Workshop
  beforeAll(async () => (shop = await openWorkshop()))
  afterAll(async () => shop.close())

  it('are each synced, or refused with what to do', { timeout: 120_000 }, async () => {
    const files = FOLDERS.flatMap((folder) => filesIn(join(SAMPLES, folder)))
    expect(files.length).toBeGreaterThan(100)
    let yaml = SERVICE
    for (const [index, file] of files.entries()) {
      const name = `f${index}`
      mkdirSync(shop.path('inbox', name))
      copyFileSync(file, shop.path('inbox', name, 'sample.csv'))
      yaml += anyPipeline(name, await firstColumn(shop.path('inbox', name)))
    }
    await shop.configure(yaml)
    const run = await shop.cli('run', '--json')
    expect(run.code).toBe(3)
    const { pipelines } = JSON.parse(run.stdout) as { pipelines: PipelineResult[] }
    expect(pipelines).toHaveLength(files.length)
    for (const [index, result] of pipelines.entries()) {
      const about = relative(SAMPLES, files[index] ?? '')
      const [file] = result.files
      expect(result.failed + result.in_doubt + result.held, about).toBe(0)
      expect(result.read, about).toBe(result.created + result.rejected)
      if (file?.status === 'done') continue
      expect(file, about).toMatchObject({
        status: 'refused',
        code: expect.stringMatching(/^INPUT_/) as string,
      })
      expect(file?.error, about).toMatch(/^sample\.csv\b.{8}/)
      expect((file?.hint ?? '').length, about).toBeGreaterThan(20)
    }
    const refused = pipelines.filter(({ files: [file] }) => file?.status === 'refused').length
    expect(refused).toBeLessThan(files.length / 10)
  })

  it('the preset google takes an export of the older kind', async () => {
    mkdirSync(shop.path('inbox', 'google'))
    copyFileSync(
      join(SAMPLES, 'contacts-csv/tine20/google_contacts.csv'),
      shop.path('inbox', 'google', 'a.csv'),
    )
    await shop.configure(`${SERVICE}
  google:
    source: { preset: google, folder: inbox/google, settle: 0s }`)
    const { stdout } = await shop.cli('run', '--json')
    const { pipelines } = JSON.parse(stdout) as { pipelines: PipelineResult[] }
    expect(pipelines[0]).toMatchObject({ read: 5, failed: 0, held: 0 })
    expect(pipelines[0]?.created).toBeGreaterThan(0)
  })

  it('an address book whose umlauts were lost before is refused, with the header as it is', async () => {
    mkdirSync(shop.path('inbox', 'outlook'))
    const file = join(SAMPLES, 'contacts-csv/tine20/adb_outlook2007_default_de.csv')
    copyFileSync(file, shop.path('inbox', 'outlook', 'a.csv'))
    await shop.configure(`${SERVICE}
  outlook:
    source: { preset: outlook-de, folder: inbox/outlook, settle: 0s }`)
    const { code, stdout } = await shop.cli('run')
    expect(code).toBe(3)
    expect(stdout).toContain('column "Straße geschäftlich" (map.ba_street) is not in the header')
  })

  it('the same table from two office suites gives the same contacts', async () => {
    const tables = ['import_excel.csv', 'import_rfc_4180.csv'].map((name) =>
      join(SAMPLES, 'contacts-csv/keila', name),
    )
    mkdirSync(shop.path('inbox', 'twins'))
    const [excel = '', other = ''] = tables
    copyFileSync(excel, shop.path('inbox', 'twins', 'a.csv'))
    await shop.configure(`${SERVICE}
  twins:
    source: { type: csv, folder: inbox/twins, settle: 0s }
    map: { mail: Email, first_name: First name, family_name: Last name }`)
    const first = JSON.parse((await shop.cli('run', '--json')).stdout) as { pipelines: PipelineResult[] }
    expect(first.pipelines[0]).toMatchObject({ status: 'ok', read: 201, created: 201 })
    copyFileSync(other, shop.path('inbox', 'twins', 'b.csv'))
    const second = JSON.parse((await shop.cli('run', '--json')).stdout) as { pipelines: PipelineResult[] }
    expect(second.pipelines[0]).toMatchObject({ status: 'ok', read: 201, unchanged: 201, requests: 0 })
  })
})

it.runIf(!here)('real exports are not at hand: set SAMPLES_DIR to test over them', () => {
  expect(here).toBe(false)
})
