// `rehearse`: processed files under two configurations. Numbers, by hand counted; nothing is written and nothing is asked.
import { createHash } from 'node:crypto'
import type fsPromises from 'node:fs/promises'
import { open, readdir, readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

vi.mock('node:fs/promises', async (actual) => {
  const real = await actual<typeof fsPromises>()
  return { ...real, open: vi.fn(real.open) }
})

const KEY = 'rehearse-key'

const MAP = 'mail: mail, first_name: first, phone: phone'
const configuration = (
  own: { map?: string; key?: string; more?: string; terms?: string; name?: string } = {},
) => `
service: { base_url: "${sandbox.url}", api_key: "\${THE_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
pipelines:
  ${own.name ?? 'shop'}:
    source: { type: csv, folder: inbox, settle: 0s }
    key: ${own.key ?? 'no'}
    map: { ${own.map ?? MAP} }
    terms: { assign: [${own.terms ?? '{ column: tags, split: ";" }'}] }
${own.more ?? ''}`

const HEADER = 'no,mail,first,phone,tags,mobile'
const csv = (...rows: string[]): string => [HEADER, ...rows, ''].join('\n')
const ROWS = [
  'K1,a@example.com,Anna,030 1,VIP;Kunde,',
  'K2,b@example.com,Bert,,Kunde,0170 2',
  'K3,c@example.com,Cleo,030 3,,0170 3',
  'K4,broken,Dora,030 4,,',
]

let sandbox: Sandbox
let place: Place
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  place = await openPlace({ THE_KEY: KEY })
  await place.write('config.yaml', configuration())
  await place.write('inbox/1.csv', csv(...ROWS))
  expect((await place.cli('run')).code).toBe(3)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await sandbox.close()
  await place.close()
})

async function rehearsed(yaml: string, ...args: string[]): Promise<Record<string, unknown>> {
  await place.write('new.yaml', yaml)
  const { pipelines } = (await place.json('rehearse', '--with', 'new.yaml', ...args)) as {
    pipelines: Record<string, unknown>[]
  }
  return pipelines[0] ?? {}
}

/** Every file of the place, with the digest of its bytes. */
async function everything(): Promise<Record<string, string>> {
  const names = await readdir(place.folder, { recursive: true, withFileTypes: true })
  const digests = names
    .filter((entry) => entry.isFile())
    .map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      return [
        path,
        createHash('sha256')
          .update(await readFile(path))
          .digest('hex'),
      ] as const
    })
  return Object.fromEntries(await Promise.all(digests))
}

const moves = (own: Record<string, number>) => ({
  ...{ set: 0, changed: 0, emptied: 0, no_longer_sent: 0 },
  ...own,
})

