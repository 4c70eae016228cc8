// The sync log in the hands of an auditor: read, followed, exported, checked, by the program itself and without it.
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openWorkshop, peopleCsv, type Workshop } from '../support/cli.ts'

// Each command is a separate process, and a machine may be slow.
vi.setConfig({ testTimeout: 120_000 })

let shop: Workshop
beforeEach(async () => (shop = await openWorkshop()))
afterEach(async () => shop.close())

interface Said {
  readonly code: number | null
  readonly said: Record<string, unknown>
}

async function json(...args: string[]): Promise<Said> {
  const { code, stdout, stderr } = await shop.cli(...args, '--json')
  try {
    return { code, said: JSON.parse(stdout) as Record<string, unknown> }
  } catch {
    throw new Error(`${args.join(' ')}: ${code}\n${stdout}\n${stderr}`)
  }
}

interface Line {
  readonly seq: number
  readonly key: string | null
  readonly run_id: string
  readonly prev: string
  readonly hash: string
  readonly entry: string
  readonly personal: string
  readonly salt: string
  readonly source: { file: string; line: number; sha256: string }
}

async function exported(...filter: string[]): Promise<Line[]> {
  const { code } = await json('audit', 'export', 'log.jsonl', ...filter)
  expect(code).toBe(0)
  const text = await readFile(shop.path('log.jsonl'), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}

const VERIFIER = resolve(import.meta.dirname, '../../state/verify_log.py')
const FIRST = peopleCsv(3)
const SECOND = FIRST.replace('030 1', '040 1')

async function twoRuns(): Promise<string[]> {
  await shop.drop('shop', 'a.csv', FIRST)
  const first = await json('run')
  await shop.drop('shop', 'b.csv', SECOND)
  const second = await json('run')
  return [first, second].map(({ said }) => (said['pipelines'] as { run_id: string }[])[0]!.run_id)
}

it('a run names the head of the log on standard output, and in the operational log', async () => {
  await shop.drop('shop', 'a.csv', FIRST)
  const { stdout } = await shop.cli('run')
  const head = /sync log: 3 entries, head ([0-9a-f]{64})/.exec(stdout)?.[1]
  expect((await json('state', 'info')).said).toMatchObject({ sync_log: { entries: 3, hash: head } })
  expect((await json('run')).said).toMatchObject({ audit: { entries: 3, hash: head } })
})

describe('reading', () => {
  it('lists by every filter, shows a life, and pages', async () => {
    const [first, second] = await twoRuns()
    const all = await json('audit', 'list')
    expect(all.said).toMatchObject({ next: null, entries: [{ seq: 4 }, { seq: 3 }, { seq: 2 }, { seq: 1 }] })
    expect((await json('audit', 'list', '--run', second!)).said).toMatchObject({
      entries: [
        {
          seq: 4,
          key: 'K1',
          action: 'update',
          outcome: 'done',
          fields: { phone: { from: '030 1', to: '040 1' } },
          source: { file: 'b.csv', line: 3 },
        },
      ],
    })
    const page = await json('audit', 'list', '--limit', '2', '--run', first!)
    expect(page.said).toMatchObject({ entries: [{ seq: 3 }, { seq: 2 }], next: 2 })
    expect((await json('audit', 'list', '--before', '2')).said).toMatchObject({
      entries: [{ seq: 1 }],
      next: null,
    })
    expect(
      (await json('audit', 'list', '--since', '2000-01-01', '--until', '2001-01-01')).said,
    ).toMatchObject({ entries: [] })
    expect((await shop.cli('audit', 'list', '--since', 'yesterday')).code).toBe(2)
    const life = await shop.cli('audit', 'show', 'person1@example.com')
    expect(life.code).toBe(0)
    expect(life.stdout).toMatch(
      /create done {2}\(#2\)[^]*update done {2}\(#4\)\n {4}phone "030 1" -> "040 1"\n {4}b.csv:3; PUT/,
    )
    expect((await shop.cli('audit', 'show', 'nobody@example.com')).code).toBe(2)
  })

  it('a run adds up, and one that does not is noticed', async () => {
    const [first] = await twoRuns()
    const right = await shop.cli('audit', 'run', first!)
    expect(right.stdout).toContain('3 read = 3 created + 0 updated')
    // One bulk call for three contacts.
    expect(right.stdout).toContain(
      '  1 request to the service, retries included\n  the log has 3 entries of it\n',
    )
    expect((await json('audit', 'run', first!)).said).toMatchObject({ requests: 1, entries: 3 })
    expect(right.stdout).toContain('control totals add up')
    expect(right.code).toBe(0)
    const db = new Database(shop.path('state', 'contact-sync.db'))
    db.prepare('UPDATE run SET counts = replace(counts, \'"created":3\', \'"created":4\') WHERE id = ?').run(
      first,
    )
    db.close()
    const wrong = await json('audit', 'run', first!)
    expect(wrong).toMatchObject({ code: 1, said: { adds_up: false } })
    // A decision has no counts: nothing adds up with its entries.
    await shop.cli('pause', 'shop')
    const { entries } = (await json('audit', 'list', '--action', 'pause')).said as {
      entries: { run_id: string }[]
    }
    const decision = await shop.cli('audit', 'run', entries[0]!.run_id)
    expect(decision.stdout).toContain('without counts there are no control totals')
    expect(decision.stdout).not.toContain('add up')
  })
})

it('reads moments in every zone that they may be written in, and no day that there is not', async () => {
  await twoRuns()
  const since = async (text: string) => {
    const { code, stdout } = await shop.cli('audit', 'list', '--json', '--since', text)
    return code === 0 ? (JSON.parse(stdout) as { entries: unknown[] }).entries.length : `exit ${code}`
  }
  const now = Date.now()
  const at = (ms: number, end: string) => `${new Date(now + ms).toISOString().slice(0, 16)}${end}`
  const hour = 3_600_000
  const written = [at(hour, ''), at(6 * hour, '+0500'), at(-4 * hour, '-0500'), at(-4 * hour, '-05:00')]
  for (const text of [...written, ...written.map((one) => one.replace('T', ' '))])
    expect([text, await since(text)]).toEqual([text, 0])
  expect(await since(at(-6 * hour, '-0400'))).toBe(4)
  expect(await since('2026-02-30')).toBe('exit 2')
})

describe('an export', () => {
  it('is chained, names the file by its hash, and can be checked without the program', async () => {
    await twoRuns()
    const lines = await exported()
    let prev = '0'.repeat(64)
    for (const line of lines) {
      expect(line.prev).toBe(prev)
      expect(line.hash).toBe(hash('sha256', `${prev}\n${line.entry}`, 'hex'))
      const { digest } = JSON.parse(line.entry) as { digest: string }
      expect(hash('sha256', `${line.salt}\n${line.personal}`, 'hex')).toBe(digest)
      prev = line.hash
    }
    expect(lines[3]!.source.sha256).toBe(hash('sha256', SECOND, 'hex'))
    expect((await stat(shop.path('log.jsonl'))).mode & 0o777).toBe(0o600)
    expect(await exported('--contact', 'K1')).toHaveLength(2)
  })

  it('is found whole, or not, by the verifier in Python', async () => {
    await twoRuns()
    await exported()
    const check = () => spawnSync('python3', [VERIFIER, shop.path('log.jsonl')], { encoding: 'utf8' })
    const whole = check()
    expect(whole.stdout).toMatch(new RegExp(`^whole, \\d+ entries, head ${(await exported()).at(-1)!.hash}`))
    const text = await readFile(shop.path('log.jsonl'), 'utf8')
    for (const forged of [
      text.replace('"to":"040 1"', '"to":"040 2"'),
      text.replaceAll('040 1', '040 2'),
      text.replace(/^.*\n/, ''),
    ]) {
      expect(forged).not.toBe(text)
      await writeFile(shop.path('log.jsonl'), forged)
      expect(check().stderr).toMatch(/^NOT WHOLE: entry \d+/)
    }
  })

  it('is whole for the verifier in Python, whatever characters and numbers its values have', async () => {
    await shop.configure(`
service: { base_url: "\${BASE_URL}", api_key: "\${API_KEY}" }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: json, folder: inbox/shop, files: "*.json", settle: 0s }
    key: id
    map: { mail: mail, first_name: first, custom_fields: { revenue: { column: revenue, number: true } } }
`)
    const odd = ['\u0085=1', '\u00a0-2', '\ufeff=3', '\u180e+4', 'a\r\n=b', '\u3000@c', '"=d']
    const numbers = [0.00005, 0.0000012, 1e-7, 2.5e-9, -0.1, 12345678901234, 3]
    const people = odd.map((first, at) => ({
      id: `=${at}`,
      mail: `p${at}@example.com`,
      first,
      revenue: numbers[at],
    }))
    await shop.drop('shop', 'a.json', JSON.stringify(people))
    await json('run')
    for (const format of ['jsonl', 'csv']) {
      const file = shop.path(`log.${format}`)
      await json('audit', 'export', file, '--format', format)
      const { stdout, stderr } = spawnSync('python3', [VERIFIER, file], { encoding: 'utf8' })
      expect(stdout + stderr).toMatch(/^whole, [5-9] entries/)
    }
  })

  it('is bound by the chain in everything that it shows, in JSON lines and in CSV, for the verifier in Python', async () => {
    await shop.drop('shop', 'a.csv', FIRST.replace('030 1', '=HYPERLINK("http://x")'))
    await json('run')
    await json('audit', 'forget', 'person2@example.com', '--yes')
    const check = (file: string) => spawnSync('python3', [VERIFIER, shop.path(file)], { encoding: 'utf8' })
    await json('audit', 'export', 'log.jsonl')
    await json('audit', 'export', 'log.csv', '--format', 'csv')
    for (const file of ['log.jsonl', 'log.csv']) expect(check(file)).toMatchObject({ status: 0, stderr: '' })

    const lines = (await readFile(shop.path('log.jsonl'), 'utf8')).trim().split('\n')
    const changed = (value: unknown): unknown =>
      typeof value === 'number'
        ? value + 1
        : typeof value === 'string'
          ? `${value}0`
          : value === null
            ? 'x'
            : {}
    const first = JSON.parse(lines[0]!) as Record<string, unknown>
    const forgeries = Object.keys(first).map((name): [string, string] => [
      name,
      JSON.stringify({ ...first, [name]: changed(first[name]) }),
    ])
    const shown = (name: string, value: unknown): string => JSON.stringify({ ...first, [name]: value })
    forgeries.push(
      ['another line', shown('source', { ...(first['source'] as object), line: 9 })],
      ['another status', shown('request', { ...(first['request'] as object), status: 500 })],
      ['more', shown('approved_by', 'anna')],
      ['twice', lines[0]!.replace('"outcome":', '"outcome":"rejected","outcome":')],
      ['hidden', JSON.stringify({ ...first, personal: null, salt: null })],
    )
    const accepted: string[] = []
    for (const [name, line] of forgeries) {
      await writeFile(shop.path('forged.jsonl'), [line, ...lines.slice(1)].join('\n'))
      if (check('forged.jsonl').status === 0) accepted.push(name)
    }
    const table = (await readFile(shop.path('log.csv'), 'utf8')).split('\r\n')
    const cells = [...table[1]!.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell = '']) => cell)
    const columns = table[0]!.slice(2, -1).split(/","/)
    expect(cells).toHaveLength(columns.length)
    for (const [at, column] of columns.entries()) {
      const row = `"${cells.with(at, `${cells[at]!}7`).join('","')}"`
      await writeFile(shop.path('forged.csv'), [table[0], row, ...table.slice(2)].join('\r\n'))
      if (check('forged.csv').status === 0) accepted.push(`${column} in CSV`)
    }
    await writeFile(shop.path('forged.csv'), [table[0], ...table.slice(2)].join('\r\n'))
    if (check('forged.csv').status === 0) accepted.push('a row taken out of CSV')
    expect(accepted).toEqual([])
  })

  it('as CSV is guarded against formulas', async () => {
    await shop.drop(
      'shop',
      'a.csv',
      FIRST.replace('030 1', '=HYPERLINK("http://x")').replace('030 2', '+49 30 2'),
    )
    await json('run')
    await json('audit', 'export', 'log.csv', '--format', 'csv')
    const text = await readFile(shop.path('log.csv'), 'utf8')
    expect(text).toContain(`"phone","","'=HYPERLINK(""http://x"")"`)
    expect(text).toContain(`"phone","","'+49 30 2"`)
    expect(text).not.toMatch(/(?:^|,)"[=+@-]/m)
  })

  it('for a subject holds all that is known of them, and nobody else', async () => {
    await twoRuns()
    expect((await json('audit', 'export', 'me.json', '--subject', 'person1@example.com')).code).toBe(0)
    const text = await readFile(shop.path('me.json'), 'utf8')
    expect(JSON.parse(text)).toMatchObject({
      people: [
        {
          keys: [{ pipeline: 'shop', key: 'K1' }],
          history: [{ seq: 2 }, { seq: 4 }],
          links: [{ known: { phone: '040 1' } }],
        },
      ],
    })
    expect(text).not.toContain('person2')
  })

  it('for a subject takes no text for JSON, and says what is not in it', async () => {
    const key = '{3F2504E0-4F89-11D3-9A0C-0305E82C3301}'
    await shop.drop('shop', 'a.csv', `no,mail,first,last,phone\n${key},a@example.com,[A],Id,030\n`)
    await json('run')
    await shop.cli('correct', 'shop', key, 'family_name=[B', '--reason', '{asked')
    const { code, stderr } = await shop.cli('audit', 'export', 'me.json', '--subject', 'a@example.com')
    expect([code, stderr]).toEqual([0, expect.stringMatching(/Not in it: .*files \(waiting, archived/)])
    expect(JSON.parse(await readFile(shop.path('me.json'), 'utf8'))).toMatchObject({
      people: [
        { links: [{ key, known: { first_name: '[A]' } }], corrections: [{ value: '[B', note: '{asked' }] },
      ],
    })
  })
})

describe('verify', () => {
  const tamper = (sql: string): void => {
    const db = new Database(shop.path('state', 'contact-sync.db'))
    db.exec(`DROP TRIGGER audit_no_update; DROP TRIGGER audit_no_delete; ${sql}`)
    db.close()
  }

  it('finds a whole log whole, and knows a head that was noted down', async () => {
    await shop.drop('shop', 'a.csv', FIRST)
    const { hash: head } = (await json('run')).said['audit'] as { hash: string }
    await shop.drop('shop', 'b.csv', SECOND)
    await json('run')
    expect(await json('audit', 'verify', '--head', head)).toMatchObject({
      code: 0,
      said: { ok: true, entries: 4 },
    })
    expect(await shop.cli('audit', 'verify', '--head', head.slice(0, 12))).toMatchObject({ code: 2 })
    const other = await json('audit', 'verify', '--head', 'f'.repeat(64))
    expect(other).toMatchObject({ code: 1, said: { ok: false, first_bad: { seq: 5 } } })
  })

  it('finds an index that was thinned out, and makes it anew', async () => {
    await twoRuns()
    tamper('DELETE FROM log_tag WHERE first = 4; UPDATE log_tag SET last = 3 WHERE last = 4')
    expect(await json('audit', 'verify')).toMatchObject({
      code: 1,
      said: { ok: false, first_bad: null, bad_index: { table: 'log_tag' } },
    })
    expect((await shop.cli('audit', 'verify')).stderr).toMatch(
      /^INDEX NOT WHOLE: log_tag: entry 4.*\n {2}Lists and filters .*\n {2}First find out/,
    )
    expect(await json('audit', 'verify', '--rebuild-index')).toMatchObject({
      code: 0,
      said: { bad_index: null },
    })
    expect((await shop.cli('audit', 'list', '--action', 'update')).stdout).toContain('#4')
  })

  it('finds a kept configuration that was altered', async () => {
    await twoRuns()
    expect(await json('audit', 'verify')).toMatchObject({ code: 0, said: { ok: true, bad_kept: null } })
    tamper("UPDATE configuration SET settings = replace(settings, 'email', 'none')")
    expect(await json('audit', 'verify')).toMatchObject({
      code: 1,
      said: { ok: false, first_bad: null, bad_index: null, bad_kept: { table: 'configuration' } },
    })
    const { stderr } = await shop.cli('audit', 'verify')
    expect(stderr).toContain('CHANGED BESIDE THE LOG: configuration: ')
    expect(stderr).toMatch(
      /is not the configuration that was in force\n {2}The entries themselves are intact/,
    )
  })

  it('names the first bad entry: altered, and cut off at the end', async () => {
    await twoRuns()
    tamper("UPDATE audit SET entry = replace(entry, 'update', 'create') WHERE seq = 4")
    const altered = await shop.cli('audit', 'verify')
    expect(altered.code).toBe(1)
    expect(altered.stderr).toContain('NOT WHOLE: entry 4: it was altered')
    const db = new Database(shop.path('state', 'contact-sync.db'))
    db.exec('DELETE FROM audit WHERE seq = 4')
    db.close()
    const cut = await json('audit', 'verify')
    expect(cut).toMatchObject({
      code: 1,
      said: { first_bad: { seq: 4, why: expect.stringContaining('mark') as string } },
    })
  })
})

it('what people did is in the log: rejects tried again', async () => {
  await shop.drop('shop', 'a.csv', FIRST.replace('person1@example.com', 'no mail'))
  await shop.cli('run')
  await shop.cli('rejects', 'retry')
  expect((await json('audit', 'list', '--action', 'retry')).said).toMatchObject({
    entries: [{ pipeline: 'shop', reason: '1 rejected records are tried again' }],
  })
})
