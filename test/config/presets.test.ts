import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { loadSettings } from '../../src/config/load.ts'
import { NO_CUSTOM_FIELDS } from '../../src/core/mapping/custom-fields.ts'
import { compileMapping } from '../../src/core/mapping/mapping.ts'
import { loadRuleKit } from '../../src/core/mapping/values/rule-kit.ts'
import { scheduleProblem } from '../../src/schedule/due-times.ts'
import { SOURCE_KINDS } from '../../src/sources/registry.ts'
import { linesOf, settingsOf } from './fixtures.ts'

const CONFIG = fileURLToPath(new URL('../../config/', import.meta.url))
const ENV = { CONTACT_SYNC_API_KEY: 'a1b2c3d4' }

async function pipelineWith(preset: string, map = '{}', own = '') {
  const text = `service: { base_url: https://a.example.com, api_key: "\${CONTACT_SYNC_API_KEY}" }
pipelines: { it: { ${own}source: { preset: ${preset}, folder: in }, map: ${map} } }`
  const file = '/etc/sync.yaml'
  const { readFile } = await import('node:fs/promises')
  const loaded = await loadSettings({
    file,
    env: ENV,
    kinds: SOURCE_KINDS,
    presetFolder: `${CONFIG}presets`,
    readFile: (path) => (path === file ? Promise.resolve(Buffer.from(text)) : readFile(path)),
  })
  return settingsOf(loaded).pipelines[0]!
}

/** A row with these cells, and the header that it needs. */
async function contactOf(preset: string, cells: Readonly<Record<string, string>>, map?: string) {
  const pipeline = await pipelineWith(preset, map)
  const kit = await loadRuleKit(pipeline, { writtenAt: Date.UTC(2026, 0, 1) })
  const mapper = compileMapping(pipeline, Object.keys(cells), NO_CUSTOM_FIELDS, kit)
  const mapped = mapper.map({ kind: 'record', values: Object.values(cells), line: 2 })
  if (mapped.kind !== 'contact') throw new Error(JSON.stringify(mapped))
  return mapped
}

