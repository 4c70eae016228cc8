// `status` beside a real daemon, once and again and again.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkshop, peopleCsv, type Workshop } from '../support/cli.ts'

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop()
})
afterEach(() => shop.close())

interface Status {
  readonly owner: { readonly pid: number; readonly since: string } | null
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
