// `status` beside a real daemon, once and again and again.
import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkshop, peopleCsv, type Workshop } from '../support/cli.ts'

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop()
})
afterEach(() => shop.close())

interface Status {
  readonly owner: { readonly pid: number; readonly since: string } | null
  readonly pause: Record<string, unknown> | null
  readonly rate: Record<string, unknown>
  readonly pipelines: readonly Record<string, unknown>[]
}

it('tells of files that wait, of the last run, and of the process that holds the state', async () => {
  await shop.drop('shop', 'a.csv', peopleCsv(3))
  const before = JSON.parse((await shop.cli('status', '--json')).stdout) as Status
  expect(before).toMatchObject({
    owner: null,
    pipelines: [
      { running: false, last_run: null, last_success: null, waiting: { files: 1 }, to_send: { changes: 0 } },
    ],
  })
  expect((await shop.cli('status')).stdout).toMatch(/shop: never ran[^]*inbox: 1 file \(\d+ B\)/)
  await shop.cli('run')
  const daemon = shop.start('start')
  await daemon.stderrHas(/daemon started/)
  const after = JSON.parse((await shop.cli('status', 'shop', '--json')).stdout) as Status
  daemon.process.kill('SIGTERM')
  await daemon.ended
  expect(after.owner?.pid).toBe(daemon.process.pid)
  expect(after.pipelines).toMatchObject([
    { last_run: { status: 'ok', read: 3 }, waiting: { files: 0 }, linked: 3 },
  ])
  expect((await shop.cli('status', 'nobody')).code).toBe(2)
})

const json = async (): Promise<Status> => JSON.parse((await shop.cli('status', '--json')).stdout) as Status

it('tells of a pause of the daemon while it lasts and its process lives, and of no other', async () => {
  const yaml = await readFile(shop.path('config.yaml'), 'utf8')
  await shop.configure(
    yaml
      .replace('    key: no', '    schedule: "* * * * * *"\n    timezone: UTC\n    key: no')
      // Nobody listens there; the port of a sandbox that was closed may be another test's by then.
      .replace('${BASE_URL}', 'http://127.0.0.1:1'),
  )
  await shop.drop('shop', 'a.csv', peopleCsv(3))
  const daemon = shop.start('start')
  await daemon.stderrHas(/service unavailable: runs paused/)
  const paused = await json()
  const text = (await shop.cli('status')).stdout
  daemon.process.kill('SIGKILL')
  await daemon.ended
  expect(paused.pause).toMatchObject({ code: 'SERVICE_UNREACHABLE', reason: expect.any(String) as string })
  expect(Date.parse(String(paused.pause?.['since']))).toBeGreaterThan(Date.parse(paused.owner?.since ?? ''))
  expect(text.replaceAll(/\s+/g, ' ')).toMatch(
    /! Paused since .* no run starts: SERVICE_UNREACHABLE: .* Check service\.base_url/,
  )
  expect((await json()).pause).toBeNull()
})

it('tells of released changes, of files that failed, and of the rate in force', async () => {
  const yaml = await readFile(shop.path('config.yaml'), 'utf8')
  await shop.configure(
    yaml
      .replace('concurrency: 4', 'concurrency: 4, per_day: 10000')
      .replace('    key: no', '    mode: full\n    on_missing: delete\n    key: no'),
  )
  await shop.drop('shop', 'a.csv', peopleCsv(10))
  await shop.cli('run')
  const all = peopleCsv(10).split('\n')
  await shop.drop('shop', 'b.csv', `${all.slice(0, 7).join('\n')}\n`)
  const held = JSON.parse((await shop.cli('run', '--json')).stdout) as { pipelines: { run_id: string }[] }
  await shop.drop('shop', 'c.csv', 'no,mail\n')
  await shop.cli('run')
  expect((await json()).pipelines).toMatchObject([{ held: 4, released: 0, failed_files: { files: 1 } }])
  expect((await shop.cli('held', 'release', held.pipelines[0]?.run_id ?? '')).code).toBe(0)
  const { pipelines, rate } = await json()
  expect(pipelines).toMatchObject([
    {
      held: 4,
      released: 4,
      failed_files: { files: 1, oldest: expect.stringMatching(/^\d{4}-.*Z$/) as string },
    },
  ])
  expect(rate).toMatchObject({
    requests: 500,
    per_ms: 1000,
    allowed: 500,
    slowed_until: null,
    per_day: 10000,
  })
  expect(rate['used_of_day']).toBeGreaterThan(0)
  const text = (await shop.cli('status')).stdout
  expect(text).toContain('! 4 released, sent by the next run')
  expect(text).not.toContain('held list')
  expect(text).toMatch(/! 1 file in failed\/, the oldest since \d{4}/)
  expect(text).toMatch(/^Rate: 500 requests in 1 s; \d+ used now; \d+ of 10,000 requests in 24 hours used\./m)
})

it('tells that the service has asked for fewer requests, and when all may be sent again', async () => {
  await shop.close()
  shop = await openWorkshop({ rateLimit: { requests: 1, perMs: 4000 } })
  const yaml = await readFile(shop.path('config.yaml'), 'utf8')
  await shop.configure(yaml.replace('concurrency: 4 }', 'concurrency: 4 }\n  bulk: { size: 1 }'))
  const before = await json()
  await shop.drop('shop', 'a.csv', peopleCsv(3))
  await shop.cli('run')
  expect(before.rate).toMatchObject({ allowed: 500, slowed_until: null })
  const { rate } = await json()
  expect(rate['allowed']).toBeLessThan(500)
  expect(Date.parse(String(rate['slowed_until']))).toBeGreaterThan(Date.now())
  expect((await shop.cli('status')).stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /Rate: \d+ of 500 requests in 1 s, because the service asked for fewer \(all again in/,
  )
})

it('--watch goes on until it is ended: a line of JSON each time', async () => {
  const watching = shop.start('status', '--watch', '--every', '0.1', '--json')
  let seen = ''
  await new Promise<void>((resolve) =>
    watching.process.stdout?.on('data', (chunk: Buffer) => {
      seen += chunk.toString()
      if (seen.split('\n').length > 3) resolve()
    }),
  )
  watching.process.kill('SIGINT')
  const { code, stdout } = await watching.ended
  expect(code).toBe(130)
  for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('pipelines')
  expect((await shop.cli('status', '--watch', '--every', 'often')).code).toBe(2)
})
