import { describe, expect, it } from 'vitest'
import {
  type BrakeNumbers,
  type BrakeStanding,
  brakeStep,
  firstSeenText,
  reachesStop,
  waitingForBrakes,
} from '../../../../src/core/change/waiting/brake.ts'

const RULE = {
  terms: ['A'],
  above: 200,
  first: 50,
  watch: 1000,
  stop_when: { unsubscribed: 0.02, refused: 0.01 },
}
const numbers = (more: Partial<BrakeNumbers>): BrakeNumbers => ({
  ...{ phase: 'none', given: 0, asked: 0, first: { drawn: 0, since: undefined } },
  ...more,
})

describe('the next step of a brake', () => {
  it.each<[string, Partial<BrakeNumbers>, string]>([
    ['nothing asked', {}, 'nothing'],
    ['as many as are allowed', { given: 150, asked: 50 }, 'give_all'],
    ['one more', { given: 150, asked: 51 }, 'give_first'],
    [
      'watched, not all given',
      { phase: 'watching', asked: 9, first: { drawn: 50, since: undefined } },
      'wait',
    ],
    ['watched, not for long enough', { phase: 'watching', first: { drawn: 50, since: 999 } }, 'wait'],
    ['watched for long enough', { phase: 'watching', first: { drawn: 50, since: 1000 } }, 'look'],
    ['held, and nobody asks for it', { phase: 'held', given: 50 }, 'nothing'],
    ['held', { phase: 'held', asked: 1, first: { drawn: 50, since: 5000 } }, 'wait'],
  ])('%s', (_, more, step) => {
    expect(brakeStep(numbers(more), RULE)).toBe(step)
  })
})

describe('the look at the first', () => {
  it.each([
    [0, 0, false],
    [1, 0, true],
    [0, 1, true],
  ])('%i unsubscribed, %i blocked of 50', (unsubscribed, refused, stops) => {
    expect(reachesStop({ drawn: 50, unsubscribed, refused }, RULE)).toBe(stops)
  })

  it.each([
    [3, 0, false],
    [4, 0, true],
    [0, 1, false],
    [0, 2, true],
  ])(
    '%i unsubscribed, %i blocked of 200: a share is reached, not a number',
    (unsubscribed, refused, stops) => {
      expect(reachesStop({ drawn: 200, unsubscribed, refused }, RULE)).toBe(stops)
    },
  )

  it('with a share of nothing holds from the first that unsubscribed or was blocked', () => {
    const rule = { ...RULE, stop_when: { unsubscribed: 0, refused: 0 } }
    expect(reachesStop({ drawn: 50, unsubscribed: 0, refused: 0 }, rule)).toBe(false)
    expect(reachesStop({ drawn: 50, unsubscribed: 1, refused: 0 }, rule)).toBe(true)
    expect(reachesStop({ drawn: 50, unsubscribed: 0, refused: 1 }, rule)).toBe(true)
  })

  it('takes a share that is not set for no limit', () => {
    expect(reachesStop({ drawn: 2, unsubscribed: 2, refused: 2 }, { ...RULE, stop_when: {} })).toBe(false)
  })

  it('is told in numbers and shares', () => {
    expect(firstSeenText({ drawn: 50, unsubscribed: 2, refused: 0 })).toBe(
      '2 of 50 unsubscribed (4%), 0 were blocked (0%)',
    )
    expect(firstSeenText({ drawn: 50, unsubscribed: 0, refused: 5 })).toBe(
      '0 of 50 unsubscribed (0%), 5 were blocked (10%)',
    )
    expect(firstSeenText({ drawn: 0, unsubscribed: 0, refused: 0 })).toBe(
      '0 of 0 unsubscribed (0%), 0 were blocked (0%)',
    )
  })
})

it('says how many contacts of a pipeline wait, by phase', () => {
  const brake = (phase: 'watching' | 'held', ...asks: [pipeline: string, asks: number][]): BrakeStanding => ({
    ...{ term: 't', name: 'T', phase, runId: 'r', since: 1, figures: undefined },
    waiting: asks.map(([pipeline, number]) => ({ pipeline, asks: number })),
  })
  const brakes = [
    brake('held', ['shop', 3], ['crm', 9]),
    brake('held', ['shop', 4]),
    brake('watching', ['crm', 5]),
  ]
  expect(waitingForBrakes(brakes, 'shop')).toEqual({ watching: 0, held: 7 })
  expect(waitingForBrakes(brakes, 'crm')).toEqual({ watching: 5, held: 9 })
})
