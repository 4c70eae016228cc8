// `correct` and `corrections`: values that an admin sets right, over runs without files, later files and a file for the source.
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const KEY = 'corrections-key'
const configuration = (url: string, more = ''): string => `
service: { base_url: "${url}", api_key: "\${THE_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 0s }
    key: no
    map: { mail: mail, first_name: first, phone: tel }
${more}`

let sandbox: Sandbox
let place: Place
let files = 0

/** Rows `key,mail,first,tel`. */
async function drop(...rows: readonly string[]): Promise<string> {
  files += 1
  const name = `f${files}.csv`
  await place.write(`inbox/${name}`, ['no,mail,first,tel', ...rows, ''].join('\n'))
  return name
}

async function contactOf(mail: string): Promise<Record<string, unknown> | undefined> {
  const url = `${sandbox.url}/public/api/V1/contact/${mail}?fields=id,first_name,phone,phone2,phone_type,mail`
  const answer = await fetch(url, { headers: { authorization: `Bearer ${KEY}` } })
  return answer.ok ? ((await answer.json()) as Record<string, unknown>[])[0] : undefined
}

const corrections = async (...options: string[]): Promise<Record<string, unknown>[]> =>
  (await place.json('corrections', 'list', ...options))['corrections'] as Record<string, unknown>[]

const actions = async (): Promise<Record<string, unknown>[]> =>
  ((await place.json('audit', 'list'))['entries'] as Record<string, unknown>[]).filter(({ action }) =>
    ['correct', 'end_correction'].includes(String(action)),
  )

