// The same people from every kind of source make the same contacts: the first run creates them, and each further one, of
// another kind, finds nothing to write. A file that is told twice changes nothing either.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCommandLine } from '../../../src/cli/program.ts'
import { type Sandbox, startSandbox } from '../../../src/sandbox/server.ts'
import { systemClock } from '../../../src/system.ts'
import { peopleServer } from '../../support/people-server.ts'
import { partsOf, workbook } from '../../support/workbook.ts'

const KEY = 'key'
let folder: string
let sandbox: Sandbox
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alike-'))
  await mkdir(join(folder, 'in'))
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
})
afterEach(async () => {
  await sandbox.close()
  await rm(folder, { recursive: true })
})

const COLUMNS = ['UID', 'EMAIL', 'N.given', 'N.family', 'TEL', 'BDAY', 'NOTE']
const PEOPLE = [
  ['1', 'ann@example.org', 'Ann', 'Müller; Ash', '+491711234567', '1980-12-31', 'a "quoted", note'],
  ['2', 'bo@example.org', 'Bo', "O'Neill", '', '', ''],
  ['3', 'cleo@example.org', 'Cleo', '山田', '0301', '2001-02-03', '=1+1'],
]

const csv = [COLUMNS, ...PEOPLE]
  .map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(';'))
  .join('\r\n')
const records = PEOPLE.map((row) =>
  Object.fromEntries(row.map((value, index) => [COLUMNS[index] ?? '', value] as const)),
)

/** Serial numbers and shared texts, as Excel writes them. */
const cells = (row: readonly string[], number: number): string =>
  `<row r="${number}">${row
    .map((value) => {
      if (value === '1980-12-31') return '<c s="1"><v>29586</v></c>'
      if (value === '2001-02-03') return '<c s="1"><v>36925</v></c>'
      if (/^\d$/.test(value)) return `<c><v>${value}</v></c>`
      return `<c t="inlineStr"><is><t>${value.replaceAll('"', '&quot;')}</t></is></c>`
    })
    .join('')}</row>`
const xlsx = workbook({
  sheets: [
    {
      xml: `<sheetData>${[COLUMNS, ...PEOPLE].map((row, index) => cells(row, index + 1)).join('')}</sheetData>`,
    },
  ],
  styles: '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>',
})

const escaped = (value = ''): string => value.replaceAll(/[\\,;]/g, '\\$&')
const vcf = PEOPLE.map(
  ([uid, mail, given, family, tel, birthday, text]) =>
    `BEGIN:VCARD\nVERSION:3.0\nUID:${escaped(uid)}\nN:${escaped(family)};${escaped(given)};;;\nEMAIL;TYPE=work:${escaped(mail)}\nTEL:${escaped(tel)}\nBDAY:${escaped(birthday)}\nNOTE:${escaped(text)}\nEND:VCARD\n`,
).join('')

const FILES: readonly (readonly [type: string, name: string, content: string | Buffer])[] = [
  ['csv', 'a.csv', `${csv}\r\n`],
  ['csv', 'b.csv.gz', gzipSync(`${csv}\r\n`)],
  ['json', 'c.json', JSON.stringify(records)],
  ['excel', 'd.xlsx', xlsx],
  ['vcard', 'e.vcf', vcf],
  ['vcard', 'f.vcf.gz', gzipSync(vcf)],
]

/** A column of JSON is a path: names with a dot are found as they are. */
const configuration = (type: string): string => `
service: { base_url: "${sandbox.url}", api_key: "${KEY}" }
state: { path: state.db }
pipelines:
  people:
    source: { type: ${type}, folder: in, settle: 0s }
    mode: full
    key: UID
    map:
      mail: EMAIL
      first_name: N.given
      family_name: N.family
      phone: TEL
      company: NOTE
      date_of_birth: { column: BDAY, date: yyyy-MM-dd }
`

async function typed(...args: string[]): Promise<{ code: number; text: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const code = await runCommandLine([...args, '--config', join(folder, 'sync.yaml')], {
    ...{ stdin: Readable.from([]), stdout, stderr, cwd: folder, pid: process.pid, env: {} },
    ...{ isTerminal: false, isInteractive: false },
    signal: new AbortController().signal,
    onHangup: () => undefined,
    outlastReader: () => undefined,
  })
  return { code, text: String(stdout.read() ?? '') }
}

async function counted(type: string, name: string, content: string | Buffer): Promise<unknown> {
  await writeFile(join(folder, 'in', name), content)
  return run(configuration(type))
}

