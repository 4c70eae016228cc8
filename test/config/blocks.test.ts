// Blocks: pieces of a mapping that several pipelines use. The preset first, then the blocks in order, then the pipeline's keys.
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { loadSettings } from '../../src/config/load.ts'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { KINDS } from './fake-kinds.ts'
import { ENV, FOLDER, linesOf, loadFixture, loadText, settingsOf } from './fixtures.ts'

const SERVICE = 'service: { base_url: https://a.b.example.com, api_key: "${KEY}" }\n'

async function mapOf(text: string): Promise<PipelineSettings['map']> {
  return settingsOf(await loadText(SERVICE + text)).pipelines[0]!.map
}

/** The same, of a pipeline that names a preset of the fixtures. */
async function mapOverPreset(text: string): Promise<PipelineSettings['map']> {
  const file = '/etc/sync/sync.yaml'
  const loaded = await loadSettings({
    file,
    env: ENV,
    kinds: KINDS,
    presetFolder: `${FOLDER}presets`,
    readFile: (path) => (path === file ? Promise.resolve(Buffer.from(SERVICE + text)) : readFile(path)),
  })
  return settingsOf(loaded).pipelines[0]!.map
}

const problemsOf = async (text: string): Promise<string[]> => linesOf(await loadText(SERVICE + text))

const PHONES = `blocks:
  our-phones: { phone: Tel, phone2: { column: Mobil, transform: trim } }
  our-names: { first_name: Vor, family_name: Nach, phone2: Handy }
`

describe('the fields of a pipeline', () => {
  it('are those of its blocks, and its own', async () => {
    const map = await mapOf(
      `${PHONES}pipelines: { a: { use: [our-phones], source: { type: csv, folder: in }, map: { mail: Mail } } }`,
    )
    expect(map).toMatchObject({
      mail: { column: 'Mail' },
      phone: { column: 'Tel' },
      phone2: { column: 'Mobil', transform: [{ name: 'trim' }] },
    })
  })

  it.each([
    ['[our-phones, our-names]', 'Handy'],
    ['[our-names, our-phones]', 'Mobil'],
  ])('are those of the last block that has them, of %s', async (use, column) => {
    const map = await mapOf(
      `${PHONES}pipelines: { a: { use: ${use}, source: { type: csv, folder: in }, map: { mail: Mail } } }`,
    )
    expect(map['phone2']).toMatchObject({ column })
    expect(map['first_name']).toMatchObject({ column: 'Vor' })
  })

  it('are its own before those of a block, and those of a block before those of the preset', async () => {
    const map = await mapOverPreset(`blocks: { ours: { mail: Post, first_name: Rufname, company: Betrieb } }
pipelines: { crm: { use: ours, source: { preset: tiny, folder: in }, map: { company: { value: ACME } } } }`)
    expect(map).toMatchObject({
      mail: { column: 'Post' },
      first_name: { column: 'Rufname' },
      family_name: { column: 'Nachname' },
      company: { value: 'ACME' },
    })
  })

  it('may all be in blocks: a pipeline needs no map of its own', async () => {
    const map = await mapOf(`blocks: { all: { mail: Mail } }
pipelines: { a: { use: [all], source: { type: csv, folder: in } } }`)
    expect(map).toMatchObject({ mail: { column: 'Mail' } })
  })

  it('leave out what a null takes out, whatever layer below it has the field', async () => {
    const map = await mapOverPreset(`blocks:
  less: { first_name: null }
  more: { fax: Fax, phone: Tel }
pipelines:
  crm: { use: [less, more], source: { preset: tiny, folder: in }, map: { fax: null, family_name: null } }`)
    expect(Object.keys(map).sort()).toEqual(['company', 'mail', 'phone'])
  })

  it('join custom fields one by one', async () => {
    const { pipelines } = settingsOf(
      await loadText(`${SERVICE}blocks: { shoes: { custom_fields: { shoe: Schuh, hat: Hut } } }
pipelines:
  a: { use: [shoes], source: { type: csv, folder: in }, map: { mail: Mail, custom_fields: { hat: Kopf } } }`),
    )
    expect(pipelines[0]!.custom_fields).toMatchObject({ shoe: { column: 'Schuh' }, hat: { column: 'Kopf' } })
  })

  it('give a record the contact that the same fields without blocks would: the hash is one', async () => {
    const used = await loadText(`${SERVICE}${PHONES}pipelines:
  a: { use: [our-phones], source: { type: csv, folder: in }, map: { mail: Mail } }`)
    const written = await loadText(`${SERVICE}pipelines:
  a: { source: { type: csv, folder: in }, map: { mail: Mail, phone: Tel, phone2: { column: Mobil, transform: trim } } }`)
    expect(settingsOf(used).pipelines[0]!.hash).toBe(settingsOf(written).pipelines[0]!.hash)
  })
})