beforeEach(async () => {
  files = 0
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  place = await openPlace({ THE_KEY: KEY })
  await place.write('config.yaml', configuration(sandbox.url))
  await drop('K1,anna@example.com,Anna,1', 'K2,bert@example.com,Bert,2')
  expect(await place.cli('run')).toMatchObject({
    code: 0,
    stdout: expect.not.stringContaining('reject') as string,
  })
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

describe('of a contact', () => {
  it('is sent although the next full file has its row among those that `where` leaves out', async () => {
    const full = `    mode: full\n    where: record["first"] != "Zoe"\n`
    await place.write('config.yaml', configuration(sandbox.url, full))
    expect((await place.cli('correct', 'shop', 'K1', 'phone=5')).code).toBe(0)
    await drop('K1,anna@example.com,Zoe,1', 'K2,bert@example.com,Bert,2')
    expect(await place.json('run')).toMatchObject({ pipelines: [{ skipped: 1, deleted: 0 }] })
    expect(await contactOf('anna@example.com')).toMatchObject({ first_name: 'Anna', phone: '5' })
    expect(await corrections()).toMatchObject([{ value: '5', pending: false }])
  })

  it('holds over what an undo has put back: the source still says the same', async () => {
    await drop('K1,anna@example.com,Anna,9')
    const wrong = (await place.json('run')) as { pipelines: { run_id: string }[] }
    expect((await place.cli('undo', wrong.pipelines[0]?.run_id ?? '', '--yes')).code).toBe(0)
    expect((await place.cli('correct', 'shop', 'K1', 'phone=5')).code).toBe(0)
    expect(await corrections()).toMatchObject([{ field: 'phone', source: '9' }])
    await place.cli('run')
    await drop('K1,anna@example.com,Anna,9')
    await place.cli('run')
    expect(await contactOf('anna@example.com')).toMatchObject({ phone: '5' })
    await drop('K1,anna@example.com,Anna,7')
    await place.cli('run')
    expect(await contactOf('anna@example.com')).toMatchObject({ phone: '7' })
    expect(await corrections()).toEqual([])
  })

  it('holds over a mail_status that the source says without evidence, and explain reads the row', async () => {
    const map = 'map: { mail: mail, first_name: first, phone: tel,'
    const evidence = '{ at: at, source: form }, require_evidence: true'
    const status = `mail_status: { column: status, optional: true, evidence: ${evidence} } }`
    const text = configuration(sandbox.url).replace(/map: .*tel \}/, `${map} ${status}`)
    await place.write('config.yaml', text)
    const rows = (first: string): string =>
      `no,mail,first,tel,status,at,form\nK3,carl@example.com,${first},1,7,,web\n`
    await place.write('inbox/g1.csv', rows('Anna'))
    await place.cli('run')
    expect((await place.cli('correct', 'shop', 'K3', 'mail_status=4')).code).toBe(0)
    await place.cli('run')
    expect((await place.cli('explain', 'shop', 'K3')).stdout).toContain(
      'the row g1.csv:2 has mail_status 7 and no evidence',
    )
    await place.write('inbox/g2.csv', rows('Anne'))
    await place.cli('run')
    expect(await corrections()).toMatchObject([{ field: 'mail_status', source: '7' }])
  })

  it.each(['add', 'update'])(
    'holds over a value that %s withheld: the source still says it',
    async (method) => {
      const text = configuration(sandbox.url, `    update_method: ${method}\n`)
      const withPhone2 = text.replace(
        'phone: tel }',
        'phone: tel, phone2: { column: tel2, optional: true } }',
      )
      await place.write('config.yaml', withPhone2)
      const rows = (tel2: string, first = 'Anna'): string =>
        `no,mail,first,tel,tel2\nK1,anna@example.com,${first},9,${tel2}\n`
      // `add` keeps the new phone from a contact that has one, `update` a phone2 from one that has none.
      const [field, said] = method === 'add' ? ['phone', '9'] : ['phone2', '2']
      await place.write('inbox/g1.csv', rows('2'))
      expect((await place.cli('run')).stdout).toContain(`withheld by update_method: ${field} 1`)
      expect((await place.cli('correct', 'shop', 'K1', `${field}=5`)).code).toBe(0)
      await place.cli('run')
      expect(await corrections()).toMatchObject([{ field, value: '5' }])
      // Once the method allows it, the corrected value goes, and not that of the source.
      await place.write(
        'config.yaml',
        withPhone2.replace(`update_method: ${method}`, 'update_method: update_add'),
      )
      await place.write('inbox/g2.csv', rows('2', 'Anne'))
      await place.cli('run')
      expect(await contactOf('anna@example.com')).toMatchObject({ first_name: 'Anne', [field]: '5' })
      expect(await corrections()).toMatchObject([{ field, value: '5', source: said }])
    },
  )

  it('follows one that was withheld and dropped: the source still says what was sent', async () => {
    await place.write('config.yaml', configuration(sandbox.url, `    update_method: add\n`))
    await place.cli('correct', 'shop', 'K1', 'phone=5')
    expect((await place.cli('run')).stdout).toContain('withheld by update_method: phone 1')
    await place.cli('corrections', 'drop', '1')
    await place.cli('correct', 'shop', 'K1', 'phone=6')
    await drop('K1,anna@example.com,Anne,7')
    await place.cli('run')
    expect(await corrections('--all')).toMatchObject([
      { ended: expect.stringContaining('dropped by') as string },
      { ended: 'the source gives another value than the one that was corrected' },
    ])
  })

  it('is sent by the next run without a file, and holds until the source says something else', async () => {
    const told = await place.cli('correct', 'shop', 'K1', 'phone=+49 30 1', '--reason', 'asked by mail')
    expect(told).toMatchObject({
      code: 0,
      stdout: 'phone of record K1 corrected; the next run of shop sends it\n',
    })
    expect((await place.cli('plan')).stdout).toContain('phone: "1" -> "+49 30 1"')
    expect(await place.cli('run')).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('reject') as string,
    })
    expect(await contactOf('anna@example.com')).toMatchObject({ phone: '+49 30 1', first_name: 'Anna' })
    expect(await corrections()).toMatchObject([
      {
        ...{ pipeline: 'shop', key: 'K1', field: 'phone', value: '+49 30 1', source: '1', pending: false },
        ...{ file: 'f1.csv', line: 2, by: userInfo().username, reason: 'asked by mail', ended: null },
      },
    ])
    // The same value again, and another field: it holds.
    await drop('K1,anna@example.com,Anne,1', 'K2,bert@example.com,Bert,2')
    expect(await place.cli('run')).toMatchObject({ code: 0 })
    expect(await contactOf('anna@example.com')).toMatchObject({ phone: '+49 30 1', first_name: 'Anne' })
    expect(await corrections()).toMatchObject([{ columns: ['tel'], source: '1' }])
    // A column that is missing says nothing, another value does.
    await drop('K1,anna@example.com,Anne,7')
    expect(await place.cli('run')).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('reject') as string,
    })
    expect(await contactOf('anna@example.com')).toMatchObject({ phone: '7' })
    expect(await corrections()).toEqual([])
    expect(await corrections('--all')).toMatchObject([{ ended: 'the source has changed "tel"' }])
    expect((await actions()).toReversed()).toMatchObject([
      {
        action: 'correct',
        key: 'K1',
        note: 'asked by mail',
        fields: { phone: { from: '1', to: '+49 30 1' } },
      },
      { action: 'end_correction', key: 'K1', reason: 'correction 1 of phone: the source has changed "tel"' },
    ])
    expect((await place.cli('audit', 'verify')).code).toBe(0)
  })

  it('ends where the source was changed before a run has seen its columns', async () => {
    await place.cli('correct', 'shop', 'K1', 'phone=3')
    await drop('K1,anna@example.com,Anna,9')
    await place.cli('run')
    expect(await contactOf('anna@example.com')).toMatchObject({ phone: '9' })
    expect(await corrections('--all')).toMatchObject([
      { pending: false, ended: expect.stringContaining('another value') as string },
    ])
  })

  it('is explained by the row that gave its value, before it is sent and after it is dropped', async () => {
    const explained = async (): Promise<unknown> => (await place.json('explain', 'shop', 'K1'))['fields']
    const ofRow = { value: '1', known: '1', file: 'f1.csv', line: 2, outcome: 'done' }
    await place.cli('correct', 'shop', 'K1', 'phone=3')
    const pending = expect.stringMatching(
      /^to be set by correction 1 .* to "3"; the source says "1"$/,
    ) as string
    expect(await explained()).toMatchObject({ phone: { ...ofRow, note: pending } })
    await place.cli('corrections', 'drop', '1')
    expect(await explained()).toMatchObject({ phone: ofRow })
    expect(await explained()).not.toMatchObject({ phone: { note: expect.anything() as string } })
  })

  it.each(['keep', 'clear'])('meets a blank in the source under blank: %s', async (blank) => {
    await place.write('config.yaml', configuration(sandbox.url, `    blank: ${blank}\n`))
    await place.cli('correct', 'shop', 'K1', 'phone=3')
    await drop('K1,anna@example.com,Anna,')
    await place.cli('run')
    const holds = blank === 'keep'
    expect(await contactOf('anna@example.com')).toMatchObject({
      phone: holds ? '3' : (expect.not.stringContaining('3') as string),
    })
    expect(await corrections()).toHaveLength(holds ? 1 : 0)
    await drop('K1,anna@example.com,Anne,')
    await place.cli('run')
    expect(await corrections()).toHaveLength(holds ? 1 : 0)
    await drop('K1,anna@example.com,Anne,4')
    await place.cli('run')
    expect(await contactOf('anna@example.com')).toMatchObject({ phone: '4' })
    expect(await corrections()).toEqual([])
  })

  it('is sent once its contact is created', async () => {
    await place.write('config.yaml', configuration(sandbox.url, '    guards: { max_changes: 1 }\n'))
    await drop('K3,carl@example.com,Carl,3', 'K4,dora@example.com,Dora,4')
    expect((await place.cli('run')).code).toBe(4)
    const corrected = await place.cli('correct', 'shop', 'K3', 'phone=33')
    expect(corrected.stdout).toContain('a run of shop sends it once its contact is created')
    const { held } = (await place.json('held', 'list')) as { held: [{ run_id: string }] }
    expect((await place.cli('held', 'release', held[0].run_id)).code).toBe(0)
    expect((await place.cli('run')).code).toBe(0)
    expect((await place.cli('run')).code).toBe(0)
    expect(await contactOf('carl@example.com')).toMatchObject({ phone: '33' })
    expect(await contactOf('dora@example.com')).toMatchObject({ phone: '4' })
  })

  it('are taken from a pipe as well', async () => {
    execFileSync('mkfifo', [place.path('pipe')])
    const written = writeFile(place.path('pipe'), 'pipeline;key;field;corrected\nshop;K1;phone;8\n')
    expect(await place.cli('corrections', 'import', 'pipe')).toMatchObject({ code: 0 })
    await written
    expect(await corrections()).toMatchObject([{ key: 'K1', field: 'phone', value: '8' }])
  })

  it('names the change that is held with its value when it is dropped', async () => {
    await place.write('config.yaml', configuration(sandbox.url, '    guards: { max_changes: 1 }\n'))
    await place.cli('correct', 'shop', 'K1', 'phone=3')
    await place.cli('correct', 'shop', 'K2', 'phone=4')
    await place.cli('run')
    const { held } = (await place.json('held', 'list')) as { held: [{ run_id: string }] }
    const { stdout } = await place.cli('corrections', 'drop', '1')
    const command = `contact-sync held drop ${held[0].run_id} --key K1`
    expect(stdout).toContain(`has its value, and sends it: ${command}`)
    await place.cli(...command.split(' ').slice(1))
    expect((await place.cli('corrections', 'drop', '2', '--json')).stdout).toContain(
      `"waits_in":${JSON.stringify(held[0].run_id)}`,
    )
    await place.cli('held', 'drop', held[0].run_id)
    await place.cli('correct', 'shop', 'K2', 'first_name=Bea')
    expect((await place.cli('corrections', 'drop', '3')).stdout).not.toContain('has its value')
  })

  it('can be dropped: the source counts again from its next file on', async () => {
    await place.cli('correct', 'shop', 'K1', 'phone=3')
    await place.cli('run')
    expect(await place.cli('corrections', 'drop', '1')).toMatchObject({ code: 0 })
    expect(await place.cli('corrections', 'drop', '1')).toMatchObject({ code: 2 })
    await drop('K1,anna@example.com,Anna,1')
    await place.cli('run')
    expect(await contactOf('anna@example.com')).toMatchObject({ phone: '1' })
  })

  it('is named by file and line as well, and replaced by a later one', async () => {
    expect((await place.cli('correct', 'shop', 'f1.csv:3', 'first_name=Berta')).stdout).toContain('record K2')
    expect((await place.cli('correct', 'shop', 'key:K2', 'first_name=Bertha')).code).toBe(0)
    await place.cli('run')
    expect(await contactOf('bert@example.com')).toMatchObject({ first_name: 'Bertha' })
    expect(await corrections('--all')).toMatchObject([
      { ended: 'replaced by a later correction' },
      { value: 'Bertha', ended: null },
    ])
  })

  it.each([
    ['replaces one that was sent', () => Promise.resolve()],
    ['follows one that was dropped', async () => place.cli('corrections', 'drop', '1')],
  ])('holds over the same file where it %s', async (_, between) => {
    await place.cli('correct', 'shop', 'K1', 'phone=3')
    await place.cli('run')
    await drop('K1,anna@example.com,Anna,1', 'K2,bert@example.com,Bert,2')
    await place.cli('run')
    await between()
    await place.cli('correct', 'shop', 'K1', 'phone=4')
    await place.cli('run')
    expect(await corrections()).toMatchObject([{ value: '4', source: '1', columns: ['tel'] }])
    expect((await actions()).at(0)).toMatchObject({ fields: { phone: { from: '3', to: '4' } } })
    await drop('K1,anna@example.com,Anna,1', 'K2,bert@example.com,Bert,2')
    await place.cli('run')
    expect(await contactOf('anna@example.com')).toMatchObject({ phone: '4' })
    await drop('K1,anna@example.com,Anna,5')
    await place.cli('run')
    expect(await contactOf('anna@example.com')).toMatchObject({ phone: '5' })
  })

  it('holds over the same file where it replaces one that no file has shown yet', async () => {
    for (const phone of ['3', '4']) {
      await place.cli('correct', 'shop', 'K1', `phone=${phone}`)
      await place.cli('run')
    }
    expect(await corrections()).toMatchObject([{ value: '4', source: '1' }])
    await drop('K1,anna@example.com,Anna,1', 'K2,bert@example.com,Bert,2')
    await place.cli('run')
    expect(await contactOf('anna@example.com')).toMatchObject({ phone: '4' })
  })

  describe('of a record that waits', () => {
    const ROWS = ['K1,anna@example.com,Anna,1', 'K3,carl@example.com,Carl,5', 'K4,dora@example.com,Dora,6']

    const release = async (): Promise<void> => {
      const { held } = (await place.json('held', 'list')) as { held: { run_id: string }[] }
      expect((await place.cli('held', 'release', held[0]?.run_id ?? '')).code).toBe(0)
    }

    beforeEach(async () => {
      await place.write('config.yaml', configuration(sandbox.url, '    guards: { max_changes: 1 }'))
      await drop(...ROWS)
      expect((await place.cli('run')).code).toBe(4)
    })

    it('holds over the files that say what the waiting change would bring', async () => {
      expect((await place.cli('correct', 'shop', 'K3', 'phone=33')).code).toBe(0)
      expect(await corrections()).toMatchObject([{ key: 'K3', source: '5', columns: [], pending: true }])
      await release()
      for (let turn = 0; turn < 3; turn += 1) {
        if (turn > 0) await drop(...ROWS)
        expect((await place.cli('run')).code).toBe(0)
      }
      expect(await contactOf('carl@example.com')).toMatchObject({ phone: '33' })
      expect(await corrections()).toMatchObject([
        { key: 'K3', source: '5', columns: ['tel'], pending: false },
      ])
    })

    it('is not passed over by a file that says the same while it is held itself', async () => {
      for (const [key, phone] of [
        ['K3', 33],
        ['K4', 44],
      ])
        expect((await place.cli('correct', 'shop', String(key), `phone=${phone}`)).code).toBe(0)
      await release()
      expect((await place.cli('run')).code).toBe(0)
      for (let turn = 0; turn < 2; turn += 1) {
        if (turn > 0) await drop(...ROWS)
        expect((await place.cli('run')).code).toBe(4)
      }
      await release()
      expect((await place.cli('run')).code).toBe(0)
      expect(await contactOf('carl@example.com')).toMatchObject({ phone: '33' })
      expect(await contactOf('dora@example.com')).toMatchObject({ phone: '44' })
    })
  })

  it('is found by explain, and gone when the person is erased', async () => {
    await place.cli('correct', 'shop', 'K1', 'phone=3', '--reason', 'typed wrong')
    await place.cli('run')
    expect((await place.cli('explain', 'shop', 'K1')).stdout).toContain('set by correction 1')
    expect((await place.cli('audit', 'forget', 'K1', '--yes')).code).toBe(0)
    expect(await corrections('--all')).toEqual([])
  })
})

