// The presets over exports from elsewhere: each maps without an edit, and where a vCard says what a row should give,
// every field of the contact is that of the card. Runs where SAMPLES_DIR names the folder that holds them.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSmallFile } from '../../src/config/text/read-text.ts'
import { detectVendor, readVendors } from '../../src/config/vendors.ts'
import { countryRule } from '../../src/core/mapping/values/country.ts'
import { type Given, mapExport, PRESETS } from '../support/export.ts'

const SAMPLES = join(process.env['SAMPLES_DIR'] ?? '', 'contacts-csv')
const here = process.env['SAMPLES_DIR'] !== undefined && existsSync(SAMPLES)

interface Sample {
  readonly preset: string
  readonly file: string
  readonly contacts: number
  readonly skipped?: number
  /** Rows without a line break at the end of the file, which may have been cut off. */
  readonly cutOff?: number
}

const TAKEN: readonly Sample[] = [
  {
    preset: 'civicrm',
    file: 'civicrm/organization_multiple_duplicates_invalid.csv',
    contacts: 2,
    skipped: 1,
  },
  { preset: 'google', file: 'tine20/google_contacts.csv', contacts: 1, skipped: 4 },
  { preset: 'google', file: 'tine20/adb_google_import.csv', contacts: 1 },
  { preset: 'google', file: 'roundcube/gmail.csv', contacts: 1 },
  { preset: 'mailchimp', file: 'ghost-migrate/mailchimp-subscribed.csv', contacts: 5 },
  { preset: 'mailchimp', file: 'ghost-migrate/mailchimp-unsubscribed.csv', contacts: 5 },
  { preset: 'mailchimp', file: 'ghost-migrate/mailchimp-cleaned.csv', contacts: 5 },
  { preset: 'mailchimp', file: 'grouparoo/mailchimp-profiles.csv', contacts: 9, cutOff: 1 },
  { preset: 'mautic', file: 'mautic/10contacts.csv', contacts: 9, cutOff: 1 },
  { preset: 'mautic', file: 'mautic/contacts.csv', contacts: 1, cutOff: 1 },
  { preset: 'mautic', file: 'mautic/fakeleaddata.csv', contacts: 50, skipped: 3, cutOff: 1 },
  { preset: 'odoo', file: 'odoo/res.partner.csv', contacts: 1, skipped: 5 },
  { preset: 'outlook', file: 'roundcube/outlook.csv', contacts: 1 },
  { preset: 'roundcube', file: 'roundcube/all.csv', contacts: 1 },
  { preset: 'thunderbird', file: 'roundcube/email.csv', contacts: 4 },
  { preset: 'thunderbird', file: 'roundcube/tb_plain.csv', contacts: 1 },
  { preset: 'thunderbird', file: 'thunderbird/basic_csv_addressbook.csv', contacts: 2 },
  { preset: 'thunderbird', file: 'thunderbird/csv_semicolon.csv', contacts: 2 },
]

/** Files without any mail, and one whose umlauts were lost: no record can be identified. */
const REFUSED = [
  ['civicrm', 'civicrm/individual_genders.csv', 'column "Email" (map.mail) is not in the header'],
  ['civicrm', 'civicrm/individual_unicode.csv', 'column "Email" (map.mail) is not in the header'],
  ['civicrm', 'civicrm/individual_dates_type2.csv', 'column "Email" (map.mail) is not in the header'],
  ['mautic', 'mautic/fakecompanydata.csv', 'column "email" (map.mail) is not in the header'],
  ['odoo', 'odoo/m2m_customers_tags.csv', 'column "Email" (map.mail) is not in the header'],
  ['odoo', 'odoo/o2m_customers_contacts.csv', 'column "Email" (map.mail) is not in the header'],
  ['outlook-de', 'tine20/adb_outlook2007_default_de.csv', 'column "Straße geschäftlich" (map.ba_street)'],
] as const

/** A line of a vCard: its type, in capitals, and its values. */
interface CardLine {
  readonly name: string
  readonly type: string
  readonly values: readonly string[]
}

const cardsIn = (text: string): CardLine[][] =>
  text
    .split('BEGIN:VCARD')
    .slice(1)
    .map((card) =>
      card.split(/\r?\n/u).map((line) => {
        const [head = '', ...rest] = line.split(':')
        const [name = '', parameter = ''] = head.split(';')
        return { name, type: parameter.replace('TYPE=', ''), values: rest.join(':').split(';') }
      }),
    )

const filled = (value: string | undefined): string | undefined => (value === '' ? undefined : value)

