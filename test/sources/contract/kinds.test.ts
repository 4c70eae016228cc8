// Every kind of source under the contract that the package offers to the authors of modules: the same checks, by the same code.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { describe, it } from 'vitest'
import { sourceContract } from '../../../src/app/contract/contract.ts'
import type { ContractPerson, ContractSource, OpenContractSource } from '../../../src/app/contract/types.ts'
import { commandIn, MAIN } from '../../support/contract.ts'
import { peopleServer } from '../../support/people-server.ts'
import { startS3Server } from '../../support/s3-server.ts'
import { hasSshd, startSftpServer } from '../../support/sftp-server.ts'
import { partsOf, workbook } from '../../support/workbook.ts'

const COLUMNS = ['id', 'mail', 'first_name', 'family_name', 'phone', 'changed'] as const
type People = readonly ContractPerson[]

/** A file for each turn; `cut` is that file as it looks when its end is missing. */
function files(
  type: string,
  name: string,
  form: { whole(people: People): string | Buffer; cut?(people: People): string | Buffer },
  rest: Partial<ContractSource> = {},
): OpenContractSource {
  return (folder) => {
    let last: People = []
    let turn = 0
    mkdirSync(join(folder, 'in'))
    const drop = (content: string | Buffer) =>
      writeFileSync(join(folder, 'in', `${String(turn).padStart(3, '0')}-${name}`), content)
    return {
      source: { type, folder: 'in', settle: '0s' },
      put(people) {
        last = people
        turn += 1
        drop(form.whole(people))
      },
      breakAfter(records) {
        if (records !== undefined) drop((form.cut ?? form.whole)(last.slice(0, records + 1)))
      },
      ...rest,
    }
  }
}

const quoted = (value: unknown): string => `"${String(value).replaceAll('"', '""')}"`
const csv = (people: People): string =>
  [COLUMNS.join(','), ...people.map((one) => COLUMNS.map((name) => quoted(one[name])).join(',')), ''].join(
    '\n',
  )
const xlsx = (people: People): Buffer =>
  workbook({
    sheets: [{ rows: [COLUMNS, ...people.map((one) => COLUMNS.map((name) => String(one[name])))] }],
  })
const escaped = (value: string): string => value.replaceAll(/[\\,;]/g, '\\$&')
const vcf = (people: People): string =>
  people
    .map(
      (one) =>
        `BEGIN:VCARD\nVERSION:3.0\nUID:${one.id}\nN:${escaped(one.family_name)};${escaped(one.first_name)};;;\nEMAIL:${one.mail}\nTEL:${one.phone}\nEND:VCARD\n`,
    )
    .join('')
const cutText = (text: string): string => text.slice(0, -12)

const KINDS: readonly (readonly [string, OpenContractSource])[] = [
  ['csv', files('csv', 'a.csv', { whole: csv, cut: (people) => cutText(csv(people)) })],
  [
    'csv, packed',
    files(
      'csv',
      'a.csv.gz',
      { whole: (people) => gzipSync(csv(people)), cut: (people) => gzipSync(csv(people)).subarray(0, -9) },
      {
        plainText: (name, bytes) =>
          (name.endsWith('.gz') ? gunzipSync(bytes) : Buffer.from(bytes)).toString(),
      },
    ),
  ],
  [
    'json',
    files('json', 'a.json', { whole: JSON.stringify, cut: (people) => cutText(JSON.stringify(people)) }),
  ],
  [
    'excel',
    files(
      'excel',
      'a.xlsx',
      { whole: xlsx, cut: (people) => xlsx(people).subarray(0, -40) },
      {
        plainText: (name, bytes) =>
          name.endsWith('.xlsx') ? partsOf(Buffer.from(bytes)).join('') : Buffer.from(bytes).toString(),
      },
    ),
  ],
  [
    'vcard',
    files(
      'vcard',
      'a.vcf',
      { whole: vcf, cut: (people) => cutText(vcf(people)) },
      {
        columns: {
          ...{ id: 'UID', mail: 'EMAIL', first_name: 'N.given', family_name: 'N.family', phone: 'TEL' },
        },
      },
    ),
  ],
]

/** A drop folder on another machine: `address` names it, `drop` puts a file there. */
const farFiles = (
  source: ContractSource['source'],
  drop: (name: string, text: string) => void,
): Pick<ContractSource, 'source' | 'put' | 'breakAfter'> => {
  let last: People = []
  let turn = 0
  const next = (text: string): void => drop(`${String((turn += 1)).padStart(3, '0')}.csv`, text)
  return {
    source: { type: 'csv', settle: '0s', ...source },
    put(people) {
      last = people
      next(csv(people))
    },
    breakAfter(records) {
      if (records !== undefined) next(cutText(csv(last.slice(0, records + 1))))
    },
  }
}

const s3: OpenContractSource = async (folder) => {
  const store = await startS3Server()
  writeFileSync(join(folder, 'secret'), store.secret, { mode: 0o600 })
  const remote = { endpoint: store.url, access_key_id: store.keyId, secret_access_key_file: 'secret' }
  const files = farFiles({ folder: 's3://exports/in', remote }, (name, text) => store.put(`in/${name}`, text))
  return {
    ...files,
    filesElsewhere: () => store.keys().flatMap((key) => store.all(key).map((text) => [key, text] as const)),
    close: () => store.close(),
  }
}

