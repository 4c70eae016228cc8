// `audit witness`: the head of the sync log as others keep it, and a log that was rewritten with every key of the machine.
import { existsSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { type AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createWitnessing } from '../../src/app/witnessing.ts'
import { isWitnessDue, readWitnesses } from '../../src/core/log/witness.ts'
import { DAY_MS, MINUTE_MS } from '../../src/core/words/duration.ts'
import { createLog } from '../../src/log/log.ts'
import { startSandbox, type Sandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { openPlace, type Place } from '../support/in-process.ts'
import { PassThrough } from 'node:stream'

const VERIFIER = resolve(import.meta.dirname, '../../state/verify_log.py')
const CONFIGURATION = (more = ''): string => `
service: { base_url: "\${BASE_URL}", api_key: "\${API_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
${more}
pipelines:
  shop:
    source: { type: csv, folder: inbox/shop, settle: 0s }
    key: no
    map: { mail: mail, first_name: first }
`
let sandbox: Sandbox
let place: Place
let receiver: Server
let posted: string[]
let answer: number

async function run(name: string, first: string): Promise<void> {
  await place.write(`inbox/shop/${name}`, `no,mail,first\n1,anna@example.com,${first}\n`)
  expect((await place.cli('run')).code).toBe(0)
}

beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: 'key', habits: {}, clock: systemClock })
  place = await openPlace({ BASE_URL: sandbox.url, API_KEY: 'key' })
  await place.write('config.yaml', CONFIGURATION())
  ;[posted, answer] = [[], 204]
  receiver = createServer((request, response) => {
    request.setEncoding('utf8')
    request.on('data', (text: string) => posted.push(text))
    request.on('end', () => response.writeHead(answer).end())
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
})
afterEach(async () => {
  receiver.close()
  await sandbox.close()
  await place.close()
})
const receiverUrl = (): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/heads`

describe('audit witness', () => {
  it('appends a line with time, state, number and hash; verify knows them all', async () => {
    await run('a.csv', 'Anna')
    await place.cli('audit', 'witness', '--to', 'heads.jsonl')
    await run('b.csv', 'Annabel')
    const said = await place.json('audit', 'witness', '--to', 'heads.jsonl')
    const lines = readWitnesses(await readFile(place.path('heads.jsonl'), 'utf8'))
    expect(lines.map(({ entries }) => entries)).toEqual([1, 2])
    expect(said).toMatchObject({ entries: 2, hash: lines[1]?.hash, to: place.path('heads.jsonl') })
    expect(await place.cli('audit', 'verify', '--witness', 'heads.jsonl')).toMatchObject({ code: 0 })
  })

  it('of several accounts may stand in one file: each log is held against its own lines', async () => {
    const service = '{ service: { base_url: "${BASE_URL}", api_key: "${API_KEY}" } }'
    const source = '{ type: csv, folder: inbox/NAME, settle: 0s }, key: no, map: { mail: mail }'
    const pipeline = (name: string): string =>
      `  ${name}: { account: ${name}, source: ${source.replace('NAME', name)} }\n`
    const yaml = `
