// `init` as a user has it: at a real terminal, and over real exports from elsewhere. The exports are read where
// SAMPLES_DIR names the folder that holds them.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { proposeFrom } from '../../src/app/init/proposing.ts'
import { proposedSettings, tryMapping } from '../../src/app/init/trying.ts'
import { configurationText } from '../../src/app/init/written.ts'
import { isSure } from '../../src/core/proposal/entry.ts'
import { MAIN } from '../support/cli.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'init-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const hasTerminal = (): boolean => {
  try {
    execFileSync('script', ['--version'])
    return process.platform === 'linux'
  } catch {
    return false
  }
}

describe.skipIf(!hasTerminal())('at a terminal (script)', () => {
  it('a question waits for its answer, and the answer is in the file', { timeout: 60_000 }, async () => {
    writeFileSync(join(folder, 'p.csv'), 'Mail,Birthday\na@a.example,01/02/1980\nb@b.example,03/04/1990\n')
    const command = `${process.execPath} ${MAIN} init p.csv --output t.yaml`
    const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: folder })
    let shown = ''
    child.stdout.on('data', (part: Buffer) => {
      const before = shown
      shown += part.toString()
      if (!before.includes('Enter: none]') && shown.includes('Enter: none]')) child.stdin.write('month\r')
    })
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect(shown).toContain('"Birthday": 01/02/1980 | 03/04/1990')
    expect(code, shown).toBe(0)
    expect(readFileSync(join(folder, 't.yaml'), 'utf8')).toContain('date: M/d/yyyy')
  })
})

const EXPORTS = resolve(import.meta.dirname, '../fixtures/exports')
const PRESETS = readdirSync(resolve(import.meta.dirname, '../../config/presets')).map((name) =>
  basename(name, '.yaml'),
)

/** The proposal for one file, and what it makes of that file. */
async function triedProposal(file: string) {
  const proposal = await proposeFrom([file])
  const text = configurationText(proposal, { cwd: folder, folder, pipeline: 'sample', samples: [file] })
  const env = { CONTACT_SYNC_BASE_URL: 'https://contacts.example', CONTACT_SYNC_API_KEY: 'key' }
  const [pipeline] = (await proposedSettings(join(folder, 'c.yaml'), text, env)).pipelines
  if (pipeline === undefined) throw new Error(`${basename(file)}: no pipeline`)
  return { proposal, tried: await tryMapping(pipeline, [file]) }
}

describe('an export of a vendor with a preset', () => {
  it.each(readdirSync(EXPORTS))('%s: the vendor is recognised, and what is written maps it', async (name) => {
    const named = PRESETS.filter((preset) => name.startsWith(preset))
    const vendor = named.sort((one, other) => other.length - one.length)[0]
    const { proposal, tried } = await triedProposal(join(EXPORTS, name))
    expect(proposal.known?.preset).toBe(vendor)
    expect(tried.mapped, JSON.stringify(tried)).toBeGreaterThan(0)
    for (const reason of Object.keys(tried.reasons)) expect(reason).toMatch(/^mail: /)
  })
})

const SAMPLES = process.env['SAMPLES_DIR'] ?? ''
const here = SAMPLES !== '' && existsSync(SAMPLES)

/** Columns that must be taken for mail, first and family name, and those that may be for other fields. */
const NAMES = { mail: 'email', first_name: 'first_name', family_name: 'last_name' }
const MAILCHIMP = { mail: 'Email Address', first_name: 'First Name', family_name: 'Last Name' }
const KEILA = { mail: 'Email', first_name: 'First name', family_name: 'Last name' }
const GERMAN = { first_name: 'Vorname', family_name: 'Nachname' }
const TINE = { mail: 'email', first_name: 'n_given', family_name: 'n_family' }
const TINE_MORE = {
  ...{ company: 'org_name', job_title: 'role', title: 'salutation', title2: 'title', phone: 'tel_work' },
  ...{ phone_type: 'tel_work', fax: 'tel_fax_home', mail2: 'email_home', ba_street: 'adr_one_street' },
  ...{ ba_city: 'adr_one_locality', ba_postal_code: 'adr_one_postalcode', ba_country: 'adr_one_countryname' },
}
const THUNDERBIRD = { first_name: 'First Name', family_name: 'Last Name', mail: 'Primary Email' }

type Fields = Readonly<Record<string, string>>

