// The daemon as a process: a file that lands, another configuration, another key, a service that comes late.
import { readFile, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import Database from 'better-sqlite3'
import { startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { KEY, openWorkshop, peopleCsv, type Running, type Workshop } from '../support/cli.ts'

let shop: Workshop
let daemon: Running | undefined
beforeEach(async () => {
  shop = await openWorkshop()
})
afterEach(async () => {
  daemon?.process.kill('SIGKILL')
  await daemon?.ended
  daemon = undefined
  await shop.close()
})

/** The configuration of the workshop with parts of it replaced. */
async function configure(...changes: readonly (readonly [string | RegExp, string])[]): Promise<string> {
  const yaml = await readFile(shop.path('config.yaml'), 'utf8')
  const text = changes.reduce((result, [from, to]) => result.replace(from, to), yaml)
  await shop.configure(text)
  return text
}

const WATCH = ['    key: no\n', '    key: no\n    watch: true\n'] as const

async function started(): Promise<Running> {
  daemon = shop.start('start')
  await daemon.stderrHas(/daemon started/)
  return daemon
}

/** Resolves when so many runs have ended. */
const runs = (running: Running, times: number): Promise<string> =>
  running.stderrHas(new RegExp(Array.from({ length: times }, () => '"run ended"').join('[^]*')))

async function end(running: Running): Promise<string> {
  running.process.kill('SIGTERM')
  const { code, stderr } = await running.ended
  expect(code).toBe(143)
  return stderr
}

it('runs soon after a file has landed and settled, and again for the next one', async () => {
  await configure(WATCH, ['settle: 0s', 'settle: 300ms'])
  const running = await started()
  await shop.drop('shop', '1.csv', peopleCsv(2))
  await runs(running, 1)
  expect(await shop.contacts('person1@example.com', 'id')).toHaveLength(1)
  await shop.drop('shop', '2.csv', peopleCsv(3))
  await runs(running, 2)
  expect(await shop.contacts('person2@example.com', 'id')).toHaveLength(1)
  const stderr = await end(running)
  expect(stderr.match(/"run started"/g)).toHaveLength(2)
})

it('takes what lay there before it was started, and does not run on and on for a file that must stay', async () => {
  await configure(WATCH)
  await shop.drop('shop', '1.csv', peopleCsv(2))
  // Nothing can be archived there.
  await shop.drop('shop', 'processed', '')
  const running = await started()
  await runs(running, 1)
  await shop.drop('shop', 'no-contacts.txt', 'x')
  await shop.drop('shop', '2.csv', peopleCsv(3))
  await runs(running, 2)
  const stderr = await end(running)
  expect(stderr.match(/"run started"/g)).toHaveLength(2)
  expect(await shop.contacts('person2@example.com', 'id')).toHaveLength(1)
})

it('takes another configuration on SIGHUP, and keeps the one in use where the new one is not valid', async () => {
  const valid = await configure(WATCH)
  const running = await started()
  await shop.configure(valid.replace('mode: ', 'mood: ').replace('key: no', 'keys: no'))
  running.process.kill('SIGHUP')
  const refused = await running.stderrHas(/previous one kept/)
  expect(refused).toMatch(/config\.yaml:\d+:\d+: pipelines\.shop\.keys: is not a known key/)
  await shop.drop('shop', '1.csv', peopleCsv(1))
  await runs(running, 1)
  await shop.configure(
    valid.replace('first_name: first', 'first_name: { value: Anders }').replace('port: 0', 'port: 1'),
  )
  running.process.kill('SIGHUP')
  const reloaded = await running.stderrHas(/configuration reloaded/)
  expect(reloaded).toMatch(
    /requires a restart","settings":"server\.port"|"settings":"server\.port".*requires a restart/,
  )
  await shop.drop('shop', '2.csv', peopleCsv(1))
  await runs(running, 2)
  expect(await shop.contacts('person0@example.com', 'first_name')).toMatchObject([{ first_name: 'Anders' }])
  await end(running)
  const db = new Database(shop.path('state', 'contact-sync.db'), { readonly: true })
  const entries = db
    .prepare<[], { entry: string }>('SELECT entry FROM audit')
    .all()
    .map(({ entry }) => entry)
  db.close()
  expect(entries.filter((entry) => entry.includes('"action":"reload"'))).toHaveLength(1)
})

it('opens nothing again for a configuration that waited for the run that a signal ended', async () => {
  const yaml = await configure(WATCH)
  const running = await started()
  shop.sandbox.control.faults.add({ match: 'POST *', next: 1, do: 'delay', ms: 1500 })
  await shop.drop('shop', '1.csv', peopleCsv(1))
  await running.stderrHas(/file read and planned/)
  await shop.configure(
    yaml
      .replace('requests: 500', 'requests: 400')
      .replace('watch: true', 'max_duration: 1h\n    watch: true'),
  )
  running.process.kill('SIGHUP')
  await running.stderrHas(/configuration change waiting for active runs/)
  await end(running)
  const stopped = /"daemon stopped"[^\n]*"timestamp":"([^"]+)"/.exec((await running.ended).stderr)?.[1] ?? ''
  // Not by the patience of the process, which ends 9.5 s after the signal.
  expect(Date.now() - Date.parse(stopped)).toBeLessThan(3000)
})

it('stops asking when the key is refused, and goes on by itself when its file has another', async () => {
  await writeFile(shop.path('key'), 'wrong-key-1234\n', { mode: 0o600 })
  await configure(WATCH, ['api_key: ${API_KEY}', 'api_key_file: key'])
  await shop.drop('shop', '1.csv', peopleCsv(1))
  const running = await started()
  await running.stderrHas(/API key refused/)
  const asked = shop.sandbox.requests().length
  await writeFile(shop.path('key'), `${KEY}\n`)
  const stderr = await running.stderrHas(/"runs resumed"/)
  expect(stderr.match(/API key refused/g)).toHaveLength(1)
  expect(asked).toBeLessThanOrEqual(2)
  // Two runs may have met the wrong key: that of the start, and one for the file.
  await running.stderrHas(/"created":1\b[^\n]*"run ended"|"run ended"[^\n]*"created":1\b/)
  expect(await shop.contacts('person0@example.com', 'id')).toHaveLength(1)
  expect(await end(running)).not.toContain(KEY)
})

it('waits for a service that is not there yet', async () => {
  const port = Number(new URL(shop.sandbox.url).port)
  await shop.sandbox.close()
  await configure(WATCH, ['attempts: 2', 'attempts: 1'])
  await shop.drop('shop', '1.csv', peopleCsv(1))
  const running = await started()
  await running.stderrHas(/service unavailable: runs paused/)
  const late = await startSandbox({ port, apiKey: KEY, habits: {}, clock: systemClock })
  try {
    await running.stderrHas(/"runs resumed"/)
    await runs(running, 2)
    expect(late.requests().some(({ method }) => method !== 'GET')).toBe(true)
    await end(running)
  } finally {
    await late.close()
  }
})
