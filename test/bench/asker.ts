// A process that asks a service as fast as the rate limit of all workers lets it, until it is told to end.
import { GUEST } from '../../src/core/fleet.ts'
import type { ServerPlace } from '../../src/core/state-place.ts'
import { createRateLimiter } from '../../src/service/rate-limiter.ts'
import { openState } from '../../src/store/state-store.ts'
import { systemClock } from '../../src/system.ts'

interface Asking {
  readonly place: ServerPlace
  readonly address: string
  readonly leaseMs: number
  readonly requests: number
  readonly perMs: number
  readonly atOnce: number
}

const { place, address, leaseMs, requests, perMs, atOnce } = JSON.parse(process.argv[2] ?? '') as Asking
const state = openState(place, { pid: process.pid, since: 0, thorough: false, leaseMs })
const shared = state.slots?.({
  service: 'measured',
  perMs,
  timeoutMs: 2000,
  recoveryMs: 60_000,
  monotonic: () => systemClock.monotonic(),
})
const ending = new AbortController()
const limiter = createRateLimiter(
  { requests, per: perMs, concurrency: atOnce },
  { clock: systemClock, ...(shared === undefined ? {} : { shared }) },
)
const ask = async (): Promise<void> => {
  while (!ending.signal.aborted)
    await limiter.run(() => fetch(address).then(async (answer) => answer.text()), ending.signal)
}
// As each worker does: those that are gone are removed.
const meeting = setInterval(
  () => void state.fleet?.meet(GUEST).catch(() => clearInterval(meeting)),
  leaseMs / 3,
)
process.on('message', () => ending.abort())
process.send?.('ready')
await Promise.all(Array.from({ length: atOnce }, ask)).catch(() => undefined)
process.exit(0)
