// A person asks to be erased: nothing of them is left in any byte, all others are unchanged, and they are not created again.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openState } from '../../src/store/state-store.ts'
import { KEY, openWorkshop, type Workshop } from '../support/cli.ts'

// Each command is a separate process, and a machine may be slow.
vi.setConfig({ testTimeout: 120_000 })

let shop: Workshop
beforeEach(async () => (shop = await openWorkshop()))
afterEach(async () => shop.close())

const ERIKA = {
  no: 'ERIKA-4711',
  mail: 'Erika.Mustermann@Example.com',
  first: 'Érika-Renée',
  last: 'Mustermännin',
  phone: '0301234509',
}
const HEADER = 'no,mail,first,last,phone,tags\n'
const row = (person: typeof ERIKA, tags = ''): string => `${[...Object.values(person), tags].join(',')}\n`
const other = (number: number, phone = `0409${number}`): typeof ERIKA => ({
  no: `OTHER-${number}`,
  mail: `other${number}@example.com`,
  first: `Vorname${number}`,
  last: `Nachname${number}`,
  phone,
})

async function json(
  ...args: string[]
): Promise<{ code: number | null; said: Record<string, unknown>; text: string }> {
  const { code, stdout, stderr } = await shop.cli(...args, '--json')
  try {
    return { code, said: JSON.parse(stdout) as Record<string, unknown>, text: stdout }
  } catch {
    throw new Error(`${args.join(' ')}: ${code}\n${stdout}\n${stderr}`)
  }
}

/** Every form in which a value may stand in a file. */
function forms(value: string): Buffer[] {
  const escaped = JSON.stringify(value)
    .slice(1, -1)
    .replaceAll(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const texts = [value, value.toLowerCase(), value.normalize('NFD'), escaped, encodeURIComponent(value)]
  return [...new Set(texts)].flatMap((text) => [
    Buffer.from(text, 'utf8'),
    Buffer.from(text, 'utf16le'),
    Buffer.from(text, 'utf16le').swap16(),
    Buffer.from(text, 'latin1'),
    Buffer.from(
      Buffer.from(text)
        .toString('base64')
        .replace(/..?=*$/, ''),
    ),
  ])
}

/** Where anything of the person stands in the whole folder of the state. */
async function traces(person: Record<string, string>, folder = shop.path('state')): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const bytes = await readFile(path)
    for (const [name, value] of Object.entries(person))
      if (forms(value).some((form) => bytes.includes(form))) found.push(`${name} in ${path}`)
  }
  return found
}

const CONFIGURATION = `
service:
  base_url: \${BASE_URL}
  api_key: \${API_KEY}
  rate_limit: { requests: 500, per: 1s, concurrency: 4 }
  retry: { attempts: 2, max_delay: 1s }
state: { path: state/contact-sync.db }
log: { folder: state/logs, level: debug }
server: { port: 0 }
pipelines:
  shop:
    source: { type: csv, folder: state/inbox/shop, settle: 0s }
    key: no
    map: { mail: mail, first_name: first, family_name: last, phone: phone }
    terms: { assign: [{ column: tags, split: ";" }] }
  crm:
    source: { type: json, folder: state/inbox/crm, files: "*.json", settle: 0s }
    key: id
    map: { mail: mail, first_name: first }
`

const drop = async (inbox: string, name: string, text: string | Buffer): Promise<void> =>
  shop.drop(`../state/inbox/${inbox}`, name, text)

