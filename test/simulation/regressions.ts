// Courses that once ended badly, and must not again. A seed counts for the world as it is drawn now: when the drawing
// changes, its course is another one, and only tests that were written for what it found (named here) still show that.
import type { Schedule } from './simulation.ts'

interface Regression {
  readonly seed: number
  readonly schedule?: Schedule
  /** What went wrong. */
  readonly why: string
}

export const REGRESSIONS: readonly Regression[] = [
  { seed: 18, why: 'two exports held in one run could never be released (test/sync/overlap.test.ts)' },
  {
    seed: 71,
    why: 'a key named twice kept an old change alive, which overwrote the new one (overlap.test.ts)',
  },
  {
    seed: 76,
    why: 'a lost create under none was doubled once somebody had edited the contact (overlap.test.ts)',
  },
  { seed: 293, why: 'as 76, with two pipelines at a time (overlap.test.ts)' },
  { seed: 156, why: 'a mail was taken before it was given up: two people in one contact (overlap.test.ts)' },
  { seed: 186, why: 'as 156, with a mail that is shared for good' },
  {
    seed: 131,
    why: 'terms of an older record stayed for ever once its doubt was settled behind a newer one',
  },
  {
    seed: 13,
    why: 'terms given just before a crash were in no entry of the sync log (test/store/state.test.ts)',
  },
  { seed: 332, why: 'an update cut off by a crash, and overtaken, was in no entry of the sync log' },
]
