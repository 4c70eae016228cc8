// Processes that are ended, killed, started twice: the promises that hold whatever happens to one of them.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { KEY, MAIN, openWorkshop, peopleCsv, type Workshop } from '../support/cli.ts'

let shop: Workshop
beforeEach(async () => (shop = await openWorkshop({ latencyMs: 15 })))
afterEach(async () => shop.close())

async function configured(change: (yaml: string) => string): Promise<void> {
  await shop.configure(change(await readFile(shop.path('config.yaml'), 'utf8')))
}

/** How often each of the people is at the service. */
async function census(count: number): Promise<number[]> {
  const found = Array.from(
    { length: count },
    async (_, index) => (await shop.contacts(`person${index}@example.com`, 'phone')).length,
  )
  return Promise.all(found)
}

it('prints no key, whatever NODE_DEBUG asks for', async () => {
  await shop.drop('shop', 'a.csv', peopleCsv(2))
  const env = ['NODE_DEBUG=http,https,net,tls,stream,http2', 'NODE_DEBUG_NATIVE=tls']
  const ended = await shop.startBy(['/usr/bin/env', ...env, process.execPath, MAIN], 'run', '--json').ended
  expect(ended.code).toBe(0)
  expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'ok', pipelines: [{ created: 2 }] })
  expect(ended.stderr).toContain('NODE_DEBUG is ignored')
  expect(ended.stdout + ended.stderr).not.toContain(KEY)
  expect(ended.stderr).not.toContain('HTTP ')
})

describe('a run whose output is lost', () => {
  const crm = `  crm:
    source: { type: csv, folder: inbox/crm, settle: 0s }
    key: no
    map: { mail: mail, first_name: first }
`
  beforeEach(async () => {
    await configured((yaml) => yaml + crm)
    await shop.drop('shop', 'a.csv', `${peopleCsv(2)}9,no mail,A,B,1\n`)
    await mkdir(shop.path('inbox', 'crm'))
    await shop.drop('crm', 'b.csv', peopleCsv(4))
  })
  const by = (redirection: string) =>
    ['bash', '--norc', '-c', `"$0" "$@" ${redirection}`, process.execPath, MAIN] as const

  it.each([
    ['its reader has gone', '| true; exit ${PIPESTATUS[0]}', 3, ''],
    ['its disk is full', '> /dev/full', 3, 'standard output cannot be written: ENOSPC'],
  ])('does all that it was asked for, and gives its exit code: %s', async (_, redirection, code, message) => {
    const ended = await shop.startBy(by(redirection), 'run').ended
    expect([ended.code, ended.stderr.split('\n')]).toMatchObject([
      code,
      [expect.stringContaining(message), ...(message === '' ? [] : [''])],
    ])
    expect(await census(4)).toEqual([1, 1, 1, 1])
  })

  it('is not done where nobody can read its answer: 1 in place of 0', async () => {
    await shop.drop('shop', 'a.csv', peopleCsv(2))
    expect((await shop.startBy(by('> /dev/full'), 'run', '--json').ended).code).toBe(1)
    expect((await shop.startBy(by('> /dev/full'), 'status').ended).code).toBe(1)
    expect((await shop.startBy(by('| true; exit ${PIPESTATUS[0]}'), 'status').ended).code).toBe(0)
  })
})

it.each([['schema'], ['--help']])(
  '%s is not done where the disk has room for a part of its answer',
  async (asked) => {
    const limited = 'ulimit -f 4; "$0" "$@" > answer' // A file of 4 KiB: the write that meets the limit writes a part.
    const ended = await shop.startBy(['bash', '--norc', '-c', limited, process.execPath, MAIN, asked]).ended
    expect((await stat(shop.path('answer'))).size).toBe(4096)
    expect(ended.stderr).toContain('standard output cannot be written: EFBIG')
    expect(ended.code).toBe(1)
  },
)

it('says so where its current folder was removed', async () => {
  const removed = 'mkdir gone; cd gone; rmdir ../gone; exec "$0" "$@"'
  const ended = await shop.startBy(['bash', '--norc', '-c', removed, process.execPath, MAIN], 'status').ended
  expect(ended).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'The current folder no longer exists. Change to one that exists, and try again.\n',
  })
})

it.each([['rejects export out'], ['audit export out'], ['audit export out --subject person0@example.com']])(
  '%s tells a warning of the configuration once',
  async (command) => {
    await shop.drop('shop', 'a.csv', peopleCsv(1))
    expect((await shop.cli('run')).code).toBe(0)
    await configured((yaml) => yaml.replace('${API_KEY}', KEY))
    const { code, stderr } = await shop.cli(...command.split(' '))
    expect([code, stderr.match(/warning: /g)]).toEqual([0, ['warning: ']])
  },
)

