// Liveness and readiness, as pure functions from what the daemon knows to an answer.

export interface DaemonState {
  /** False from the first signal to end. */
  readonly running: boolean
  readonly stateOpen: boolean
  readonly pipelines: readonly {
    readonly name: string
    /** Milliseconds since the epoch; undefined: not scheduled. */
    readonly dueAt: number | undefined
    readonly running: boolean
    /** When it was due and did not start; undefined: never. */
    readonly missedAt: number | undefined
    /** The code of what ended its last run; undefined where that is not known, or where it ended well. */
    readonly why: string | undefined
  }[]
}

export interface Readiness {
  readonly ready: boolean
  readonly reasons: readonly string[]
}

/** Ready: the state is open, the schedule runs, and no pipeline is overdue; else the reasons why not. */
export function readiness(daemon: DaemonState): Readiness {
  const overdue = daemon.pipelines.filter(({ missedAt, running }) => missedAt !== undefined && !running)
  const reasons = [
    ...(daemon.running ? [] : ['shutting down']),
    ...(daemon.stateOpen ? [] : ['the state is not open']),
    ...overdue.map(({ name, why }) => `pipeline ${name} is overdue${why === undefined ? '' : ` (${why})`}`),
  ]
  return { ready: reasons.length === 0, reasons }
}
