// Values of records that are not sent as the record has them, for reasons outside the record: another pipeline owns the
// field, a raise lacks its evidence, an address has kept the status of a deleted contact. Counted for plans and runs, with
// a bounded number of examples for plans.
import type { EvidenceLack } from '../consents/evidence.ts'

interface OfRecord {
  readonly key: string
  readonly file: string
  readonly line: number
}

export type LeftOutValue = OfRecord &
  (
    | {
        readonly kind: 'owned'
        readonly field: string
        /** The pipelines that go before this one, in the order of the configuration. */
        readonly pipelines: readonly string[]
      }
    | { readonly kind: 'evidence'; readonly status: number; readonly lack: EvidenceLack }
    | { readonly kind: 'former'; readonly status: number }
  )

/** How many examples a plan names. */
export const MOST_LEFT_OUT = 20

export interface LeftOutTotals {
  /** By field. */
  readonly owned: Readonly<
    Record<string, { readonly records: number; readonly pipelines: readonly string[] }>
  >
  /** By what the evidence lacks. */
  readonly unproven: Readonly<Partial<Record<EvidenceLack, number>>>
  readonly former: number
  readonly examples: readonly LeftOutValue[]
}

export interface LeftOutCounter {
  note(one: LeftOutValue): void
  /** Adds what was counted of one input. */
  add(more: LeftOutTotals): void
  /** An empty one with the same choice of examples. */
  part(): LeftOutCounter
  totals(): LeftOutTotals
}

/** `exampleKey`: examples are of this record alone. */
export function leftOutCounter(exampleKey?: string): LeftOutCounter {
  const owned: Record<string, { records: number; pipelines: readonly string[] }> = {}
  const unproven: Partial<Record<EvidenceLack, number>> = {}
  let former = 0
  const examples: LeftOutValue[] = []
  const own = (field: string, { records, pipelines }: LeftOutTotals['owned'][string]): void => {
    owned[field] = { records: (owned[field]?.records ?? 0) + records, pipelines }
  }
  const lacks = (lack: EvidenceLack, records: number): void => {
    unproven[lack] = (unproven[lack] ?? 0) + records
  }
  const keep = (one: LeftOutValue): void => {
    const isAsked = exampleKey === undefined || one.key === exampleKey
    if (isAsked && examples.length < MOST_LEFT_OUT) examples.push(one)
  }
  return {
    note(one) {
      if (one.kind === 'owned') own(one.field, { records: 1, pipelines: one.pipelines })
      else if (one.kind === 'evidence') lacks(one.lack, 1)
      else former += 1
      keep(one)
    },
    add(more) {
      for (const [field, of] of Object.entries(more.owned)) own(field, of)
      for (const [lack, records] of Object.entries(more.unproven)) lacks(lack as EvidenceLack, records)
      former += more.former
      more.examples.forEach(keep)
    },
    part: () => leftOutCounter(exampleKey),
    totals: () => ({ owned: { ...owned }, unproven: { ...unproven }, former, examples: [...examples] }),
  }
}

/** Parts of `plan --json` and `run --json`; each is absent where there is none. */
export interface LeftOutCounts {
  readonly left_to_owners?: LeftOutTotals['owned']
  readonly needs_evidence?: LeftOutTotals['unproven']
  readonly former_statuses?: number
}

export const leftOutCounts = ({ owned, unproven, former }: LeftOutTotals): LeftOutCounts => ({
  ...(Object.keys(owned).length === 0 ? {} : { left_to_owners: owned }),
  ...(Object.keys(unproven).length === 0 ? {} : { needs_evidence: unproven }),
  ...(former === 0 ? {} : { former_statuses: former }),
})

/** Parts of a run's result about what was not sent. */
export interface NotSent extends LeftOutCounts {
  /** How many changes of each field the update method kept back; absent where there were none. */
  readonly withheld?: Readonly<Record<string, number>>
  /** Fields that were edited at the service and stay as they are. */
  readonly kept_edits: number
}