describe('of a rejected record', () => {
  beforeEach(async () => {
    await drop('K3,carl.example.com,Carl,3', 'K2,bert@example.com,Bert,2')
    expect((await place.cli('run')).code).toBe(3)
  })

  it.each([
    ['its key', () => 'K3'],
    ['file and line', () => 'f2.csv:2'],
    [
      'its id',
      async () => String(((await place.json('rejects', 'list'))['rejects'] as { id: number }[])[0]?.id),
    ],
  ])('makes a contact of it without a file, named by %s', async (_, name) => {
    const told = await place.cli('correct', 'shop', await name(), 'mail=carl@example.com')
    expect(told.stdout).toBe(
      'mail of record K3 corrected; the next run of shop maps the rejected record with it\n',
    )
    expect(await place.cli('run')).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('reject') as string,
    })
    expect(await contactOf('carl@example.com')).toMatchObject({ first_name: 'Carl', phone: '3' })
    expect(await place.json('rejects', 'list')).toEqual({ rejects: [] })
    // It outlives the next export, which has the record as before.
    await drop('K3,carl.example.com,Carl,3')
    expect(await place.cli('run')).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('reject') as string,
    })
    expect(await corrections()).toMatchObject([{ value: 'carl@example.com', source: 'carl.example.com' }])
    await drop('K3,carl@other.example,Carl,3')
    expect(await place.cli('run')).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('reject') as string,
    })
    expect(await corrections()).toEqual([])
    expect(await contactOf('carl@other.example')).toBeDefined()
  })

  it.each([
    ['is on the suppression list', '', 'consents: { suppress: never.csv }'],
    [
      'is excluded by where',
      `    where: 'record["mail"] != "" && contact["mail"] != "carl@example.com"'`,
      '',
    ],
  ])('ends the reject of a record that %s: it is skipped, as in a file', async (_, rule, top) => {
    await place.write('never.csv', 'mail\ncarl@example.com\n')
    await place.write('config.yaml', `${configuration(sandbox.url, rule)}\n${top}\n`)
    await place.cli('correct', 'shop', 'K3', 'mail=carl@example.com')
    expect(await place.json('run')).toMatchObject({ pipelines: [{ status: 'ok', read: 1, skipped: 1 }] })
    expect(await contactOf('carl@example.com')).toBeUndefined()
    expect(await place.json('rejects', 'list')).toEqual({ rejects: [] })
  })

  it('holds over the same row where it replaces one that was sent', async () => {
    await place.cli('correct', 'shop', 'K3', 'mail=typo@example.com')
    await place.cli('run')
    await place.cli('correct', 'shop', 'K3', 'mail=carl@example.com')
    await place.cli('run')
    await drop('K3,carl.example.com,Carl,3')
    expect(await place.cli('run')).toMatchObject({ code: 0 })
    expect(await place.json('rejects', 'list')).toEqual({ rejects: [] })
    expect(await corrections()).toMatchObject([{ value: 'carl@example.com', source: 'carl.example.com' }])
  })

  it('says why it would still be rejected', async () => {
    const told = await place.cli('correct', 'shop', 'K3', 'phone=4')
    expect(told.stdout).toContain(
      'it would still not be sent: mail: "mail" ("carl.example.com") is not a valid',
    )
    await place.cli('run')
    expect(await place.json('rejects', 'list')).toMatchObject({ rejects: [{ key: 'K3' }] })
  })
})