it('SIGTERM ends a daemon soon whose log nobody reads', async () => {
  await configured((yaml) => yaml.replace('state: {', 'log: { folder: logs }\nstate: {'))
  const full = 'mkfifo log; exec 3<>log; head -c 65536 /dev/zero >&3; exec "$0" "$@" 2>&3'
  const daemon = shop.startBy(['bash', '--norc', '-c', full, process.execPath, MAIN], 'start')
  const logged = async (): Promise<string> => {
    const [name = ''] = await readdir(shop.path('logs'))
    return readFile(shop.path('logs', name), 'utf8')
  }
  await vi.waitFor(async () => expect(await logged()).toContain('daemon started'), 30_000)
  const asked = Date.now()
  daemon.process.kill('SIGTERM')
  expect((await daemon.ended).code).toBe(143)
  expect(Date.now() - asked).toBeLessThan(5_000)
  expect(await logged()).toContain('daemon stopped')
})

it.each([24, 26, 30])('a limit of %i open files is named, and costs nothing', async (files) => {
  await shop.drop('shop', 'a.csv', peopleCsv(2))
  const limited = [
    'bash',
    '--norc',
    '-c',
    `ulimit -n ${files}; exec "$0" "$@"`,
    process.execPath,
    MAIN,
  ] as const
  const { code, stderr } = await shop.startBy(limited, 'run').ended
  if (code !== 0)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^TOO_MANY_FILES: .*\nPermit more open files/)])
  expect((await shop.cli('run')).code).toBe(0)
  expect(await census(2)).toEqual([1, 1])
})

it('SIGTERM ends a daemon as usual whose socket cannot be removed, as on a disk that became read-only', async () => {
  const daemon = shop.start('start')
  await daemon.stderrHas(/daemon started/)
  const socket = shop.path('state', 'contact-sync.db.sock')
  await vi.waitFor(() => rm(socket), 10_000)
  await mkdir(socket)
  daemon.process.kill('SIGTERM')
  expect(await daemon.ended).toMatchObject({
    code: 143,
    stderr: expect.not.stringContaining('bug') as string,
  })
})

describe('a process that is killed', () => {
  it.each(['email', 'none'])(
    'at any moment ends with the same contacts as an undisturbed one: check %s',
    async (check) => {
      const people = 60
      await configured((yaml) =>
        yaml
          .replace('key: no', `duplicate_check_method: ${check}\n    key: no`)
          .replace('doubt:', 'bulk: { size: 3 }\n  doubt:'),
      )
      await shop.drop('shop', 'a.csv', peopleCsv(people))
      for (let round = 0; round < 6; round += 1) {
        const run = shop.start('run')
        const target = shop.writes() + 1 + ((round * 7) % 5)
        while (shop.writes() < target && run.process.exitCode === null)
          await new Promise((wake) => setImmediate(wake))
        run.process.kill('SIGKILL')
        await run.ended
      }
      const last = await shop.cli('run', '--json')
      expect(JSON.parse(last.stdout)).toMatchObject({
        status: 'ok',
        pipelines: [{ failed: 0, in_doubt: 0, rejected: 0 }],
      })
      expect(await census(people)).toEqual(Array.from({ length: people }, () => 1))
      await shop.drop('shop', 'a.csv', peopleCsv(people))
      expect(JSON.parse((await shop.cli('run', '--json')).stdout)).toMatchObject({
        pipelines: [{ unchanged: people, requests: 0 }],
      })
    },
  )

  it('gives the lock back with its life', async () => {
    const daemon = shop.start('start')
    await daemon.stderrHas(/daemon started/)
    expect((await shop.cli('start')).code).toBe(6)
    daemon.process.kill('SIGKILL')
    await daemon.ended
    expect((await shop.cli('run')).code).toBe(0)
  })
})

