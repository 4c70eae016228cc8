// Decides which pipeline runs next: what is due, waiting and active. It has no timer and no clock: the caller passes
// the time. A pipeline is never started while it runs; what waits longest goes first.
import { HOUR_MS } from '../core/words/duration.ts'
import type { RunCause } from '../core/outcome/daemon.ts'
import type { DueTimes } from './due-times.ts'

export interface AgendaEntry {
  readonly name: string
  /** Expression and zone: what identifies a schedule. */
  readonly schedule: string
  /** Undefined: it is never due, but may be wanted. */
  readonly dueTimes: DueTimes | undefined
  /** What was due up to this moment has had its run. */
  readonly doneUpTo: number
}

/** What a look has noticed. `times`: due times, as many as are counted at most. */
export interface AgendaNews {
  readonly type: 'overlapped' | 'clock_set_back'
  readonly pipeline: string
  readonly times: number
}

export interface Turn {
  readonly name: string
  readonly cause: RunCause
  /** Due times that passed while nothing could run, and that this run makes up for; 0 for a run in time. */
  readonly missed: number
}

export interface AgendaStanding {
  readonly name: string
  readonly dueAt: number | undefined
  readonly runningSince: number | undefined
  readonly waitingSince: number | undefined
  readonly overlaps: number
  readonly missed: number
}

export interface Agenda {
  /** Takes note of what has become due by now. */
  look(now: number): readonly AgendaNews[]
  /** A file has landed. */
  want(name: string, now: number): void
  /** A person has asked for it: it is tried once. */
  ask(name: string, now: number): void
  /** The pipeline that starts now; undefined where none waits that may begin and is not active already. */
  begin(now: number, mayBegin?: (name: string) => boolean): Turn | undefined
  /**
   * A run has ended. `again`: it did not come to its end (the service away, the process asked to end), and is wanted as
   * before, unless a person alone had asked for it. Gives the moment up to which everything due has had its run.
   */
  end(name: string, again: boolean): number
  /** Takes other pipelines or schedules; active ones continue. */
  replace(entries: readonly AgendaEntry[]): void
  readonly running: number
  standings(): readonly AgendaStanding[]
}

/** `isAsked`: by a person, and nothing else. */
interface Wish {
  readonly since: number
  readonly due: number
  readonly isAsked?: true
}

interface State {
  entry: AgendaEntry
  /** Everything due up to here has been noticed. */
  seenUpTo: number
  next: number | undefined
  /** What has become due or landed and has had no run. */
  wish: Wish | undefined
  run: { readonly since: number; readonly wish: Wish } | undefined
  overlaps: number
  missed: number
  isGone: boolean
}

/** Later than this, a run makes up for a missed one: the schedule is looked at once a minute. */
const LATE_MS = 120_000
/** A clock set back by more than this was wrong before; by less, what was due is not due again at once. */
const SET_BACK_MS = HOUR_MS
/** Clocks are set right by some seconds now and then. */
const SET_RIGHT_MS = 60_000
/** Due times that a look counts, over all pipelines: it must not keep the process from answering, however far clocks jump. */
const MOST_COUNTED = 1000

function newState(entry: AgendaEntry): State {
  return {
    entry,
    seenUpTo: entry.doneUpTo,
    next: entry.dueTimes?.next(entry.doneUpTo),
    wish: undefined,
    run: undefined,
    overlaps: 0,
    missed: 0,
    isGone: false,
  }
}

/** Counts what has become due; gives how often, and when first. */
function takeDue(state: State, now: number, most: number): { times: number; first: number } | undefined {
  const { dueTimes } = state.entry
  const first = state.next
  if (dueTimes === undefined || first === undefined || first > now) return undefined
  let times = 0
  while (state.next !== undefined && state.next <= now && times < most) {
    times += 1
    state.next = dueTimes.next(state.next)
  }
  if (state.next !== undefined && state.next <= now) state.next = dueTimes.next(now)
  return { times, first }
}

/** How far a clock may be set back without being believed: from one due time to the next, an hour at most. */
function toleratedMs(dueTimes: DueTimes | undefined, now: number): number {
  const first = dueTimes?.next(now)
  const second = first === undefined ? undefined : dueTimes?.next(first)
  if (first === undefined || second === undefined) return SET_BACK_MS
  return Math.max(SET_RIGHT_MS, Math.min(SET_BACK_MS, second - first))
}

