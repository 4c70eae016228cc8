// Changing what runs: a pipeline that is renamed, one that is removed, another key column, another time zone. As the manual
// says it, by the program itself.
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openWorkshop, peopleCsv, type Workshop } from '../support/cli.ts'

// Each command is a separate process, and a machine may be slow.
vi.setConfig({ testTimeout: 120_000 })

let shop: Workshop
let yaml = ''
const CRM = `  crm:
    source: { type: csv, folder: inbox/crm, settle: 0s }
    key: no
    map: { mail: mail, first_name: first, family_name: last }
`
beforeEach(async () => {
  shop = await openWorkshop()
  yaml = await readFile(shop.path('config.yaml'), 'utf8')
  await mkdir(shop.path('inbox', 'crm'))
  await shop.configure(yaml + CRM)
  await shop.drop('shop', 'a.csv', peopleCsv(3))
  expect((await shop.cli('run', 'shop')).code).toBe(0)
})
afterEach(async () => shop.close())

async function json(...args: string[]): Promise<{ code: number | null; said: Record<string, unknown> }> {
  const { code, stdout } = await shop.cli(...args, '--json')
  return { code, said: JSON.parse(stdout) as Record<string, unknown> }
}

const spool = (pipeline: string): string => shop.path('state', 'spool', pipeline)

/** A file that was fetched for a pipeline, as sources have it that are asked for their records. */
async function fetched(pipeline: string): Promise<void> {
  await mkdir(spool(pipeline), { recursive: true })
  await writeFile(join(spool(pipeline), 'fetch.jsonl'), '{}')
}

const RENAMED = (): string => (yaml + CRM).replace('  shop:', '  webshop:')
const REMOVED = (): string => yaml.replace(/ {2}shop:[^]*$/, CRM)

it('a pipeline that is renamed: check and status name the orphan, and its records stay linked', async () => {
  expect((await json('status')).said).toMatchObject({ orphans: [] })
  const early = await shop.cli('state', 'rename-pipeline', 'shop', 'webshop')
  expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('still configured')])
  await shop.configure(RENAMED())
  expect((await json('status')).said).toMatchObject({ orphans: ['shop'] })
  const check = await shop.cli('check')
  expect([check.code, check.stdout]).toEqual([0, expect.stringContaining('state rename-pipeline shop NEW')])
  expect((await json('check')).said).toMatchObject({ orphans: ['shop'] })
  const nowhere = await shop.cli('state', 'rename-pipeline', 'shop', 'elsewhere')
  expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('has no pipeline elsewhere')])
  const unknown = await shop.cli('state', 'rename-pipeline', 'never', 'webshop')
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('has no pipeline never')])
  await fetched('shop')
  await fetched('webshop')
  const taken = await shop.cli('state', 'rename-pipeline', 'shop', 'webshop')
  expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining('fetched for webshop')])
  await rm(spool('webshop'), { recursive: true })
  // The daemon takes it.
  const daemon = shop.start('start')
  await daemon.stderrHas(/daemon started/)
  expect(await json('state', 'rename-pipeline', 'shop', 'webshop')).toMatchObject({
    code: 0,
    said: { from: 'shop', to: 'webshop', links: 3, runs: 1 },
  })
  daemon.process.kill('SIGTERM')
  await daemon.ended
  expect([existsSync(spool('shop')), existsSync(join(spool('webshop'), 'fetch.jsonl'))]).toEqual([
    false,
    true,
  ])
  await shop.drop('shop', 'a.csv', peopleCsv(3))
  expect((await json('run', 'webshop')).said).toMatchObject({ pipelines: [{ unchanged: 3, requests: 0 }] })
  expect((await json('status')).said).toMatchObject({ orphans: [] })
  expect((await shop.cli('audit', 'list', '--action', 'rename')).stdout).toContain('webshop')
})

it('a pipeline under a new name makes no contact again: it waits until its records have that name', async () => {
  await shop.configure(RENAMED())
  await shop.drop('shop', 'a.csv', peopleCsv(3))
  const stopped = await json('run')
  expect(stopped).toMatchObject({
    code: 4,
    said: {
      pipelines: [
        { pipeline: 'webshop', status: 'held', code: 'PIPELINE_RENAMED', read: 0, requests: 0 },
        { pipeline: 'crm', status: 'ok' },
      ],
    },
  })
  const told = await shop.cli('run', 'webshop')
  expect([told.code, told.stdout]).toEqual([4, expect.stringContaining('3 records of the pipeline shop')])
  expect(told.stdout).toContain('contact-sync state rename-pipeline OLD NEW')
  expect((await json('state', 'rename-pipeline', 'shop', 'webshop')).code).toBe(0)
  expect((await json('run', 'webshop')).said).toMatchObject({ pipelines: [{ unchanged: 3, requests: 0 }] })
})

it('a pipeline that takes the place of one that was dropped begins anew', async () => {
  await shop.configure(RENAMED())
  await shop.drop('shop', 'a.csv', peopleCsv(3))
  expect((await shop.cli('state', 'drop-pipeline', 'shop', '--yes')).code).toBe(0)
  expect((await json('run', 'webshop')).said).toMatchObject({ pipelines: [{ status: 'ok', read: 3 }] })
})

