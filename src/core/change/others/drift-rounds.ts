// Rounds of looks at all linked contacts of a pipeline, which the daemon makes bit by bit. A round goes by key, so the contact that
// the rounds have not looked at for longest is the next one. Pure.
import { driftReport, type LookOutcome } from './drift.ts'

export interface DriftCounts {
  readonly checked: number
  readonly differing: number
  readonly gone: number
  readonly kept: number
  readonly unanswered: number
  /** How many contacts differ in this field; a term is `term NAME`. */
  readonly by_field: Readonly<Record<string, number>>
}

export interface DriftRound {
  readonly pipeline: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt: number | undefined
  /** The key that was looked at last; empty before the first one, and after the last one. */
  readonly after: string
  readonly counts: DriftCounts
}

export interface DriftRoundStore {
  /** The latest round of the pipeline. */
  driftRound(pipeline: string): Promise<DriftRound | undefined>
  /** Rounds that have ended, newest first; some hundred are kept. */
  driftRounds(pipeline: string, limit: number): Promise<readonly DriftRound[]>
  /** Nothing is kept of a round whose last key has no link: it was removed during the look. One that has ended stays. */
  noteDriftRound(round: DriftRound): Promise<void>
}

const NOTHING: DriftCounts = { checked: 0, differing: 0, gone: 0, kept: 0, unanswered: 0, by_field: {} }

/** The round to continue or to begin; undefined: none is due. A clock that was put back makes one due at once. */
export function dueRound(
  last: DriftRound | undefined,
  { pipeline, every, now }: { readonly pipeline: string; readonly every: number; readonly now: number },
): DriftRound | undefined {
  if (last !== undefined && last.endedAt === undefined) return last
  const isDue = last === undefined || now >= last.startedAt + every || now < last.startedAt
  return isDue ? { pipeline, startedAt: now, endedAt: undefined, after: '', counts: NOTHING } : undefined
}

type ByField = DriftCounts['by_field']

const summed = (one: ByField, other: ByField): ByField =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((field) => [
      field,
      (one[field] ?? 0) + (other[field] ?? 0),
    ]),
  )

export function roundWith(round: DriftRound, outcomes: readonly LookOutcome[], after: string): DriftRound {
  const { counts, pipeline } = round
  const more = driftReport(pipeline, { outcomes, contacts: outcomes.length })
  return {
    ...round,
    after,
    counts: {
      checked: counts.checked + more.checked,
      differing: counts.differing + more.differing,
      gone: counts.gone + more.gone,
      kept: counts.kept + more.kept,
      unanswered: counts.unanswered + more.unanswered,
      by_field: summed(counts.by_field, more.by_field),
    },
  }
}

/** Of those that could be compared. */
export const isAboveShare = ({ checked, differing }: DriftCounts, share: number): boolean =>
  differing > checked * share
