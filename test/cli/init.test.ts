// `init`, whole: from sample files to a configuration that loads and maps them, with questions, plan and JSON.
import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { proposedSettings, tryMapping } from '../../src/app/init/trying.ts'
import { startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const ENV = { CONTACT_SYNC_BASE_URL: 'https://contacts.example', CONTACT_SYNC_API_KEY: 'init-key' }

const SHOP = [
  'Kundennummer;E-Mail;Anrede;Vorname;Nachname;Telefon;Straße;PLZ;Ort;Land;Geburtstag;Newsletter;Position',
  'K7;nea@a.example;Frau;Nea;Berg;030 1234567;Weg 1;10115;Berlin;Deutschland;31.12.1980;ja;',
  'K9;bo@b.example;Herr Dr.;Bo;Lind;0171 2345678;Ring 2;80331;München;Deutschland;01.02.1975;nein;',
  'K3;cy@c.example;Frau;Cy;Sommer;089 1234567;Platz 3;50667;Köln;D;;ja;',
  '',
].join('\n')

let place: Place
beforeEach(async () => (place = await openPlace()))
afterEach(() => place.close())

const written = (name = 'config.yaml'): string => readFileSync(place.path(name), 'utf8')
const firstPipeline = async (text = written()) => {
  const [pipeline] = (await proposedSettings(place.path('config.yaml'), text, ENV)).pipelines
  if (pipeline === undefined) throw new Error('there is no pipeline')
  return pipeline
}

describe('init --yes', () => {
  it('writes a configuration that says why, loads without an edit, and maps every record', async () => {
    await place.write('shop.csv', SHOP)
    const { code, stdout } = await place.cli('init', 'shop.csv', '--yes')
    expect(stdout).toContain('Of 3 sample records: 3 mapped, 0 skipped, 0 rejected.')
    expect(stdout).toContain('set CONTACT_SYNC_BASE_URL and CONTACT_SYNC_API_KEY')
    expect(code).toBe(0)
    const text = written()
    expect(text).toMatch(/^# yaml-language-server: \$schema=contact-sync\.schema\.json\n/)
    expect(text).toContain('mail: { column: E-Mail, on_invalid: reject, optional: true }')
    expect(text).toContain('# "Newsletter": a permission or status is never guessed')
    expect(text).toMatch(
      /# "Position", 0\.80: .* no value\. To take it:\n +# job_title: \{ column: Position, optional: true \}/,
    )
    const pipeline = await firstPipeline(text)
    expect(pipeline).toMatchObject({
      name: 'shop',
      key: ['Kundennummer'],
      on_invalid: 'drop',
      source: { delimiter: ';', folder: place.path('state/inbox/shop') },
      map: {
        ba_country: { column: 'Land', country: true, optional: true },
        date_of_birth: { column: 'Geburtstag', date: ['d.M.yyyy'] },
        phone: { column: 'Telefon', phone: 'DE' },
        phone_type: { phone_type_of: 'phone' },
        title: { lookup: { Frau: 'f', 'Herr Dr.': 'm' } },
        title2: { lookup: { Frau: null, 'Herr Dr.': 'dr' } },
      },
    })
    const schema = JSON.parse(written('contact-sync.schema.json')) as { properties: Record<string, unknown> }
    expect(Object.keys(schema.properties)).toContain('pipelines')
  })

  it('recognises a vendor, takes its preset, and adds what that leaves out', async () => {
    const header =
      'Record ID,First Name,Last Name,Email,Phone Number,Mobile Phone Number,Associated Company,Job Title,City,State/Region,Postal Code,Country/Region,Lifecycle Stage,Contact owner,Lead Status,Create Date,Skype'
    const rows = [
      '71,Nea,Berg,nea@a.example,+49 30 1234567,,Berg AG,Clerk,Berlin,,10115,Germany,lead,x,open,2024-01-01,nea.berg',
      '72,Bo,Lind,bo@b.example,,,,,Wien,,1010,Austria,lead,x,open,2024-01-01,',
    ]
    await place.write('all-contacts.csv', [header, ...rows, ''].join('\n'))
    const { columns, vendor, key } = await place.json('init', 'all-contacts.csv')
    expect([vendor, key]).toEqual(['hubspot', 'Record ID'])
    expect(columns).toContainEqual(expect.objectContaining({ column: 'Email', field: 'mail', rule: null }))
    expect((await place.cli('init', 'all-contacts.csv', '--yes')).stdout).toContain(
      '2 mapped, 0 skipped, 0 rejected',
    )
    const pipeline = await firstPipeline()
    expect(pipeline).toMatchObject({ name: 'hubspot', key: ['Record ID'] })
    expect(pipeline.map).toMatchObject({ skype: { column: 'Skype', optional: true, on_invalid: 'drop' } })
    expect(written()).toContain('preset: hubspot')
    expect(written()).toMatch(/# By the preset: .*first_name \("First Name"\)/)
  })

  it('says that a second record of an address is rejected, but not where the preset takes the last', async () => {
    const rows = ['nea@a.example,Attending', 'nea@a.example,Attending', '']
    await place.write('tickets.csv', ['Email,Attendee Status,Order #,Ticket Type', ...rows].join('\n'))
    await place.cli('init', 'tickets.csv', '--yes')
    expect(written()).toContain('preset: eventbrite')
    expect(written()).not.toContain('such records are rejected')
    await place.write('people.csv', ['E-Mail,Note', ...rows].join('\n'))
    await place.cli('init', 'people.csv', '--yes', '--output', 'other.yaml')
    expect(written('other.yaml')).toContain('such records are rejected')
  })

  it('a preset that needs more columns than the samples have is left alone', async () => {
    await place.write(
      'few.csv',
      'Record ID,Lifecycle Stage,Original Source,Lead Status,Name,E-Mail\n71,lead,x,open,Nea Berg,nea@a.example\n',
    )
    const proposal = await place.json('init', 'few.csv')
    expect(await place.json('init', 'few.csv', '--output', '-')).toEqual(proposal)
    const { columns } = proposal
    expect(columns).toContainEqual(expect.objectContaining({ column: 'E-Mail', field: 'mail' }))
  })

  it('a sample that does not end with a line break loses no record', async () => {
    await place.write('shop.csv', SHOP.trimEnd())
    const { stdout } = await place.cli('init', 'shop.csv', '--yes')
    expect(stdout).toContain('Of 3 sample records: 3 mapped, 0 skipped, 0 rejected.')
    expect(written()).toContain('# The sample does not end with a line break.')
    expect((await firstPipeline()).source).toMatchObject({ last_line: 'accept' })
  })

  it('refuses what cannot be a source of contacts, and writes nothing', async () => {
    for (const [name, text, why] of [
      ['words.csv', 'english,spanish\nyes,si\n', 'no column identifies records'],
      ['id.csv', 'ID,First Name\nK9,Nea\nK7,Bo\n', 'the service accepts no contact without'],
      ['bare.csv', 'nea@a.example,Nea\nbo@b.example,Bo\n', 'begins with values'],
    ] as const) {
      await place.write(name, text)
      const { code, stderr } = await place.cli('init', name, '--yes')
      expect(stderr, name).toContain(why)
      expect(code, name).toBeGreaterThan(0)
      expect(existsSync(place.path('config.yaml')), name).toBe(false)
    }
  })

  it('never replaces a file, and says where else to write', async () => {
    await place.write('shop.csv', SHOP)
    await place.write('config.yaml', 'mine')
    const { code, stderr } = await place.cli('init', 'shop.csv', '--yes')
    expect([code, written()]).toEqual([2, 'mine'])
    expect(stderr).toContain('--output')
    expect((await place.cli('init', 'shop.csv', '--yes', '--output', '-')).stdout).toContain('Kundennummer')
    expect(
      (await place.cli('init', 'shop.csv', '--yes', '--output', 'new/other.yaml', '--pipeline', 'crm')).code,
    ).toBe(0)
    expect(written('new/other.yaml')).toContain('\n  crm:\n')
    expect(written('new/other.yaml')).toContain('path: ../state/contact-sync.db')
  })

  it('a preamble, another encoding, blank marks, rows without a mail and rows that are too short', async () => {
    const lines = [
      'Export vom 22.11.2026',
      '',
      'Vorname;Nachname;E-Mail;Fax;Notiz',
      'Jörg;Groß;j@a.example;-',
      'Änne;Weiß;ä@b.example;-',
      'Bo;Lind;;-',
      '',
    ]
    await place.write('raw.csv', '')
    const { writeFile } = await import('node:fs/promises')
    await writeFile(place.path('raw.csv'), Buffer.from(lines.join('\r\n'), 'latin1'))
    const report = await place.json('init', 'raw.csv')
    expect(report).toMatchObject({ skip_lines: 2, delimiter: ';', key: null, vendor: null })
    expect(report['encoding']).not.toBe('utf-8')
    const { code, stdout } = await place.cli('init', 'raw.csv', '--yes')
    expect([code, stdout]).toEqual([0, expect.stringContaining('2 mapped, 1 skipped, 0 rejected')])
    expect(await firstPipeline()).toMatchObject({
      skip_without: ['mail'],
      source: { skip_lines: 'auto', ragged: 'auto', null_values: ['-'] },
    })
  })

  it.each([
    ['that is not there', undefined, 'Name a sample that is there.'],
    ['that is empty', '', 'INPUT_EMPTY'],
    ['that breaks off', 'E-Mail\n"a@a.example\n', 'INPUT_QUOTE'],
  ])('a sample %s is refused as a mistake of the command line', async (_, text, said) => {
    if (text !== undefined) await place.write('a.csv', text)
    const { code, stderr } = await place.cli('init', 'a.csv', '--json')
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)])
  })

  it('samples of two exports are refused', async () => {
    await place.write('a.csv', 'E-Mail;Name\na@a.example;Nea\n')
    await place.write('b.csv', 'E-Mail,Name\na@a.example,Nea\n')
    const { code, stderr } = await place.cli('init', 'a.csv', 'b.csv', '--yes')
    expect(code).toBe(2)
    expect(stderr).toContain('different formats')
  })

  it("values in ' are proposed as such, and read so", async () => {
    await place.write('a.csv', "'E-Mail','Nachname'\n'a@a.example','Berg, Nea'\n'b@a.example','O''Brien'\n")
    expect((await place.json('init', 'a.csv'))['quote']).toBe("'")
    const { code, stdout } = await place.cli('init', 'a.csv', '--yes')
    expect([code, stdout]).toEqual([0, expect.stringContaining('2 mapped, 0 skipped, 0 rejected') as string])
    expect(written()).toContain('quote: "\'"')
  })
})