describe('presets', () => {
  it('hubspot: the first of several mails, the country as a code, the id as the key', async () => {
    const { key, contact } = await contactOf('hubspot', {
      'Record ID': '4711',
      'First Name': 'Ada',
      'Last Name': 'Example',
      Email: 'ada@example.org;other@example.org',
      'Phone Number': '0049 30 1234',
      'Mobile Phone Number': '',
      'Associated Company': 'Example Ltd',
      'Job Title': 'Engineer',
      City: 'Bern',
      'State/Region': 'A region with far too long a name',
      'Postal Code': '03011',
      'Country/Region': 'switzerland',
    })
    expect(key).toBe('4711')
    expect(contact).toEqual({
      first_name: 'Ada',
      family_name: 'Example',
      company: 'Example Ltd',
      job_title: 'Engineer',
      mail: 'ada@example.org',
      phone: '0049 30 1234',
      ba_city: 'Bern',
      ba_postal_code: '03011',
      ba_country: 'CH',
    })
  })

  it('salesforce: Title is the job, the salutation gives title and degree', async () => {
    const row = {
      'First Name': 'Ada',
      'Last Name': 'Example',
      Title: 'CEO',
      'Mailing Street': 'High Street 1\nBack door',
      'Mailing City': 'York',
      'Mailing State/Province': '',
      'Mailing Zip/Postal Code': 'YO1',
      'Mailing Country': 'UK',
      Phone: '1',
      Mobile: '2',
      Email: 'ada@example.org',
      'Account Name': 'Example Ltd',
    }
    const { contact } = await contactOf('salesforce', { Salutation: 'Mrs.', ...row })
    expect(contact).toMatchObject({
      title: 'f',
      job_title: 'CEO',
      ba_street: 'High Street 1 Back door',
      ba_country: 'GB',
    })
    const doctor = await contactOf('salesforce', { Salutation: 'Prof.', ...row })
    expect(doctor.contact['title2']).toBe('prof')
    expect(doctor.contact).not.toHaveProperty('title')
  })

  it.each([
    [{ 'First Name': 'Ada', 'Last Name': 'Example', 'Organization Name': 'X', 'Organization Title': 'CEO' }],
    [{ 'Given Name': 'Ada', 'Family Name': 'Example', 'Organization 1 - Name': 'X', Occupation: 'CEO' }],
  ])('google: both headers, %j', async (names) => {
    const { contact } = await contactOf(
      'google',
      {
        ...names,
        'Name Prefix': 'Dr.',
        Birthday: '--12-31',
        'E-mail 1 - Value': 'ada@example.org ::: other@example.org',
        'Phone 1 - Value': '1 ::: 2',
      },
      '{ ba_street: null, ba_city: null, ba_postal_code: null, ba_state: null, ba_country: null }',
    )
    expect(contact).toEqual({
      title2: 'dr',
      first_name: 'Ada',
      family_name: 'Example',
      company: 'X',
      job_title: 'CEO',
      mail: 'ada@example.org',
      phone: '1',
    })
  })

  const REST =
    '{ ba_street: null, ba_city: null, ba_postal_code: null, ba_state: null, ba_country: null, title: null, title2: null, company: null, job_title: null, date_of_birth: null }'
  const googlePhones = async (label: string, ...phones: [string, string][]) => {
    const cells = phones.flatMap(([type, value], index) => [
      [`Phone ${index + 1} - ${label}`, type],
      [`Phone ${index + 1} - Value`, value],
    ])
    const names = { 'First Name': 'Ada', 'Last Name': 'Example', 'E-mail 1 - Value': 'ada@example.org' }
    const { contact } = await contactOf(
      'google',
      { ...names, ...(Object.fromEntries(cells) as object) },
      REST,
    )
    return [contact['phone'], contact['fax']]
  }

  it.each([
    [
      'a mobile before work',
      [
        ['Work', '1'],
        ['Mobile', '2'],
      ],
      ['2', undefined],
    ],
    [
      'work before home',
      [
        ['Home', '1'],
        ['Work', '2'],
      ],
      ['2', undefined],
    ],
    [
      'never a pager or a fax',
      [
        ['Pager', '1'],
        ['Work Fax', '2 ::: 3'],
        ['Main', '4'],
      ],
      ['4', '2'],
    ],
    [
      'no phone where all are faxes',
      [
        ['workFax', '1'],
        ['Home Fax', '2'],
      ],
      [undefined, '1'],
    ],
    [
      'the form of the first choice, and of several values',
      [
        ['* Other', '1'],
        ['* Mobile', '2 ::: 3'],
      ],
      ['2', undefined],
    ],
    [
      'a label of its own, or none, last',
      [
        ['Ferienhaus', '1'],
        ['', '2'],
        ['Home', ''],
      ],
      ['1', undefined],
    ],
    [
      'a German fax',
      [
        ['Fax geschäftlich', '1'],
        ['Mobil', '2'],
      ],
      ['2', '1'],
    ],
  ] as const)('google takes phones by their labels: %s', async (_, phones, expected) => {
    const given = phones as unknown as [string, string][]
    expect(await googlePhones('Label', ...given)).toEqual(expected)
    expect(await googlePhones('Type', ...given)).toEqual(expected)
  })

  it('takes a key of the preset out where the pipeline says null, as it does a field', async () => {
    const pipeline = await pipelineWith('hubspot', '{ ba_state: null }', 'key: null, ')
    expect(pipeline.key).toBeUndefined()
    expect(pipeline.map).not.toHaveProperty('ba_state')
  })

  it('google: an export without any phone', async () => {
    expect(await googlePhones('Label')).toEqual([undefined, undefined])
  })

  it('outlook-de: the private address where there is none of business, never parts of both; whatever columns are there', async () => {
    const { contact, mended } = await contactOf('outlook-de', {
      Anrede: 'Frau Dr.',
      Vorname: 'Ada',
      Nachname: 'Beispiel',
      Firma: 'Keine Angabe',
      Position: 'Leitung',
      'Straße geschäftlich': '',
      'Straße privat': 'Gasse 1',
      'Ort geschäftlich': 'Linz',
      'Ort privat': 'Wels',
      'Postleitzahl geschäftlich': '04020',
      'Region geschäftlich': '',
      'Land/Region geschäftlich': 'ÖSTERREICH',
      'Fax geschäftlich': '',
      'Telefon privat': '99',
      Mobiltelefon: '77',
      'E-Mail-Adresse': 'ada@example.org',
      'E-Mail 2: Adresse': '/o=exchange',
      Geburtstag: '1.2.1980',
    })
    expect(mended).toEqual(['mail2'])
    expect(contact).toEqual({
      title: 'f',
      title2: 'dr',
      first_name: 'Ada',
      family_name: 'Beispiel',
      job_title: 'Leitung',
      mail: 'ada@example.org',
      phone: '99',
      phone2: '77',
      phone2_type: 'mobile',
      ba_city: 'Linz',
      ba_postal_code: '04020',
      ba_country: 'AT',
      date_of_birth: '1980-02-01T12:00:00+00:00',
    })
    const pipeline = await pipelineWith('outlook-de')
    expect(pipeline.source).toMatchObject({ encoding: 'auto', ragged: 'pad' })
  })
})

describe('the example', () => {
  it('loads with the key in the environment, without a warning', async () => {
    const loaded = await loadSettings({
      file: `${CONFIG}contact-sync.example.yaml`,
      env: ENV,
      kinds: SOURCE_KINDS,
      presetFolder: `${CONFIG}presets`,
      checkSchedule: scheduleProblem,
    })
    expect(linesOf(loaded)).toEqual([])
    const settings = settingsOf(loaded)
    expect(settings.pipelines.map(({ name }) => name)).toEqual(['shop', 'crm'])
    expect(settings.pipelines[1]!.map).not.toHaveProperty('ba_state')
    for (const pipeline of settings.pipelines) expect(pipeline.source['folder']).toMatch(/\/state\/inbox\//)
  })

  it('says what is missing without it', async () => {
    const loaded = await loadSettings({
      file: `${CONFIG}contact-sync.example.yaml`,
      env: {},
      kinds: SOURCE_KINDS,
      presetFolder: `${CONFIG}presets`,
    })
    expect(linesOf(loaded)).toEqual([
      expect.stringContaining('service.api_key: the environment variable CONTACT_SYNC_API_KEY is not set'),
    ])
  })
})
