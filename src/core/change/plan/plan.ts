// A plan as a value: what a run of one pipeline is about to do. It is built from decided changes, batch by batch, and holds
// totals and a bounded number of examples, never the records of a file. It needs no state: what shows, compares or
// judges a plan is given this value alone.
import { isOperatorStop } from '../../outcome/circuit.ts'
import {
  type Counts,
  type InputReport,
  reportTotals,
  type RunStatus,
  runStatus,
} from '../../outcome/summary.ts'
import type { ErrorCode } from '../../words/errors.ts'
import { type Estimate, estimate, type EstimateLimits, type PlannedWork } from '../estimate.ts'
import type { HeldTotals } from '../waiting/held-why.ts'
import type { JudgedInput } from '../waiting/guard.ts'
import type { LeftOutTotals } from './left-out.ts'
import type { MergeMethod } from '../merge-method.ts'
import {
  countryOf,
  type DecidedChange,
  type PlannedChange,
  shownChange,
  showsNothing,
  workOf,
} from './planned-change.ts'
import { createSharedNames } from './shared-names.ts'
import { termKey } from '../../mapping/terms.ts'

/** Groups that are listed separately, and names of terms that are counted one by one. */
export const MOST_GROUPS = 1000
export const MOST_TERM_NAMES = 100_000

/**
 * Changes that do the same: updates of the same fields that give and take the same terms; all creates; all deletes. The
 * example is the first of them.
 */
export interface ChangeGroup {
  readonly count: number
  /** Whether each of them sets the same values in place of the same values. */
  readonly isSame: boolean
  readonly example: PlannedChange
}

export interface Plan {
  readonly pipeline: string
  readonly status: RunStatus
  readonly counts: Counts
  readonly inputs: readonly InputReport[]
  /** What the guards judged of each input, and what they hold of it. */
  readonly judged: readonly JudgedInput[]
  /** Why changes are held: together as many as `counts` has, deletes included. */
  readonly held: HeldTotals
  /** Changes that would be sent. What is held is not among them. */
  readonly actions: Readonly<Record<PlannedChange['action'], number>>
  /** How many of these changes set each field: of new contacts, and of others. */
  readonly byField: Readonly<Record<string, { readonly create: number; readonly update: number }>>
  readonly byTerm: Readonly<Record<string, { readonly add: number; readonly remove: number }>>
  /** Those of them that many different records gain or lose: they say nothing of one person. */
  readonly sharedTerms: ReadonlySet<string>
  /** How often a term was given or taken that is not in byTerm, because MOST_TERM_NAMES are in it already. */
  readonly otherTerms: number
  readonly byCountry: Readonly<Record<string, number>>
  /** How many changes of each field the update method withholds. */
  readonly withheld: Readonly<Record<string, number>>
  /** Fields that were edited at the service and stay; undefined where the contacts were not looked at. */
  readonly keptEdits: number | undefined
  /** What of records is not sent as they have it; absent where that was not counted. */
  readonly leftOut?: LeftOutTotals | undefined
  /** Largest first. */
  readonly groups: readonly ChangeGroup[]
  /** Changes that are in none of the groups, because there were MOST_GROUPS of them already. */
  readonly ungrouped: number
  readonly work: PlannedWork
  readonly estimate: Estimate
  /** What a run would warn of; absent where nothing. */
  readonly warnings?: readonly PlanWarning[]
  /** What the service would have been asked; undefined where it was asked. */
  readonly unasked?: readonly Unasked[]
  /** Why no whole plan could be made. */
  readonly error?: string
  readonly code?: ErrorCode
}

/** What a plan that asks the service nothing could not know: the terms or contacts there, or the definition of a custom field. */
export type Unasked = 'terms' | 'contacts' | `custom_fields.${string}`

/** An event of the operational log. The text has its fields as well, which may hold values of records. */
export interface PlanWarning {
  readonly event: string
  readonly text: string
}

/** Changes that would be sent. */
export const plannedChanges = ({ actions }: Pick<Plan, 'actions'>): number =>
  actions.create + actions.update + actions.delete

/** What is known of a plan only once everything was read. */
export interface PlanEnd {
  readonly counts: Counts
  readonly inputs: readonly InputReport[]
  readonly limits: EstimateLimits
  readonly stop?: { readonly code: ErrorCode; readonly message: string } | undefined
  readonly unasked?: readonly Unasked[] | undefined
  readonly leftOut?: LeftOutTotals | undefined
  readonly held?: HeldTotals
}

export interface PlanBuilder {
  /** Adds decided changes. Gives each as it is shown, without those that change nothing at the service. */
  add(decided: readonly DecidedChange[]): readonly PlannedChange[]
  judge(input: JudgedInput): void
  /** So many values were edited at a contact whose delete is held for that. */
  keep(edits: number): void
  build(end: PlanEnd): Plan
}

const NO_WORK: PlannedWork = {
  createsWithMail: 0,
  createsWithoutMail: 0,
  updates: 0,
  termAdditions: 0,
  termRemovals: 0,
  termChanges: 0,
  termsOfCreates: 0,
  consents: 0,
  withdrawals: 0,
  deletes: 0,
  newTerms: 0,
}

/** Adds one under a name that comes from outside: any text is a name. */
const raise = (totals: Map<string, number>, name: string): void =>
  void totals.set(name, (totals.get(name) ?? 0) + 1)

