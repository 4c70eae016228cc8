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
