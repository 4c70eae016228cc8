// Explanations of values at the sandbox: file, line, rules, run and request of each, over several files, mappings and runs.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { explainRecords } from '../../../src/app/people/explain.ts'
import { loadConfiguration } from '../../../src/app/run/configuration.ts'
import { runCommandLine } from '../../../src/cli/program.ts'
import type { ExplainedField, Explanation } from '../../../src/core/explain/explanation.ts'
import type { Settings } from '../../../src/core/settings.ts'
import { type Sandbox, startSandbox } from '../../../src/sandbox/server.ts'
import { openDatabase } from '../../../src/store/file/database.ts'
import { openStateForReading } from '../../../src/store/state-store.ts'
import { systemClock } from '../../../src/system.ts'
import { seeded } from '../../support/seeded.ts'

const CONFIGURATION = `
service:
  base_url: \${BASE_URL}
  api_key: k
  rate_limit: { requests: 5000, per: 1s, concurrency: 4 }
state: { path: state.db }
pipelines:
  shop:
    source: { type: csv, folder: shop, settle: 0s, null_values: ["-"] }
    repair: [html]
    key: No
    map:
      mail: { column: Mail, transform: [trim, lower] }
      first_name: { column: First, transform: title_case }
      family_name: Last
      phone: { columns: [Mobile, Tel], phone: DE }
      ba_country: { column: Country, country: true, default: DE }
      date_of_birth: { column: Born, date: dd.MM.yyyy }
      title: { column: Title, lookup: { Herr: m, Frau: f } }
      company: { template: "{Firm} {Form}" }
    terms: { assign: [ { column: Tags, split: ",", transform: trim }, { name: Customer } ] }
  club:
    source: { type: csv, folder: club, settle: 0s }
    key: No
    on_duplicate_key: union
    guards: { max_new_terms: 2 }
    map: { mail: Mail, phone: { column: Tel, phone: DE }, company: Firm, custom_fields: { interests: { column: Likes, split: ",", lookup: { x: "books,music" }, optional: true } } }
    terms: { assign: [ { column: Tag } ] }
  news:
    source: { type: json, folder: news, settle: 0s, files: "*.jsonl" }
    map:
      mail: email
      skype: { column: handle, transform: [trim, { replace: { find: "@", with: "" } }] }
      job_title: { expression: 'record["position"] + " " + record["level"]' }
`

/** One record as it stands in a file. */
type Row = Readonly<Record<string, string>>

/** A value as it has to be explained. */
interface Expected {
  readonly pipeline: string
  readonly key: string
  readonly field: string
  readonly value: string
  readonly raw: string
  readonly file: string
  readonly line: number
  readonly run: string
}

const PEOPLE = 30
const COUNTRIES: readonly (readonly [string, string])[] = [
  ['Österreich', 'AT'],
  ['Germany', 'DE'],
  ['FRA', 'FR'],
  ['', 'DE'],
]

let folder = ''
let sandbox: Sandbox
let settings: Settings
const expected = new Map<string, Expected>()
const random = seeded(4711).next
const pick = (count: number): number => Math.floor(random() * count)

async function command(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const code = await runCommandLine([...args, '--config', join(folder, 'config.yaml')], {
    stdin: Readable.from([]),
    stdout,
    stderr,
    env: { BASE_URL: sandbox.url },
    cwd: folder,
    pid: process.pid,
    isTerminal: false,
    isInteractive: false,
    signal: new AbortController().signal,
    onHangup: () => undefined,
    outlastReader: () => undefined,
  })
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') }
}

