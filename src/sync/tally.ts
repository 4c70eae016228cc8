// Counts one run, so that every record that was read ends in exactly one outcome.
import type { HandEdit } from '../core/change/others/hand-edits.ts'
import type { Operation, Settlement } from '../core/change/operation.ts'
import {
  leftOutCounter,
  type LeftOutCounter,
  leftOutCounts,
  type NotSent,
} from '../core/change/plan/left-out.ts'
import { type HeldCounter, heldCounter, type HeldWhy, whyHeld } from '../core/change/waiting/held-why.ts'
import { outcomeAfter } from '../core/change/steps.ts'
import { type Counts, noCounts, type Outcome } from '../core/outcome/summary.ts'

export interface Tally {
  readonly counts: Counts
  /** Why changes are held: as many as the counts have, deletes included. */
  readonly held: HeldCounter
  add(counts: Counts): void
  /** An operation of this run got an outcome; one that was in doubt in this run leaves that count. */
  settled(operation: Operation, settlement: Settlement): void
  readonly settledOperations: number
  /** Deletes that could not be carried out. */
  readonly deletesFailed: number
  /** How often this run met something at the service that others had changed. */
  readonly drift: number
  /** The longest time from the writing of a file to its last outcome; undefined: none was processed. */
  readonly fileMs: number | undefined
  noteFile(ms: number): void
  noteDrift(): void
  /** How often each field was kept back by the update method. */
  readonly withheld: Readonly<Record<string, number>>
  noteWithheld(fields: readonly string[]): void
  /** Fields that were edited at the service and stay as they are. */
  readonly keptEdits: number
  noteEdits(operation: Operation, edits: readonly HandEdit[]): void
  /** What of records is not sent as they have it. */
  readonly leftOut: LeftOutCounter
  /** A record of this run that has other changes may be given a term after them: it counts once, whatever becomes of that. */
  noteAsking(key: string): void
  isAsking(key: string): boolean
  /** It waits for such a term with nothing else to be sent; whether it is the first time in this run: later ones are no change. */
  noteAlone(key: string): boolean
  /** It waits no longer, or with other changes of a later file. */
  endAlone(key: string): void
  /** A later record of its file counts in its place. */
  forgetAlone(key: string): void
  /** It is given that term: what becomes of it counts with the rest of its record, or in its place where it is worse. */
  noteGiving(key: string): void
  /** Those that are given one. */
  givenKeys(): readonly string[]
  /** So many records got no outcome before the run ended, among them these, which count with the rest of them. */
  noteLeft(number: number, given: readonly string[]): void
  /** That term waits for approvers: the record counts as held, and not as what its other changes were. */
  noteAskHeld(key: string): void
}

export const notSentCounts = ({ withheld, keptEdits, leftOut }: Tally): NotSent => ({
  ...(Object.keys(withheld).length === 0 ? {} : { withheld: { ...withheld } }),
  kept_edits: keptEdits,
  ...leftOutCounts(leftOut.totals()),
})

function outcomeOf(operation: Operation, settlement: Settlement): Outcome {
  if (settlement.kind === 'done' || settlement.kind === 'settled') return outcomeAfter(operation, settlement)
  return settlement.kind
}

/** Whether the change continues with another step: then its record has no outcome yet. */
const goesOn = (settlement: Settlement): boolean => 'next' in settlement

interface Counted {
  readonly outcome: Outcome
  /** Of one that is held. */
  readonly why: HeldWhy | undefined
}

function whyOf(settlement: Settlement): HeldWhy | undefined {
  if (settlement.kind !== 'held') return undefined
  return settlement.why ?? whyHeld(settlement.reason)
}

/** Whether what became of a term that was given later counts in place of what its record counts as. */
function goesBefore(later: Outcome, first: Outcome): boolean {
  if (later === 'updated') return first === 'unchanged'
  return later === 'failed' || later === 'rejected' || later === 'in_doubt' || later === 'held'
}

