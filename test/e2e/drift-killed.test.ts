// Rounds of looks for drift of a daemon that is killed in the middle, again and again: the next one continues the round, and no
// contact is left out or counted twice.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { KEY, openWorkshop, peopleCsv, type Running, type Workshop } from '../support/cli.ts'

vi.setConfig({ testTimeout: 120_000 })

const CONTACTS = 60
/** Killed once so many contacts were read, by all daemons together. */
const KILLS = [9, 26, 44]
/** Looks that are on their way together: those that a kill meets are made again. */
const AT_ONCE = 4

// Seconds in a schedule: the daemon wakes each second. The rate stretches a round to some seconds.
const configuration = (drift = ''): string => `
service: { base_url: "\${BASE_URL}", api_key: "\${API_KEY}", rate_limit: { requests: ${drift === '' ? 500 : 24}, per: 1s } }
state: { path: state/contact-sync.db }
server: { port: 0 }
pipelines:
  shop:
    schedule: "7 0 3 1 1 *"
    source: { type: csv, folder: inbox/shop, settle: 0s }
    key: no
    map: { mail: mail, first_name: first, family_name: last, phone: phone }
    ${drift}
`

let shop: Workshop
let daemon: Running | undefined
beforeEach(async () => {
  shop = await openWorkshop()
})
afterEach(async () => {
  daemon?.process.kill('SIGKILL')
  await daemon?.ended
  await shop.close()
})

const edit = (id: number): Promise<Response> =>
  fetch(`${shop.sandbox.url}/public/api/V1/contact/${id}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ phone: 'edited' }),
  })

/** The contacts that were read, in order. */
const readsSince = (first: number): readonly string[] =>
  shop.sandbox
    .requests()
    .slice(first)
    .flatMap(({ method, path }) => (method === 'GET' ? (/\/contact\/(\d+)$/.exec(path)?.[1] ?? []) : []))

it('goes on where the killed one was, and counts each contact once', async () => {
  await shop.configure(configuration())
  await shop.drop('shop', '1.csv', peopleCsv(CONTACTS))
  expect((await shop.cli('run')).code).toBe(0)
  for (const id of [1, 30, CONTACTS]) expect((await edit(id)).status).toBe(200)
  await shop.configure(configuration('drift: { every: 24h, share: 1% }'))
  const first = shop.sandbox.requests().length
  const reads = (): readonly string[] => readsSince(first)
  const lives: (readonly string[])[] = []
  for (const kill of KILLS) {
    const before = reads().length
    daemon = shop.start('start')
    const { ended, process: killed } = daemon

    await vi.waitFor(() => expect(reads().length).toBeGreaterThanOrEqual(kill), {
      ...{ timeout: 30_000, interval: 5 },
    })
    killed.kill('SIGKILL')
    const { signal, stderr } = await ended
    expect([signal, stderr.includes('looked for drift')]).toEqual(['SIGKILL', false])
    lives.push(reads().slice(before))
  }
  const before = reads().length
  daemon = shop.start('start')
  const log = await daemon.stderrHas(/more drift than allowed/)
  lives.push(reads().slice(before))

  expect(log).toMatch(/"checked":60,"differing":3,"gone":0[^\n]*"looked for drift"/)
  expect(new Set(reads()).size).toBe(CONTACTS)
  for (const [index, life] of lives.entries()) {
    expect(new Set(life).size).toBe(life.length)
    // What was noted is not looked at again: only those on their way when it was killed are.
    const again = life.filter((id) => lives.slice(0, index).flat().includes(id))
    const last = new Set(lives[index - 1]?.slice(-2 * AT_ONCE))
    expect(again.length).toBeLessThanOrEqual(AT_ONCE)
    expect(again.filter((id) => !last.has(id))).toEqual([])
  }
  // The round is over: the next daemon has nothing to look at.
  daemon.process.kill('SIGTERM')
  await daemon.ended
  const ended = reads().length
  daemon = shop.start('start')
  await daemon.stderrHas(/daemon started/)
  expect((await shop.cli('run')).code).toBe(0)
  expect(reads()).toHaveLength(ended)
})