const shopRow = (number: number): { row: Row; values: Record<string, [string, string]> } => {
  const [country, code] = COUNTRIES[pick(COUNTRIES.length)] ?? ['', 'DE']
  const phone = `030 ${1_000_000 + number * 10 + pick(10)}`
  const day = String(1 + pick(28)).padStart(2, '0')
  const isMan = pick(2) === 0
  const firm = `Firm ${pick(3)}`
  const row = {
    No: `K${number}`,
    Mail: ` Person${number}@Example.com `,
    First: ['anna', 'BERTA', 'Clara'][pick(3)] ?? '',
    Last: `M&uuml;ller ${pick(3)}`,
    Mobile: '-',
    Tel: phone,
    Country: country,
    Born: `${day}.03.1980`,
    Title: isMan ? 'Herr' : 'Frau',
    Firm: firm,
    Form: 'AG',
    Tags: 'a, b',
  }
  return {
    row,
    values: {
      mail: [`person${number}@example.com`, row.Mail],
      first_name: [row.First.charAt(0).toUpperCase() + row.First.slice(1).toLowerCase(), row.First],
      family_name: [row.Last.replace('&uuml;', 'ü'), row.Last],
      phone: [`+49${phone.replace(' ', '').slice(1)}`, phone],
      ba_country: [code, country],
      date_of_birth: [`1980-03-${day}T12:00:00+00:00`, row.Born],
      title: [isMan ? 'm' : 'f', row.Title],
      company: [`${firm} AG`, ''],
    },
  }
}

const newsRow = (number: number): { row: Row; values: Record<string, [string, string]> } => {
  const row = {
    email: `reader${number}@example.com`,
    handle: `@reader${pick(4)}`,
    position: 'Head',
    level: `${pick(4)}`,
  }
  return {
    row,
    values: {
      mail: [row.email, row.email],
      skype: [row.handle.slice(1), row.handle],
      job_title: [`Head ${row.level}`, ''],
    },
  }
}

type Made = ReturnType<typeof shopRow>

/** What the run will have sent: whatever differs from what was sent before. */
function note(
  pipeline: string,
  made: readonly { key: string; line: number; made: Made }[],
  file: string,
): void {
  for (const { key, line, made: one } of made)
    for (const [field, [value, raw]] of Object.entries(one.values)) {
      const name = `${pipeline} ${key} ${field}`
      if (expected.get(name)?.value === value) continue
      expected.set(name, { pipeline, key, field, value, raw, file, line, run: '?' })
    }
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

async function round(number: number): Promise<void> {
  for (const part of ['a', 'b']) {
    const chosen = Array.from({ length: PEOPLE }, (_, index) => index).filter(
      (index) => index % 2 === (part === 'a' ? 0 : 1) && (number === 0 || pick(3) === 0),
    )
    // A row of two lines before every second one, so that lines and rows are not the same.
    let line = 2
    const lines: string[] = []
    const shop = chosen.map((index) => {
      const made = shopRow(index)
      const at = line
      lines.push(
        Object.values({ ...made.row, Note: index % 4 < 2 ? 'two\nlines' : 'one' })
          .map(quoted)
          .join(';'),
      )
      line += index % 4 < 2 ? 2 : 1
      return { key: made.row['No'] ?? '', line: at, made }
    })
    const file = `shop-${number}${part}.csv`
    const header = [...Object.keys(shopRow(0).row), 'Note'].map(quoted).join(';')
    await writeFile(join(folder, 'shop', file), [header, ...lines, ''].join('\n'))
    note('shop', shop, file)
    const news = chosen.map((index, at) => {
      const made = newsRow(index)
      return { key: made.row['email'] ?? '', line: at + 1, made }
    })
    const newsFile = `news-${number}${part}.jsonl`
    await writeFile(
      join(folder, 'news', newsFile),
      news.map(({ made }) => `${JSON.stringify(made.row)}\n`).join(''),
    )
    note('news', news, newsFile)
  }
  const { code, stdout, stderr } = await command('run', '--json')
  expect(code, stderr).toBe(0)
  const { pipelines } = JSON.parse(stdout) as { pipelines: { run_id: string; pipeline: string }[] }
  for (const [place, value] of expected)
    if (value.run === '?') {
      const run = pipelines.find(({ pipeline }) => pipeline === value.pipeline)?.run_id ?? ''
      expected.set(place, { ...value, run })
    }
}

async function explainOne(pipeline: string, key: string): Promise<Explanation> {
  const state = openStateForReading(settings.state.path)
  const named = settings.pipelines.find(({ name }) => name === pipeline)
  if (state === undefined || named === undefined) throw new Error('no state')
  const found = await explainRecords(key, { settings, pipeline: named, state }).finally(() => state.close())
  const [one] = found
  if (one === undefined || found.length > 1) throw new Error(`${found.length} records are ${key}`)
  return one
}

/** The last value of one step is the first one of the next. */
function isChain({ steps, value }: ExplainedField): boolean {
  const joined = steps.every(
    ({ from }, at) => at === 0 || JSON.stringify(from) === JSON.stringify(steps[at - 1]?.to),
  )
  return joined && JSON.stringify(steps.at(-1)?.to) === JSON.stringify(value)
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'explain-'))
  for (const name of ['shop', 'news', 'club']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'config.yaml'), CONFIGURATION)
  sandbox = await startSandbox({ port: 0, apiKey: 'k', clock: systemClock })
  const loaded = await loadConfiguration(join(folder, 'config.yaml'), { BASE_URL: sandbox.url })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  settings = loaded.settings
  for (const number of [0, 1, 2]) await round(number)
}, 60_000)
afterAll(async () => {
  await sandbox.close()
  await rm(folder, { recursive: true })
})