describe('beside a row that was rejected because it has the key of another record', () => {
  const ROWS = ['K4,dora@example.com,Dora,4', 'K4,emil@example.com,Emil,']
  beforeEach(async () => {
    await drop(...ROWS)
    expect((await place.cli('run')).code).toBe(3)
  })

  it('is of the record that was accepted, and holds over the same file', async () => {
    expect(await place.json('correct', 'shop', 'K4', 'phone=5')).toMatchObject({ from: 'contact' })
    await place.cli('run')
    await drop(...ROWS)
    await place.cli('run')
    expect(await contactOf('dora@example.com')).toMatchObject({ first_name: 'Dora', phone: '5' })
    expect(await corrections()).toMatchObject([{ value: '5', source: '4' }])
  })

  it('leaves that row in the list: nobody has looked after it', async () => {
    await place.cli('correct', 'shop', 'K4', 'phone=5')
    await place.cli('run')
    expect(await contactOf('dora@example.com')).toMatchObject({ phone: '5' })
    expect(await place.json('rejects', 'list')).toMatchObject({
      rejects: [{ key: 'K4', line: 3 }],
    })
  })

  it.each([
    ['file and line', () => 'f2.csv:3'],
    [
      'its id',
      async () =>
        `reject:${((await place.json('rejects', 'list'))['rejects'] as { id: number }[])[0]?.id ?? 0}`,
    ],
  ])('is refused for that row, named by %s: its value would go to the other one', async (_, name) => {
    expect(await place.cli('correct', 'shop', await name(), 'phone=5')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has the key of another record') as string,
    })
    expect(await corrections('--all')).toEqual([])
  })
})

