// `init` from samples that are no CSV: the configuration names the kind, loads, and maps every record.
import { readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { proposedSettings, tryMapping } from '../../src/app/init/trying.ts'
import { openPlace, type Place } from '../support/in-process.ts'
import { workbook } from '../support/workbook.ts'

const ENV = { CONTACT_SYNC_BASE_URL: 'https://contacts.example', CONTACT_SYNC_API_KEY: 'init-key' }

let place: Place
beforeEach(async () => (place = await openPlace()))
afterEach(() => place.close())

/** What `init --yes` writes for the sample, and what that makes of it. */
async function proposed(name: string, content: string | Buffer) {
  writeFileSync(place.path(name), content)
  const told = await place.cli('init', name, '--yes')
  expect(told).toMatchObject({ code: 0, stderr: '' })
  const text = readFileSync(place.path('config.yaml'), 'utf8')
  const [pipeline] = (await proposedSettings(place.path('config.yaml'), text, ENV)).pipelines
  return {
    told: told.stdout,
    text,
    pipeline: pipeline!,
    tried: await tryMapping(pipeline!, [place.path(name)]),
  }
}

const FIRST = ['Anna', 'Bo', 'Cleo', 'Dan']
const PEOPLE = ['Berger', 'Birch', 'Cedar', 'Dale'].map((family, index) => ({
  number: `C-${[71, 15, 42, 33][index] ?? 0}`,
  email: `${family.toLowerCase()}@mail.example`,
  first: FIRST[index] ?? '',
  family,
  phone: `+49 30 12345${index}`,
  street: `Weg ${index + 1}`,
  city: 'Berlin',
  postal_code: `1011${index}`,
}))

describe('JSON', () => {
  const nested = PEOPLE.map(({ number, email, first, family, phone, street, city, postal_code }) => ({
    ...{ id: number, properties: { firstname: first, lastname: family } },
    ...{ emails: [{ value: email, primary: true }], phones: phone === '' ? [] : [{ value: phone }] },
    ...{ address: { street, city, postal_code, country: 'DE' }, tags: ['News'] },
  }))

  it('a list of nested objects: columns are paths', async () => {
    const { text, pipeline, tried, told } = await proposed('people.json', JSON.stringify(nested))
    expect(told).toContain('JSON')
    expect(text).toMatch(/^ {6}type: json$/m)
    expect(text).not.toMatch(/encoding|delimiter/)
    expect(pipeline.key).toEqual(['id'])
    expect(pipeline.map).toMatchObject({
      mail: { column: 'emails[0].value' },
      first_name: { column: 'properties.firstname' },
      family_name: { column: 'properties.lastname' },
      ba_city: { column: 'address.city' },
      ba_postal_code: { column: 'address.postal_code' },
    })
    expect(tried).toMatchObject({ mapped: 4, rejected: 0 })
  })

  it('an object around the list: where it is stands in the source', async () => {
    const wrapped = JSON.stringify({ meta: { count: 4 }, data: { contacts: nested } })
    const { text, tried } = await proposed('people.json', wrapped)
    expect(text).toMatch(/^ {6}records: data\.contacts$/m)
    expect(tried).toMatchObject({ mapped: 4, rejected: 0 })
  })

  it('lines, packed', async () => {
    const lines = nested.map((one) => JSON.stringify(one)).join('\n')
    const { pipeline, tried } = await proposed('people.jsonl.gz', gzipSync(lines))
    expect(pipeline.source).toMatchObject({ type: 'json' })
    expect(tried).toMatchObject({ mapped: 4, rejected: 0 })
  })
})

describe('an Excel workbook', () => {
  const rows = [
    ['Kundennummer', 'E-Mail', 'Vorname', 'Nachname', 'Telefon'],
    ...PEOPLE.map(({ number, email, first, family, phone }) => [number, email, first, family, phone]),
  ]

  it('the first sheet, with what stands above the header', async () => {
    const book = workbook({ sheets: [{ rows: [['Kunden der Filiale'], ['Stand: heute'], ...rows] }] })
    const { text, pipeline, tried } = await proposed('kunden.xlsx', book)
    expect(text).toMatch(/^ {6}type: excel$/m)
    expect(text).toContain('skip_lines: auto')
    expect(pipeline.key).toEqual(['Kundennummer'])
    expect(pipeline.map).toMatchObject({ mail: { column: 'E-Mail' }, family_name: { column: 'Nachname' } })
    expect(tried).toMatchObject({ mapped: 4, rejected: 0 })
  })

  it('the sheet that has the people', async () => {
    const sheets = [
      { name: 'Hinweise', rows: [['Bitte nicht sortieren']] },
      { name: 'Kunden 2026', rows },
    ]
    const { text, tried, told } = await proposed('kunden.xlsx', workbook({ sheets }))
    expect(text).toMatch(/^ {6}sheet: Kunden 2026$/m)
    expect(told).toContain('Excel, sheet "Kunden 2026"')
    expect(tried).toMatchObject({ mapped: 4, rejected: 0 })
  })
})

it('vCards: by the columns that every card has', async () => {
  const cards = PEOPLE.map(
    ({ number, email, first, family, phone, street, city, postal_code }) =>
      `BEGIN:VCARD\nVERSION:3.0\nUID:${number}\nFN:${first} ${family}\nN:${family};${first};;;\nEMAIL:${email}\nTEL;TYPE=CELL:${phone}\nADR;TYPE=HOME:;;${street};${city};;${postal_code};Germany\nBDAY:1980-12-31\nEND:VCARD\n`,
  ).join('')
  const { text, pipeline, tried } = await proposed('phones.vcf', cards)
  expect(text).toMatch(/^ {6}type: vcard$/m)
  expect(pipeline.key).toEqual(['UID'])
  expect(pipeline.map).toMatchObject({
    mail: { column: 'EMAIL' },
    first_name: { column: 'N.given' },
    family_name: { column: 'N.family' },
    phone: { column: 'TEL' },
    ba_street: { column: 'ADR.street' },
    ba_postal_code: { column: 'ADR.code' },
    ba_city: { column: 'ADR.city' },
    date_of_birth: { column: 'BDAY' },
  })
  expect(tried).toMatchObject({ mapped: 4, rejected: 0 })
})

it.each([
  ['empty.json', '[]', 'empty.json has no record'],
  ['broken.json', '[{"a": 1}, {', 'broken.json'],
  ['no.xlsx', 'name,mail\n', 'no.xlsx'],
])('%s is refused with a sentence', async (name, content, said) => {
  writeFileSync(place.path(name), content)
  const { code, stderr } = await place.cli('init', name, '--yes')
  expect(code).not.toBe(0)
  expect(stderr).toContain(said)
})

it('--json names the kind, and the list within JSON', async () => {
  writeFileSync(place.path('a.json'), JSON.stringify({ people: [{ mail: 'a@a.example' }] }))
  const report = await place.json('init', 'a.json')
  expect(report).toMatchObject({
    source: { type: 'json', records: 'people' },
    encoding: null,
    delimiter: null,
  })
})

it('samples of two kinds are refused', async () => {
  writeFileSync(place.path('a.csv'), 'mail,name\na@a.example,A\n')
  writeFileSync(place.path('b.json'), '[{"mail": "b@b.example"}]')
  const { code, stderr } = await place.cli('init', 'a.csv', 'b.json', '--yes')
  expect([code, stderr]).toEqual([2, expect.stringContaining('different formats')])
})