describe('a value', () => {
  it('is explained by file, line, rules, run and request: a thousand of them, offline', async () => {
    const all = [...expected.values()]
    const asked = sandbox.requests().length
    const cache = new Map<string, Explanation>()
    for (let turn = 0; turn < 1000; turn += 1) {
      const want = all[pick(all.length)]
      if (want === undefined) throw new Error('nothing was sent')
      const name = `${want.pipeline} ${want.key}`
      const one = cache.get(name) ?? (await explainOne(want.pipeline, want.key))
      cache.set(name, one)
      const got = one.fields[want.field]
      const { value, known, file, line, run_id: run } = got ?? {}
      expect({ value, known, file, line, run }, JSON.stringify([want, got])).toEqual({
        value: want.value,
        known: want.value,
        file: want.file,
        line: want.line,
        run: want.run,
      })
      expect(got?.request, want.field).toMatchObject({ status: 200, attempts: 1 })
      expect(got !== undefined && isChain(got), JSON.stringify(got)).toBe(true)
      if (want.raw !== '') expect(got?.steps[0]?.from).toBe(want.raw)
      expect(got?.note).toBeUndefined()
    }
    expect(sandbox.requests().length).toBe(asked)
    expect(cache.size).toBe(2 * PEOPLE)
  })
})

/** The file of a name in `processed`, whatever run put it there. */
async function archived(pipeline: string, name: string): Promise<string> {
  const [stem = ''] = name.split('.')
  const names = await readdir(join(folder, pipeline, 'processed'))
  return join(folder, pipeline, 'processed', names.find((one) => one.startsWith(`${stem}.`)) ?? '')
}

const PERSON = 'K4'