describe('is refused', () => {
  it.each([
    ['for a record that is not known', ['K9', 'phone=1'], 'shop knows no record K9'],
    ['for a field that is not mapped', ['K1', 'fax=1'], 'fax is no field that shop maps'],
    [
      'for a value that the field cannot hold',
      ['K1', 'mail=anna'],
      'mail: the value is not a valid e-mail address',
    ],
    ['without a value', ['K1', 'phone'], '"phone" is no FIELD=VALUE'],
  ])('%s', async (_, args, text) => {
    const told = await place.cli('correct', 'shop', ...args)
    expect(told).toMatchObject({ code: 2, stderr: expect.stringContaining(text) as string })
    expect(await corrections('--all')).toEqual([])
  })
})

it('is checked by the rule of its field, and noted in the form that the rule makes', async () => {
  await place.write(
    'config.yaml',
    configuration(sandbox.url).replace('phone: tel', 'phone: { column: tel, phone: DE }'),
  )
  const told = await place.cli('correct', 'shop', 'K1', 'phone=abc')
  expect(told).toMatchObject({ code: 2, stderr: expect.stringContaining('phone: the value ') as string })
  expect((await place.cli('correct', 'shop', 'K1', 'phone=030 99887766')).code).toBe(0)
  expect(await corrections()).toMatchObject([{ value: '+493099887766' }])
  expect((await place.cli('correct', 'shop', 'K1', 'phone=')).code).toBe(0)
})