describe('audit forget', () => {
  beforeEach(async () => {
    await shop.configure(CONFIGURATION)
    for (const inbox of ['shop', 'crm']) await mkdir(shop.path('state/inbox', inbox), { recursive: true })
  })

  it('leaves no byte of the person, the chain whole and everybody else as they were', async () => {
    await drop(
      'shop',
      'a.csv',
      HEADER + row(other(1), 'Kunde') + row(ERIKA, 'Kunde;Geheimbund') + row(other(2)),
    )
    await json('run')
    await drop('shop', 'b.csv', HEADER + row({ ...ERIKA, phone: '0309999999' }) + row(other(2, '0401111111')))
    const crm = [
      { id: 'C1', mail: other(3).mail, first: 'A' },
      { id: 'C2', mail: ERIKA.mail, first: ERIKA.first },
    ]
    await drop('crm', 'c.json', JSON.stringify(crm, null, 1))
    // A reject of hers, and a file that could not be taken.
    await drop('shop', 'z.csv', HEADER + row({ ...ERIKA, mail: 'no mail at all' }) + row(other(4)))
    await drop('shop', 'e.csv', `${HEADER}"${Object.values(ERIKA).join(',')}\n${row(other(5))}`)
    await drop('shop', 'f.csv', Buffer.from(`\ufeff${HEADER}${row(other(6))}${row(ERIKA)}`, 'utf16le'))
    await json('run')
    expect(await traces(ERIKA)).not.toEqual([])

    const { code, said, text } = await json('audit', 'forget', 'erika.mustermann@example.com', '--yes')
    expect(code).toBe(0)
    expect(said).toMatchObject({ removed: { links: 2, rejects: 1 }, deleted_at_service: [] })
    const all = { ...ERIKA, phone2: '0309999999', term: 'Geheimbund' }
    expect(await traces(all)).toEqual([])
    for (const value of Object.values(all)) expect(text).not.toContain(value)

    expect((await json('audit', 'verify')).said).toMatchObject({ ok: true })
    expect((await shop.cli('audit', 'show', ERIKA.mail)).code).toBe(2)
    expect((await shop.cli('audit', 'show', 'OTHER-2')).stdout).toContain('0401111111')
    const files = (await readdir(shop.path('state/inbox/shop/processed'))).sort()
    const first = await readFile(shop.path('state/inbox/shop/processed', files[0]!), 'utf8')
    expect(first).toBe(`${HEADER}${row(other(1), 'Kunde')}\n${row(other(2))}`)
    const [put] = await readdir(shop.path('state/inbox/crm/processed'))
    const kept = JSON.parse(await readFile(shop.path('state/inbox/crm/processed', put!), 'utf8')) as unknown
    expect(kept).toEqual([crm[0], {}])
  })

  it('keeps them from coming back: as a contact, as a reject, in a plan, over pipelines; until they are readmitted', async () => {
    await drop('shop', 'a.csv', HEADER + row(ERIKA) + row(other(1)))
    await json('run')
    await json('audit', 'forget', ERIKA.no, '--yes')
    await drop('shop', 'b.csv', HEADER + row(ERIKA) + row({ ...ERIKA, mail: 'broken' }) + row(other(1)))
    await drop('crm', 'c.json', JSON.stringify([{ id: 'C9', mail: ERIKA.mail, first: 'E' }]))
    const counts = [
      { pipeline: 'shop', read: 3, skipped: 2, erased: 2, unchanged: 1, created: 0, rejected: 0 },
      { pipeline: 'crm', read: 1, skipped: 1, erased: 1, created: 0 },
    ]
    expect((await json('plan')).said).toMatchObject({ pipelines: counts })
    const writes = shop.writes()
    expect((await json('run')).said).toMatchObject({ status: 'ok', pipelines: counts })
    expect(shop.writes()).toBe(writes)
    expect(await traces({ mail: ERIKA.mail }, shop.path('state', 'logs'))).toEqual([])
    // One of their names lets them come again under all of them, and no one else.
    await json('audit', 'forget', other(1).no, '--yes')
    expect(await json('audit', 'forget', ERIKA.mail, '--readmit', '--yes')).toMatchObject({
      code: 0,
      said: { readmitted: 2 },
    })
    expect((await shop.cli('audit', 'forget', ERIKA.no, '--readmit', '--yes')).code).toBe(2)
    await drop('shop', 'd.csv', HEADER + row(ERIKA) + row(other(1)))
    expect((await json('run')).said).toMatchObject({ pipelines: [{ created: 1, erased: 1 }, {}] })
  })

  it('deletes the contact at the service if asked to, and enters that', async () => {
    await drop('shop', 'a.csv', HEADER + row(ERIKA) + row(other(1)))
    await json('run')
    const { said } = await json('audit', 'forget', ERIKA.mail, '--delete-at-service', '--yes')
    expect(said).toMatchObject({ deleted_at_service: [expect.any(Number) as number] })
    expect(await shop.contacts(ERIKA.mail, 'mail')).toEqual([])
    expect(await shop.contacts(other(1).mail, 'mail')).toHaveLength(1)
    const erased = (await json('audit', 'list', '--action', 'delete')).said
    expect(erased).toMatchObject({
      entries: [{ outcome: 'done', values: 'erased', request: { method: 'DELETE' } }],
    })
    expect(await traces(ERIKA)).toEqual([])
  })

  it('empties the contact at the service but for what must stay there, and says what it saw afterwards', async () => {
    await drop('shop', 'a.csv', HEADER + row(ERIKA))
    await json('run')
    const [{ id } = { id: 0 }] = (await shop.contacts(ERIKA.mail, 'id')) as { id: number }[]
    const { said } = await json('audit', 'forget', ERIKA.mail, '--at-service', 'blank', '--yes')
    expect(said).toMatchObject({
      deleted_at_service: [],
      at_service: [{ contact_id: id, did: 'blank', gone: false, left: ['mail'] }],
      // A contact without an address must have a mail.
      not_erased: [{ file: `contact ${id} at the service`, why: 'it still shows mail' }],
    })
    const url = `${shop.sandbox.url}/public/api/V1/contact/${id}?fields=id,mail,first_name,family_name,phone`
    const left = await (await fetch(url, { headers: { authorization: `Bearer ${KEY}` } })).text()
    expect(left).not.toContain(ERIKA.first)
    expect(left).toContain(String(id))
    expect((await json('audit', 'verify')).said).toMatchObject({ ok: true })
  })

  it('asks first, wants one person, and is taken by a daemon that runs', async () => {
    await drop('shop', 'a.csv', HEADER + row(ERIKA) + row({ ...other(1), no: '1' }))
    await json('run')
    const unasked = await shop.cli('audit', 'forget', ERIKA.mail)
    expect(unasked).toMatchObject({ code: 2 })
    expect(unasked.stderr).toContain('--yes')
    expect((await shop.cli('audit', 'forget', 'nobody@example.com', '--yes')).code).toBe(2)
    // Contact 1 is Erika, and key 1 is another person.
    const two = await shop.cli('audit', 'forget', '1', '--yes')
    expect(two.code).toBe(2)
    expect(two.stderr).toContain('several persons')
    const daemon = shop.start('start')
    await daemon.stderrHas(/daemon started/)
    expect((await shop.cli('audit', 'forget', ERIKA.mail)).code).toBe(2)
    expect(await traces({ mail: ERIKA.mail })).not.toEqual([])
    expect((await shop.cli('audit', 'forget', ERIKA.mail, '--yes')).code).toBe(0)
    // The daemon goes on for months: nothing may wait for its end.
    expect(await traces({ mail: ERIKA.mail })).toEqual([])
    daemon.process.kill('SIGTERM')
    await daemon.ended
    expect(await traces({ mail: ERIKA.mail })).toEqual([])
  })

  it('takes them out of the names of refused files, and of the reason of a pause', async () => {
    await drop('shop', 'a.csv', HEADER + row(ERIKA))
    await json('run')
    await drop('shop', `${ERIKA.mail}.csv`, 'no\n1\n')
    await shop.cli('run')
    await shop.cli('pause', 'shop', '--reason', `asked by ${ERIKA.mail}`)
    const inState = async () =>
      (await traces({ mail: ERIKA.mail })).filter((trace) => trace.includes('contact-sync.db'))
    expect(await inState()).not.toEqual([])
    // What the file itself is called stays, and is listed.
    expect((await shop.cli('audit', 'forget', ERIKA.mail, '--yes')).code).toBe(3)
    expect(await inState()).toEqual([])
  })

  it('takes them out of what a correction of another record says', async () => {
    await drop('shop', `${ERIKA.mail}.csv`, HEADER + row(ERIKA) + row(other(1)))
    await json('run')
    await shop.cli('correct', 'shop', other(1).no, 'first_name=Anna', '--reason', `says ${ERIKA.mail}`)
    await shop.cli('audit', 'forget', ERIKA.mail, '--yes')
    const { said } = await json('corrections', 'list')
    expect(said).toMatchObject({
      corrections: [{ key: other(1).no, value: 'Anna', reason: 'says [erased]', file: '[erased].csv' }],
    })
  })

  it('removes copies of the state from before an upgrade, and names other copies', async () => {
    await drop('shop', 'a.csv', HEADER + row(ERIKA))
    await json('run')
    await json('state', 'backup', 'state/mine.db')
    await json('state', 'backup', 'state/contact-sync.north.db')
    await writeFile(shop.path('state/contact-sync.north.db.mark'), '{}')
    await writeFile(shop.path('state/contact-sync.db.before-schema-4'), Object.values(ERIKA).join())
    const { said } = await json('audit', 'forget', ERIKA.mail, '--yes')
    expect(said).toMatchObject({
      removed: { copies: ['contact-sync.db.before-schema-4'] },
      outside: expect.arrayContaining([
        'a copy of the state: mine.db',
        expect.stringMatching(/^another state.*: contact-sync\.north\.db; it is in use, keep it/) as unknown,
      ]) as unknown,
    })
    expect((await traces(ERIKA)).every((trace) => /(mine|north)\.db$/.test(trace))).toBe(true)
  })

  it('finds them in files without a header, read in the wrong encoding, and in what errors quote', async () => {
    const line = Object.values(ERIKA).join(',')
    await drop('shop', 'a.csv', HEADER + row(other(1)) + row(ERIKA))
    await json('run')
    // Her record in place of the header: the reason, and the error of the run, quote it.
    await drop('shop', 'b.csv', `${line},Kunde\n${row(other(2))}`)
    await json('run')
    const [reason] = (await readdir(shop.path('state/inbox/shop/failed'))).filter((name) =>
      name.endsWith('.txt'),
    )
    const quoted = await readFile(shop.path('state/inbox/shop/failed', reason!), 'utf8')
    expect(quoted).toContain(ERIKA.no)
    // What was never read at all: its encoding is unknown, and only names and telephone say who it is.
    const failed = (name: string, bytes: Buffer): Promise<void> =>
      writeFile(shop.path('state/inbox/shop/failed', name), bytes)
    const nameless = `7,,${ERIKA.first},${ERIKA.last},${ERIKA.phone},`
    const text = `"broken\n${nameless}\n${line}\nOTHER-3,other3@example.com\n`
    await failed('c.r.csv', Buffer.from(text, 'utf8'))
    await failed('d.r.csv', Buffer.from(text, 'latin1'))
    await failed('e.r.csv', Buffer.from(`\ufeff${text}`, 'utf16le'))
    // A word of hers as it reads in the wrong encoding, as a reason may show it.
    const misread = Buffer.from(ERIKA.last, 'utf8').toString('latin1')
    await failed('f.r.reason.txt', Buffer.from(`The name of ${ERIKA.mail} reads ${misread}\n`))

    const { code, said } = await json('audit', 'forget', ERIKA.mail, '--yes')
    expect(said).toMatchObject({ not_erased: [] })
    expect(code).toBe(0)
    expect(await traces({ ...ERIKA, misread })).toEqual([])
    const left = await readFile(shop.path('state/inbox/shop/failed/c.r.csv'), 'utf8')
    expect(left).toBe('"broken\n\n\nOTHER-3,other3@example.com\n')
    const wide = await readFile(shop.path('state/inbox/shop/failed/e.r.csv'))
    expect(wide.toString('utf16le')).toBe('\ufeff"broken\n\n\nOTHER-3,other3@example.com\n')
  })

  it('finds them in a file that was read in another encoding than it has', async () => {
    const configured = CONFIGURATION.replace(
      'folder: state/inbox/shop,',
      'folder: state/inbox/shop, encoding: windows-1252,',
    )
    const umlaut = { ...ERIKA, no: 'ÖRIKA-4711' }
    await drop('shop', 'a.csv', HEADER + row(umlaut) + row(other(1)))
    await json('run')
    await shop.configure(configured)
    const damaged = { ...umlaut, mail: 'elsewhere@example.net', first: 'Jemand', last: 'Anders', phone: '1' }
    await drop('shop', 'b.csv', HEADER + row(damaged) + row(other(2)))
    await json('run')
    expect((await json('audit', 'forget', umlaut.mail, '--yes')).code).toBe(0)
    expect(await traces(umlaut)).toEqual([])
  })

  it('names what could not be searched and what may be of somebody alike, and does not claim to be done', async () => {
    await drop('shop', 'a.csv', HEADER + row(ERIKA) + row(other(1)))
    await json('run')
    await mkdir(shop.path('state/inbox/shop/failed'), { recursive: true })
    const zip = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.from('nobody knows'), Buffer.alloc(20)])
    await writeFile(shop.path('state/inbox/shop/failed/x.r.xlsx'), zip)
    await writeFile(
      shop.path('state/inbox/shop/failed/y.r.csv'),
      `"x\n9,a@b.example,${ERIKA.first},${ERIKA.last}\n`,
    )
    const { code, said } = await json('audit', 'forget', ERIKA.mail, '--yes')
    expect(code).toBe(3)
    expect(said).toMatchObject({
      not_erased: [
        { file: 'shop: failed/x.r.xlsx', why: expect.stringContaining('ZIP archive') as unknown },
        { file: 'shop: failed/y.r.csv', why: expect.stringContaining('line 2') as unknown },
      ],
    })
  })

  it('names what of the outbox and of the logs the disk kept from being written, and the rest is erased', async () => {
    await shop.configure(
      CONFIGURATION.replace('pipelines:', 'consents: { outbox: state/outbox }\npipelines:'),
    )
    await drop('shop', 'a.csv', HEADER + row(ERIKA))
    await json('run')
    const outbox = 'opt-outs-000001-0a1b2c3d.csv'
    await mkdir(shop.path('state/outbox', `${outbox}.new`), { recursive: true })
    const line = `"${ERIKA.mail}","2","2026-01-01T00:00:00.000Z","shop","${ERIKA.no}"\n`
    await writeFile(shop.path('state/outbox', outbox), `"mail","status","seen_at","pipeline","key"\n${line}`)
    await writeFile(shop.path('state/logs/old.log'), `about ${ERIKA.mail}\n`)
    await mkdir(shop.path('state/logs/old.log.part'))
    const { code, said } = await json('audit', 'forget', ERIKA.mail, '--yes')
    expect([code, said['not_erased']]).toEqual([
      3,
      [
        { file: `outbox: ${outbox}`, why: 'it was not searched: EISDIR' },
        { file: 'log: old.log', why: expect.stringMatching(/^it was not searched: E/) as unknown },
      ],
    ])
    expect((await traces({ mail: ERIKA.mail })).filter((one) => one.includes('contact-sync.db'))).toEqual([])
  })

  it('leaves everybody else as they were, also those whose address ends alike or whose numbers are its key', async () => {
    const anna = { ...other(1), no: '2026', mail: 'anna@example.com' }
    const johanna = { ...other(2), mail: 'johanna@example.com' }
    const byMail = `
    source: { type: csv, folder: state/inbox/crm, settle: 0s }
    map: { mail: mail, ba_postal_code: zip }
    guards: { max_changes: 2 }`
    await shop.configure(CONFIGURATION.replace(/crm:[^]*$/, `crm:${byMail}`))
    await drop('shop', 'a.csv', HEADER + row(anna) + row(johanna))
    const zips = 'mail,zip\njohanna@example.com,1\nother3@example.com,2026\n'
    await drop('crm', 'c.csv', zips)
    await json('run')
    const susanna = 'susanna@example.com,2\nx1@example.com,\nx2@example.com,\nroseanna@example.com;broken,3\n'
    await drop('crm', 'd.csv', `mail,zip\n${susanna}`)
    await json('run')
    const open = async (): Promise<string> =>
      [await shop.cli('held', 'list'), await shop.cli('rejects', 'list')].map((one) => one.stdout).join('\n')
    const before = await open()
    expect(before).toContain('susanna@example.com')
    expect(before).toContain('roseanna@example.com')

    const forgotten = await json('audit', 'forget', anna.mail, '--yes')
    expect(forgotten).toMatchObject({
      code: 0,
      said: { removed: { open_operations: 0, rejects: 0, files: [{ records: 1 }], logs: [] } },
    })
    expect(await open()).toBe(before)
    const [first, second] = (await readdir(shop.path('state/inbox/crm/processed'))).sort()
    expect(await readFile(shop.path('state/inbox/crm/processed', first!), 'utf8')).toBe(zips)
    expect(await readFile(shop.path('state/inbox/crm/processed', second!), 'utf8')).toContain(susanna)
    // A part of an address is nobody's name.
    for (const part of ['@', '@example.com', 'susanna@example'])
      expect((await shop.cli('audit', 'forget', part, '--yes')).code).toBe(2)
    expect(await open()).toBe(before)
  })

  it('finds who was never sent, and is known by rejects alone', async () => {
    await drop('shop', 'a.csv', HEADER + row(other(1)) + row({ ...ERIKA, mail: 'no mail at all' }))
    expect((await json('run')).code).toBe(3)
    const { code, said } = await json('audit', 'forget', ERIKA.no, '--yes')
    expect(code).toBe(0)
    expect(said).toMatchObject({ removed: { rejects: 1, links: 0 } })
    expect(await traces(ERIKA)).toEqual([])
  })

  it('knows the address of who was never sent from what is held, in files and later records of all pipelines', async () => {
    const guarded = CONFIGURATION.replace('key: no', 'guards: { max_changes: 1 }\n    key: no')
    await shop.configure(guarded)
    await drop('shop', 'a.csv', HEADER + row(ERIKA) + row(other(1)))
    expect((await json('run')).code).toBe(4)
    const elsewhere = JSON.stringify([{ id: 7, mail: ERIKA.mail, first: ERIKA.first }])
    await shop.configure(guarded.replace('key: id', 'key: id\n    where: "false"'))
    await drop('crm', 'a.json', elsewhere)
    expect((await json('run', 'crm')).said).toMatchObject({ pipelines: [{ skipped: 1 }] })
    const { code, said } = await json('audit', 'forget', `key:${ERIKA.no}`, '--yes')
    expect({ code, said }).toMatchObject({
      code: 0,
      said: { removed: { open_operations: 1, tombstones: 2 } },
    })
    expect(await traces(ERIKA)).toEqual([])
    await shop.configure(guarded)
    await drop('crm', 'b.json', elsewhere)
    expect((await json('run', 'crm')).said).toMatchObject({ pipelines: [{ created: 0, erased: 1 }] })
  })

  it.each([
    ['at the service: it is not done', ['--at-service', 'delete'], 3, 'not_erased'],
    ['here alone: it is outside of its reach', [], 0, 'outside'],
  ] as const)(
    'names the contact that a create in doubt may have made, asked %s',
    async (_, options, code, part) => {
      await shop.configure(
        CONFIGURATION.replace(
          'map: { mail: mail, first_name: first, family_name: last, phone: phone }',
          'map: { first_name: first, family_name: last, ba_street: mail, ba_city: no, ba_postal_code: tags }',
        ).replace('terms: { assign: [{ column: tags, split: ";" }] }', 'duplicate_check_method: none'),
      )
      shop.sandbox.control.faults.add({ match: 'POST /contact', next: 1, do: 'lost', ms: 0 })
      await drop('shop', 'a.csv', HEADER + row(ERIKA, '10115'))
      expect((await json('run')).said).toMatchObject({ pipelines: [{ in_doubt: 1 }, {}] })
      const forgotten = await json('audit', 'forget', `key:${ERIKA.no}`, '--yes', ...options)
      expect(forgotten.code).toBe(code)
      expect(JSON.stringify(forgotten.said[part])).toMatch(/a create of this person was in doubt \(1\)/)
      expect(forgotten.said).toMatchObject({ removed: { in_doubt: 1, open_operations: 1 } })
    },
  )

  it('wants one person also where nothing of them was sent', async () => {
    await shop.configure(
      CONFIGURATION.replaceAll('settle: 0s }', 'settle: 0s }\n    guards: { max_changes: 0 }'),
    )
    await drop('shop', 'a.csv', HEADER + row(ERIKA))
    await drop('crm', 'a.json', JSON.stringify([{ id: ERIKA.no, mail: other(1).mail, first: 'Ben' }]))
    expect((await json('run')).code).toBe(4)
    expect(await json('audit', 'forget', `key:${ERIKA.no}`, '--yes')).toMatchObject({ code: 2 })
    const { said } = await json('audit', 'forget', ERIKA.mail, '--yes')
    expect(said).toMatchObject({ removed: { open_operations: 1 } })
  })

  it('takes one of a household, and leaves the other, whose change is still held', async () => {
    const family = `
    source: { type: csv, folder: state/inbox/crm, settle: 0s }
    key: { fields: [mail, first_name] }
    duplicate_check_method: none
    map: { mail: mail, first_name: first, family_name: last, phone: phone }
    guards: { max_changes: 1 }`
    await shop.configure(CONFIGURATION.replace(/crm:[^]*$/, `crm:${family}`))
    const partner = `2,${ERIKA.mail},Karl,Mustermann,0402222\n`
    const child = `3,${ERIKA.mail},Kind,Mustermann,0403333\n`
    const hers = `${Object.values(ERIKA).join(',')}\n`
    const head = 'no,mail,first,last,phone\n'
    await drop('crm', 'a.csv', head + hers)
    await json('run')
    await drop('crm', 'b.csv', head + hers + partner + child)
    expect((await json('run')).said).toMatchObject({ pipelines: [{}, { unchanged: 1, held: 2 }] })
    const { said } = await json('audit', 'forget', ERIKA.mail, '--yes')
    expect(said).toMatchObject({ removed: { links: 1, open_operations: 0, tombstones: 1 } })
    const names = { no: ERIKA.no, first: ERIKA.first, last: ERIKA.last, phone: ERIKA.phone }
    expect(await traces(names)).toEqual([])
    const [, second] = (await readdir(shop.path('state/inbox/crm/processed'))).sort()
    const kept = await readFile(shop.path('state/inbox/crm/processed', second!), 'utf8')
    expect(kept).toBe(`${head}\n${partner}${child}`)
    // The file that brings her again is archived without her, and the others are made.
    await shop.configure(CONFIGURATION.replace(/crm:[^]*$/, `crm:${family.replace(/guards.*/, '')}`))
    await drop('crm', 'c.csv', head + hers + partner + child)
    expect((await json('run')).said).toMatchObject({ pipelines: [{}, { created: 2, erased: 1 }] })
    expect(await traces(names)).toEqual([])
  })

  it('finds who is in archived files alone, because every record of theirs was skipped', async () => {
    await shop.configure(
      CONFIGURATION.replace('key: no', 'key: no\n    where: \'record["tags"] != "aside"\''),
    )
    await drop('shop', 'a.csv', HEADER + row(ERIKA, 'aside') + row(other(1)))
    expect((await json('run')).said).toMatchObject({ pipelines: [{ skipped: 1, created: 1 }, {}] })
    expect((await shop.cli('audit', 'forget', 'nobody@example.com', '--yes')).code).toBe(2)
    const { code, said } = await json('audit', 'forget', ERIKA.mail, '--yes')
    expect(code).toBe(0)
    expect(said).toMatchObject({ removed: { files: [{ records: 1 }], tombstones: 1 } })
    expect(await traces(ERIKA)).toEqual([])
    await drop('shop', 'b.csv', HEADER + row(ERIKA))
    expect((await json('run')).said).toMatchObject({ pipelines: [{ created: 0, erased: 1 }, {}] })
    expect(await traces(ERIKA)).toEqual([])
  })

  it('erases the same when the values of the sync log have expired', async () => {
    const ida = { ...other(3), mail: 'ida@example.com' }
    const full = 'key: no\n    mode: full\n    on_missing: delete\n    guards: { max_deletes: 100% }'
    await shop.configure(CONFIGURATION.replace('key: no', full))
    await drop('shop', 'a.csv', HEADER + row(ERIKA) + row(other(1)) + row(ida))
    await json('run')
    await drop('shop', 'b.csv', HEADER + row(ERIKA) + row(other(1)))
    expect((await json('run')).said).toMatchObject({ pipelines: [{ deleted: 1 }, {}] })
    const state = openState(shop.path('state/contact-sync.db'), { pid: 1, since: 0, thorough: false })
    const late = Date.now() + 3 * 86_400_000
    expect(await state.expireValues(late, 1000, { at: late, runId: 'expiry' })).toBe(4)
    await state.close()
    expect((await json('audit', 'show', ERIKA.mail)).said).toMatchObject({
      people: [{ keys: [{ key: ERIKA.no }], mails: [ERIKA.mail.toLowerCase()] }],
    })

    const { code, said } = await json('audit', 'forget', ERIKA.mail, '--yes')
    expect(code).toBe(0)
    expect(said).toMatchObject({
      removed: { links: 1, tombstones: 2, files: [{ records: 1 }, { records: 1 }] },
    })
    expect(await traces(ERIKA)).toEqual([])
    // Of who is not linked any more only hashes are left: the name that is given leads to their rows.
    expect((await shop.cli('audit', 'forget', 'id:3', '--yes')).stdout).toContain('have expired')
    expect((await json('audit', 'forget', ida.mail, '--yes')).said).toMatchObject({
      removed: { tombstones: 1, files: [{ records: 1 }] },
    })
    expect(await traces({ mail: ida.mail })).toEqual([])
    await drop('shop', 'c.csv', HEADER + row(ERIKA) + row(other(1)) + row(ida))
    expect((await json('run')).said).toMatchObject({ pipelines: [{ created: 0, erased: 2 }, {}] })
  })

  it('keeps later files with them out of the archive, and can be called again', async () => {
    await shop.configure(
      CONFIGURATION.replace('key: no', 'key: no\n    where: \'record["tags"] != "aside"\''),
    )
    await drop('shop', 'a.csv', HEADER + row(other(1)) + row(ERIKA))
    await json('run')
    const first = (await json('audit', 'forget', ERIKA.mail, '--yes')).said
    expect(first).toMatchObject({ erased_before: null, removed: { when_archived: 0 } })
    // Skipped by the condition, or in a file that is refused, quoted by its reason: none of it may lie about.
    const aside = row({ ...ERIKA, no: 'NEW-KEY-1' }, 'aside')
    await drop(
      'shop',
      'b.csv',
      HEADER + row(other(1)) + row({ ...ERIKA, mail: 'broken' }) + aside + row(other(2)),
    )
    await drop('shop', 'c.csv', `${Object.values(ERIKA).join(',')},\n${row(other(3))}`)
    await drop('shop', 'd.csv', Buffer.from(`\ufeff${HEADER}${row(ERIKA)}${row(other(4))}`, 'utf16le'))
    await drop(
      'crm',
      'e.json',
      JSON.stringify([{ id: 'C9', mail: ERIKA.mail, first: ERIKA.first }, { id: 'C1' }]),
    )
    const ran = await shop.cli('run', '--json')
    expect(ran.stdout + ran.stderr).not.toContain(ERIKA.phone)
    expect(await traces(ERIKA)).toEqual([])
    const [, processed] = (await readdir(shop.path('state/inbox/shop/processed'))).sort()
    expect(await readFile(shop.path('state/inbox/shop/processed', processed!), 'utf8')).toBe(
      `${HEADER}${row(other(1))}\n\n${row(other(2))}`,
    )
    expect(await readdir(shop.path('state/inbox/shop'), { withFileTypes: true })).toSatisfy(
      (entries: { isFile(): boolean }[]) => entries.every((entry) => !entry.isFile()),
    )
    // An old export is restored: it is found under the mail, though nothing but hashes is known.
    await writeFile(
      shop.path('state/inbox/shop/processed/old.csv'),
      HEADER + row({ ...ERIKA, mail: '' }) + row({ ...ERIKA, no: '' }) + row(other(5)),
    )
    const again = await json('audit', 'forget', ERIKA.mail, '--yes')
    expect(again.code).toBe(0)
    expect(again.said).toMatchObject({
      erased_before: first['at'],
      removed: { when_archived: 5, files: [{ file: 'shop: processed/old.csv', records: 2 }] },
      not_erased: [],
    })
    expect(await traces(ERIKA)).toEqual([])
    const text = await shop.cli('audit', 'forget', `key:${ERIKA.no}`, '--yes')
    expect(text.stdout).toContain('was erased before')
    expect((await json('audit', 'verify')).said).toMatchObject({ ok: true })
  })
})