describe('the command', () => {
  it('prints one record as JSON, and terms with what gives them', async () => {
    const { code, stdout } = await command('explain', 'shop', PERSON, '--json')
    const one = JSON.parse(stdout) as Explanation
    expect([code, one.key, one.contact_id]).toEqual([0, PERSON, expect.any(Number)])
    expect(one.record.file).toMatch(/^shop-\da\.csv$/)
    expect(one.record.line).toBeGreaterThan(1)
    expect(one.terms.find(({ name }) => name === 'a')).toMatchObject({
      known: true,
      file: 'shop-0a.csv',
      steps: [
        { rule: 'terms.assign: column "Tags"', from: 'a, b', to: 'a' },
        { rule: 'transform: trim', from: 'a', to: 'a' },
      ],
    })
    expect(one.terms.find(({ name }) => name === 'Customer')?.steps).toEqual([
      { rule: 'terms.assign: Customer', from: null, to: 'Customer' },
    ])
    expect(one.fields['family_name']?.steps[0]).toMatchObject({ rule: 'repair: ["html"] of column "Last"' })
    expect(one.fields['company']?.steps[0]).toMatchObject({
      rule: 'template: "{Firm} {Form}"',
      from: { Form: 'AG' },
    })
  })

  it('finds a record by its mail, in any case', async () => {
    const { code, stdout } = await command('explain', 'shop', 'PERSON4@example.com', '--json')
    expect([code, (JSON.parse(stdout) as Explanation).key]).toEqual([0, PERSON])
  })

  it('says every step in lines for people', async () => {
    const { stdout } = await command('explain', 'shop', PERSON)
    expect(stdout).toMatch(/^shop K4: contact \d+, shop-\da\.csv:\d+$/m)
    expect(stdout).toMatch(/^ {2}mail = "person4@example\.com"$/m)
    expect(stdout).toMatch(/^ {4}transform: lower: "Person4@Example\.com" -> "person4@example\.com"$/m)
    expect(stdout).toMatch(/^ {4}run \S+, .*; POST \/contacts, answered 200; done$/m)
  })

  it('asks the service only with --live, and shows what it has now', async () => {
    const id = (JSON.parse((await command('explain', 'shop', PERSON, '--json')).stdout) as Explanation)
      .contact_id
    await fetch(`${sandbox.url}/public/api/V1/contact/${id}`, {
      method: 'PUT',
      headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
      body: JSON.stringify({ company: 'by hand' }),
    })
    const { code, stdout } = await command('explain', 'shop', PERSON, '--live', '--json')
    const one = JSON.parse(stdout) as Explanation
    expect(code).toBe(0)
    expect(one.fields['company']).toMatchObject({ actual: 'by hand' })
    expect(one.fields['company']?.value).not.toBe('by hand')
    expect(one.fields['title']?.actual).toBe(one.fields['title']?.value)
    expect(one.terms.every(({ actual }) => actual === true)).toBe(true)
  })

  it('reads no contact of another service with --live', async () => {
    const path = join(folder, 'config.yaml')
    const before = await readFile(path, 'utf8')
    await writeFile(path, before.replace('${BASE_URL}', sandbox.url.replace('127.0.0.1', 'localhost')))
    const asked = await command('explain', 'shop', PERSON, '--live')
    const unasked = await command('explain', 'shop', PERSON)
    await writeFile(path, before)
    expect(asked).toMatchObject({ code: 2, stdout: '' })
    expect(asked.stderr).toContain('OTHER_SERVICE')
    expect(unasked.code).toBe(0)
  })

  it('ends with 2 for somebody whom nobody knows, and for a pipeline that is not configured', async () => {
    const nobody = await command('explain', 'shop', 'K999')
    expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('knows a record K999 of shop')])
    expect((await command('explain', 'nowhere', 'K1')).code).toBe(2)
  })
})

const CLUB = 'No;Mail;Tel;Firm;Tag'

it('a record of several rows names for each value the row that gives it', async () => {
  const rows = [
    'C1;c1@example.com;030 1111111;One;gold',
    'C2;c2@example.com;;Two;',
    'C1;c1@example.com;;Three;blue',
  ]
  await writeFile(join(folder, 'club', 'rows.csv'), [CLUB, ...rows, ''].join('\n'))
  expect((await command('run', 'club')).code).toBe(0)
  const { fields, terms } = await explainOne('club', 'C1')
  expect([fields['phone']?.line, fields['company']?.line]).toEqual([2, 4])
  expect(fields['phone']?.steps[0]).toEqual({ rule: 'column "Tel"', from: '030 1111111', to: '030 1111111' })
  expect(fields['company']?.steps[0]?.from).toBe('Three')
  expect(terms.map(({ name, line }) => [name, line])).toEqual([
    ['gold', 2],
    ['blue', 4],
  ])
})

it('a custom field has its rules and its form, too', async () => {
  const row = 'C3;c3@example.com;;;;x'
  await writeFile(join(folder, 'club', 'likes.csv'), [`${CLUB};Likes`, row, ''].join('\n'))
  expect((await command('run', 'club')).code).toBe(0)
  const { fields } = await explainOne('club', 'C3')
  const [found] = Object.values(fields).filter(({ steps }) => steps[0]?.rule === 'column "Likes"')
  expect(found).toMatchObject({ value: ['books', 'music'], file: 'likes.csv', line: 2 })
  expect(found?.steps.slice(1)).toEqual([
    { rule: 'lookup', from: 'x', to: 'books,music' },
    { rule: 'form of custom_fields.interests', from: 'books,music', to: ['books', 'music'] },
  ])
})

it('of several records on one line each is explained by its own', async () => {
  const records = ['one', 'two', 'three'].map((name) => ({ email: `${name}@line.example`, handle: name }))
  const text = records.map((record) => JSON.stringify({ ...record, position: 'Head', level: '1' })).join(' ')
  await writeFile(join(folder, 'news', 'line.jsonl'), `${text}\n`)
  expect((await command('run', 'news')).code).toBe(0)
  for (const { email, handle } of records)
    expect((await explainOne('news', email)).fields['skype']).toMatchObject({
      value: handle,
      file: 'line.jsonl',
      line: 1,
      steps: [{ from: handle }, { to: handle }, { to: handle }],
    })
})