/** What a contact may be, by its card; address and phone are one of several, whole. */
function expectOfCard(contact: Readonly<Record<string, unknown>>, card: readonly CardLine[]): void {
  const lines = (name: string, ...types: string[]): CardLine[] =>
    card.filter((line) => line.name === name && (types.length === 0 || types.includes(line.type)))
  const one = (name: string): string | undefined => filled(lines(name)[0]?.values[0])
  const all = (name: string, ...types: string[]): (string | undefined)[] =>
    lines(name, ...types).map(({ values }) => values[0])
  const oneOf = (value: unknown, values: readonly unknown[]): void =>
    expect(values.length === 0 ? [undefined] : values).toContain(value)
  const [family, first] = lines('N')[0]?.values ?? []
  expect(contact).toMatchObject({ mail: all('EMAIL')[0] })
  if (contact['mail2'] !== undefined) expect(contact['mail2']).toBe(all('EMAIL')[1])
  expect([contact['first_name'], contact['family_name']]).toEqual([filled(first), filled(family)])
  expect([contact['company'], contact['job_title']]).toEqual([one('ORG'), one('TITLE')])
  expect(contact['skype']).toBe(one('X-SKYPE-USERNAME'))
  oneOf(contact['phone'], all('TEL', 'work', 'cell', 'main'))
  oneOf(contact['phone2'] ?? contact['phone'], all('TEL', 'cell'))
  oneOf(contact['fax'], [...all('TEL', 'workfax'), ...all('TEL', 'homefax')])
  const born = one('BDAY')
  expect(contact['date_of_birth']).toBe(born === undefined ? undefined : `${born}T12:00:00+00:00`)
  const address = ['street', 'city', 'state', 'postal_code', 'country'].map((part) => contact[`ba_${part}`])
  const addresses = lines('ADR').map(({ values: [, , street, city, state, zip, country = ''] }) => {
    const code = countryRule()(country)
    return [...[street, city, state, zip].map(filled), typeof code === 'string' ? filled(code) : undefined]
  })
  if (addresses.length === 0) expect(address).toEqual(address.map(() => undefined))
  else expect(addresses).toContainEqual(address)
}

const CARDS = [
  ['google', 'gmail'],
  ['outlook', 'outlook'],
  ['roundcube', 'all'],
  ['thunderbird', 'email'],
  ['thunderbird', 'tb_plain'],
] as const

/** Header lines of real exports, and the preset that each is for; the others are of no vendor that has one. */
const HEADERS: Readonly<Record<string, string>> = {
  'google-old': 'google',
  'google-2024': 'google',
  'google-as-outlook-csv': 'outlook',
  'outlook-en-92': 'outlook',
  'outlook-de-2013': 'outlook-de',
  'outlook-de-newer': 'outlook-de',
  'outlook-de-2007': 'outlook-de',
  'outlook.com-live': 'outlook',
  'windows-live-mail-fr': 'outlook',
  thunderbird: 'thunderbird',
  linkedin: 'linkedin',
  hubspot: 'hubspot',
  pipedrive: 'pipedrive',
  zoho: 'zoho',
  'salesforce-report': 'salesforce',
  mailchimp: 'mailchimp',
  brevo: 'brevo',
  'brevo-template': 'brevo',
  activecampaign: 'activecampaign',
  klaviyo: 'klaviyo',
  'mautic-sample': 'mautic',
  'odoo-res.partner': 'odoo',
  shopify: 'shopify',
  eventbrite: 'eventbrite',
}

const vendorHeaders = (): (readonly [string, string[]])[] =>
  readFileSync(join(SAMPLES, '../headers/vendor-headers.tsv'), 'utf8')
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [format = '', , , header = ''] = line.split('\t')
      return header.includes(' | ') ? [[format, header.split(' | ')] as const] : []
    })

const vendors = await readVendors({ presetFolder: PRESETS, readFile: readSmallFile, env: {} })
const contactsOf = (rows: readonly Given[]): NonNullable<Given['contact']>[] =>
  rows.flatMap(({ contact }) => (contact === undefined ? [] : [contact]))

describe.skipIf(!here)('exports of the vendors (SAMPLES_DIR)', () => {
  it.each(TAKEN)('$file maps by $preset, without an edit', async (sample) => {
    const { header, rows } = await mapExport(sample.preset, join(SAMPLES, sample.file))
    expect(detectVendor(header, vendors)[0]?.preset).toBe(sample.preset)
    const reasons = rows.flatMap(({ rejected }) => rejected ?? [])
    expect({
      contacts: contactsOf(rows).length,
      skipped: rows.filter(({ skipped }) => skipped).length,
      cutOff: reasons.filter((reason) => reason.startsWith('No line break ends the last row')).length,
    }).toEqual({ contacts: sample.contacts, skipped: sample.skipped ?? 0, cutOff: sample.cutOff ?? 0 })
    expect(reasons).toHaveLength(sample.cutOff ?? 0)
  })

  it('the vendor of every known header line is detected, and no vendor in those of others', () => {
    const found = vendorHeaders().flatMap(([format, header]) => {
      const [best] = detectVendor(header, vendors)
      return best !== undefined && best.confidence >= 0.9 ? [[format, best.preset]] : []
    })
    expect(Object.fromEntries(found)).toEqual(HEADERS)
  })

  it.each(REFUSED)('%s does not take %s, and says why', async (preset, file, reason) => {
    await expect(mapExport(preset, join(SAMPLES, file))).rejects.toThrow(reason)
  })

  it.each([
    ['subscribed', undefined],
    ['unsubscribed', 2],
    ['cleaned', 1],
  ])('whoever is in the file of the %s has the status %s', async (name, status) => {
    const { rows } = await mapExport('mailchimp', join(SAMPLES, `ghost-migrate/mailchimp-${name}.csv`))
    expect(new Set(contactsOf(rows).map((contact) => contact['mail_status']))).toEqual(new Set([status]))
  })

  it.each(CARDS)('the preset %s gives for %s.csv what its vCards say', async (preset, name) => {
    const { rows } = await mapExport(preset, join(SAMPLES, `roundcube/${name}.csv`))
    const cards = cardsIn(readFileSync(join(SAMPLES, `roundcube/${name}.expected.vcf`), 'utf8'))
    const contacts = contactsOf(rows)
    expect(contacts).toHaveLength(cards.length)
    for (const [index, contact] of contacts.entries()) expectOfCard(contact, cards[index] ?? [])
  })
})

it.runIf(!here)(
  'exports of the vendors are not at hand: set SAMPLES_DIR to test the presets over them',
  () => {
    expect(here).toBe(false)
  },
)
