// What the program makes of its rate limit: in one go, over connections that close after each answer, over a restart after
// a SIGKILL, and with a limit that does not matter, where only the latency does.
import { once } from 'node:events'
import { join } from 'node:path'
import { type Server, startScript, startService } from '../measure.ts'
import { writePeople } from '../people-file.ts'
import type { Bench } from './bench.ts'
import { newPlace, type Place, type PlaceOptions, RUN } from './place.ts'
import { type RateUse, rateUse } from './rate-use.ts'

const LATENCY_MS = 50
const WINDOW_MS = 1000
const ALLOWED = 40
const AT_ONCE = 4
const BULK_SIZE = 10
/** Requests of a run: ten windows, or five where the whole bench is a short one. */
const requestsFor = (rows: number): number => (rows < 100_000 ? 5 : 10) * ALLOWED

interface Case {
  readonly what: string
  readonly allowed: number
  readonly connections?: 'kept' | 'cold'
  readonly go: (place: Place, service: Server) => Promise<unknown>
}

const inOneGo = (place: Place): Promise<unknown> => place.run()

/** Killed in its second window, and started again at once. */
async function overRestart(place: Place, service: Server): Promise<void> {
  const killed = startScript(place.folder, RUN)
  killed.stdout?.resume()
  killed.stderr?.resume()
  const ended = once(killed, 'close')
  await service.after(ALLOWED + ALLOWED / 2)
  killed.kill('SIGKILL')
  await ended
  await place.runAfterKill()
}

async function useIn({ allowed, connections, go }: Case, { folder, rows }: Bench): Promise<RateUse> {
  const service = await startService(LATENCY_MS, connections)
  try {
    const options: PlaceOptions = { requests: allowed, bulkSize: BULK_SIZE }
    const place = await newPlace(folder, service.url, options)
    const file = join(place.folder, 'people.csv')
    await writePeople(file, { rows: requestsFor(rows) * BULK_SIZE })
    await place.drop(file)
    await go(place, service)
    const use = rateUse(await service.requests(), { allowed, windowMs: WINDOW_MS, atOnce: AT_ONCE })
    await place.remove()
    return use
  } finally {
    service.end()
  }
}

export async function benchRate(bench: Bench): Promise<void> {
  const { sheet } = bench
  const add = sheet.begin([
    `${LATENCY_MS} ms for each answer, ${AT_ONCE} at once`,
    'requests',
    'answer ms',
    'allowed/s',
    'fullest',
    'share in use',
  ])
  const measure = async (one: Case): Promise<RateUse> => {
    const use = await useIn(one, bench)
    const { requests, answerMs, fullest, share } = use
    const figures = [requests, answerMs.toFixed(1), one.allowed, fullest, share.toFixed(3)]
    add(one.what, ...figures.map(String))
    return use
  }
  const kept = await measure({ what: 'kept connections', allowed: ALLOWED, go: inOneGo })
  sheet.judge('rate_over', kept.fullest / ALLOWED)
  sheet.judge('rate_unused', 1 - kept.share)
  const cold = await measure({ what: 'cold connections', allowed: ALLOWED, connections: 'cold', go: inOneGo })
  sheet.judge('cold_over', cold.fullest / ALLOWED)
  sheet.judge('cold_unused', 1 - cold.share)
  const restarted = await measure({
    what: 'over a restart, its time included',
    allowed: ALLOWED,
    go: overRestart,
  })
  sheet.judge('restart_over', restarted.fullest / ALLOWED)
  const fast = await measure({ what: 'no limit that matters', allowed: 100_000, go: inOneGo })
  sheet.judge('latency_unused', 1 - fast.share)
}