it('of a number takes its type along, with or without the record at hand, until it ends', async () => {
  const typed = configuration(sandbox.url).replace(
    'phone: tel }',
    'phone: { column: tel, phone: DE }, phone_type: { phone_type_of: phone, otherwise: work } }',
  )
  await place.write('config.yaml', typed)
  const rows = ['K1,anna@example.com,Anna,030 901820', 'K3,carl@example.com,Carl,none']
  await drop(...rows)
  expect((await place.cli('run')).code).toBe(3)
  for (const key of ['K1', 'K3'])
    expect((await place.cli('correct', 'shop', key, 'phone=0171 1234567')).code).toBe(0)
  expect((await place.cli('run')).code).toBe(0)
  const mobile = { phone: '+491711234567', phone_type: 'mobile' }
  expect(await contactOf('anna@example.com')).toMatchObject(mobile)
  expect(await contactOf('carl@example.com')).toMatchObject(mobile)
  await drop(...rows)
  expect(await place.json('run')).toMatchObject({ pipelines: [{ unchanged: 2, requests: 0 }] })
  await drop('K1,anna@example.com,Anne,030 901820')
  await place.cli('correct', 'shop', 'K1', 'phone=0171 7654321')
  expect((await place.cli('run')).code).toBe(0)
  expect(await contactOf('anna@example.com')).toMatchObject({ first_name: 'Anne', phone_type: 'mobile' })
  await drop('K1,anna@example.com,Anne,030 901821')
  expect((await place.cli('run')).code).toBe(0)
  expect(await contactOf('anna@example.com')).toMatchObject({ phone: '+4930901821', phone_type: 'work' })
  await drop('K1,anna@example.com,Annie,030 901821')
  await place.cli('correct', 'shop', 'K1', 'phone=0171 7654321')
  expect((await place.cli('run')).code).toBe(0)
  expect((await place.cli('explain', 'shop', 'K1')).stdout).toContain('note: of the number that correction')
  await place.cli('correct', 'shop', 'K1', 'phone_type=home')
  await place.cli('correct', 'shop', 'K1', 'phone=0171 7654322')
  expect((await place.cli('run')).code).toBe(0)
  expect(await contactOf('anna@example.com')).toMatchObject({ phone: '+491717654322', phone_type: 'home' })
})