/** The same totals by name first: how often each part has the name. */
function byName<Part extends string>(
  parts: Readonly<Record<Part, ReadonlyMap<string, number>>>,
): Readonly<Record<string, Readonly<Record<Part, number>>>> {
  const kinds = Object.keys(parts) as Part[]
  const names = new Set(kinds.flatMap((kind) => [...parts[kind].keys()]))
  const ofName = (name: string) =>
    Object.fromEntries(kinds.map((kind) => [kind, parts[kind].get(name) ?? 0])) as Record<Part, number>
  return Object.fromEntries([...names].map((name) => [name, ofName(name)]))
}

/** Which group a change belongs to, as a text. */
function groupName({ action, fields, withheld = {}, kept_edits: kept = {}, terms }: PlannedChange): string {
  if (action !== 'update') return action
  const names = [Object.keys(fields), Object.keys(withheld), Object.keys(kept), terms.add, terms.remove]
  return JSON.stringify(names.map((list) => list.toSorted()))
}

const valuesText = ({ fields, withheld, kept_edits: kept }: PlannedChange): string =>
  JSON.stringify([fields, withheld, kept])

function createGroups() {
  const groups = new Map<string, { count: number; isSame: boolean; example: PlannedChange }>()
  let ungrouped = 0
  return {
    add(change: PlannedChange): void {
      const name = groupName(change)
      const group = groups.get(name)
      if (group === undefined) {
        if (groups.size < MOST_GROUPS) groups.set(name, { count: 1, isSame: true, example: change })
        else ungrouped += 1
        return
      }
      group.count += 1
      if (group.isSame) group.isSame = valuesText(group.example) === valuesText(change)
    },
    built: () => ({
      groups: [...groups.values()]
        .map((group): ChangeGroup => ({ ...group }))
        .toSorted((one, other) => other.count - one.count),
      ungrouped,
    }),
  }
}

/** How often each term is given and taken, under the first spelling of its name. */
function createTermCounts() {
  const spellings = new Map<string, string>()
  const add = new Map<string, number>()
  const remove = new Map<string, number>()
  const shared = createSharedNames()
  let otherTerms = 0
  const note = (names: readonly string[], totals: Map<string, number>, key: string): void => {
    for (const written of names) {
      const name = spellings.get(termKey(written)) ?? written
      if (totals.has(name) || totals.size < MOST_TERM_NAMES) {
        spellings.set(termKey(name), name)
        raise(totals, name)
        shared.note(name, key)
      } else otherTerms += 1
    }
  }
  return {
    add({ key, terms }: PlannedChange): void {
      note(terms.add, add, key)
      note(terms.remove, remove, key)
    },
    built: () => ({ byTerm: byName({ add, remove }), sharedTerms: shared.names(), otherTerms }),
  }
}

/** What is counted of each change. */
function createChangeCounts() {
  const actions = { create: 0, update: 0, delete: 0 }
  const fields = { create: new Map<string, number>(), update: new Map<string, number>() }
  const byCountry = new Map<string, number>()
  const withheld = new Map<string, number>()
  let keptEdits = 0
  return {
    add(change: PlannedChange, country: string | undefined): void {
      actions[change.action] += 1
      const byField = fields[change.action === 'create' ? 'create' : 'update']
      for (const field of Object.keys(change.fields)) raise(byField, field)
      for (const field of Object.keys(change.withheld ?? {})) raise(withheld, field)
      keptEdits += Object.keys(change.kept_edits ?? {}).length
      if (country !== undefined) raise(byCountry, country)
    },
    keep: (edits: number): void => void (keptEdits += edits),
    built: () => ({
      actions: { ...actions },
      byField: byName(fields),
      byCountry: Object.fromEntries(byCountry),
      withheld: Object.fromEntries(withheld),
      keptEdits,
    }),
  }
}

/** Builds the plan of one pipeline. What it gives depends on nothing but what it was given. */
export function planBuilder(pipeline: string, method: MergeMethod): PlanBuilder {
  const judged: JudgedInput[] = []
  const changes = createChangeCounts()
  const terms = createTermCounts()
  const groups = createGroups()
  const work = { ...NO_WORK }
  const files = new Map<string, Record<keyof PlannedWork, number>>()
  const addWork = (file: string, more: PlannedWork): void => {
    const ofFile = files.get(file) ?? { ...NO_WORK }
    files.set(file, ofFile)
    for (const sum of [work, ofFile])
      for (const part of Object.keys(sum) as (keyof PlannedWork)[]) sum[part] += more[part]
  }
  return {
    add: (decided) =>
      decided.flatMap((one) => {
        addWork(one.source.file, workOf(one))
        const change = shownChange(one, method)
        if (showsNothing(change)) return []
        changes.add(change, countryOf(one))
        terms.add(change)
        groups.add(change)
        return [change]
      }),
    judge: (input) => void judged.push(input),
    keep: changes.keep,
    build({ counts, inputs, limits, stop, unasked, leftOut, held = {} }) {
      const isLookedAt = unasked === undefined
      const planned = { ...work, newTerms: counts.terms_created }
      return {
        pipeline,
        status: runStatus(counts, {
          fatal: stop !== undefined && !isOperatorStop(stop),
          isPaused: isOperatorStop(stop),
          ...reportTotals(inputs),
        }),
        counts: { ...counts },
        inputs: [...inputs],
        judged: [...judged],
        held,
        ...changes.built(),
        ...(isLookedAt ? {} : { keptEdits: undefined }),
        ...terms.built(),
        ...groups.built(),
        work: planned,
        estimate: estimate(planned, limits, [...files.values()]),
        ...(leftOut === undefined ? {} : { leftOut }),
        ...(unasked === undefined ? {} : { unasked }),
        ...(stop === undefined ? {} : { error: stop.message, code: stop.code }),
      }
    },
  }
}