describe('what would differ', () => {
  it('nothing, under the same configuration', async () => {
    expect(await rehearsed(configuration())).toMatchObject({
      ...{ status: 'compared', records: 4, differing: 0, keys_changed: 0, outcomes: [] },
      ...{ by_field: {}, by_term: {}, unread: [], settings: [] },
    })
    expect((await place.cli('rehearse', '--with', 'new.yaml')).stdout).toContain('none differs')
  })

  it('by field: set, changed, emptied and no longer sent', async () => {
    const map = 'mail: mail, phone: { column: mobile, blank: clear }, company: first'
    expect(await rehearsed(configuration({ map }))).toMatchObject({
      differing: 3,
      by_field: {
        phone: moves({ set: 1, changed: 1, emptied: 1 }),
        first_name: moves({ no_longer_sent: 3 }),
        company: moves({ set: 3 }),
      },
    })
  })

  it('by term, and what is mapped, skipped or rejected otherwise', async () => {
    const terms =
      '{ column: tags, split: ";", transform: [{ replace: { find: VIP, with: Gold } }] }, { name: New }'
    const more = `    where: 'record["no"] != "K2"'\n`
    expect(await rehearsed(configuration({ terms, more }))).toMatchObject({
      differing: 3,
      outcomes: [{ before: 'mapped', after: 'skipped', records: 1 }],
      by_term: {
        New: { add: 2, remove: 0 },
        Gold: { add: 1, remove: 0 },
        VIP: { add: 0, remove: 1 },
      },
    })
    expect(await rehearsed(configuration({ map: 'mail: { column: mail, on_invalid: drop }' }))).toMatchObject(
      {
        outcomes: [{ before: 'MAIL_INVALID', after: 'CONTACT_INCOMPLETE', records: 1 }],
      },
    )
  })

  it('as the manual shows it', async () => {
    const terms = '{ column: tags, split: ";", transform: [{ replace: { find: VIP, with: Gold } }] }'
    const map = 'mail: mail, phone: mobile'
    await place.write('inbox/processed/9.csv', csv(...ROWS.slice(0, 4)))
    await place.write('new.yaml', configuration({ map, terms, more: `    where: 'record["no"] != "K3"'\n` }))
    const { stdout } = await place.cli('rehearse', '--with', 'new.yaml', '--files', '1')
    const manual = await readFile(join(import.meta.dirname, '../../config/README.md'), 'utf8')
    expect(manual).toContain('```\n$ contact-sync rehearse --with new.yaml\n' + stdout + '```')
  })

  it('says loudly that keys change', async () => {
    expect(await rehearsed(configuration({ key: 'mail' }))).toMatchObject({ keys_changed: 3, differing: 3 })
    const { stdout } = await place.cli('rehearse', '--with', 'new.yaml')
    expect(stdout).toContain('KEYS CHANGE for 3 of 4 records. A new key is a new contact')
  })

  it('names settings that no record shows, and pipelines that come and go', async () => {
    expect(
      await rehearsed(configuration({ more: '    mode: full\n    on_missing: delete\n' })),
    ).toMatchObject({
      differing: 0,
      settings: ['mode', 'on_missing'],
    })
    await place.write('new.yaml', configuration({ name: 'other' }))
    expect(await place.json('rehearse', '--with', 'new.yaml')).toMatchObject({
      pipelines: [
        { pipeline: 'shop', status: 'removed' },
        { pipeline: 'other', status: 'new' },
      ],
    })
  })

  it('names a file that only the old configuration can read, and ends with 3', async () => {
    await place.write('new.yaml', configuration({ map: 'mail: E-Mail' }))
    const { code, stdout } = await place.cli('rehearse', '--with', 'new.yaml', '--json')
    expect(code).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({
      pipelines: [{ records: 0, unread: [{ before: null, after: 'INPUT_COLUMN_MISSING' }] }],
    })
  })
})

describe('a failure that passes, while a file is read', () => {
  const failing = async (opening: number) => {
    const real = await vi.importActual<typeof fsPromises>('node:fs/promises')
    let count = 0
    vi.mocked(open).mockImplementation(async (...args) => {
      if (String(args[0]).includes('processed') && (count += 1) === opening)
        throw Object.assign(new Error('EIO'), { code: 'EIO' })
      return real.open(...args)
    })
  }

  it.each([
    [1, { before: 'INPUT_IO', after: null }],
    [2, { before: null, after: 'INPUT_IO' }],
  ])('opening %i: the file is named, and the exit code is 3', async (opening, unread) => {
    await place.write('new.yaml', configuration())
    await failing(opening)
    const { code, stdout } = await place.cli('rehearse', '--with', 'new.yaml', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ pipelines: [{ records: 0, differing: 0, unread: [unread] }] })
    expect(code).toBe(3)
  })
})

describe('which files', () => {
  it('the last ones that were processed, without what lies beside them; samples without a run in their names, too', async () => {
    await place.write('inbox/2.csv', csv('K9,z@example.com,Zoe,1,,'))
    expect((await place.cli('run')).code).toBe(0)
    const last = await rehearsed(configuration(), '--files', '1')
    expect(last).toMatchObject({ records: 1, files: [expect.stringMatching(/^2\./)] })
    expect(await rehearsed(configuration())).toMatchObject({
      records: 5,
      files: [expect.stringMatching(/^1\./), expect.stringMatching(/^2\./)],
    })
    await place.write('inbox/processed/sample.csv', csv(...ROWS))
    await place.write('inbox/processed/notes.txt', 'not a file of this source')
    expect(await rehearsed(configuration())).toMatchObject({ records: 9 })
  })

  it('without any, says that there is nothing to compare', async () => {
    const empty = await openPlace()
    try {
      await empty.write('config.yaml', configuration())
      const { code, stdout } = await empty.cli('rehearse', '--with', 'config.yaml')
      expect([code, stdout]).toEqual([0, expect.stringContaining('there are no processed files')])
      expect((await empty.cli('rehearse')).code).toBe(2)
    } finally {
      await empty.close()
    }
  })
})

