// Values that a person set right for a record: whether one still holds when its record is read again. Pure.
//
//   what is known of the source then   the record now                                        the correction
//   its columns                        each that the file has says the same                  holds
//                                      one of them says something else                       ends
//   the value that it was sent as      the rule makes the same of it, or it has nothing      holds, and is bound to its columns
//                                      and `blank: keep` leaves what was sent
//                                      the rule makes another value, or now fails            ends
//   nothing                            anything                                              holds, and is bound to its columns
//
// A column that the file does not have says nothing.
import type { DecidedBy } from '../../words/decided-by.ts'
import type { FieldValue } from '../../mapping/contact.ts'
import type { RawColumns, SeenField } from '../../mapping/fields/seen-field.ts'

/** What was corrected, and where it came from. */
export interface Correction extends DecidedBy {
  readonly id: number
  readonly pipeline: string
  readonly key: string
  /** As messages name it: `phone`, `custom_fields.Club`. */
  readonly field: string
  /** As it was typed; '' where the field is to be blank. */
  readonly value: string
  /** What the source said; undefined until a record shows it. */
  readonly raw: RawColumns | undefined
  /** The value that the source's was sent as, or is about to be, '' where that is blank; undefined where nothing is known of it. */
  readonly was: FieldValue | undefined
  readonly file: string | undefined
  readonly line: number | undefined
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Not planned yet: the next run sends it, with or without a file. */
  readonly isPending: boolean
  readonly ended: { readonly at: number; readonly why: string } | undefined
}

/** ended: why, for the person who asks. */
export type JudgedCorrection =
  | { readonly kind: 'holds'; readonly raw: RawColumns | undefined }
  | { readonly kind: 'ended'; readonly why: string }

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')

const isSame = (one: FieldValue | undefined, other: FieldValue | undefined): boolean =>
  JSON.stringify(one ?? '') === JSON.stringify(other ?? '')

export function judgeCorrection(
  { raw, was }: Pick<Correction, 'raw' | 'was'>,
  seen: SeenField,
): JudgedCorrection {
  if (raw === undefined)
    return was === undefined || seen.isSilent === true || isSame(was, seen.made)
      ? { kind: 'holds', raw: seen.raw }
      : { kind: 'ended', why: 'the source gives another value than the one that was corrected' }
  const changed = Object.keys(raw).filter(
    (column) => Object.hasOwn(seen.raw, column) && seen.raw[column] !== raw[column],
  )
  return changed.length === 0
    ? { kind: 'holds', raw: { ...seen.raw, ...raw } }
    : { kind: 'ended', why: `the source has changed ${quoted(changed)}` }
}

const DROPPED = 'dropped by '

/** Why a correction has ended that a person dropped. */
export const droppedText = (by: string): string => `${DROPPED}${by}`

/**
 * The last correction of the same field, where it still says what the source gives: it holds, or it was dropped and no record has been
 * sent since. What was sent last is then the corrected value, not the source's. `isSent`: whether the value of a correction that ended then
 * is what was sent last, or withheld.
 */
export function formerCorrection(
  earlier: readonly Correction[],
  { key, field }: Pick<Correction, 'key' | 'field'>,
  isSent: (correction: Correction, endedAt: number) => boolean,
): Correction | undefined {
  const former = earlier.findLast((one) => one.key === key && one.field === field)
  if (former?.ended === undefined) return former
  return former.ended.why.startsWith(DROPPED) && isSent(former, former.ended.at) ? former : undefined
}

/** What a record says about a correction; it counts when the plan of its input is committed. */
export interface CorrectionFinding {
  readonly id: number
  readonly judged: JudgedCorrection
}

/** A correction that a person drops. */
export interface DroppedCorrection extends Pick<Correction, 'pipeline' | 'key' | 'field'> {
  /** What an edit at the service that is kept holds back instead of the corrected value. */
  readonly edit?: {
    readonly field: string
    readonly corrected: FieldValue
    /** What the source itself says; undefined where that is not known, or nothing. */
    readonly said: FieldValue | undefined
  }
}

/** What is noted of a new correction. */
export type NewCorrection = Pick<
  Correction,
  'pipeline' | 'key' | 'field' | 'value' | 'raw' | 'was' | 'file' | 'line' | keyof DecidedBy
>

export interface CorrectionStore {
  /** Those of a pipeline that hold, by key and field. */
  openCorrections(pipeline: string): Promise<readonly Correction[]>
  /** With those that have ended, oldest first. */
  allCorrections(pipelines: readonly string[]): Promise<readonly Correction[]>
}
