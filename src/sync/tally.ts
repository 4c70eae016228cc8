// Counts one run, so that every record that was read ends in exactly one outcome.
import type { Operation, Settlement } from '../core/operation.ts'
import { type Counts, noCounts, type Outcome } from '../core/summary.ts'

export interface Tally {
  readonly counts: Counts
  add(counts: Counts): void
  /** An operation of this run got an outcome; one that was in doubt in this run leaves that count. */
  settled(operation: Operation, settlement: Settlement): void
  readonly settledOperations: number
}

function outcomeOf(operation: Operation, settlement: Settlement): Outcome {
  if (settlement.kind === 'done') return operation.kind === 'create' ? 'created' : 'updated'
  return settlement.kind === 'settled' ? 'unchanged' : settlement.kind
}

/** `runId`: operations of other runs were counted there. */
export function createTally(runId: string): Tally {
  const counts = noCounts()
  let settledOperations = 0
  return {
    counts,
    get settledOperations() {
      return settledOperations
    },
    add(more) {
      for (const name of Object.keys(counts) as (keyof Counts)[]) counts[name] += more[name]
    },
    settled(operation, settlement) {
      if (operation.runId !== runId) return
      if (operation.state === 'in_doubt') counts.in_doubt -= 1
      else settledOperations += 1
      counts[outcomeOf(operation, settlement)] += 1
    },
  }
}
