// What the daemon remembers of work that goes on over many runs, over the state in memory: rounds of looks for drift, and how far
// the sync log was handed over.
import type { DriftRound, DriftRoundStore } from '../../../src/core/change/others/drift-rounds.ts'
import type { HandedOver, HandOverStore } from '../../../src/core/log/hand-over.ts'
import { linkOf, type Tables } from './tables.ts'

const MOST = 400

const newestFirst = (one: DriftRound, other: DriftRound): number => (other.endedAt ?? 0) - (one.endedAt ?? 0)

export function memoryRounds(tables: Tables): DriftRoundStore {
  const latest = new Map<string, DriftRound>()
  const past = new Map<string, readonly DriftRound[]>()
  return {
    driftRound: async (pipeline) => latest.get(pipeline),
    driftRounds: async (pipeline, limit) => (past.get(pipeline) ?? []).slice(0, limit),
    async noteDriftRound(round) {
      const { pipeline, after, endedAt } = round
      if (after === '' || linkOf(tables, pipeline, after) !== undefined) latest.set(pipeline, round)
      if (endedAt === undefined) return
      const others = (past.get(pipeline) ?? []).filter((one) => one.endedAt !== endedAt)
      past.set(pipeline, [...others, { ...round, after: '' }].sort(newestFirst).slice(0, MOST))
    },
  }
}

export function memoryHandOver(): HandOverStore {
  let done: HandedOver | undefined
  return {
    handedOver: async () => done,
    noteHandedOver: async (now) => void (done = now),
  }
}