async function run(yaml: string): Promise<unknown> {
  await writeFile(join(folder, 'sync.yaml'), yaml)
  const { pipelines } = JSON.parse((await typed('run', '--json')).text) as { pipelines: object[] }
  return pipelines[0]
}

/** Sources that are asked for these people, as they stand in a configuration. */
async function askedSources(): Promise<{ sources: readonly string[]; close(): Promise<void> }> {
  const server = await peopleServer(() => ({ body: records }))
  const db = new Database(join(folder, 'people.db'))
  const names = COLUMNS.map((name) => `"${name}"`).join()
  db.exec(`CREATE TABLE people (${names})`)
  for (const row of PEOPLE) db.prepare(`INSERT INTO people VALUES (${row.map(() => '?').join()})`).run(...row)
  db.close()
  await writeFile(
    join(folder, 'source.mjs'),
    `export default async function* () { yield* ${JSON.stringify(records)} }`,
  )
  return {
    sources: [
      `{ type: http, url: "${server.url}" }`,
      `{ type: sql, url: "sqlite:${join(folder, 'people.db')}", query: select * from people }`,
      `{ type: module, path: ./source.mjs }`,
    ],
    close: () => server.close(),
  }
}

it('the same people of every kind, one after another, are written once', { timeout: 60_000 }, async () => {
  for (const [index, [type, name, content]] of FILES.entries()) {
    const first = index === 0 ? { created: 3 } : { created: 0, unchanged: 3 }
    expect([name, await counted(type, name, content)]).toMatchObject([
      name,
      { read: 3, updated: 0, rejected: 0, failed: 0, held: 0, deleted: 0, ...first },
    ])
    expect([name, await counted(type, name, content)]).toMatchObject([
      name,
      { read: 3, created: 0, updated: 0, unchanged: 3, rejected: 0, failed: 0, deleted: 0 },
    ])
  }
  const asked = await askedSources()
  for (const source of [...asked.sources, ...asked.sources])
    expect([
      source,
      await run(configuration('csv').replace(/source: .*/, `source: ${source}`)),
    ]).toMatchObject([
      source,
      { read: 3, created: 0, updated: 0, unchanged: 3, rejected: 0, failed: 0, deleted: 0 },
    ])
  await asked.close()
  // Each was read and archived twice, the packed ones packed.
  const archived = await readdir(join(folder, 'in', 'processed'))
  expect(archived.filter((name) => name.endsWith('.gz'))).toHaveLength(4)
  expect(archived).toHaveLength(2 * FILES.length)
})

/** What an archived file says, unpacked. */
function plainText(name: string, content: Buffer): string {
  if (name.endsWith('.gz')) return gunzipSync(content).toString()
  return name.endsWith('.xlsx') ? partsOf(content).join('') : content.toString()
}

it.each(FILES)(
  'a file of the kind %s (%s) is explained, rehearsed, and left without whom was forgotten',
  { timeout: 60_000 },
  async (type, name, content) => {
    await counted(type, name, content)
    const explained = await typed('explain', 'people', '1')
    const ofKind: Readonly<Record<string, string>> = {
      excel: ' (row of the sheet)',
      vcard: ' (first line of the card)',
    }
    const [first = ''] = explained.text.split('\n')
    expect(first.replace(/\d+, /, 'N, ').replace(/:\d/, ':L')).toBe(
      `people 1: contact N, ${name}:L${ofKind[type] ?? ''}`,
    )
    expect(explained.text).toContain('column "BDAY": "1980-12-31" -> "1980-12-31"')
    const other = join(folder, 'other.yaml')
    await writeFile(other, configuration(type).replace('first_name: N.given', 'first_name: N.family'))
    const rehearsed = await typed('rehearse', '--with', other)
    expect(rehearsed.text).toContain('people: 3 records of 1 processed file: 3 differ')
    const forgotten = await typed('audit', 'forget', 'ann@example.org', '--yes')
    expect(forgotten).toMatchObject({
      code: 0,
      text: expect.stringContaining('1 record in 1 file') as string,
    })
    // Read once more: the record is skipped, and left out of the archived file.
    expect(await counted(type, name, content)).toMatchObject({ created: 0, failed: 0, unchanged: 2 })
    const processed = join(folder, 'in', 'processed')
    for (const file of await readdir(processed)) {
      const text = plainText(file, await readFile(join(processed, file)))
      expect(text).not.toContain('ann@example.org')
      expect(text).toContain('cleo@example.org')
    }
  },
)
