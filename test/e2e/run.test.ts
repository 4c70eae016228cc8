// The main job by the command line, with real files, a real state, and a service on a real socket.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KEY, openWorkshop, peopleCsv, type Workshop } from '../support/cli.ts'

let shop: Workshop
beforeEach(async () => (shop = await openWorkshop()))
afterEach(async () => shop.close())

const json = (text: string): Record<string, never> => JSON.parse(text) as Record<string, never>

/** Every file below a folder, with its bytes' hash and its time of change. */
async function picture(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const lines = files.map(async (file) => {
    const hash = createHash('sha256')
      .update(await readFile(file))
      .digest('hex')
    return `${relative(folder, file)} ${hash} ${(await stat(file)).mtimeMs}`
  })
  return (await Promise.all(lines)).sort()
}

describe('run', () => {
  it('creates 250 contacts in five calls; the same file again writes nothing and reads at most twice', async () => {
    await shop.drop('shop', 'a.csv', peopleCsv(250))
    const first = await shop.cli('run', '--json')
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(json(first.stdout)).toMatchObject({
      status: 'ok',
      pipelines: [{ pipeline: 'shop', read: 250, created: 250, requests: 5 }],
    })
    expect(shop.writes()).toBe(5)
    await shop.drop('shop', 'a.csv', peopleCsv(250))
    const before = shop.sandbox.requests().length
    expect(json((await shop.cli('run', '--json')).stdout)).toMatchObject({
      pipelines: [{ unchanged: 250, requests: 0 }],
    })
    expect(shop.sandbox.requests().length - before).toBeLessThanOrEqual(2)
    expect((await readdir(shop.path('inbox', 'shop'))).sort()).toEqual(['processed'])
  })

  it('three changed rows: the plan shows just these and leaves no trace, the run sends just these', async () => {
    await shop.drop('shop', 'a.csv', peopleCsv(250))
    await shop.cli('run')
    await shop.drop('shop', 'a.csv', peopleCsv(250, [3, 77, 249]))
    const before = await picture(shop.folder)
    const requests = shop.sandbox.requests().length
    const plan = await shop.cli('plan', '--json')
    expect(plan).toMatchObject({ code: 0, stderr: '' })
    expect(json(plan.stdout)).toMatchObject({
      pipelines: [
        {
          pipeline: 'shop',
          read: 250,
          updated: 3,
          unchanged: 247,
          estimate: { requests: 3, seconds: 0 },
          changes: [3, 77, 249].map((index) => ({
            action: 'update',
            key: `K${index}`,
            fields: { phone: { from: `030 ${index}`, to: `040 ${index}` } },
            terms: { add: [], remove: [] },
            source: { file: 'a.csv', line: index + 2 },
          })),
        },
      ],
    })
    expect(await picture(shop.folder)).toEqual(before)
    expect(shop.sandbox.requests().length).toBe(requests)
    expect(json((await shop.cli('run', '--json')).stdout)).toMatchObject({
      pipelines: [{ updated: 3, requests: 3 }],
    })
    expect(
      shop.sandbox
        .requests()
        .slice(requests)
        .map(({ method }) => method),
    ).toEqual(['PUT', 'PUT', 'PUT'])
    expect(await shop.contacts('person77@example.com', 'phone,first_name')).toMatchObject([
      { phone: '040 77', first_name: 'Vorname77' },
    ])
  })

  it('a plan before the first run makes no state', async () => {
    await shop.drop('shop', 'a.csv', peopleCsv(3))
    const before = await picture(shop.folder)
    expect(json((await shop.cli('plan', '--json')).stdout)).toMatchObject({ pipelines: [{ created: 3 }] })
    expect(await picture(shop.folder)).toEqual(before)
  })

  it('rejects are listed, exported, mended and dropped again', async () => {
    await shop.drop(
      'shop',
      'a.csv',
      'no;mail;first;last;phone\nK1;a@example.com;Ä;B;1\nK2;nonsense;C;"D; E";2\n',
    )
    const run = await shop.cli('run')
    expect(run.code).toBe(3)
    expect(run.stdout).toContain('contact-sync rejects list shop')
    expect(json((await shop.cli('rejects', 'list', '--json')).stdout)).toEqual({
      rejects: [
        {
          id: 1,
          pipeline: 'shop',
          key: 'K2',
          reason: 'mail: "mail" ("nonsense") is not a valid e-mail address',
          file: 'a.csv',
          line: 3,
        },
      ],
    })
    expect((await shop.cli('rejects', 'export', 'out.csv')).code).toBe(0)
    const text = await readFile(shop.path('out.csv'), 'utf8')
    expect(text).toBe(
      'no,mail,first,last,phone,_reason,_file,_line\nK2,nonsense,C,D; E,2,"mail: ""mail"" (""nonsense"") is not a valid e-mail address",a.csv,3\n',
    )
    const beside = (await readdir(shop.path('inbox', 'shop', 'processed'))).find((name) =>
      name.endsWith('.rejects.csv'),
    )
    const kept = await readFile(shop.path('inbox', 'shop', 'processed', beside ?? ''), 'utf8')
    await shop.drop('shop', 'mended.csv', kept.replace('nonsense', 'c@example.com'))
    expect((await shop.cli('run')).code).toBe(0)
    expect(await shop.contacts('c@example.com', 'family_name')).toMatchObject([{ family_name: 'D; E' }])
    expect(json((await shop.cli('rejects', 'list', '--json')).stdout)).toEqual({ rejects: [] })
  })

  it('exports records of JSON as CSV that the same source reads, and says under which name', async () => {
    const pipeline = (files: string): string => `  ${files}:
    source: { type: json, folder: inbox/${files}, settle: 0s, records: items${files === 'crm' ? '' : ', files: "*.json"'} }
    key: no
    map: { mail: "mails[0].value", first_name: name.first }
`
    const path = shop.path('config.yaml')
    await writeFile(path, `${await readFile(path, 'utf8')}${pipeline('crm')}${pipeline('old')}`)
    const items = [{ no: 1, mails: [{ value: 'nonsense' }], name: { first: 'Ann, "A"' } }]
    for (const name of ['crm', 'old']) {
      await mkdir(shop.path('inbox', name), { recursive: true })
      await shop.drop(name, 'a.json', JSON.stringify({ items }))
    }
    await shop.drop('shop', 'a.csv', 'no,mail,first,last,phone\nK1,bad,A,B,1\n')
    expect((await shop.cli('run')).code).toBe(3)
    const { stderr } = await shop.cli('rejects', 'export', 'out.csv')
    expect(stderr.trim().split('\n').slice(1)).toEqual([
      'to drop it again for crm, give it a name that ends in .rejects.csv',
      'to drop it again for old, add "*.rejects.csv" to its source.files, and give it such a name',
    ])
    const named = await shop.cli('rejects', 'export', 'out.rejects.csv', 'crm')
    expect(named.stderr.trim().split('\n')).toHaveLength(1)
    const text = await readFile(shop.path('out.rejects.csv'), 'utf8')
    await shop.drop('crm', 'out.rejects.csv', text.replace('nonsense', 'ann@example.com'))
    expect((await shop.cli('run', 'crm')).code).toBe(0)
    expect(await shop.contacts('ann@example.com', 'first_name')).toMatchObject([{ first_name: 'Ann, "A"' }])
    expect(json((await shop.cli('rejects', 'list', 'crm', '--json')).stdout)).toEqual({ rejects: [] })
  })

  it('exports a row with several columns of one name, or of none', async () => {
    await shop.drop('shop', 'a.csv', 'no,mail,first,last,phone,x,x,,\nK1,bad,A,B,1,2,3,4,5\n')
    expect((await shop.cli('run')).code).toBe(3)
    expect((await shop.cli('rejects', 'export', 'out.csv')).code).toBe(0)
    const [header, row] = (await readFile(shop.path('out.csv'), 'utf8')).split('\n')
    expect(header).toBe('no,mail,first,last,phone,x,x,,,_reason,_file,_line')
    expect(row).toMatch(/^K1,bad,A,B,1,2,3,4,5,/)
  })

  it.each([
    ['is empty', '', 'refused: bad.csv is empty'],
    ['is cut off inside a quote', 'no,mail,first,last,phone\nK1,a@example.com,"A,B,1\n', 'line 2, column 18'],
    ['is no text', Buffer.from([0x50, 0x4b, 3, 4, 0, 0]), '.xlsx'],
    [
      'lacks a mapped column',
      'no,email,first,last,phone\nK1,a@example.com,A,B,1\n',
      'the nearest is "email"',
    ],
  ])('a file that %s is moved to failed with the reason', async (_, content, message) => {
    await shop.drop('shop', 'bad.csv', content)
    await shop.drop('shop', 'good.csv', peopleCsv(1))
    const run = await shop.cli('run')
    expect(run.code).toBe(3)
    expect(run.stdout).toContain(message)
    expect(run.stdout).toContain('1 created')
    const failed = await readdir(shop.path('inbox', 'shop', 'failed'))
    expect(failed.map((name) => name.replace(/\d{8}-\d{6}-\w{6}/, 'RUN')).sort()).toEqual([
      'bad.RUN.csv',
      'bad.RUN.reason.txt',
    ])
  })

  it('a full file without records deletes nothing and is held; a missing folder is told', async () => {
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    await shop.configure(yaml.replace('key: no', 'mode: full\n    key: no'))
    await shop.drop('shop', 'a.csv', 'no,mail,first,last,phone\n')
    expect((await shop.cli('run')).code).toBe(4)
    await shop.configure(yaml.replace('inbox/shop', 'inbox/nowhere'))
    const run = await shop.cli('run')
    expect(run.code).toBe(3)
    expect(run.stdout).toContain('is missing')
  })

  it('a refused key and a service that is not there end with 5, and everything is kept for the next run', async () => {
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    await shop.drop('shop', 'a.csv', peopleCsv(3))
    await shop.configure(yaml.replace('${API_KEY}', 'another-secret-key'))
    const refused = await shop.cli('run')
    expect(refused).toMatchObject({ code: 5 })
    expect(refused.stdout).toContain('SERVICE_KEY_REFUSED')
    expect(refused.stdout + refused.stderr.replace(/^warning.*$/gm, '')).not.toContain('another-secret-key')
    await shop.configure(yaml.replace('${BASE_URL}', 'http://127.0.0.1:9'))
    const unreachable = await shop.cli('run')
    expect(unreachable.code).toBe(5)
    expect(unreachable.stdout).toContain('SERVICE_UNREACHABLE')
    expect(await readdir(shop.path('inbox', 'shop'))).toEqual(['a.csv'])
    await shop.configure(yaml)
    expect(json((await shop.cli('run', '--json')).stdout)).toMatchObject({
      status: 'ok',
      pipelines: [{ read: 3, created: 3 }],
    })
  })

  it('json goes through the same line, with values by path', async () => {
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    await mkdir(shop.path('inbox', 'crm'))
    await shop.configure(`${yaml}
  crm:
    source: { type: json, folder: inbox/crm, records: results, settle: 0s }
    key: id
    where: record["stage"] == "customer"
    map: { mail: properties.email, phone: "phones[type=work].value" }
`)
    const results = [
      {
        id: 9007199254740993,
        stage: 'customer',
        properties: { email: 'a@example.com' },
        phones: [{ type: 'work', value: '1' }],
      },
      { id: 2, stage: 'lead', properties: { email: 'b@example.com' } },
    ]
    await writeFile(shop.path('inbox', 'crm', 'a.json'), JSON.stringify({ results }))
    expect(json((await shop.cli('run', 'crm', '--json')).stdout)).toMatchObject({
      pipelines: [{ pipeline: 'crm', created: 1, skipped: 1 }],
    })
    expect(await shop.contacts('a@example.com', 'phone')).toMatchObject([{ phone: '1' }])
  })
})