const sftp: OpenContractSource = async (folder) => {
  const server = await startSftpServer()
  writeFileSync(join(folder, 'key'), server.key, { mode: 0o600 })
  const at = join(server.home, 'in')
  mkdirSync(at)
  const remote = { key_file: 'key', known_hosts: server.knownHosts }
  const address = `sftp://${server.user}@127.0.0.1:${server.port}${at}`
  const files = farFiles({ folder: address, remote }, (name, text) => writeFileSync(join(at, name), text))
  const filesElsewhere = () =>
    readdirSync(at, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path, readFileSync(path, 'utf8')] as const)
  return { ...files, filesElsewhere, close: () => server.stop() }
}

const http: OpenContractSource = async () => {
  let rows: People = []
  let breakAt: number | undefined
  const server = await peopleServer(({ url }) => {
    const from = Number(url.searchParams.get('from') ?? '0')
    const since = Number(url.searchParams.get('since') ?? '0')
    const found = rows.filter(({ changed }) => changed >= since)
    if (breakAt !== undefined && from >= breakAt) return { status: 500 }
    return { body: { items: found.slice(from, from + 1), next: from + 1 < found.length ? from + 1 : null } }
  })
  return {
    source: {
      ...{ type: 'http', url: server.url, records: 'items', attempts: 1 },
      ...{ next: { cursor: 'next', param: 'from' }, since: { param: 'since', field: 'changed' } },
    },
    put: (people) => void (rows = people),
    breakAfter: (records) => void (breakAt = records),
    close: () => server.close(),
  }
}

const sql: OpenContractSource = (folder) => {
  const path = join(folder, 'people.db')
  const db = new Database(path)
  db.exec('CREATE TABLE people (id, mail, first_name, family_name, phone, changed INTEGER)')
  const query = 'select * from people where :cursor is null or changed >= :cursor'
  const add = db.prepare(
    'INSERT INTO people VALUES (@id, @mail, @first_name, @family_name, @phone, @changed)',
  )
  return {
    source: { type: 'sql', url: `sqlite:${path}`, query, cursor: 'changed' },
    put: db.transaction((people: People) => {
      db.exec('DELETE FROM people')
      for (const one of people) add.run(one)
    }),
    close: () => void db.close(),
  }
}

const MODULE = `
import { readFileSync } from 'node:fs'
export default async function* ({ file }, { cursor = 0 }) {
  const { people, breakAt } = JSON.parse(readFileSync(file, 'utf8'))
  const fresh = people.filter(({ changed }) => changed >= cursor).sort((a, b) => a.changed - b.changed)
  for (const [index, { changed, ...record }] of fresh.entries()) {
    if (index === breakAt) throw new Error('no more')
    yield { record, cursor: changed }
  }
  if (breakAt !== undefined) throw new Error('no more')
}
`

/** A program of our own that reads what there is from a file of JSON. */
function program(
  folder: string,
  { name, text }: { name: string; text: string },
  sourceFor: (file: string) => ContractSource['source'],
): ContractSource {
  const file = join(folder, 'people.json')
  writeFileSync(join(folder, name), text)
  let world: { people: People; breakAt?: number | undefined } = { people: [] }
  const set = (changes: Partial<typeof world>): void => {
    world = { ...world, ...changes }
    writeFileSync(file, JSON.stringify(world))
  }
  set({})
  return {
    source: sourceFor(file),
    put: (people) => set({ people }),
    breakAfter: (breakAt) => set({ breakAt }),
  }
}

const ownModule: OpenContractSource = (folder) =>
  program(folder, { name: 'source.mjs', text: MODULE }, (file) => ({
    ...{ type: 'module', path: './source.mjs', options: { file } },
  }))

const TAP = `
import { readFileSync } from 'node:fs'
const { people, breakAt } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const at = process.argv.indexOf('--state')
const since = at < 0 ? 0 : JSON.parse(readFileSync(process.argv[at + 1], 'utf8')).changed
const write = (message) => process.stdout.write(JSON.stringify(message) + '\\n')
write({ type: 'SCHEMA', stream: 'people', schema: {} })
const fresh = people.filter(({ changed }) => changed >= since).sort((a, b) => a.changed - b.changed)
for (const [index, { changed, ...record }] of fresh.entries()) {
  if (index === breakAt) process.exit(1)
  write({ type: 'RECORD', stream: 'people', record })
  write({ type: 'STATE', value: { changed } })
}
if (breakAt !== undefined) process.exit(1)
`

const singer: OpenContractSource = (folder) =>
  program(folder, { name: 'tap.mjs', text: TAP }, (file) => ({
    ...{ type: 'singer', command: [process.execPath, 'tap.mjs', file], stream: 'people' },
  }))

describe.each([
  ...KINDS,
  ['csv, in a bucket', s3],
  ['http', http],
  ['module', ownModule],
  ['singer', singer],
] as const)('the kind %s', (_, open) => {
  for (const { name, check } of sourceContract(open, { command: commandIn, program: MAIN }))
    it(name, { timeout: 60_000 }, check)
})

describe.skipIf(!hasSshd)('the kind csv, over SFTP', () => {
  for (const { name, check } of sourceContract(sftp, { command: commandIn, program: MAIN }))
    it(name, { timeout: 60_000 }, check)
})

describe('the kind sql', () => {
  for (const { name, check } of sourceContract(sql, { command: commandIn, program: MAIN, breaks: false }))
    it(name, { timeout: 60_000 }, check)
})