function lookAt(state: State, now: number, most: number): AgendaNews[] {
  const { name, dueTimes } = state.entry
  const news: AgendaNews[] = []
  const setBackMs = state.seenUpTo - now
  if (setBackMs > 0 && setBackMs > toleratedMs(dueTimes, now)) {
    state.seenUpTo = now
    // The look that notices it is the one that was meant for the last minute.
    state.next = dueTimes?.next(now - SET_RIGHT_MS)
    if (dueTimes !== undefined) news.push({ type: 'clock_set_back', pipeline: name, times: 1 })
  }
  // What has waited since a time that has not come yet would be the last for as long, and never be overdue.
  if (state.wish !== undefined && state.wish.since > now) state.wish = { ...state.wish, since: now }
  const due = takeDue(state, now, most)
  state.seenUpTo = Math.max(state.seenUpTo, now)
  if (due === undefined) return news
  if (state.run !== undefined) {
    state.overlaps += due.times
    return [...news, { type: 'overlapped', pipeline: name, times: due.times }]
  }
  state.wish = { since: state.wish?.since ?? due.first, due: (state.wish?.due ?? 0) + due.times }
  return news
}

function begun(state: State, wish: Wish, now: number): Turn {
  const isLate = wish.due > 0 && now - wish.since > LATE_MS
  const missed = isLate ? wish.due : 0
  state.run = { since: now, wish }
  state.wish = undefined
  state.missed += missed
  return { name: state.entry.name, cause: isLate ? 'missed' : wish.due > 0 ? 'schedule' : 'watch', missed }
}

function standing({ entry: { name }, next, run, wish, overlaps, missed }: State): AgendaStanding {
  return { name, dueAt: next, runningSince: run?.since, waitingSince: wish?.since, overlaps, missed }
}

/** What is known of a pipeline is kept where its schedule is the same. */
function renewed(old: State | undefined, entry: AgendaEntry): State {
  if (old === undefined) return newState(entry)
  if (old.entry.schedule === entry.schedule) return { ...old, isGone: false }
  const { run, wish, overlaps, missed } = old
  return { ...newState(entry), run, wish, overlaps, missed }
}

export function createAgenda(entries: readonly AgendaEntry[]): Agenda {
  let states = new Map(entries.map((entry) => [entry.name, newState(entry)]))
  return {
    look(now) {
      const present = [...states.values()].filter(({ isGone }) => !isGone)
      const most = Math.max(1, Math.floor(MOST_COUNTED / present.length))
      return present.flatMap((state) => lookAt(state, now, most))
    },
    want(name, now) {
      const state = states.get(name)
      if (state === undefined || state.isGone) return
      if (state.wish === undefined || state.wish.isAsked === true)
        state.wish = { since: state.wish?.since ?? now, due: 0 }
    },
    ask(name, now) {
      const state = states.get(name)
      if (state !== undefined && !state.isGone) state.wish ??= { since: now, due: 0, isAsked: true }
    },
    begin(now, mayBegin = () => true) {
      const waiting = [...states.values()].flatMap((state) =>
        state.wish === undefined || state.run !== undefined || state.isGone || !mayBegin(state.entry.name)
          ? []
          : [{ state, wish: state.wish }],
      )
      const [first] = waiting.toSorted((one, other) => one.wish.since - other.wish.since)
      return first === undefined ? undefined : begun(first.state, first.wish, now)
    },
    end(name, again) {
      const state = states.get(name)
      if (state?.run === undefined) return 0
      const { wish } = state.run
      state.run = undefined
      if (state.isGone) states.delete(name)
      if (again && wish.isAsked !== true)
        state.wish = { since: wish.since, due: wish.due + (state.wish?.due ?? 0) }
      return state.seenUpTo
    },
    replace(next) {
      const gone = [...states.values()].filter(
        ({ entry, run }) => run !== undefined && !next.some(({ name }) => name === entry.name),
      )
      const renewedStates = next.map((entry) => [entry.name, renewed(states.get(entry.name), entry)] as const)
      states = new Map([
        ...renewedStates,
        ...gone.map((one) => [one.entry.name, { ...one, isGone: true }] as const),
      ])
    },
    get running() {
      return [...states.values()].filter(({ run }) => run !== undefined).length
    },
    standings: () => [...states.values()].filter(({ isGone }) => !isGone).map(standing),
  }
}
