// Taps and pipes with real processes: killed in the middle, nothing is lost or doubled, and no STATE goes too far.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KEY, MAIN, openWorkshop, type Workshop } from '../support/cli.ts'

const PEOPLE = 60
const TAP = `
import { readFileSync } from 'node:fs'
const at = process.argv.indexOf('--state')
const since = at < 0 ? 0 : JSON.parse(readFileSync(process.argv[at + 1], 'utf8')).at
process.stderr.write('INFO since ' + since + '\\n')
const write = (message) => process.stdout.write(JSON.stringify(message) + '\\n')
write({ type: 'SCHEMA', stream: 'people', schema: { properties: { no: {}, mail: {}, first: {} } } })
for (let no = since; no < ${PEOPLE}; no += 1) {
  write({ type: 'RECORD', stream: 'people', record: { no, mail: 'person' + no + '@example.com', first: 'F' + no } })
  write({ type: 'STATE', value: { at: no + 1 } })
}
`

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop({ latencyMs: 15 })
  await writeFile(shop.path('tap.mjs'), TAP)
})
afterEach(() => shop.close())

const configure = (command?: readonly string[]): Promise<void> =>
  shop.configure(`
service:
  base_url: \${BASE_URL}
  api_key: \${API_KEY}
  rate_limit: { requests: 500, per: 1s, concurrency: 4 }
  retry: { attempts: 2, max_delay: 1s }
  doubt: { quiesce: 200ms, absent_reads: 1 }
  bulk: { size: 3 }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: ${JSON.stringify({ type: 'singer', stream: 'people', command })}
    key: no
    map: { mail: mail, first_name: first }
`)

/** How often each of the people is at the service. */
const census = (): Promise<number[]> =>
  Promise.all(
    Array.from(
      { length: PEOPLE },
      async (_, no) => (await shop.contacts(`person${no}@example.com`, 'mail')).length,
    ),
  )
const once_ = Array.from({ length: PEOPLE }, () => 1)

const writes = async (least: number): Promise<void> => {
  while (shop.writes() < least) await new Promise((wake) => setImmediate(wake))
}

/** `tap | contact-sync target`, by a shell; what it wrote to standard output. */
function piped(tap = `${process.execPath} tap.mjs`) {
  const child = spawn(
    '/bin/sh',
    [
      '-c',
      `${tap} 2>> tap.log | exec ${process.execPath} ${MAIN} target --config config.yaml 2>> target.log`,
    ],
    {
      cwd: shop.folder,
      env: { ...process.env, BASE_URL: shop.sandbox.url, API_KEY: KEY },
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let stdout = ''
  child.stdout.on('data', (piece: Buffer) => (stdout += String(piece)))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout }))
  return { child, ended, killAll: (name: NodeJS.Signals) => process.kill(-(child.pid ?? 0), name) }
}

describe('a tap', () => {
  it('whose run is killed in the middle: nothing is lost or doubled, and its STATE moves with the last outcome', async () => {
    await configure([process.execPath, 'tap.mjs'])
    for (let round = 0; round < 3; round += 1) {
      const run = shop.start('run')
      await writes(shop.writes() + 2)
      run.process.kill('SIGKILL')
      await run.ended
    }
    expect(JSON.parse((await shop.cli('run', '--json')).stdout)).toMatchObject({
      status: 'ok',
      pipelines: [{ failed: 0, in_doubt: 0, rejected: 0 }],
    })
    expect(await census()).toEqual(once_)
    const sent = shop.writes()
    const last = await shop.cli('run', '--json')
    expect(JSON.parse(last.stdout)).toMatchObject({ status: 'ok', pipelines: [{ read: 0 }] })
    expect(shop.writes()).toBe(sent)
    // Nothing that the tap was given stays.
    expect(readdirSync(shop.path('state', 'spool', 'shop'))).toEqual(['processed'])
  })

  it('is started again without STATE as long as no run has come to its end', async () => {
    await configure([process.execPath, 'tap.mjs'])
    await shop.configure((await readConfig()).replace('state: {', 'log: { folder: log }\nstate: {'))
    const run = shop.start('run')
    await writes(1)
    run.process.kill('SIGKILL')
    await run.ended
    await shop.cli('run')
    await shop.cli('run')
    const [file = ''] = readdirSync(shop.path('log'))
    const said = [...readFileSync(shop.path('log', file), 'utf8').matchAll(/INFO since (\d+)/g)].map(
      ([, at]) => at,
    )
    // The second run took what the first had fetched; the third begins where that ended.
    expect(said).toEqual(['0', String(PEOPLE)])
  })
})

describe('a pipe', () => {
  it('whose end is killed in the middle gives out no STATE too many, and told again nothing is doubled', async () => {
    await configure()
    const first = piped()
    await writes(2)
    first.killAll('SIGKILL')
    expect((await first.ended).stdout).toBe('')
    const { code, stdout } = await piped().ended
    expect(code).toBe(0)
    const states = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(states).toHaveLength(PEOPLE)
    expect(states.at(-1)).toEqual({ at: PEOPLE })
    expect(await census()).toEqual(once_)
  })

  it('that is told to end does so in good order, without a STATE of what has no outcome', async () => {
    await configure()
    const pipe = piped(`(${process.execPath} tap.mjs; sleep 60)`)
    await writes(1)
    pipe.killAll('SIGTERM')
    const { stdout } = await pipe.ended
    expect(stdout).toBe('')
    expect((await piped().ended).stdout.trim().split('\n')).toHaveLength(PEOPLE)
    expect(await census()).toEqual(once_)
  })

  it('whose STATEs nobody reads ends with 1', async () => {
    await configure()
    const { child, ended } = piped()
    child.stdout.destroy()
    expect((await ended).code).toBe(1)
    expect(await census()).toEqual(once_)
  })
})

const readConfig = (): Promise<string> => Promise.resolve(readFileSync(shop.path('config.yaml'), 'utf8'))