it('goes to the owner of the source as a file, and comes back from one', async () => {
  await place.cli('correct', 'shop', 'K1', 'first_name==HYPERLINK("x")', '--reason', 'odd')
  await place.cli('correct', 'shop', 'K2', 'phone=')
  await place.cli('corrections', 'export', 'mend.csv')
  const text = await readFile(place.path('mend.csv'), 'utf8')
  expect(text.split('\r\n')[0]).toBe(
    'pipeline,file,line,key,field,column,value_in_source,corrected,reason,by,at',
  )
  expect(text).toContain(`shop,f1.csv,2,K1,first_name,,Anna,"'=HYPERLINK(""x"")",odd,`)
  expect(await place.json('corrections', 'import', 'mend.csv')).toEqual({ taken: 0, same: 2, refused: [] })
  await place.cli('corrections', 'drop', '1')
  await place.write('more.csv', 'pipeline,key,field,corrected\nshop,K1,phone,5\nshop,K9,phone,5\n')
  const told = await place.cli('corrections', 'import', 'more.csv')
  expect(told).toMatchObject({
    code: 3,
    stdout: '1 correction taken\n  line 3 refused: shop knows no record key:K9\n',
  })
  expect(await place.json('corrections', 'import', 'mend.csv')).toMatchObject({ taken: 1, same: 1 })
})

