// One input while it is planned: what its batches share and add up, and the forms that a row passes through.
import type { Known } from '../../core/change/diff.ts'
import type { LeftOutCounter } from '../../core/change/plan/left-out.ts'
import type { Correction, JudgedCorrection } from '../../core/change/others/correction.ts'
import type { BrakedTerm } from '../../core/change/waiting/brake.ts'
import type { HeldCounter } from '../../core/change/waiting/held-why.ts'
import type { Expectation } from '../../core/change/waiting/expectation.ts'
import type { MappedRecord, Mapper } from '../../core/mapping/mapping.ts'
import type { SourceItem } from '../../core/mapping/record.ts'
import type { Counts } from '../../core/outcome/summary.ts'
import type { RejectPlace, StagedBody, StagedInput } from '../../core/state.ts'
import type { BlockReading } from './blocks.ts'
import type { Otherwise } from './resolved.ts'

/** A correction beside what a record says about it. */
export interface FoundCorrection {
  readonly correction: Correction
  readonly judged: JudgedCorrection
}

export interface EndedCorrection {
  readonly correction: Correction
  readonly why: string
}

/** One input on its way into the plan: what its batches share, and what they add up. */
export interface Reading {
  readonly staged: StagedInput
  readonly mapper: Mapper
  /** Fingerprint of the header and the mapping. */
  readonly context: string
  readonly counts: Counts
  /** Why changes of single records are held. */
  readonly held: HeldCounter
  /** Undefined where its raw bytes decide nothing. */
  readonly blocks: BlockReading | undefined
  /** The rejects that its records replace; undefined where it is no file of corrected rejects. */
  readonly rereadBy: ((item: SourceItem) => readonly RejectPlace[]) | undefined
  /** The rules for the form of the file (`expect`); undefined where there are none. */
  readonly expectation: Expectation | undefined
  /** How often `on_invalid` dropped or cut a field. */
  readonly mended: Map<string, number>
  /** How many values look damaged, by what is odd about them. */
  readonly odd: Map<string, number>
  /** Keys of records whose contact would become another person. */
  readonly otherPersons: Set<string>
  /** Records whose key of fields was resolved otherwise before. */
  readonly otherwise: Otherwise
  /** Values that are not sent, because another pipeline owns them or their evidence is lacking. */
  readonly leftOut: LeftOutCounter
  /** Records that could be any of several contacts of their mail. */
  readonly several: { records: number }
  /** The terms that a brake gives, as names are compared. */
  readonly braked: ReadonlySet<string>
  /** Keys of records that have asked for a term of a brake. */
  readonly asked: ReadonlySet<string>
  /** With `on_duplicate_key: last`, by link or key: whose last record so far waits for such a term alone. */
  readonly waiting: Set<number | string>
  /** The same: whose last record so far an operator dropped in just this form. */
  readonly dropped: Set<number | string>
  /** Values that persons set right, by the key of their record. */
  readonly corrections: ReadonlyMap<string, readonly Correction[]>
  /** Of these: how many fields they set, and those that have ended. */
  readonly corrected: { fields: number; readonly ended: EndedCorrection[] }
  /** Records that a later one of their key replaced, and whose terms it does not name. */
  readonly passedOver: { withTerms: number }
}

/** A row as its source gave it. */
export interface ReadRow {
  readonly item: SourceItem
  /** Blank for a defective row. */
  readonly fingerprint: string
}

/** Settled in just this form: nothing else is asked about it. */
export interface SettledRow extends ReadRow {
  readonly kind: 'settled'
  readonly linkId: number
}

export interface FreshRow extends ReadRow {
  readonly kind: 'fresh'
}

export type MatchedRow = SettledRow | FreshRow

export interface MappedRow extends FreshRow {
  readonly mapped: MappedRecord
  /** What the state knows of its key. */
  readonly known: Known
  /** Terms of a brake that it asks for; absent where the brake has nothing to do with it. */
  readonly asks?: readonly BrakedTerm[]
  /** What it says about corrections of its record; absent where there are none. */
  readonly findings?: readonly FoundCorrection[]
}

export type Mapped = SettledRow | MappedRow

/** dropped: it would be the very change that an operator dropped. */
export type Verdict = StagedBody | 'skipped' | 'settled' | 'dropped'

/** What is to be done about a row, regardless of the others. */
export interface DecidedRow {
  readonly row: Mapped
  readonly verdict: Verdict
}

export const keyOfRow = (row: Mapped): string | undefined =>
  row.kind === 'settled' || row.mapped.kind === 'skipped' ? undefined : row.mapped.key

export const unitedRows = (item: SourceItem) => (item.kind === 'record' ? item.rows : undefined)

/** Where a record stands, for those that look at it. */
export const recordPlace = (item: SourceItem, key: string, { input }: StagedInput) => ({
  key,
  file: item.file ?? input.name,
  line: item.line,
})
