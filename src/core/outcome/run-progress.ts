// How far a run has come while it is active: what it reports, and what its pace says of the rest. Numbers alone.

export interface ProgressReport {
  readonly phase: 'recover' | 'read' | 'apply' | 'settle'
  readonly read: number
  /** Of the file that is read; a total of 0: it is not known. */
  readonly bytesRead: number
  readonly bytesTotal: number
  /** Which file of how many, counted from 1; 0 before the first. */
  readonly file: number
  readonly files: number
  /** Operations of the plan that have an outcome, and all of them. */
  readonly applied: number
  readonly planned: number
  readonly requests: number
}

/** Before its first report. */
export const NOT_BEGUN: ProgressReport = {
  phase: 'recover',
  read: 0,
  bytesRead: 0,
  bytesTotal: 0,
  file: 0,
  files: 0,
  applied: 0,
  planned: 0,
  requests: 0,
}

/** A phase as it is seen from outside. */
export interface WatchedPhase {
  readonly now: ProgressReport
  /** When the phase began. */
  readonly first: ProgressReport
  readonly elapsedMs: number
}

/** Of an active run. */
export interface RunProgress extends WatchedPhase {
  readonly runId: string
  readonly pipeline: string
}

export interface Pace {
  /** Records while reading, changes while sending; undefined where nothing was counted yet. */
  readonly perSecond: number | undefined
  readonly requestsPerSecond: number | undefined
  /** How much of the phase is done, from 0 to 1; undefined where its end is not known. */
  readonly share: number | undefined
  /** What is left of the phase in milliseconds, at this pace. */
  readonly leftMs: number | undefined
}

const perSecond = (done: number, elapsedMs: number): number | undefined =>
  elapsedMs > 0 && done > 0 ? (done / elapsedMs) * 1000 : undefined

/** What is done of how much, and since the phase began. */
function measured({ now, first }: WatchedPhase) {
  const applied = now.applied - first.applied
  if (now.phase === 'apply') return { done: applied, at: now.applied, of: now.planned, steps: applied }
  const [done, steps] = [now.read - first.read, now.bytesRead - first.bytesRead]
  if (now.phase === 'read') return { done, at: now.bytesRead, of: now.bytesTotal, steps }
  return { done: 0, at: 0, of: 0, steps: 0 }
}

/** Of the phase alone: what comes after it is not known before it has ended. */
export function paceOf(watched: WatchedPhase): Pace {
  const { elapsedMs, now, first } = watched
  const { done, at, of, steps } = measured(watched)
  const stepsPerSecond = perSecond(steps, elapsedMs)
  return {
    perSecond: perSecond(done, elapsedMs),
    requestsPerSecond: perSecond(now.requests - first.requests, elapsedMs),
    share: of > 0 ? Math.min(1, at / of) : undefined,
    leftMs:
      of > 0 && stepsPerSecond !== undefined ? (Math.max(0, of - at) / stepsPerSecond) * 1000 : undefined,
  }
}

/** Whether the report begins another phase, or the next file. */
export const beginsPhase = (report: Partial<ProgressReport>, now: ProgressReport): boolean =>
  (report.phase ?? now.phase) !== now.phase || (report.file ?? now.file) !== now.file