const EXPECTED: readonly (readonly [string, Fields, Fields])[] = [
  [
    'civicrm/organization_multiple_duplicates_invalid.csv',
    { mail: 'email' },
    { company: 'organization_name' },
  ],
  ['ghost-migrate/beehiiv-members.csv', { ...MAILCHIMP, mail: 'email' }, {}],
  ['ghost-migrate/mailchimp-cleaned.csv', MAILCHIMP, { company: 'Company' }],
  ['ghost-migrate/mailchimp-subscribed.csv', MAILCHIMP, { company: 'Company' }],
  ['ghost-migrate/mailchimp-unsubscribed.csv', MAILCHIMP, { company: 'Company' }],
  [
    'grouparoo/mailchimp-profiles.csv',
    { mail: 'EMAIL', first_name: 'FNAME', family_name: 'LNAME' },
    { key: 'UserID' },
  ],
  ['grouparoo/records-10.csv', NAMES, {}],
  ['keila/import_excel.csv', KEILA, {}],
  ['keila/import_malformed1.csv', KEILA, {}],
  ['keila/import_rfc_4180.csv', KEILA, {}],
  ['keila/keila_import_template.csv', KEILA, {}],
  [
    'mautic/10contacts.csv',
    { mail: 'email', first_name: 'firstname', family_name: 'lastname' },
    { company: 'company', ba_country: 'country' },
  ],
  ['mautic/contacts.csv', { mail: 'email', first_name: 'firstname', family_name: 'lastname' }, {}],
  [
    'mautic/fakeleaddata.csv',
    { mail: 'email', first_name: 'firstname', family_name: 'lastname' },
    {
      ...{ title: 'title', title2: 'title', company: 'company', phone: 'phone', fb: 'facebook' },
      ...{ twitter: 'twitter', ba_street: 'address1', ba_city: 'city', ba_state: 'state' },
      ...{ ba_postal_code: 'zipcode', ba_country: 'country' },
    },
  ],
  ['roundcube/email.csv', { mail: 'Primary Email' }, {}],
  ['roundcube/outlook.csv', { mail: 'E-mail Address' }, { mail2: 'E-mail 2 Address' }],
  [
    'roundcube/tb_plain.csv',
    THUNDERBIRD,
    { mail2: 'Secondary Email', job_title: 'Job Title', company: 'Organization' },
  ],
  ['thunderbird/basic_csv_addressbook.csv', THUNDERBIRD, {}],
  ['thunderbird/csv_semicolon.csv', THUNDERBIRD, {}],
  [
    'tine20/adb_mac_import.csv',
    { ...GERMAN, mail: 'Arbeit E-Mail' },
    {
      ...{ company: 'Firma', phone: 'Arbeit Telefon', phone_type: 'Arbeit Telefon' },
      ...{ ba_street: 'Arbeitsadresse Strasse', ba_city: 'Arbeitsadresse Stadt' },
      ...{ ba_postal_code: 'Arbeitsadresse PLZ', ba_country: 'Arbeitsadresse Land' },
    },
  ],
  ['tine20/adb_tine_import.csv', TINE, TINE_MORE],
  ['tine20/import_duplicate_1.csv', TINE, TINE_MORE],
  ['tine20/import_duplicate_2.csv', TINE, TINE_MORE],
]

describe.skipIf(!here)('real exports (SAMPLES_DIR)', () => {
  it.each(EXPECTED)(
    '%s: mail and names are found, and no other column is taken for a field',
    async (name, needed, allowed) => {
      const file = join(SAMPLES, 'contacts-csv', name)
      const { proposal, tried } = await triedProposal(file)
      const sure = proposal.entries.filter(isSure)
      for (const [field, column] of Object.entries(needed))
        expect(sure, `${name}: ${field}`).toContainEqual(expect.objectContaining({ field, column }))
      const guessed = sure.filter(({ rule, field }) => rule !== null || field === 'key')
      for (const { field, column } of guessed)
        expect({ field, column }).toEqual({ field, column: { ...needed, ...allowed }[String(field)] })
      expect(tried.mapped, JSON.stringify(tried)).toBeGreaterThan(0)
      expect(tried.dropped).toEqual({})
      for (const reason of Object.keys(tried.reasons))
        expect(reason).toMatch(/^No line break ends the last row/)
    },
  )
})
