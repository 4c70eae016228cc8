// When a run must stop asking the service, and with which reason.
import { describe, expect, it } from 'vitest'
import { createCircuit, stopWithout } from '../../../src/core/outcome/circuit.ts'
import { DAILY_ALLOWANCE_USED_UP } from '../../../src/core/outcome/retry.ts'
import type { CallResult } from '../../../src/core/ports.ts'

describe('the circuit', () => {
  const result = (
    kind: Exclude<CallResult<never>['kind'], 'ok'>,
    status?: number,
    summary = 'because',
  ): Exclude<CallResult<never>, { kind: 'ok' }> => ({
    kind,
    reason: summary,
    summary,
    request: { method: 'PUT', path: '/contact/<contact_id>', status, attempts: 1 },
  })
  const ok: CallResult<true> = {
    kind: 'ok',
    value: true,
    request: { method: 'GET', path: '/x', status: 200, attempts: 1 },
  }
  it.each([
    ['401 at any time', [ok, result('denied', 401)], 'SERVICE_KEY_REFUSED'],
    ['403 on the first call', [result('denied', 403)], 'SERVICE_KEY_REFUSED'],
    ['403 on one object later', [ok, result('denied', 403)], undefined],
    [
      '403 three times in a row',
      [ok, ...Array.from({ length: 3 }, () => result('denied', 403))],
      'SERVICE_KEY_REFUSED',
    ],
    [
      '403 with good answers between',
      [ok, result('denied', 403), result('denied', 403), ok, result('denied', 403)],
      undefined,
    ],
    ['no connection', [result('not_applied')], 'SERVICE_UNREACHABLE'],
    ['the wrong place', [result('not_applied', 404)], 'SERVICE_CONTRACT'],
    ['two unknown outcomes', [result('unknown', 500), result('unknown', 500)], undefined],
    [
      'three unknown outcomes',
      Array.from({ length: 3 }, () => result('unknown', 500)),
      'SERVICE_UNREACHABLE',
    ],
    [
      'three pages that are no answers',
      Array.from({ length: 3 }, () => result('unknown', 200)),
      'SERVICE_CONTRACT',
    ],
    ['refusals', Array.from({ length: 9 }, () => result('refused', 422)), undefined],
  ])('%s', (_, results, expected) => {
    const circuit = createCircuit({ max_equal_refusals: 0 })
    for (const one of results) circuit.note(one)
    expect(circuit.stop?.code).toBe(expected)
  })

  it.each([
    ['a refused key', [result('denied', 401, 'no key')], 'SERVICE_KEY_REFUSED', 'no key'],
    [
      'the allowance of the day',
      [result('not_applied', 429, `${DAILY_ALLOWANCE_USED_UP} (5)`)],
      'DAILY_LIMIT',
      `${DAILY_ALLOWANCE_USED_UP} (5)`,
    ],
    ['another method wanted', [result('not_applied', 405, 'PUT')], 'SERVICE_CONTRACT', 'PUT'],
    ['a service that is busy', [result('not_applied', 503, 'busy')], 'SERVICE_UNREACHABLE', 'busy'],
    [
      'no answer three times',
      Array.from({ length: 3 }, () => result('unknown', undefined, 'lost')),
      'SERVICE_UNREACHABLE',
      'lost',
    ],
    [
      'broken pages with status 499',
      Array.from({ length: 3 }, () => result('unknown', 499, 'page')),
      'SERVICE_CONTRACT',
      'page',
    ],
  ])('says why: %s', (_, results, code, message) => {
    const circuit = createCircuit({ max_equal_refusals: 0 })
    for (const one of results) circuit.note(one)
    expect(circuit.stop).toStrictEqual({ code, message })
  })

  it.each([
    ['an answer', ok],
    ['a refusal', result('refused', 422)],
    ['an absence', result('absent', 404)],
  ])('takes %s for a key that works', (_, first) => {
    const circuit = createCircuit({ max_equal_refusals: 0 })
    circuit.note(first)
    circuit.note(result('denied', 403))
    expect(circuit.stop).toBeUndefined()
  })

  it('takes an unknown outcome for no proof of the key', () => {
    const circuit = createCircuit({ max_equal_refusals: 0 })
    circuit.note(result('unknown', 500))
    circuit.note(result('denied', 403))
    expect(circuit.stop?.code).toBe('SERVICE_KEY_REFUSED')
  })

  it('counts unknown outcomes in a row only', () => {
    const circuit = createCircuit({ max_equal_refusals: 0 })
    for (const one of [1, 1, 0, 1, 1]) circuit.note(one === 1 ? result('unknown', 500) : ok)
    expect(circuit.stop).toBeUndefined()
  })

  it('keeps the first reason', () => {
    const circuit = createCircuit({ max_equal_refusals: 1 })
    const given = { code: 'MAX_DURATION', message: 'too long' } as const
    circuit.halt(given)
    circuit.note(result('denied', 401))
    circuit.refused('no')
    circuit.halt({ code: 'CONFIG_INVALID', message: 'later' })
    expect(circuit.stop).toBe(given)
  })

  it.each([
    ['denied', 403, 'SERVICE_KEY_REFUSED'],
    ['not_applied', undefined, 'SERVICE_UNREACHABLE'],
    ['unknown', 500, 'SERVICE_UNREACHABLE'],
    ['unknown', 200, 'SERVICE_CONTRACT'],
    ['refused', 422, 'SERVICE_CONTRACT'],
    ['absent', 404, 'SERVICE_CONTRACT'],
  ] as const)('without the answer to a call that ended as %s (%s) stops at once', (kind, status, code) =>
    expect(stopWithout(result(kind, status))).toStrictEqual({ code, message: 'because' }),
  )
})

describe('refusals in a row', () => {
  const stopAfter = (refusals: readonly (string | undefined)[], most: number) => {
    const circuit = createCircuit({ max_equal_refusals: most })
    for (const refusal of refusals) {
      if (refusal === undefined) circuit.accepted()
      else circuit.refused(refusal)
    }
    return circuit.stop
  }
  it.each<[string, readonly (string | undefined)[], number, boolean]>([
    ['as many as allowed, alike', ['no', 'no', 'no'], 3, true],
    ['one less', ['no', 'no'], 3, false],
    ['of two reasons', ['no', 'no', 'nay', 'no'], 3, false],
    ['with a success between', ['no', 'no', undefined, 'no', 'no'], 3, false],
    ['successes alone', [undefined, undefined, undefined], 3, false],
    ['alike but for a number', ['line 1', 'line 22', 'line 333'], 3, true],
    ['alike but for a quoted value', ['a "x y" b', 'a "z" b', 'a "" b'], 3, true],
    ['alike but for a value in single quotes', ["a 'x y' b", "a 'z' b", "a '' b"], 3, true],
    ['alike but for a mail', ['a ann@x.de b', 'a bob.lee@y.example b', 'a c@z b'], 3, true],
    ['no limit', Array.from({ length: 50 }, () => 'no'), 0, false],
  ])('%s', (_, refusals, most, isStopped) =>
    expect(stopAfter(refusals, most)).toStrictEqual(
      isStopped
        ? {
            code: 'REFUSED_ALIKE',
            message: `the service refused ${most} contacts in a row for the same reason, so the cause is probably not the contacts; nothing more was sent`,
          }
        : undefined,
    ),
  )
})
