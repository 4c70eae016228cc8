// The table of outcomes, walked through whole: every status with every body, method and kind of path.
import { describe, expect, it } from 'vitest'
import { outcome } from '../../src/service/outcome.ts'
import type { BodyKind, Evidence, Method } from '../../src/service/outcome.ts'

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE']
const BODIES: readonly BodyKind[] = ['expected', 'none', 'error', 'json', 'other', 'broken', 'oversized']
const JSON_BODIES: readonly BodyKind[] = ['expected', 'none', 'error', 'json']

type Answered = Extract<Evidence, { answered: true }>

function everyAnswer(): Answered[] {
  const statuses = Array.from({ length: 500 }, (_, index) => 100 + index)
  return statuses.flatMap((status) =>
    METHODS.flatMap((method) =>
      BODIES.flatMap((body) =>
        (['object', 'collection'] as const).map((target) => ({
          answered: true as const,
          method,
          target,
          status,
          body,
        })),
      ),
    ),
  )
}

function answered(status: number, changes: Partial<Answered> = {}): Answered {
  return { answered: true, method: 'PUT', target: 'object', status, body: 'json', ...changes }
}

describe('outcome', () => {
  it('without an answer, tells what left this machine from what did not', () => {
    expect(outcome({ answered: false, sent: false })).toEqual({
      kind: 'not_applied',
      retriable: 'yes',
      throttled: false,
    })
    expect(outcome({ answered: false, sent: true })).toEqual({
      kind: 'unknown',
      retriable: 'yes',
      throttled: false,
    })
  })

  it.each<[number, Partial<Answered>, string, string]>([
    [200, { body: 'expected' }, 'ok', 'no'],
    [201, { body: 'expected', method: 'POST' }, 'ok', 'no'],
    [200, { body: 'none', method: 'GET' }, 'absent', 'no'],
    [200, { body: 'error' }, 'refused', 'no'],
    [200, { body: 'json' }, 'unknown', 'no'],
    [204, { body: 'other' }, 'unknown', 'no'],
    [200, { body: 'other', method: 'GET' }, 'unknown', 'yes'],
    [200, { body: 'broken' }, 'unknown', 'yes'],
    [200, { body: 'oversized', method: 'GET' }, 'unknown', 'no'],
    [301, {}, 'unknown', 'no'],
    [307, { method: 'GET' }, 'unknown', 'no'],
    [400, {}, 'refused', 'no'],
    [401, {}, 'denied', 'no'],
    [403, {}, 'denied', 'no'],
    [403, { body: 'other' }, 'denied', 'once'],
    [404, {}, 'absent', 'no'],
    [404, { body: 'error' }, 'absent', 'no'],
    [404, { body: 'other' }, 'unknown', 'no'],
    [404, { body: 'broken', method: 'GET' }, 'unknown', 'no'],
    [404, { method: 'POST', target: 'collection' }, 'not_applied', 'no'],
    [405, { method: 'POST', target: 'collection' }, 'not_applied', 'no'],
    [405, {}, 'unknown', 'no'],
    [408, {}, 'unknown', 'yes'],
    [409, {}, 'refused', 'no'],
    [410, {}, 'unknown', 'no'],
    [413, { body: 'broken' }, 'refused', 'no'],
    [415, {}, 'refused', 'no'],
    [422, {}, 'refused', 'no'],
    [425, {}, 'unknown', 'yes'],
    [429, { body: 'broken' }, 'not_applied', 'yes'],
    [500, {}, 'unknown', 'yes'],
    [503, { body: 'other' }, 'unknown', 'yes'],
    [599, {}, 'unknown', 'yes'],
  ])('%i %j', (status, changes, kind, retriable) => {
    expect(outcome(answered(status, changes))).toMatchObject({ kind, retriable })
  })

  it('says ok only of an answer as the interface has it', () => {
    const ok = everyAnswer().filter((evidence) => outcome(evidence).kind === 'ok')
    expect(ok.length).toBe(100 * METHODS.length * 2)
    expect(ok.every(({ status, body }) => status >= 200 && status < 300 && body === 'expected')).toBe(true)
  })

  it('says absent only on the word of the service itself', () => {
    const absent = everyAnswer().filter((evidence) => outcome(evidence).kind === 'absent')
    const own = ({ status, body, target }: Answered): boolean =>
      status === 404 ? target === 'object' && JSON_BODIES.includes(body) : body === 'none'
    expect(absent.length).toBeGreaterThan(0)
    expect(absent.every(own)).toBe(true)
  })

  it('says not applied, refused or denied only of the statuses that mean it', () => {
    const proven = everyAnswer().filter(({ status, body }) => !(status < 300 && body === 'error'))
    const statuses = (kind: string): number[] => [
      ...new Set(proven.filter((evidence) => outcome(evidence).kind === kind).map(({ status }) => status)),
    ]
    expect(statuses('not_applied')).toEqual([404, 405, 429])
    expect(statuses('refused')).toEqual([400, 409, 413, 415, 422])
    expect(statuses('denied')).toEqual([401, 403])
  })

  it('is throttled by 429 alone', () => {
    const throttled = everyAnswer().filter((evidence) => outcome(evidence).throttled)
    expect(new Set(throttled.map(({ status }) => status))).toEqual(new Set([429]))
  })
})
