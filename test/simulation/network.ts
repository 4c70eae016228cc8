// Between the program and the simulated service: delays, losses, and other answers in its place.
// What the service is asked to do it does, whether or not the program still lives to hear of it.
import type { Attempt, HttpRequest, Transport } from '../../src/service/http.ts'
import type { Chance } from './chance.ts'
import type { Fault, FaultPlan } from './faults.ts'
import type { Ledger, RequestEntry } from './ledger.ts'
import type { Answer, Asked, SimulatedService } from './simulated-service.ts'
import type { Timeline } from './timeline.ts'

export interface NetworkLimits {
  readonly timeoutMs: number
  /** How long after its sender gave up a late request is carried out, at most. */
  readonly latestMs: number
  readonly requests: number
  readonly perMs: number
}

export interface NetworkDeps {
  readonly timeline: Timeline
  readonly ledger: Ledger
  readonly service: SimulatedService
  readonly limits: NetworkLimits
  readonly chance: Chance
  readonly faults: () => FaultPlan
  readonly isRevoked: () => boolean
  /** The program's clock is not the service's: no date says how long to wait. */
  readonly isClockOff: () => boolean
  /** Whether it can no longer be known what the service asked for at that time. */
  readonly isForgotten?: (since: number) => boolean
  readonly violated: (oracle: string, text: string) => void
  readonly trace: (text: string) => void
}

type Headers = Extract<Attempt, { answered: true }>['headers']

const SLOWEST_MS = 400

const answered = (status: number, value: unknown, headers: Headers = {}): Attempt => ({
  answered: true,
  status,
  headers,
  body: typeof value === 'object' && value !== null ? { kind: 'json', value } : { kind: 'other' },
})

const page = (status: number, headers: Headers = {}): Attempt => ({
  answered: true,
  status,
  headers,
  body: { kind: 'other' },
})

const lost = (sent: boolean, code: string): Attempt => ({ answered: false, sent, code })

function askedBy({ method, url, body }: HttpRequest): Asked {
  const [, , , ...path] = url.pathname.split('/')
  return {
    method,
    path: path.slice(1).map(decodeURIComponent),
    query: url.searchParams,
    body: body === undefined ? undefined : (JSON.parse(body) as unknown),
  }
}

/** "Too many requests" in its spellings; `waitMs` is what can surely be read from it. */
function throttling(chance: Chance, now: number): { headers: Headers; waitMs: number } {
  const seconds = chance.pick([1, 2, 7, 45, 120])
  const date = new Date(Math.ceil(now / 1000) * 1000 + seconds * 1000)
  return chance.pick<{ headers: Headers; waitMs: number }>([
    { headers: {}, waitMs: 0 },
    { headers: { 'retry-after': String(seconds) }, waitMs: seconds * 1000 },
    { headers: { 'retry-after': date.toUTCString() }, waitMs: date.getTime() - now },
    { headers: { 'retry-after': 'soon' }, waitMs: 0 },
    { headers: { 'retry-after': '0' }, waitMs: 0 },
    { headers: { 'retry-after': '-5' }, waitMs: 0 },
    { headers: { 'retry-after': '1000000000' }, waitMs: 900_000 },
    { headers: { 'x-rate-limit-reset': String(seconds), 'x-rate-limit-remaining': '0' }, waitMs: 0 },
    { headers: { 'ratelimit-reset': String(Math.ceil(now / 1000) + seconds) }, waitMs: 0 },
  ])
}

/** The answer to a bulk call as it came through: with some left out, or with another contact in it. */
function altered(json: unknown, fault: Fault, chance: Chance): unknown {
  const list: unknown[] = Object.values(json as Record<string, unknown>)
  if (fault === 'stranger') return [...list, { id: 999_999, email: 'stranger@sim.example' }]
  return list.filter(() => chance.happens(0.5))
}

