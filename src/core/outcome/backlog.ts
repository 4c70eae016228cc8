// What of a pipeline is still open, as counts. What the state has as being sent is on its way only while the pipeline
// runs; where no run is active, the process that sent it has died, and its outcome is unknown.

export interface Backlog {
  readonly linked: number
  readonly rejects: number
  readonly held: number
  readonly inDoubt: number
  /** Sent, and the answer is still to come. */
  readonly onItsWay: number
  readonly retriable: number
}

export const NO_BACKLOG: Backlog = { linked: 0, rejects: 0, held: 0, inDoubt: 0, onItsWay: 0, retriable: 0 }

/** `isRunning`: whether a run of the pipeline is active in a live process. */
export function currentBacklog(backlog: Backlog, isRunning: boolean): Backlog {
  if (isRunning) return backlog
  return { ...backlog, inDoubt: backlog.inDoubt + backlog.onItsWay, onItsWay: 0 }
}

/**
 * Whether a run that has not ended is made by the process that has had the state since then: a run that began before was cut
 * off. A time that has not come yet was noted by a clock that was ahead, and tells nothing about the run.
 */
export const isRunOfOwner = (
  run: { readonly startedAt: number; readonly endedAt: number | undefined } | undefined,
  since: number | undefined,
  now: number,
): boolean =>
  run !== undefined &&
  run.endedAt === undefined &&
  since !== undefined &&
  (since <= run.startedAt || since > now)