it('a change that is held is explained beside what was sent, and a new record that is held has its way, too', async () => {
  const rows = [
    'C2;c2@example.com;;Changed;x',
    'C9;c9@example.com;030 9999999;Nine;y',
    'C8;c8@example.com;;;z',
  ]
  await writeFile(join(folder, 'club', 'held.csv'), [CLUB, ...rows, ''].join('\n'))
  expect((await command('run', 'club')).code).toBe(4)
  const known = (await explainOne('club', 'C2')).fields['company']
  expect(known).toMatchObject({ value: 'Two', known: 'Two', file: 'rows.csv', line: 3, outcome: 'done' })
  expect(known?.note).toMatch(/^a later change of it, of run \S+, is held/)
  const fresh = await explainOne('club', 'C9')
  expect(fresh).toMatchObject({ contact_id: null, record: { file: 'held.csv', line: 3 } })
  expect(fresh.fields['phone']).toMatchObject({
    value: '+49309999999',
    known: null,
    outcome: 'held',
    request: null,
    file: 'held.csv',
    line: 3,
  })
  expect(fresh.fields['phone']?.steps.at(-1)?.rule).toBe('phone: "DE"')
  expect(fresh.fields['phone']?.note).toContain('it is held and was not sent')
})

it('a change that was held is explained by its row once it was released, although another run sent it', async () => {
  const listed = JSON.parse((await command('held', 'list', 'club', '--json')).stdout) as {
    held: { run_id: string }[]
  }
  await command('held', 'release', listed.held[0]?.run_id ?? '')
  expect((await command('run', 'club')).code).toBe(0)
  for (const [key, line] of [
    ['C2', 2],
    ['C9', 3],
  ] as const) {
    const { company } = (await explainOne('club', key)).fields
    expect(company).toMatchObject({ file: 'held.csv', line, outcome: 'done', request: {} })
    expect(company?.run_id).not.toBe(listed.held[0]?.run_id)
    expect(company?.steps.at(-1)?.to).toBe(company?.value)
  }
})

