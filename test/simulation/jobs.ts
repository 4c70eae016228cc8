// What one worker does: its share of the seeds and of the single faults. It only counts and tells; who prints is main.ts.
import { makeStateFolder, type StateFolder } from './program.ts'
import { type Schedule, simulate, type Violation } from './simulation.ts'
import { singleFaults } from './single-faults.ts'

export interface Job {
  readonly first: number
  readonly seeds: number
  readonly part: number
  readonly of: number
  readonly withSingleFaults: boolean
  /** Each seed is one course of this kind, and nothing else. */
  readonly only?: Only | undefined
}

/**
 * year: of users who edit contacts. restored: the state is restored from an older backup. undone: some runs are. erased: people ask
 * to be. corrected: a person sets values right.
 */
export const ONLY = ['year', 'restored', 'undone', 'erased', 'corrected'] as const
type Only = (typeof ONLY)[number]

/** A year: an export a week. */
export const YEAR = { days: 52, nightMs: 7 * 86_400_000 }

type Kind = Pick<
  Schedule,
  'isPulled' | 'isEdited' | 'isChanged' | 'isUndone' | 'isErased' | 'isCorrected' | 'isRestored'
> & {
  readonly isYear?: boolean
}

/** One course that ended badly, and the command that plays it again. */
export interface Failure {
  readonly name: string
  readonly replay: string
  readonly violations: readonly Violation[]
}

export interface Report {
  readonly courses: number
  readonly runs: number
  readonly requests: number
  readonly points: number
  readonly crashes: number
  readonly singleFaults: number
  readonly failures: readonly Failure[]
}

const OPTIONS = {
  isPulled: 'pulled',
  isEdited: 'edited',
  isChanged: 'changed',
  isUndone: 'undone',
  isErased: 'erased',
  isCorrected: 'corrected',
  isRestored: 'restored',
  isYear: 'year',
} as const satisfies Record<keyof Kind, string>

const optionsOf = (kind: Kind): readonly string[] =>
  Object.entries(OPTIONS).flatMap(([name, option]) => (kind[name as keyof Kind] === true ? [option] : []))

export const replayOfSeed = (seed: number, kind: Kind = {}): string =>
  `npm run simulate -- --seed ${seed}${optionsOf(kind)
    .map((name) => ` --${name}`)
    .join('')} --trace`

const replayOfSingle = (story: string, what: string): string =>
  `npm run simulate -- --story ${story} --fault "${what}" --trace`

/** Every so many seeds one is played twice: the same course, to the last line. */
const TWICE = 50
/** Every so many seeds one is played again with sources that are asked for their records: another course. */
const PULLED = 4
/** As many, and which of them, with users who edit contacts while `hand_edits: keep` holds. */
const EDITED = { every: 4, at: 2 }
/** Every so many seeds, and which of them, with an admin who changes the configuration; half of those with users, too. */
const CHANGED = { every: 4, at: 3, edited: 8 }
/** Every so many seeds, and which of them, with a person who undoes runs; a third of those with users, too. */
const UNDONE = { every: 8, at: 1, edited: 3 }
/** Every so many seeds, and which of them, with people who ask to be erased; a third with sources that are asked, a third with users. */
const ERASED = { every: 8, at: 5, others: 3 }
/** The same with a person who sets values right. */
const CORRECTED = { every: 8, at: 7 }

/** The courses that are played of one seed. */
function coursesOf(seed: number, only: Only | undefined): readonly Kind[] {
  const others = { isPulled: seed % ERASED.others === 0, isEdited: seed % ERASED.others === 1 }
  const alone: Record<Only, Kind> = {
    year: { isEdited: true, isYear: true },
    restored: { isRestored: true },
    undone: { isUndone: true, isEdited: seed % UNDONE.edited === 0 },
    erased: { isErased: true, ...others },
    corrected: { isCorrected: true, ...others },
  }
  if (only !== undefined) return [alone[only]]
  const isTurn = ({ every, at }: { every: number; at: number }): boolean => seed % every === at
  return [
    { isChanged: isTurn(CHANGED) },
    ...(seed % PULLED === 0 ? [{ isPulled: true }] : []),
    ...(isTurn(EDITED) ? [{ isEdited: true, isChanged: seed % CHANGED.edited === EDITED.at }] : []),
    ...(isTurn(UNDONE) ? [alone.undone] : []),
    ...(isTurn(ERASED) ? [alone.erased] : []),
    ...(isTurn(CORRECTED) ? [alone.corrected] : []),
  ]
}

async function workOnSingleFaults(folder: StateFolder, job: Job) {
  const failures: Failure[] = []
  let tried = 0
  for await (const { story, what, outcome } of singleFaults(folder, job)) {
    tried += 1
    if (outcome.violations.length === 0) continue
    const { violations } = outcome
    failures.push({ name: `${story}: ${what}`, replay: replayOfSingle(story, what), violations })
  }
  return { tried, failures }
}

export async function work(job: Job): Promise<Report> {
  const folder = makeStateFolder()
  const failures: Failure[] = []
  const sum = { courses: 0, runs: 0, requests: 0, points: 0, crashes: 0 }
  try {
    const play = async (seed: number, kind: Kind): Promise<void> => {
      const schedule = { ...kind, ...(kind.isYear === true ? YEAR : {}) }
      const { figures, violations, hash } = await simulate(seed, folder, schedule)
      sum.courses += 1
      sum.runs += figures.runs
      sum.requests += figures.requests
      sum.points += figures.points
      sum.crashes += figures.crashes
      const failed = [...violations]
      if (seed % TWICE === 0 && (await simulate(seed, folder, schedule)).hash !== hash)
        failed.push({ oracle: 'determinism', text: 'played twice, it took two courses' })
      if (failed.length === 0) return
      const name = [`seed ${seed}`, ...optionsOf(kind)].join(', ')
      failures.push({ name, replay: replayOfSeed(seed, kind), violations: failed })
    }
    for (let seed = job.first + job.part; seed < job.first + job.seeds; seed += job.of) {
      for (const kind of coursesOf(seed, job.only)) await play(seed, kind)
    }
    const single = job.withSingleFaults ? await workOnSingleFaults(folder, job) : { tried: 0, failures: [] }
    return { ...sum, singleFaults: single.tried, failures: [...failures, ...single.failures] }
  } finally {
    folder.remove()
  }
}