describe('rows of one key', () => {
  const doubled = [...ROWS.slice(0, 3), 'K1,a@example.com,Anna,030 9,,', 'K2,b@example.com,Bert,030 8,Neu,']
  beforeEach(() => place.write('inbox/processed/double.csv', csv(...doubled)))

  it.each([
    ['reject', 'last', { mapped: 'skipped', KEY_DUPLICATE: 'mapped' }],
    ['reject', 'union', { mapped: 'missing', KEY_DUPLICATE: 'mapped' }],
    ['union', 'union', {}],
  ])('from %s to %s', async (before, after, turns) => {
    const of = (rule: string) => configuration({ more: `    on_duplicate_key: ${rule}\n` })
    await place.write('config.yaml', of(before))
    const { outcomes, records } = await rehearsed(of(after), '--files', '1')
    expect(records).toBe(before === 'union' ? 3 : 5)
    expect(outcomes).toHaveLength(Object.keys(turns).length)
    expect(outcomes).toEqual(
      expect.arrayContaining(
        Object.entries(turns).map(([was, is]) => ({ before: was, after: is, records: 2 })),
      ),
    )
  })
})

describe('the Markdown', () => {
  it('counts somebody once, whose records stand in many files or under many keys', async () => {
    const rows = [1, 2, 3, 4, 5, 6].map((number) => `K${number},a@a.example,Anna,,,`)
    for (const name of ['1.csv', '2.csv', '3.csv', '4.csv', '5.csv', '6.csv'])
      await place.write(`inbox/processed/${name}`, csv(...rows))
    await place.write('new.yaml', configuration({ terms: '{ column: first }, { column: no }' }))
    const { stdout } = await place.cli('rehearse', '--with', 'new.yaml', '--files', '6', '--markdown', 'r.md')
    expect(stdout).toContain('Anna')
    expect(await readFile(place.path('r.md'), 'utf8')).not.toMatch(/Anna|K1/)
  })

  it('has the numbers, and nothing of anybody, whatever a mapping makes terms of', async () => {
    await place.write(
      'new.yaml',
      configuration({ terms: '{ column: mail }, { name: New }', map: `${MAP}, fax: mobile` }),
    )
    expect((await place.cli('rehearse', '--with', 'new.yaml', '--markdown', 'r.md')).code).toBe(0)
    const text = await readFile(place.path('r.md'), 'utf8')
    expect(text).toContain('4 records of 1 processed file: 3 differ')
    expect(text).toContain('| fax | 2 | 0 | 0 | 0 |')
    expect(text).toContain('| New | 3 | 0 |')
    expect(text).toContain('| 5 terms, not named | 3 | 3 |')
    for (const theirs of ['example', 'Anna', '030', '0170', 'K1', 'VIP']) expect(text).not.toContain(theirs)
  })
})

it('writes nothing and asks nobody, and needs no key', async () => {
  await place.write('new.yaml', configuration({ map: 'mail: mail' }))
  const connect = vi.spyOn(Socket.prototype, 'connect')
  const before = await everything()
  expect((await place.cli('rehearse', '--with', 'new.yaml')).code).toBe(0)
  expect(await everything()).toEqual(before)
  expect(connect).not.toHaveBeenCalled()
  const without = await openPlace()
  try {
    await without.write('config.yaml', configuration())
    await without.write('inbox/processed/sample.csv', csv(...ROWS))
    expect((await without.cli('rehearse', '--with', 'config.yaml')).stdout).toContain(
      '4 records of 1 processed',
    )
  } finally {
    await without.close()
  }
})

it('of a file that is not there, names the option that named it', async () => {
  const { code, stderr } = await place.cli('rehearse', '--with', 'no-such.yaml')
  expect(code).toBe(2)
  expect(stderr).toMatch(/no-such\.yaml:1:1: there is no such file; .* name another file with --with$/m)
})