describe('init at a terminal', () => {
  const DATES = 'Mail,Birthday,Fax\nnea@a.example,03/04/1980,+493012345\nbo@b.example,01/02/1990,+493012346\n'

  it('asks where it is not sure, shows three values, and takes the answers', async () => {
    await place.write('people.csv', DATES)
    const { code, stderr } = await place.cliAnswering(['perhaps', 'month'], 'init', 'people.csv')
    expect(stderr).toContain('"Birthday": 03/04/1980 | 01/02/1990')
    expect(stderr).toContain('Write one of day/month/none.')
    expect(code).toBe(0)
    expect((await firstPipeline()).map).toMatchObject({ date_of_birth: { date: ['M/d/yyyy'] } })
    expect(written()).toContain('answered: the month comes first')
  })

  it('what is not answered stands in the file with each way to write it', async () => {
    await place.write('people.csv', DATES)
    expect((await place.cli('init', 'people.csv', '--yes')).code).toBe(0)
    expect(written()).toContain(
      '# date_of_birth: { column: Birthday, date: d/M/yyyy, optional: true }   # the day comes first',
    )
    expect(written()).toContain(
      '# date_of_birth: { column: Birthday, date: M/d/yyyy, optional: true }   # the month comes first',
    )
  })

  it('an end without an answer writes nothing', async () => {
    await place.write('people.csv', DATES)
    const { code, stderr } = await place.cliAnswering([], 'init', 'people.csv')
    expect([code, existsSync(place.path('config.yaml'))]).toEqual([2, false])
    expect(stderr).toContain('Nothing was written')
  })

  it('Ctrl-C writes nothing and ends as a signal would', async () => {
    await place.write('people.csv', DATES)
    const { code, stderr } = await place.cliInterrupted('init', 'people.csv')
    expect([code, existsSync(place.path('config.yaml'))]).toEqual([130, false])
    expect(stderr).toContain('Nothing was written')
  })

  it('a file that is there is replaced only after a yes', async () => {
    await place.write('people.csv', 'Mail\nnea@a.example\n')
    await place.write('config.yaml', 'mine')
    expect((await place.cliAnswering(['n'], 'init', 'people.csv')).code).toBe(2)
    expect(written()).toBe('mine')
    expect((await place.cliAnswering(['y'], 'init', 'people.csv')).code).toBe(0)
    expect(written()).toContain('mail')
  })

  it('without a terminal it wants --yes or --json', async () => {
    await place.write('people.csv', DATES)
    const { code, stderr } = await place.cli('init', 'people.csv')
    expect([code, existsSync(place.path('config.yaml'))]).toEqual([2, false])
    expect(stderr).toContain('--yes')
  })

  it('ends with the plan of the samples where the service can be asked, and sends nothing', async () => {
    const sandbox = await startSandbox({ port: 0, apiKey: 'init-key', habits: {}, clock: systemClock })
    const asking = await openPlace({ CONTACT_SYNC_BASE_URL: sandbox.url, CONTACT_SYNC_API_KEY: 'init-key' })
    try {
      await asking.write('shop.csv', SHOP)
      const { code, stdout } = await asking.cliAnswering(['n', 'n', 'n', 'n'], 'init', 'shop.csv')
      expect(stdout).toContain('shop: plan, nothing is sent')
      expect(stdout).toContain('3 records: 3 to be created')
      expect(stdout).toContain('+ create K7  [shop.csv:2]')
      expect(code).toBe(0)
      expect(sandbox.requests().filter(({ method }) => method !== 'GET')).toEqual([])
      expect(existsSync(asking.path('shop.csv'))).toBe(true)
    } finally {
      await asking.close()
      await sandbox.close()
    }
  })
})

