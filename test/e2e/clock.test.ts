// A daemon as a separate process, whose machine's clock is set: it answers, runs what is due, and ends when it is asked.
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MAIN, openWorkshop, peopleCsv, type Workshop } from '../support/cli.ts'

const JUMPING = resolve(import.meta.dirname, '../support/jumping-date.ts')
const DAY = 86_400_000

let shop: Workshop
beforeEach(async () => (shop = await openWorkshop()))
afterEach(async () => shop.close())

it.each([
  ['put forward by a year', 365 * DAY],
  ['put back by a year', -365 * DAY],
  ['put back to 1970', -Date.now() + DAY],
])(
  'under a clock that is %s health answers, what is due runs, and SIGTERM ends it',
  async (_, byMs) => {
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    await shop.configure(yaml.replace('    key: no', '    schedule: "* * * * * *"\n    key: no'))
    await shop.drop('shop', 'a.csv', peopleCsv(1))
    const daemon = shop.startBy([process.execPath, '--import', JUMPING, MAIN], 'start')
    const port = /"port":(\d+)/.exec(await daemon.stderrHas(/daemon started/))?.[1] ?? ''
    await daemon.stderrHas(/"created":1/)
    await writeFile(shop.path('clock-offset'), String(byMs))
    daemon.process.kill('SIGUSR2')
    await shop.drop('shop', 'b.csv', peopleCsv(2))
    // Nobody is asked at the very moment of the jump: the next tick must have come.
    await daemon.stderrHas(/"created":1[^\n]*\n[^]*"created":1/)
    const health = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2000) })
    expect(await health.json()).toEqual({ status: 'ok' })
    const asked = performance.now()
    daemon.process.kill('SIGTERM')
    const { code } = await daemon.ended
    expect(code).toBe(143)
    expect(performance.now() - asked).toBeLessThan(10_000)
  },
  60_000,
)