export function createNetwork(deps: NetworkDeps): { transport(life: number): Transport } {
  const { timeline, ledger, service, limits, chance, trace, violated } = deps
  const arrivals: { at: number; life: number }[] = []
  let quiet = { since: 0, until: 0, life: 0 }

  /** The service counts it: over no window more than are allowed (a life that follows another knows nothing of it). */
  function count(entry: RequestEntry): void {
    entry.arrivedAt = timeline.now()
    arrivals.push({ at: entry.arrivedAt, life: entry.life })
    const since = timeline.now() - limits.perMs
    while (arrivals[0] !== undefined && arrivals[0].at <= since) arrivals.shift()
    const inWindow = arrivals.filter(({ life }) => life === entry.life).length
    if (inWindow > limits.requests)
      violated('O6', `${inWindow} requests in ${limits.perMs} ms, ${limits.requests} are allowed`)
  }

  function carryOut(entry: RequestEntry, asked: Asked): Answer {
    entry.appliedAt = timeline.now()
    return service.handle(asked, { who: 'connector', at: timeline.now(), request: entry.number })
  }

  /** Which attempts to be left alone for a while have been heard. */
  function asksForQuiet(life: number, waitMs: number): void {
    if (waitMs <= 0) return
    const now = timeline.now()
    const earlier = quiet.life === life ? quiet.until : 0
    quiet = { since: now, until: Math.max(earlier, now + Math.min(waitMs, 900_000)), life }
  }

  /** In the service's place. */
  function inFront(fault: Fault | undefined, life: number): Attempt | undefined {
    switch (fault) {
      case 'throttled': {
        const { headers, waitMs } = throttling(chance, timeline.now())
        const isDate = headers['retry-after']?.includes('GMT') === true
        asksForQuiet(life, isDate && deps.isClockOff() ? 0 : waitMs)
        return chance.happens(0.5) ? page(429, headers) : answered(429, { error: 'slow down' }, headers)
      }
      case 'away': {
        const seconds = chance.pick([1, 5, 60])
        asksForQuiet(life, seconds * 1000)
        return page(503, { 'retry-after': String(seconds) })
      }
      case 'failed_before':
        return chance.happens(0.5) ? page(chance.pick([500, 502, 503, 504])) : answered(500, { error: true })
      case 'too_slow':
        return page(408)
      case 'page_before':
        return page(200)
      case 'page_404':
        return page(404)
      case 'redirect':
        return page(302, { location: 'https://elsewhere.example/login' })
      case 'denied':
        return answered(401, { error: 'key' })
      case 'forbidden':
        return page(403)
      default:
        return undefined
    }
  }

  /** What comes back of an answer. */
  function onTheWayBack(answer: Answer, asked: Asked, fault: Fault | undefined): Attempt {
    switch (fault) {
      case 'reset':
        return lost(true, 'ECONNRESET')
      case 'broken_answer':
        return { answered: true, status: answer.status, headers: {}, body: { kind: 'broken' } }
      case 'failed_after':
        return page(chance.pick([500, 502, 504]))
      case 'page_after':
      case 'empty_answer':
        return page(200)
      case 'odd_answer':
        return answered(200, { result: 'stored' })
      case 'missing_members':
      case 'stranger':
        return asked.path[0] === 'contacts' && answer.status === 200 && !('error' in (answer.json as object))
          ? answered(200, altered(answer.json, fault, chance))
          : answered(answer.status, answer.json)
      default:
        return answered(answer.status, answer.json)
    }
  }

  async function underway(entry: RequestEntry, asked: Asked, fault: Fault | undefined): Promise<Attempt> {
    const started = timeline.now()
    const restOfTimeout = (): Promise<void> => timeline.pause(started + limits.timeoutMs - timeline.now())
    if (fault === 'no_connection') {
      await timeline.pause(chance.int(50))
      return lost(false, 'ECONNREFUSED')
    }
    await timeline.pause(chance.int(SLOWEST_MS))
    if (fault === 'lost_request') {
      await restOfTimeout()
      return lost(true, 'ETIMEDOUT')
    }
    count(entry)
    if (deps.isRevoked()) return answered(401, { error: 'the key is not valid' })
    const early = inFront(fault, entry.life)
    if (early !== undefined) return early
    if (fault === 'late') {
      const behind = limits.timeoutMs + chance.int(limits.latestMs)
      timeline.after(started + behind - timeline.now(), () => {
        trace(`#${entry.number} is carried out late`)
        carryOut(entry, asked)
      })
      await restOfTimeout()
      return lost(true, 'ETIMEDOUT')
    }
    const answer = carryOut(entry, asked)
    if (fault === 'lost_answer') {
      await restOfTimeout()
      return lost(true, 'ETIMEDOUT')
    }
    await timeline.pause(chance.int(SLOWEST_MS))
    const attempt = onTheWayBack(answer, asked, fault)
    entry.isAnswered = fault === undefined
    return attempt
  }

  return {
    transport: (life) => ({
      async send(request) {
        const asked = askedBy(request)
        const entry = ledger.open({
          life,
          sentAt: timeline.now(),
          method: request.method,
          path: `/${asked.path.join('/')}`,
          body: asked.body,
        })
        const { since, until } = quiet
        const isKnown = deps.isForgotten?.(since) !== true
        if (quiet.life === life && isKnown && timeline.now() > since && timeline.now() < until)
          violated('O6', `#${entry.number} left ${until - timeline.now()} ms before the service asked for`)
        const fault = deps.faults()(entry)
        if (fault !== undefined) entry.fault = fault
        trace(`#${entry.number} ${request.method} ${entry.path} ${request.body ?? ''} ${fault ?? ''}`)
        const attempt = await underway(entry, asked, fault)
        if (attempt.answered) entry.status = attempt.status
        trace(
          `#${entry.number} ${attempt.answered ? `${attempt.status} ${JSON.stringify(attempt.body)}` : attempt.code}`,
        )
        return attempt
      },
      close: () => undefined,
    }),
  }
}