it('stand beside everything else that a file says', async () => {
  const [crm, club] = settingsOf(await loadFixture('blocks.yaml')).pipelines
  expect(Object.keys(crm!.map).sort()).toEqual([
    'company',
    'family_name',
    'first_name',
    'mail',
    'phone',
    'phone2',
  ])
  expect(crm).toMatchObject({
    on_duplicate_key: 'union',
    repair: ['spreadsheet', 'html', 'c1'],
    expect: {
      records: { least: 100, change: { share: 0.3 } },
      blank: { Tel: { share: 0.4 }, Mobil: { count: 12 } },
    },
  })
  expect(club!.custom_fields).toMatchObject({ shoe_size: { column: 'Schuh' } })
})

it.each([
  ['records: { change: 5% }', 'expect.records.change: needs mode: full'],
  ['blank: { Tel: 140% }', 'expect.blank.Tel: is not a share'],
  ['columns: some', 'expect.columns: is "some"; possible: exact, at_least'],
  ['{}', 'expect: is empty; write columns, records, blank or values'],
])('expectations such as %s are refused', async (text, problem) => {
  const block = text === '{}' ? text : `{ ${text} }`
  const [line] = await problemsOf(
    `pipelines: { a: { expect: ${block}, source: { type: csv, folder: in }, map: { mail: Mail } } }`,
  )
  expect(line).toContain(`pipelines.a.${problem}`)
})

describe('a mistake', () => {
  const PIPELINES = `pipelines:
  a: { use: [phones], source: { type: csv, folder: in }, map: { mail: Mail } }
  b: { use: [phones], source: { type: csv, folder: out }, map: { mail: Mail } }
`

  it('in a block is said once, at its place there', async () => {
    expect(await problemsOf(`blocks:\n  phones:\n    phone: { colum: Tel }\n${PIPELINES}`)).toEqual([
      '/etc/sync/sync.yaml:4:14: blocks.phones.phone.colum: is not a known key; did you mean column?',
    ])
  })

  it('in a block that nobody uses is said all the same', async () => {
    const [line] = await problemsOf(`blocks: { rest: { phnoe: Tel } }
pipelines: { a: { source: { type: csv, folder: in }, map: { mail: Mail } } }`)
    expect(line).toContain('blocks.rest.phnoe: is not a known key; did you mean phone?')
  })

  it('in the name of a block gives the nearest one', async () => {
    expect(
      await problemsOf(`blocks: { phones: { phone: Tel } }\n${PIPELINES.replace('[phones]', '[fones]')}`),
    ).toEqual(['/etc/sync/sync.yaml:4:14: pipelines.a.use[0]: names no block; did you mean phones?'])
  })

  it('of naming a block where there are none says where they are described, and nothing that follows from it', async () => {
    expect(await problemsOf('pipelines: { a: { use: [all], source: { type: csv, folder: in } } }')).toEqual([
      expect.stringContaining('pipelines.a.use[0]: names no block; describe it under blocks'),
    ])
  })

  it('is none where a block takes a field out that no layer below it has', async () => {
    const text =
      'blocks: { less: { fax: null } }\npipelines: { a: { use: [less], source: { type: csv, folder: in }'
    expect(Object.keys(await mapOf(`${text}, map: { mail: Mail } } }`))).toEqual(['mail'])
  })
})