it('--json is the proposal as the contract of the command has it, and writes nothing', async () => {
  await place.write('people.csv', 'Mail,Birthday,X\nnea@a.example,03/04/1980,\n')
  const report = await place.json('init', 'people.csv')
  expect(Object.keys(report)).toEqual([
    'vendor',
    'encoding',
    'delimiter',
    'skip_lines',
    'key',
    'columns',
    'questions',
  ])
  expect(report).toMatchObject({ vendor: null, encoding: 'utf-8', delimiter: ',', skip_lines: 0, key: null })
  expect(report['columns']).toEqual([
    {
      column: 'Mail',
      field: 'mail',
      rule: { column: 'Mail' },
      confidence: 0.96,
      why: expect.any(String) as string,
    },
    expect.objectContaining({ column: 'Birthday', field: 'date_of_birth', confidence: 0.6 }),
    { column: 'X', field: null, rule: null, confidence: 0, why: 'no value in the samples' },
  ])
  expect(report['questions']).toMatchObject([{ column: 'Birthday', values: ['03/04/1980'] }])
  expect(existsSync(place.path('config.yaml'))).toBe(false)
})

const NAMES = [
  'E-Mail',
  'Name',
  'Vorname',
  'Nachname',
  'Telefon',
  'PLZ',
  'Ort',
  'Land',
  'Geburtstag',
  'Titel',
  'ID',
  'a: b',
  '{x}',
  '${HOME}',
  '# no',
  "it's",
  'Tags',
]
const VALUES = [
  '',
  'nea@a.example',
  'Nea Berg',
  '030 1234567',
  '31.12.1980',
  'DE',
  'yes',
  '# x',
  "'",
  '${HOME}',
  'Herr',
  '10115',
  'ja: nein',
  '-',
]