state: { path: state/contact-sync.db }
audit: { witness: { to: heads.jsonl } }
accounts: { north: ${service}, south: ${service} }
pipelines:\n`
    await place.write('config.yaml', yaml + pipeline('north') + pipeline('south'))
    for (const name of ['north', 'south'])
      await place.write(`inbox/${name}/a.csv`, `no,mail\n1,${name}@example.com\n`)
    expect((await place.cli('run')).code).toBe(0)
    expect((await place.cli('audit', 'witness')).code).toBe(0)
    const lines = (await readFile(place.path('heads.jsonl'), 'utf8')).trim().split('\n')
    expect(lines).toHaveLength(2)
    const verified = await place.cli('audit', 'verify', '--witness', 'heads.jsonl')
    expect(verified).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/north:\nwhole: [^]*south:\nwhole: /) as string,
    })
    const alone = ['audit', 'verify', '--account', 'south', '--witness', 'heads.jsonl']
    expect((await place.cli(...alone)).code).toBe(0)
    // Without a line of its own nothing is known of a log.
    await place.write('heads.jsonl', `${lines[0]}\n`)
    expect(await place.cli(...alone)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no line of this state') as string,
    })
    // A state that no account has is one that was replaced.
    const foreign = lines[1]?.replace(/"instance":"./, '"instance":"x')
    await place.write('heads.jsonl', `${lines.join('\n')}\n${foreign}\n`)
    expect(await place.cli(...alone)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is of another state') as string,
    })
  })

  it.each([
    ['audit', 'list'],
    ['audit', 'verify'],
    ['audit', 'witness'],
    ['explain', 'shop', '1'],
    ['state', 'backup', 'copy.db'],
  ])('says what makes the state where there is none yet: %s %s', async (...words) => {
    const { code, stderr } = await place.cli(...words)
    expect([code, stderr.split('\n')]).toEqual([
      2,
      [
        `USAGE: there is no state ${place.path('state/contact-sync.db')} yet`,
        'The first run creates it.',
        '',
      ],
    ])
  })

  it.each([
    ['audit', 'list'],
    ['audit', 'verify'],
    ['audit', 'export', 'log.jsonl'],
    ['audit', 'witness'],
    ['explain', 'shop', '1'],
    ['state', 'backup', 'copy.db'],
  ])('says that the state was lost where its mark is there: %s %s', async (...words) => {
    await run('a.csv', 'Anna')
    for (const part of ['', '-wal', '-shm'])
      await rm(place.path(`state/contact-sync.db${part}`), { force: true })
    const { code, stderr } = await place.cli(...words)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^STATE_OLDER: .*does not exist, but its mark says that run 1 /),
    ])
    expect(stderr).not.toContain('The first run creates it')
  })

  it('prints the line where no place is named', async () => {
    await run('a.csv', 'Anna')
    for (const named of [[], ['--to', '-']]) {
      const { stdout } = await place.cli('audit', 'witness', ...named)
      expect(readWitnesses(stdout)).toHaveLength(1)
    }
    expect(existsSync(place.path('-'))).toBe(false)
  })

  it('tells an address by POST, and says where it was not accepted', async () => {
    await run('a.csv', 'Anna')
    await place.write('config.yaml', CONFIGURATION(`audit: { witness: { to: "${receiverUrl()}" } }`))
    expect((await place.cli('audit', 'witness')).code).toBe(0)
    expect(readWitnesses(posted.join(''))).toMatchObject([{ entries: 1 }])
    answer = 500
    const refused = await place.cli('audit', 'witness')
    expect(refused.code).toBe(3)
    expect(refused.stderr).toMatch(/was not accepted by 127\.0\.0\.1:\d+: answered with 500/)
  })

  it('sends nothing unencrypted to another machine', async () => {
    await run('a.csv', 'Anna')
    expect((await place.cli('audit', 'witness', '--to', 'http://audit.example.com/')).stderr).toMatch(
      /would be sent unprotected/,
    )
    await place.write('config.yaml', CONFIGURATION('audit: { witness: { to: "http://audit.example.com/" } }'))
    expect((await place.cli('check')).stdout).toMatch(/audit\.witness\.to: would be sent unprotected/)
  })
})

describe('a log that was rewritten with all keys', () => {
  /** A state made again, from files that say something else: every key and every hash of it is in order. */
  async function rewritten(): Promise<void> {
    await run('a.csv', 'Anna')
    await run('b.csv', 'Annabel')
    await place.cli('audit', 'witness', '--to', 'heads.jsonl')
    const { instance } = readWitnesses(await readFile(place.path('heads.jsonl'), 'utf8'))[0]!
    await rm(place.path('state'), { recursive: true })
    await run('c.csv', 'Berta')
    await run('d.csv', 'Bertine')
    const { default: Database } = await import('better-sqlite3')
    const db = new Database(place.path('state/contact-sync.db'))
    db.prepare("UPDATE meta SET value = ? WHERE name = 'instance'").run(instance)
    db.close()
    await rm(place.path('state/contact-sync.db.mark'), { force: true })
  }

  it('is found by verify, and by a machine without Node', async () => {
    await rewritten()
    expect(await place.cli('audit', 'verify')).toMatchObject({ code: 0 })
    const told = await place.cli('audit', 'verify', '--witness', 'heads.jsonl')
    expect(told.code).toBe(1)
    expect(told.stderr).toMatch(
      /NOT WHOLE: entry 2: line 1 of the witness says .* the log was cut off or rewritten/,
    )

    await place.cli('audit', 'export', 'log.jsonl')
    const verified = (...files: string[]) =>
      spawnSync('python3', [VERIFIER, ...files.map((file) => place.path(file))], { encoding: 'utf8' })
    expect(verified('log.jsonl').stdout).toMatch(/^whole, 2 entries, head [\da-f]{64}/)
    expect(verified('log.jsonl', 'heads.jsonl')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /^NOT WHOLE: entry 2: line 1 of the witness .* the log was rewritten/,
      ) as string,
    })
    expect(verified('log.jsonl', 'none.jsonl')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/none\.jsonl cannot be read: No such file/) as string,
    })
  })

  it('is found where its end is missing, or the state is another', async () => {
    await run('a.csv', 'Anna')
    await run('b.csv', 'Annabel')
    await place.cli('audit', 'witness', '--to', 'heads.jsonl')
    await place.cli('audit', 'export', 'log.jsonl')
    const first = (await readFile(place.path('log.jsonl'), 'utf8')).split('\n')[0]!
    await place.write('cut.jsonl', `${first}\n`)
    const cut = spawnSync('python3', [VERIFIER, place.path('cut.jsonl'), place.path('heads.jsonl')], {
      encoding: 'utf8',
    })
    expect(cut).toMatchObject({
      status: 1,
      stderr: 'NOT WHOLE: entries 2 to 2 are missing: the witness had them\n',
    })
    await rm(place.path('state'), { recursive: true })
    await run('c.csv', 'Berta')
    const other = await place.cli('audit', 'verify', '--witness', 'heads.jsonl')
    expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/of another state/)])
  })

  it.each([
    ['', 'holds no line of audit witness'],
    ['hello', 'line 1 is no line of audit witness'],
  ])('is not judged by a file that is no witness (%j)', async (text, why) => {
    await run('a.csv', 'Anna')
    await place.write('heads.jsonl', text)
    const told = await place.cli('audit', 'verify', '--witness', 'heads.jsonl')
    expect([told.code, told.stderr]).toEqual([2, expect.stringContaining(why)])
  })
})

describe('the mark beside the state', () => {
  const mark = (): string => place.path('state/contact-sync.db.mark')
  const marked = async (): Promise<Record<string, unknown>> =>
    JSON.parse(await readFile(mark(), 'utf8')) as Record<string, unknown>

  it.each([
    ['of a log with another entry', { hash: 'f'.repeat(64) }, 2, 'says that it had the hash ffff'],
    ['of another state', { instance: 'other' }, 2, 'is of another state'],
    ['of a longer log', { entries: 3 }, 3, 'says that there were 3 entries'],
  ])('shows a log that was rewritten, replaced or cut off: %s', async (_, change, seq, why) => {
    await run('a.csv', 'Anna')
    await run('b.csv', 'Annabel')
    expect(await place.cli('audit', 'verify')).toMatchObject({ code: 0 })
    await writeFile(mark(), JSON.stringify({ ...(await marked()), ...change }))
    const { code, stderr } = await place.cli('audit', 'verify')
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(
          `^NOT WHOLE: entry ${seq}: .*the mark beside the state ${why}.*\\n {2}the 2 entries that are`,
        ),
      ),
    ])
  })

  it('is no proof where it cannot be read', async () => {
    await run('a.csv', 'Anna')
    await writeFile(mark(), 'nothing')
    expect(await place.cli('audit', 'verify')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the mark beside the state cannot be read') as string,
    })
  })
})

describe('the daemon', () => {
  it('writes it when it is due, and tries again after ten minutes', async () => {
    let now = Date.UTC(2026, 10, 1)
    const noted: number[] = []
    const written = new PassThrough()
    const log = createLog(
      { level: 'info', console_level: undefined, format: 'json', folder: undefined, keep: 1 },
      { secrets: [], stream: written },
    )
    const witnessing = createWitnessing({
      clock: { now: () => now, monotonic: () => now },
      log,
      signal: new AbortController().signal,
      settings: () => ({ audit: { witness: { to: receiverUrl(), every: DAY_MS } } }),
      state: {
        logHead: () => Promise.resolve({ entries: noted.length, hash: 'a'.repeat(64) }),
        instance: () => Promise.resolve('one'),
        lastWitness: () => Promise.resolve(noted.at(-1)),
        noteWitness: (at) => {
          noted.push(at)
          return Promise.resolve()
        },
      },
    })
    const pass = async (ms: number): Promise<number> => {
      now += ms
      await witnessing.look()
      return noted.length
    }
    expect([await pass(0), await pass(MINUTE_MS), await pass(DAY_MS - 2 * MINUTE_MS)]).toEqual([1, 1, 1])
    answer = 503
    expect([await pass(2 * MINUTE_MS), posted.length]).toEqual([1, 2])
    expect([await pass(9 * MINUTE_MS), posted.length]).toEqual([1, 2])
    answer = 200
    expect([await pass(MINUTE_MS), posted.length]).toEqual([2, 3])
    await log.close()
    const lines = (written.read() as Buffer).toString()
    expect([...lines.matchAll(/witness (not )?written/g)].map(([text]) => text)).toEqual([
      'witness written',
      'witness not written',
      'witness written',
    ])
  })

  it.each([
    [undefined, true],
    [0, true],
    [10, false],
    [11, true],
    [-5, true],
  ])('has it due where the last was %s ms ago', (ago, isDue) => {
    const last = ago === undefined ? undefined : ago === 0 ? 0 : 1000 - ago
    expect(isWitnessDue(last, ago === 11 ? 11 : 20, 1000)).toBe(isDue)
  })
})
