// The example configurations, each run by the program against the sandbox with the sample files that lie beside it: the
// counts, and what becomes of some of the people in them.
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { globSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../src/cli/program.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { type PeopleServer, peopleServer, type Reply } from '../support/people-server.ts'
import { hubspot, pipedrive } from './example-servers.ts'

const EXAMPLES = resolve(import.meta.dirname, '../../config/examples')
const KEY = 'key-of-the-examples'

interface Example {
  readonly name: string
  /** Sample files and the inbox that each is dropped into, in turns. */
  readonly drops: readonly (readonly (readonly [inbox: string, file: string])[])[]
  /** What each turn comes to, by pipeline. */
  readonly runs: readonly Readonly<Record<string, object>>[]
  /** The address of another system, and how it answers. */
  readonly asks?: readonly [address: string, reply: (asked: PeopleServer['asked'][number]) => Reply]
  /** Files that the configuration names in the folder data beside it. */
  readonly beside?: readonly string[]
  /** By e-mail address; names of terms. */
  readonly contacts: Readonly<Record<string, object | readonly object[]>>
}

const TABLE: readonly Example[] = [
  {
    name: 'shop-customers',
    drops: [[['shop-customers', 'shop-customers.csv']], [['shop-customers', 'shop-customers.csv']]],
    runs: [
      { shop: { read: 5, created: 4, rejected: 1, terms_created: 2 } },
      { shop: { read: 5, unchanged: 4, rejected: 1 } },
    ],
    contacts: {
      'anna.berger@post.example': {
        ...{ title: 'f', first_name: 'Anna', phone: '+491711234567', phone_type: 'mobile' },
        ...{ ba_postal_code: '01067', ba_country: 'DE', terms: ['Shop customer', 'VIP'] },
      },
      'jean.dupont@post.example': { phone: '+33142685300', ba_country: 'FR', terms: ['Shop customer'] },
      'lea.novak@post.example': { date_of_birth: null },
      'tom.hill@post.example': { phone: null, ba_country: 'GB', company: 'Hill Ltd' },
    },
  },
  {
    name: 'newsletter',
    drops: [[['newsletter', 'newsletter.csv']]],
    runs: [{ newsletter: { read: 4, created: 3, skipped: 1, rejected: 0 } }],
    contacts: {
      'nea@mail.example': {
        ...{ first_name: 'Anna', family_name: 'von der Heide', mail_status: 7 },
        terms: ['News', 'Offers'],
      },
      'bo@mail.example': { first_name: 'Bo', family_name: 'Birch', mail_status: 2, terms: ['News'] },
      // One word is no first name, and nothing is guessed.
      'kim@mail.example': { first_name: null, mail_status: 3, terms: ['News'] },
    },
  },
  {
    name: 'varying-columns',
    drops: [[['office', 'varying-columns-1.csv']], [['office', 'varying-columns-2.csv']]],
    runs: [
      { office: { read: 3, created: 3, rejected: 0 } },
      { office: { read: 2, updated: 1, unchanged: 1, rejected: 0 } },
    ],
    contacts: {
      'anna@office.example': {
        ...{ title2: 'dr', first_name: 'Anna', mail2: 'berger@home.example', phone: '+491711234567' },
        ...{ date_of_birth: '1980-12-31T12:00:00+00:00', ba_country: 'AT', company: 'Berger GmbH' },
      },
      'jan@office.example': { family_name: 'Müller', phone: null },
      'ute@office.example': { title: 'f', phone: '+4930901820', date_of_birth: null },
    },
  },
  {
    name: 'two-sources',
    drops: [
      [
        ['club', 'two-sources-club.csv'],
        ['tickets', 'two-sources-tickets.json'],
      ],
    ],
    runs: [{ club: { read: 3, created: 3 }, tickets: { read: 3, skipped: 1, rejected: 0 } }],
    contacts: {
      // In both: the club's first name stays, and so do the terms of both.
      'ann@club.example': {
        ...{ first_name: 'Ann', phone: '+491711234567' },
        terms: ['Board', 'Choir', 'Member', 'Summer party', 'Ticket buyer'],
      },
      'dan@mail.example': { terms: ['Concert', 'Summer party', 'Ticket buyer'] },
    },
  },
  {
    name: 'sales-workbook',
    drops: [[['sales-workbook', 'sales-workbook.xlsx']], [['sales-workbook', 'sales-workbook.xlsx']]],
    runs: [
      { sales: { read: 3, created: 2, rejected: 1 } },
      { sales: { read: 3, unchanged: 2, rejected: 1 } },
    ],
    contacts: {
      'anna@sales.example': {
        ...{ first_name: 'Anna', phone: '+491711234567', ba_postal_code: '01067', ba_country: 'DE' },
        ...{ date_of_birth: '1980-12-31T12:00:00+00:00', terms: ['Customer'] },
      },
      'bo@sales.example': { family_name: 'Birch', phone: '+4930901820', date_of_birth: null },
    },
  },
  {
    name: 'phones',
    drops: [[['phones', 'phones.vcf']], [['phones', 'phones.vcf']]],
    runs: [
      { phones: { read: 4, created: 3, skipped: 1, rejected: 0 } },
      { phones: { read: 4, unchanged: 3, skipped: 1 } },
    ],
    contacts: {
      'anna@phone.example': {
        ...{ title2: 'dr', family_name: 'Müller', phone: '+491711234567', phone_type: 'mobile' },
      },
      'bo@home.example': {
        ...{ mail2: 'bo@work.example', company: 'Birch & Sons', phone: '+4930901821' },
        ...{ ba_postal_code: '10969', ba_country: 'DE', date_of_birth: null },
      },
      'cleo@phone.example': { phone: '+436641234567', date_of_birth: '1980-12-31T12:00:00+00:00' },
    },
  },
  {
    name: 'households',
    drops: [[['association', 'households.csv']], [['association', 'households.csv']]],
    runs: [
      { association: { read: 5, created: 4, skipped: 1, rejected: 0 } },
      { association: { read: 5, unchanged: 4, skipped: 1 } },
    ],
    contacts: {
      'ash@home.example': [
        { first_name: 'Ann', phone: '+491711234567', terms: ['Member'] },
        { first_name: 'Bo', phone: '+491711234567', terms: ['Member'] },
        { first_name: 'Cleo', phone: null, terms: ['Member', 'Youth'] },
      ],
      'dale@home.example': { first_name: 'Dan', phone: '+4930901820' },
    },
  },
  {
    name: 'hubspot-contacts',
    asks: ['https://api.hubapi.com', hubspot],
    drops: [[], []],
    runs: [
      { hubspot: { read: 3, created: 2, skipped: 1, rejected: 0 } },
      { hubspot: { read: 3, unchanged: 2, skipped: 1 } },
    ],
    contacts: {
      'anna@hub.example': {
        first_name: 'Anna',
        phone: '+491711234567',
        company: 'Berger GmbH',
        terms: ['HubSpot'],
      },
      'jan@hub.example': { family_name: 'Müller', phone: null, mail_status: 2 },
    },
  },
  {
    name: 'pipedrive-persons',
    asks: ['https://api.pipedrive.com', pipedrive],
    drops: [[], []],
    runs: [{ pipedrive: { read: 2, created: 2, rejected: 0 } }, { pipedrive: { read: 1, unchanged: 1 } }],
    contacts: {
      'work1@pipe.example': { first_name: 'Lea', mail2: 'home1@pipe.example', phone: '+4930901820' },
      'work2@pipe.example': { family_name: 'Hill', phone: null, terms: ['Pipedrive'] },
    },
  },
  {
    name: 'own-source',
    beside: ['own-source.mjs', 'own-source.txt'],
    drops: [[], []],
    // The second time, only the record at the cursor comes again.
    runs: [{ choir: { read: 3, created: 3, rejected: 0 } }, { choir: { read: 1, unchanged: 1 } }],
    contacts: {
      'anna@choir.example': { first_name: 'Anna', phone: '+491711234567', terms: ['Alto', 'Choir'] },
      'jan@choir.example': { family_name: 'Müller', phone: null, terms: ['Bass', 'Choir'] },
      'lea@choir.example': { phone: '+4930901820' },
    },
  },
  {
    name: 'singer-people',
    beside: ['example-tap.mjs', 'example-tap.json', 'example-tap.txt'],
    drops: [[], []],
    // The second time, only the record at the STATE comes again.
    runs: [{ people: { read: 3, created: 3, rejected: 0 } }, { people: { read: 1, unchanged: 1 } }],
    contacts: {
      'anna@tap.example': { first_name: 'Anna', phone: '+491711234567', terms: ['Customer'] },
      'jan@tap.example': { family_name: 'Müller', phone: null },
      'lea@tap.example': { phone: '+420224123456' },
    },
  },
]

let folder: string
let sandbox: Sandbox
let other: PeopleServer | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'examples-'))
  sandbox = await startSandbox({
    port: 0,
    apiKey: KEY,
    habits: { mailStatusPermission: true },
    clock: systemClock,
  })
})
afterEach(async () => {
  await sandbox.close()
  await other?.close()
  other = undefined
  await rm(folder, { recursive: true })
})