describe('a file that a spreadsheet has saved', () => {
  const HEADER = 'pipeline,key,field,corrected,reason'
  const semicolons = `${HEADER.replaceAll(',', ';')}\r\nshop;K1;first_name;Zoë;by phone, today\r\n`

  it.each([
    ['semicolons, with a comma in a text', Buffer.from(semicolons)],
    ['Windows-1252', Buffer.from(semicolons, 'latin1')],
    ['UTF-16 and tabs', Buffer.from(`\uFEFF${semicolons.replaceAll(';', '\t')}`, 'utf16le')],
    [
      'commas, with a semicolon in a text',
      Buffer.from(`${HEADER}\nshop,K1,first_name,Zoë,by phone; today\n`),
    ],
  ])('%s', async (_, bytes) => {
    await writeFile(place.path('mend.csv'), bytes)
    expect(await place.json('corrections', 'import', 'mend.csv')).toEqual({ taken: 1, same: 0, refused: [] })
    expect((await place.cli('corrections', 'list')).stdout).toContain('K1 first_name: "Zoë"')
  })

  it.each([
    ['empty', Buffer.from('')],
    ['binary', Buffer.from([0, 1, 2, 0, 255, 0])],
    ['cut off within a quote', Buffer.from(`${HEADER}\nshop,K1,first_name,"Zoë`)],
    ['with a row that is too long', Buffer.from(`${HEADER}\nshop,K1,first_name,Zoë,a,b,c\n`)],
  ])('is refused as a whole where it is %s', async (_, bytes) => {
    await writeFile(place.path('mend.csv'), bytes)
    const told = await place.cli('corrections', 'import', 'mend.csv')
    expect(told).toMatchObject({ code: 2, stdout: '' })
    expect(told.stderr).toContain('corrections export has written')
    expect((await place.cli('corrections', 'list')).stdout).not.toContain('K1')
  })
})