describe('the daemon', () => {
  const port = async (log: string): Promise<number> => Promise.resolve(Number(/"port":(\d+)/.exec(log)?.[1]))

  it('runs on schedule, tells its health, refuses a second owner, and ends on SIGTERM', async () => {
    await configured((yaml) =>
      yaml.replace('    key: no', '    schedule: "* * * * * *"\n    timezone: Europe/Berlin\n    key: no'),
    )
    await shop.drop('shop', 'a.csv', peopleCsv(5))
    const daemon = shop.start('start')
    const url = `http://127.0.0.1:${await port(await daemon.stderrHas(/daemon started/))}`
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' })
    const ready = await fetch(`${url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready', reasons: [] }])
    // Whatever is not health is closed without a token.
    expect((await fetch(`${url}/nowhere`)).status).toBe(403)
    await daemon.stderrHas(/"created":5.*run ended|run ended.*"created":5|"created":5/)
    const second = await shop.cli('start')
    expect(second.code).toBe(6)
    expect(second.stderr).toMatch(/STATE_LOCKED: another process holds the state .*\(process \d+, since/)
    expect((await shop.cli('status')).stdout).toMatch(/next run \d{4}-/)
    expect((await shop.cli('plan')).code).toBe(0)
    daemon.process.kill('SIGTERM')
    const { code, stderr } = await daemon.ended
    expect(code).toBe(143)
    expect(stderr).toContain('daemon stopped')
  })

  it('ended in mid-run finishes what is on its way, with nothing in doubt', async () => {
    await configured((yaml) =>
      yaml
        .replace('    key: no', '    schedule: "* * * * * *"\n    key: no')
        .replace('doubt:', 'bulk: { size: 1 }\n  doubt:'),
    )
    await shop.drop('shop', 'a.csv', peopleCsv(400))
    const daemon = shop.start('start')
    while (shop.writes() < 5) await new Promise((wake) => setImmediate(wake))
    daemon.process.kill('SIGTERM')
    expect((await daemon.ended).code).toBe(143)
    const sent = shop.writes()
    expect(sent).toBeLessThan(400)
    const status = JSON.parse((await shop.cli('status', '--json')).stdout) as { pipelines: unknown[] }
    expect(status).toMatchObject({ pipelines: [{ linked: sent, in_doubt: 0 }] })
    expect(await readdir(shop.path('inbox', 'shop'))).toEqual(['a.csv'])
  })

  it('opens no debugger on SIGUSR1', async () => {
    await configured((yaml) => yaml.replace('    key: no', '    schedule: "* * * * * *"\n    key: no'))
    await shop.drop('shop', 'a.csv', peopleCsv(1))
    const daemon = shop.start('start')
    await daemon.stderrHas(/daemon started/)
    daemon.process.kill('SIGUSR1')
    await daemon.stderrHas(/"created":1/)
    daemon.process.kill('SIGTERM')
    const { code, stderr } = await daemon.ended
    expect(code).toBe(143)
    expect(stderr).not.toContain('Debugger')
  })

  it('does not start on a port that is taken', async () => {
    await configured((yaml) => yaml.replace('port: 0', `port: ${shop.sandbox.port}`))
    const { code, stderr } = await shop.cli('start')
    expect(code).toBe(2)
    expect(stderr).toContain('Set server.port')
  })
})

it('a run that is interrupted says so by its exit code and leaves the file', async () => {
  await configured((yaml) => yaml.replace('doubt:', 'bulk: { size: 1 }\n  doubt:'))
  await shop.drop('shop', 'a.csv', peopleCsv(300))
  const run = shop.start('run')
  while (shop.writes() < 3) await new Promise((wake) => setImmediate(wake))
  run.process.kill('SIGINT')
  expect((await run.ended).code).toBe(130)
  expect(await readdir(shop.path('inbox', 'shop'))).toEqual(['a.csv'])
})

describe('an older Node', () => {
  const older = ['/usr/local/bin/node', '/usr/bin/node'].find(
    (path) =>
      existsSync(path) &&
      Number(execFileSync(path, ['-p', 'process.versions.node.split(".")[0]']).toString()) < 22,
  )
  it.skipIf(older === undefined)('hands over to the one that the checkout brings', () => {
    const output = execFileSync(older ?? '', [MAIN, '--version']).toString()
    expect(output).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('a source module', () => {
  const MODULE = `export default async function* ({ how, mail }, { signal }) {
    console.log('asks for ' + mail)
    const fail = () => { throw new RangeError('no ' + mail) }
    yield { no: '1', mail }
    if (how === 'promise') void (async () => fail())()
    if (how === 'timer') setTimeout(fail, 1)
    if (how === 'late') setTimeout(fail, 300)
    if (how === 'left') setInterval(() => undefined, 3_600_000)
    if (how === 'listener') signal.addEventListener('abort', fail)
    if (how === 'timer') await new Promise((wake) => setTimeout(wake, 100))
  }`
  const source = (how: string): string =>
    `{ type: module, path: own.mjs, sparse: true, options: { how: ${how}, mail: ann@example.com } }`
  const withModule = (how: string, pipeline = 'key: no') =>
    configured((yaml) =>
      yaml.replace('{ type: csv, folder: inbox/shop, settle: 0s }', source(how)).replace('key: no', pipeline),
    )
  beforeEach(async () => writeFile(shop.path('own.mjs'), MODULE))

  it.each(['promise', 'timer'])('fails its run by an error of a %s that it does not handle', async (how) => {
    await withModule(how)
    const { code, stdout, stderr } = await shop.cli('run', '--json')
    expect([code, JSON.parse(stdout)]).toMatchObject([3, { pipelines: [{ created: 1 }] }])
    expect(stdout).toContain('an unhandled error: RangeError')
    // What it prints is no part of the answer.
    expect(stderr).toContain('asks for ann@example.com')
    expect(stderr).not.toMatch(/at .*own\.mjs/)
  })

  it('does not keep the process by what it leaves running', async () => {
    await withModule('left')
    const { code, stdout } = await shop.cli('run', '--json')
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { pipelines: [{ created: 1 }] }])
  })

  it.each(['late', 'listener'])('ends no daemon by an error that is %s', async (how) => {
    await withModule(how, 'schedule: "* * * * * *"\n    key: no')
    const daemon = shop.start('start')
    const log = await daemon.stderrHas(/run ended(.|\n)*message from the source(.|\n)*run ended/)
    expect(log).not.toContain('no ann@example.com')
    daemon.process.kill('SIGTERM')
    const ended = await daemon.ended
    expect(ended.code, ended.stderr).toBe(143)
  })
})