it('a record that was rejected and corrected is explained by the file that it was read from', async () => {
  await writeFile(join(folder, 'club', 'typo.csv'), 'No,Mail,Tel,Firm,Tag\nC77,no mail,030 123456,Kreis,\n')
  expect((await command('run', 'club')).code).toBe(3)
  expect((await command('correct', 'club', 'C77', 'mail=c77@example.com')).code).toBe(0)
  expect((await command('run', 'club')).code).toBe(0)
  const typo = { file: 'typo.csv', line: 2, outcome: 'done' }
  expect((await explainOne('club', 'C77')).fields).toMatchObject({
    phone: { ...typo, value: '+4930123456', steps: [{ rule: 'column "Tel"' }, { rule: 'phone: "DE"' }] },
    mail: {
      ...{ ...typo, value: 'c77@example.com', steps: [] },
      note: expect.stringContaining('the source says "no mail"') as string,
    },
  })
  const { stdout } = await command(
    'audit',
    'list',
    '--contact',
    'c77@example.com',
    '--action',
    'create',
    '--json',
  )
  const { entries } = JSON.parse(stdout) as { entries: { source: unknown }[] }
  expect(entries.map(({ source }) => source)).toEqual([
    { file: 'typo.csv', line: 2, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
  ])
})

describe('what cannot be told is said, and nothing is guessed', () => {
  const noteOf = async (key: string, field: string): Promise<ExplainedField | undefined> =>
    (await explainOne('shop', key)).fields[field]

  it('where the file is gone', async () => {
    const { file = '' } = (await noteOf('K6', 'mail')) ?? {}
    await rm(await archived('shop', file ?? ''))
    expect(await noteOf('K6', 'mail')).toMatchObject({
      value: 'person6@example.com',
      file: 'shop-0a.csv',
      steps: [],
      note: expect.stringContaining('is no longer in the folders of the source') as string,
      request: { method: 'POST' },
    })
  })

  it('where the file has another content than was read', async () => {
    const path = await archived('shop', 'shop-0b.csv')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace('Person7@', 'Person8@'))
    expect((await noteOf('K9', 'mail'))?.note).toContain('its content has changed')
    await writeFile(path, text)
    expect((await noteOf('K9', 'mail'))?.steps).toHaveLength(3)
  })

  it('where the mapping has changed since: the rules of then are shown, and said to be missing where they are', async () => {
    const changed = CONFIGURATION.replace('[trim, lower]', 'upper').replace(
      'First, transform: title_case',
      'Firm',
    )
    await writeFile(join(folder, 'config.yaml'), changed)
    const explained = async (): Promise<ExplainedField | undefined> =>
      (JSON.parse((await command('explain', 'shop', 'K9', '--json')).stdout) as Explanation).fields['mail']
    expect((await explained())?.steps.map(({ rule }) => rule)).toEqual([
      'column "Mail"',
      'transform: trim',
      'transform: lower',
    ])
    const db = openDatabase(settings.state.path, { thorough: false })
    const kept = db
      .prepare<[], { name: string; value: string }>("SELECT * FROM meta WHERE name LIKE 'mapping:%'")
      .all()
    db.exec("DELETE FROM meta WHERE name LIKE 'mapping:%'")
    expect(await explained()).toMatchObject({
      value: 'person9@example.com',
      steps: [],
      note: 'the mapping has changed since, and the earlier one is not kept',
    })
    for (const { name, value } of kept) db.prepare('INSERT INTO meta VALUES (?, ?)').run(name, value)
    db.close()
    await writeFile(join(folder, 'config.yaml'), CONFIGURATION)
  })

  it('where the value was put back by an undo', async () => {
    const row = 'No;Mail;First;Last;Mobile;Tel;Country;Born;Title;Firm;Form;Tags'
    const person = (tel: string): string =>
      `${row}\nK900;undo@example.com;Udo;Udo;;${tel};Germany;01.01.1980;Herr;F;AG;\n`
    await writeFile(join(folder, 'shop', 'before.csv'), person('030 1234567'))
    await command('run', 'shop')
    await writeFile(join(folder, 'shop', 'after.csv'), person('030 7654321'))
    await command('run', 'shop')
    const { run_id: run } = (await noteOf('K900', 'phone')) ?? {}
    expect((await command('undo', run ?? '', '--yes')).code).toBe(0)
    expect(await noteOf('K900', 'phone')).toMatchObject({
      value: '+49301234567',
      known: '+49301234567',
      steps: [],
      note: expect.stringContaining(`undoes run ${run ?? ''}`) as string,
    })
  })

  it('where the record was rejected: what its rules make of its row, and what is wrong', async () => {
    const row = 'No;Mail;First;Last;Mobile;Tel;Country;Born;Title;Firm;Form;Tags'
    await writeFile(
      join(folder, 'shop', 'bad.csv'),
      `${row}\nK901;bad@example.com;Udo;Udo;;12;Germany;01.01.1980;Herr;F;AG;\n`,
    )
    await command('run', 'shop')
    const one = await explainOne('shop', 'K901')
    expect(one).toMatchObject({ record: { file: 'bad.csv', line: 2 }, contact_id: null })
    expect(one.note).toContain('the record was rejected: phone')
    expect(one.fields['phone']).toMatchObject({ value: null, outcome: 'rejected', file: 'bad.csv' })
    expect(one.fields['phone']?.steps.at(-1)).toEqual({ rule: 'phone: "DE"', from: '12', to: null })
    // There is no contact that the service could be asked for.
    expect((await command('explain', 'shop', 'K901', '--live')).stdout).not.toContain('at the service now')
  })

  it('where the person was erased: nobody is found, and no value comes back', async () => {
    expect((await command('audit', 'forget', 'key:K11', '--yes')).code).toBe(0)
    const { code, stdout } = await command('explain', 'shop', 'K11', '--json')
    expect(code).toBe(2)
    const { error, ...rest } = JSON.parse(stdout) as { error: string }
    expect(rest).toEqual({
      status: 'failed',
      code: 'USAGE',
      hint: expect.stringContaining('Erased persons') as string,
    })
    expect(error).toBe('neither the state nor the sync log knows a record K11 of shop')
  })
})
