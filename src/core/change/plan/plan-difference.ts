// What differs between two plans of one pipeline: in counts, by field, term and country, and in what guards hold. For the
// same files under two configurations, or before and after a change at the source.
import type { Hold, JudgedInput } from '../waiting/guard.ts'
import type { Plan } from './plan.ts'

/** A number that is not the same in both plans. */
export interface Moved {
  readonly before: number
  readonly after: number
}

type MovedNumbers = Readonly<Record<string, Moved>>

/** Only what differs is named; a name that one plan lacks counts as 0 there. */
export interface PlanDifference {
  readonly isSame: boolean
  readonly counts: MovedNumbers
  readonly byField: MovedNumbers
  readonly termsAdded: MovedNumbers
  readonly termsRemoved: MovedNumbers
  readonly byCountry: MovedNumbers
  readonly withheld: MovedNumbers
  /** requests, seconds. */
  readonly estimate: MovedNumbers
  /** Held in one plan alone, or by another guard, or over another number or threshold. */
  readonly heldBefore: readonly HeldInput[]
  readonly heldAfter: readonly HeldInput[]
}

export interface HeldInput extends Hold {
  readonly file: string
}

type Numbers = Readonly<Record<string, number>>

function moved(before: Numbers, after: Numbers): MovedNumbers {
  const of = (numbers: Numbers, name: string): number =>
    Object.hasOwn(numbers, name) ? (numbers[name] ?? 0) : 0
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const all = [...names].map((name) => [name, { before: of(before, name), after: of(after, name) }] as const)
  return Object.fromEntries(all.filter(([, one]) => one.before !== one.after))
}

/** One number of each name. */
const only = <Of>(named: Readonly<Record<string, Of>>, number: (of: Of) => number): Numbers =>
  Object.fromEntries(Object.entries(named).map(([name, of]) => [name, number(of)]))

const heldInputs = (judged: readonly JudgedInput[]): readonly HeldInput[] =>
  judged.flatMap(({ file, hold }) => (hold === undefined ? [] : [{ file, ...hold }]))

const isAmong = (held: readonly HeldInput[], one: HeldInput): boolean =>
  held.some(
    ({ file, guard, number, threshold }) =>
      file === one.file && guard === one.guard && number === one.number && threshold === one.threshold,
  )

export function planDifference(before: Plan, after: Plan): PlanDifference {
  const numbers = {
    counts: moved(before.counts, after.counts),
    byField: moved(
      only(before.byField, (of) => of.create + of.update),
      only(after.byField, (of) => of.create + of.update),
    ),
    termsAdded: moved(
      only(before.byTerm, ({ add }) => add),
      only(after.byTerm, ({ add }) => add),
    ),
    termsRemoved: moved(
      only(before.byTerm, ({ remove }) => remove),
      only(after.byTerm, ({ remove }) => remove),
    ),
    byCountry: moved(before.byCountry, after.byCountry),
    withheld: moved(before.withheld, after.withheld),
    estimate: moved({ ...before.estimate }, { ...after.estimate }),
  }
  const [was, is] = [heldInputs(before.judged), heldInputs(after.judged)]
  const heldBefore = was.filter((one) => !isAmong(is, one))
  const heldAfter = is.filter((one) => !isAmong(was, one))
  const isSame =
    heldBefore.length + heldAfter.length === 0 &&
    Object.values(numbers).every((named) => Object.keys(named).length === 0)
  return { isSame, ...numbers, heldBefore, heldAfter }
}