/** Counts each record once, also where a brake gives it a term after its other changes. */
function outcomeCounter(counts: Counts, held: HeldCounter) {
  /** By key, what those that ask are counted as. */
  const asks = new Map<string, Counted | undefined>()
  const giving = new Set<string>()
  const alone = new Set<string>()
  const add = ({ outcome, why }: Counted, by: 1 | -1): void => {
    counts[outcome] += by
    if (why !== undefined) held.note(why, by)
  }
  /** Of a record that stands in several files each change counts. */
  const count = (key: string, counted: Counted): void => {
    const before = giving.has(key) ? asks.get(key) : undefined
    if (before !== undefined && !goesBefore(counted.outcome, before.outcome)) return
    if (before !== undefined) add(before, -1)
    add(counted, 1)
    if (asks.has(key)) asks.set(key, counted)
  }
  return {
    asking: {
      noteAsking: (key: string): void => void asks.set(key, asks.get(key)),
      isAsking: (key: string): boolean => asks.has(key),
      noteAlone(key: string): boolean {
        if (alone.has(key)) return false
        alone.add(key)
        return true
      },
      endAlone(key: string): void {
        if (!alone.delete(key)) return
        add({ outcome: 'held', why: 'brake' }, -1)
        counts.unchanged += 1
      },
      forgetAlone: (key: string): void => void alone.delete(key),
      noteGiving: (key: string): void => void giving.add(key),
      givenKeys: (): readonly string[] => [...giving],
      noteLeft(number: number, given: readonly string[]): void {
        counts.failed += number - given.length
        for (const key of given) count(key, { outcome: 'failed', why: undefined })
      },
      noteAskHeld: (key: string): void => count(key, { outcome: 'held', why: undefined }),
    },
    count,
    deleteHeld(why: HeldWhy | undefined): void {
      counts.held_deletes += 1
      if (why !== undefined) held.note(why)
    },
    noLongerInDoubt(key: string): void {
      counts.in_doubt -= 1
      if (asks.has(key)) asks.set(key, undefined)
    },
  }
}

/** A field of it waits for an operator, whatever became of the others. */
const asAsking = (counted: Counted): Counted =>
  counted.outcome === 'updated' || counted.outcome === 'unchanged'
    ? { outcome: 'held', why: 'hand_edit' }
    : counted

function editCounter() {
  let kept = 0
  /** Operations with an edit that waits for an operator. */
  const asking = new Set<number>()
  return {
    get kept() {
      return kept
    },
    isAsking: (id: number): boolean => asking.has(id),
    note(id: number, edits: readonly HandEdit[]): void {
      kept += edits.length
      if (edits.some(({ rule }) => rule === 'ask')) asking.add(id)
    },
  }
}

/** `runId`: operations of other runs were counted there. `exampleKey`: a plan is asked about this record. */
export function createTally(runId: string, exampleKey?: string): Tally {
  const counts = noCounts()
  let settledOperations = 0
  let deletesFailed = 0
  let drift = 0
  let fileMs: number | undefined
  const withheld: Record<string, number> = {}
  const edits = editCounter()
  const held = heldCounter()
  const outcomes = outcomeCounter(counts, held)
  const settledDelete = ({ state }: Operation, settlement: Settlement): void => {
    const { kind } = settlement
    if (state !== 'in_doubt') settledOperations += 1
    if (kind === 'done') counts.deleted += 1
    else if (kind === 'held') outcomes.deleteHeld(whyOf(settlement))
    else if (kind !== 'settled') deletesFailed += 1
  }
  return {
    counts,
    held,
    get settledOperations() {
      return settledOperations
    },
    get deletesFailed() {
      return deletesFailed
    },
    get drift() {
      return drift
    },
    get fileMs() {
      return fileMs
    },
    noteFile(ms) {
      fileMs = Math.max(fileMs ?? 0, ms)
    },
    noteDrift() {
      drift += 1
    },
    withheld,
    noteWithheld(fields) {
      for (const field of fields) withheld[field] = (withheld[field] ?? 0) + 1
    },
    get keptEdits() {
      return edits.kept
    },
    noteEdits: ({ id }, found) => edits.note(id, found),
    leftOut: leftOutCounter(exampleKey),
    ...outcomes.asking,
    add(more) {
      for (const name of Object.keys(counts) as (keyof Counts)[]) counts[name] += more[name]
    },
    settled(operation, settlement) {
      if (operation.cause === 'missing') return settledDelete(operation, settlement)
      if (settlement.kind === 'held' && settlement.gone === true) drift += 1
      const isOurs = operation.runId === runId
      if (goesOn(settlement)) {
        // An earlier run's doubt is over, and the rest of its change is this run's work.
        if (!isOurs) counts.read += 1
        else if (operation.state === 'in_doubt') outcomes.noLongerInDoubt(operation.key)
        return
      }
      if (!isOurs) return
      if (operation.state === 'in_doubt') outcomes.noLongerInDoubt(operation.key)
      else settledOperations += 1
      const outcome = outcomeOf(operation, settlement)
      const counted = { outcome, why: whyOf(settlement) }
      outcomes.count(operation.key, edits.isAsking(operation.id) ? asAsking(counted) : counted)
    },
  }
}