async function typed(...args: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const code = await runCommandLine(args, {
    ...{ stdin: Readable.from([]), stdout, stderr, cwd: folder, pid: process.pid },
    env: {
      ...{ CONTACT_SYNC_BASE_URL: sandbox.url, CONTACT_SYNC_API_KEY: KEY },
      ...{ HUBSPOT_TOKEN: 'hubspot-token', PIPEDRIVE_TOKEN: 'pipedrive-token' },
    },
    ...{ isTerminal: false, isInteractive: false },
    signal: new AbortController().signal,
    onHangup: () => undefined,
    outlastReader: () => undefined,
  })
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') }
}

async function asked(path: string): Promise<unknown> {
  const response = await fetch(`${sandbox.url}/public/api/V1/${path}`, {
    headers: { authorization: `Bearer ${KEY}` },
  })
  return response.json()
}

/** The contacts of an address, their terms by name. */
async function contactsOf(mail: string): Promise<readonly object[]> {
  const terms = (await asked('terms')) as { id: number; name: string }[]
  const found = (await asked(`contact/${encodeURIComponent(mail)}?fields=${FIELDS.join(',')}`)) as {
    first_name: string | null
    terms: number[]
  }[]
  return found
    .map((contact) => ({
      ...contact,
      terms: contact.terms.map((id) => terms.find((term) => term.id === id)?.name).sort(),
    }))
    .sort((one, other) => (one.first_name ?? '').localeCompare(other.first_name ?? ''))
}