it('a person of a renamed pipeline is erased from its folder, and nothing is left to search', async () => {
  await shop.configure(RENAMED())
  await shop.cli('state', 'rename-pipeline', 'shop', 'webshop')
  const erased = await shop.cli('audit', 'forget', 'person1@example.com', '--yes')
  expect([erased.code, erased.stdout]).toEqual([0, expect.stringContaining('webshop: processed/a.')])
  expect(erased.stdout).not.toContain('NOT DONE')
})

it('a pipeline whose new name has records of its own is not mixed with them', async () => {
  await mkdir(shop.path('inbox', 'webshop'))
  await shop.configure(RENAMED().replace('inbox/shop', 'inbox/webshop'))
  await shop.drop('webshop', 'a.csv', peopleCsv(3))
  expect((await shop.cli('run', 'webshop')).code).toBe(0)
  const { code, stderr } = await shop.cli('state', 'rename-pipeline', 'shop', 'webshop')
  expect([code, stderr]).toEqual([2, expect.stringContaining('has a pipeline webshop already, with 3 links')])
})

it('a pipeline whose new name has nothing but rejects keeps those of both', async () => {
  const beside = (yaml + CRM).replace(
    /( {2})shop:([^]*?)(?= {2}crm:)/,
    (all, _, rest: string) => `${all}  webshop:${rest.replace('inbox/shop', 'inbox/webshop')}`,
  )
  await mkdir(shop.path('inbox', 'webshop'))
  await shop.configure(beside)
  const refused = peopleCsv(1).replace('person0@example.com', 'no mail')
  await shop.drop(
    'shop',
    'b.csv',
    `${peopleCsv(3)}${refused.slice(refused.indexOf('\n') + 1).replace(/^[^,]*/, '8')}`,
  )
  await shop.drop('webshop', 'c.csv', refused)
  await shop.cli('run', 'shop', 'webshop')
  await shop.configure(RENAMED())
  await shop.drop('shop', 'd.csv', peopleCsv(3))
  expect((await json('run', 'webshop')).said).toMatchObject({ pipelines: [{ code: 'PIPELINE_RENAMED' }] })
  expect(await json('state', 'rename-pipeline', 'shop', 'webshop')).toMatchObject({
    code: 0,
    said: { links: 3 },
  })
  expect((await json('rejects', 'list')).said).toMatchObject({
    rejects: [{ pipeline: 'webshop' }, { pipeline: 'webshop' }],
  })
  expect((await json('run', 'webshop')).said).toMatchObject({ pipelines: [{ unchanged: 3, requests: 0 }] })
})

it('a pipeline that is removed is given up: its links go, its contacts stay', async () => {
  const early = await shop.cli('state', 'drop-pipeline', 'shop', '--yes')
  expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('is configured')])
  await shop.configure(REMOVED())
  expect((await shop.cli('status')).stdout).toContain('shop: not in the configuration')
  const asked = await shop.cli('state', 'drop-pipeline', 'shop')
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')])
  await fetched('shop')
  expect(await json('state', 'drop-pipeline', 'shop', '--yes')).toMatchObject({
    code: 0,
    said: { pipeline: 'shop', links: 3, open: 0, in_doubt: 0, rejects: 0, runs: 1 },
  })
  expect((await json('status')).said).toMatchObject({ orphans: [] })
  expect((await json('state', 'info')).said).toMatchObject({ pipelines: [] })
  expect(existsSync(spool('shop'))).toBe(false)
  expect(await shop.contacts('person1@example.com', 'phone')).toMatchObject([{ phone: '030 1' }])
  expect((await shop.cli('audit', 'list', '--action', 'drop')).stdout).toContain('shop')
  expect((await shop.cli('audit', 'verify')).code).toBe(0)
})

describe('as the manual says', () => {
  it('another key column: the same people under other keys are held under email, and never made twice', async () => {
    await shop.configure((yaml + CRM).replace('key: no', 'key: mail'))
    await shop.drop('shop', 'b.csv', peopleCsv(3))
    const { code, said } = await json('run', 'shop')
    expect(code).toBe(4)
    expect(said).toMatchObject({ pipelines: [{ created: 0, held: 3 }] })
    for (const number of [0, 1, 2])
      expect(await shop.contacts(`person${number}@example.com`, 'phone')).toHaveLength(1)
  })

  it('another time zone and schedule: nothing is sent for it', async () => {
    await shop.configure(
      (yaml + CRM).replace('    key: no', '    schedule: "0 6 * * *"\n    timezone: Asia/Tokyo\n    key: no'),
    )
    await shop.drop('shop', 'b.csv', peopleCsv(3))
    expect((await json('run', 'shop')).said).toMatchObject({ pipelines: [{ unchanged: 3, requests: 0 }] })
  })
})

it('a restore of a pipeline whose files are gone goes on, by state accept', async () => {
  for (const part of ['', '-wal', '-shm'])
    await rm(`${shop.path('state', 'contact-sync.db')}${part}`, { force: true })
  await rm(shop.path('inbox', 'shop', 'processed'), { recursive: true })
  await shop.drop('crm', 'a.csv', peopleCsv(1))
  const rebuild = await shop.cli('state', 'rebuild')
  expect([rebuild.code, rebuild.stdout]).toEqual([3, expect.stringContaining('contact-sync state accept')])
  expect((await shop.cli('state', 'accept')).code).toBe(0)
  expect((await shop.cli('run', 'shop')).code).toBe(0)
})