describe('the commands', () => {
  it('wrong configurations are told with file, line, column and what would be right; exit 2', async () => {
    await shop.configure('service:\n  base_url: http://example.com\n  api_key: ${NOWHERE}\npiplines: {}\n')
    const { code, stderr } = await shop.cli('run')
    expect(code).toBe(2)
    expect(stderr).toContain('config.yaml:2:13: service.base_url')
    expect(stderr).toContain('config.yaml:3:12: service.api_key')
    expect(stderr).toMatch(/config\.yaml:4:1: piplines.*pipelines/)
    expect(stderr).not.toMatch(/\n\s+at /)
    expect((await shop.cli('check', '--json')).code).toBe(2)
  })

  it.each([
    ['nonsense'],
    ['run', '--nonsense'],
    ['run', 'nobody'],
    ['rejects', 'export'],
    ['sandbox', '--port', 'x'],
    ['sandbox', '--port', '0', '--habit', 'id-as-text'],
    ['sandbox', '--port', '0', '--habit', 'lists=keyd'],
  ])('%s %s is a wrong use, exit 2, and nothing is done', async (...args) => {
    const { code, stderr } = await shop.cli(...args)
    expect(code).toBe(2)
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(await readdir(shop.folder)).not.toContain('state')
  })

  it('help names every command, with examples and exit codes', async () => {
    const { stdout, code } = await shop.cli('--help')
    expect(code).toBe(0)
    for (const command of ['start', 'run', 'plan', 'check', 'status', 'rejects', 'schema', 'sandbox', 'demo'])
      expect(stdout).toContain(command)
    expect((await shop.cli('plan', '--help')).stdout).toContain('contact-sync plan shop')
  })

  it('check names a file that was dropped just now, and does not wait for it', async () => {
    const text = await readFile(shop.path('config.yaml'), 'utf8')
    await shop.configure(text.replaceAll('settle: 0s', 'settle: 10m'))
    await shop.drop('shop', 'fresh.csv', peopleCsv(1))
    const { stdout } = await shop.cli('check')
    expect(stdout).toContain('pipeline shop: 0 files waiting, checked')
    expect(stdout).toContain('pipeline shop: 1 file still growing, not checked: check again once')
  })

  it('check tries the first records of the waiting files: some rejected are named, all are a problem', async () => {
    await shop.drop(
      'shop',
      'a.csv',
      'no;mail;first;last;phone\nK1;a@example.com;A;B;1\nK2;secret-1;C;D;2\n;b@example.com;E;F;3\n',
    )
    const some = await shop.cli('check')
    expect(some.code).toBe(0)
    expect(some.stdout).toContain('a.csv: 2 of the first 3 records would be rejected')
    expect(some.stdout).toContain('mail: "mail" is not a valid e-mail address (1)')
    expect(some.stdout).toContain(`where: 'record["no"] != ""' skips such records (1)`)
    expect(some.stdout).not.toContain('secret')
    const rows = Array.from({ length: 150 }, (_, index) => `K${index};nonsense;A;B;1\n`)
    await shop.drop('shop', 'a.csv', `no;mail;first;last;phone\n${rows.join('')}`)
    const all = await shop.cli('check')
    expect(all.code).toBe(2)
    expect(all.stdout).toContain(
      'a.csv: 100 of the first 100 records would be rejected: mail: "mail" is not a valid e-mail address (100)',
    )
    expect(all.stdout).not.toContain('All checks passed')
  })

  it('check says that all is in order, or everything that is not', async () => {
    await shop.drop('shop', 'a.csv', peopleCsv(1))
    expect(await shop.cli('check')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('All checks passed.') as string,
    })
    await shop.drop('shop', 'b.csv', 'no,email,first,last,phone\n')
    await shop.sandbox.close()
    const { code, stdout } = await shop.cli('check')
    expect(code).toBe(5)
    expect(stdout).toContain('b.csv: column "mail" (map.mail) is not in the header')
    expect(stdout).toContain('no connection to the service')
    expect(shop.writes()).toBe(0)
  })

  it('status tells the last run and what is open', async () => {
    expect((await shop.cli('status')).stdout).toContain('shop: never ran')
    await shop.drop('shop', 'a.csv', `${peopleCsv(2)}K9,nonsense,A,B,1\n`)
    await shop.cli('run')
    const { pipelines } = json((await shop.cli('status', '--json')).stdout) as unknown as {
      pipelines: unknown[]
    }
    expect(pipelines).toMatchObject([
      {
        pipeline: 'shop',
        linked: 2,
        rejects: 1,
        held: 0,
        in_doubt: 0,
        last_run: { status: 'partial', read: 3 },
      },
    ])
  })

  it('the demo ends by itself and leaves the checkout as it was', async () => {
    const root = resolve(import.meta.dirname, '../..')
    const before = execFileSync('git', ['status', '--porcelain'], { cwd: root }).toString()
    const { code, stdout } = await shop.cli('demo')
    expect(stdout).toContain('3 writes for 3 changes, 0 writes for none.')
    expect(stdout).toMatch(/\bOne record could not be sent\.[^\n]*\n\noutlook: [^\n]*\n\n3\. /)
    expect(code).toBe(0)
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: root }).toString()).toBe(before)
  })

  it('the demo with --json prints its numbers alone', async () => {
    const { code, stdout, stderr } = await shop.cli('demo', '--json')
    expect(JSON.parse(stdout)).toEqual({ as_expected: true, changes: 3, writes: 3, writes_of_unchanged: 0 })
    expect(stderr).toContain('3 writes for 3 changes, 0 writes for none.')
    expect(code).toBe(0)
  })

  it('no secret comes out anywhere, and no personal data on standard error', async () => {
    await shop.drop(
      'shop',
      'a.csv',
      'no,mail,first,last,phone\nK1,canary@example.com,Kanari,Vogel,1\nK2,broken canary,Kanari,Vogel,1\n',
    )
    const outputs = [
      await shop.cli('check'),
      await shop.cli('run'),
      await shop.cli('status'),
      await shop.cli('plan'),
    ]
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    await shop.configure(yaml.replace('state: {', 'log: { level: debug, folder: logs }\nstate: {'))
    await shop.drop('shop', 'b.csv', 'no,mail,first,last,phone\nK1,canary@example.com,Kanari,Geier,1\n')
    outputs.push(await shop.cli('run'))
    const logs = await Promise.all(
      (await readdir(shop.path('logs')))
        .filter((name) => name.endsWith('.log'))
        .map((name) => readFile(shop.path('logs', name), 'utf8')),
    )
    expect(logs.join('')).toContain('run ended')
    for (const text of [...outputs.flatMap(({ stdout, stderr }) => [stdout, stderr]), ...logs])
      expect(text).not.toContain(KEY)
    for (const text of [...outputs.map(({ stderr }) => stderr), ...logs])
      expect(text).not.toMatch(/canary@|Kanari|Geier/)
  })
})