const FIELDS = [
  ...['mail', 'mail2', 'mail_status', 'title', 'title2', 'first_name', 'family_name', 'company', 'terms'],
  ...['phone', 'phone_type', 'ba_postal_code', 'ba_country', 'date_of_birth'],
]

describe('the example configurations', () => {
  it('are all run, and have no regular expression', async () => {
    const files = globSync(join(EXAMPLES, '*.yaml'))
    expect(files.map((file) => basename(file, '.yaml')).sort()).toEqual(TABLE.map(({ name }) => name).sort())
    for (const file of files) {
      const text = await readFile(file, 'utf8')
      expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=../contact-sync.schema.json')
      expect([file, /pattern:|unless:|like\(|matches\(/.test(text)]).toEqual([file, false])
    }
  })

  it.each(TABLE)('$name', { timeout: 60_000 }, async ({ name, asks, beside = [], drops, runs, contacts }) => {
    const config = join(folder, 'config', 'examples', `${name}.yaml`)
    await mkdir(join(folder, 'config', 'examples'), { recursive: true })
    const text = await readFile(join(EXAMPLES, `${name}.yaml`), 'utf8')
    if (asks !== undefined) other = await peopleServer(asks[1])
    await writeFile(config, asks === undefined ? text : text.replace(asks[0], other?.url ?? ''))
    await mkdir(join(folder, 'config', 'examples', 'data'))
    for (const file of beside)
      await copyFile(join(EXAMPLES, 'data', file), join(folder, 'config', 'examples', 'data', file))
    for (const [turn, dropped] of drops.entries()) {
      for (const [inbox, file] of dropped) {
        const to = join(folder, 'state', 'inbox', inbox)
        await mkdir(to, { recursive: true })
        await copyFile(join(EXAMPLES, 'data', file), join(to, file))
      }
      const check = await typed('check', '--config', config)
      expect(check).toMatchObject({ code: 0, stderr: '' })
      const run = await typed('run', '--json', '--config', config)
      const { pipelines } = JSON.parse(run.stdout) as { pipelines: { pipeline: string }[] }
      for (const [pipeline, counts] of Object.entries(runs[turn] ?? {}))
        expect(pipelines.find((one) => one.pipeline === pipeline)).toMatchObject({
          ...{ failed: 0, held: 0, in_doubt: 0 },
          ...counts,
        })
    }
    for (const [mail, wanted] of Object.entries(contacts))
      expect([mail, await contactsOf(mail)]).toMatchObject([mail, [wanted].flat()])
    const tests = await typed('test', '--config', config)
    expect(tests.code, tests.stdout).toBe(0)
  })
})