it('whatever is in the samples, what is proposed loads, and no record is refused for anything but its mail or key', async () => {
  const table = fc.record({
    header: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 6 }),
    rows: fc.array(fc.array(fc.constantFrom(...VALUES), { minLength: 6, maxLength: 6 }), {
      minLength: 1,
      maxLength: 5,
    }),
  })
  let proposed = 0
  await fc.assert(
    fc.asyncProperty(table, async ({ header, rows }) => {
      const mails = rows.map((row, index) => [`p${index}@a.example`, ...row.slice(0, header.length)])
      const lines = [['Mail', ...header], ...mails].map((row) => row.map((value) => `"${value}"`).join(','))
      await place.write('any.csv', `${lines.join('\n')}\n`)
      const { code, stdout } = await place.cli('init', 'any.csv', '--yes', '--output', '-')
      if (code !== 0) return
      proposed += 1
      const pipeline = await firstPipeline(stdout)
      const tried = await tryMapping(pipeline, [place.path('any.csv')])
      for (const reason of Object.keys(tried.reasons)) expect(reason).toMatch(/mail|key/)
      expect(tried.mapped + tried.skipped + tried.rejected).toBe(rows.length)
    }),
    { numRuns: 40 },
  )
  expect(proposed).toBeGreaterThan(20)
})
