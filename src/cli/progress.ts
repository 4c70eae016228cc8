// The line that moves while a pipeline runs: on a terminal only, on standard error, at most ten times a second.
import type { Clock } from '../core/ports.ts'
import type { ProgressReport } from '../sync/context.ts'
import { number, spanText } from '../core/words/format.ts'
import { control } from './guarded.ts'
import type { Io } from './io.ts'

export interface Progress {
  report(report: Partial<ProgressReport>): void
  clear(): void
}

const EVERY_MS = 100
const CLEAR_LINE = control('\r\u001b[2K')
const START: ProgressReport = {
  phase: 'recover',
  read: 0,
  bytesRead: 0,
  bytesTotal: 0,
  applied: 0,
  planned: 0,
  requests: 0,
}

function applyText(state: ProgressReport, elapsedMs: number): string {
  const rate = elapsedMs > 0 ? (state.applied / elapsedMs) * 1000 : 0
  const left = rate > 0 ? ((state.planned - state.applied) / rate) * 1000 : undefined
  const speed = `${number(Math.round(rate))} records/s`
  const remaining = left === undefined ? '' : `, ${spanText(left)} left`
  return `sending ${number(state.applied)} of ${number(state.planned)} changes, ${number(state.requests)} requests, ${speed}${remaining}`
}

/** The text of the line; `elapsedMs` counts from the start of the phase. */
function progressText(pipeline: string, state: ProgressReport, elapsedMs: number): string {
  switch (state.phase) {
    case 'recover':
      return `${pipeline}: settling what earlier runs left open`
    case 'read': {
      const share =
        state.bytesTotal > 0
          ? `, ${Math.min(100, Math.floor((state.bytesRead / state.bytesTotal) * 100))} %`
          : ''
      const rate = elapsedMs > 0 ? `, ${number(Math.round((state.read / elapsedMs) * 1000))} records/s` : ''
      return `${pipeline}: reading ${number(state.read)} records${share}${rate}`
    }
    case 'apply':
      return `${pipeline}: ${applyText(state, elapsedMs)}`
    case 'settle':
      return `${pipeline}: waiting before the next look-up of doubts`
  }
}

/** Without a terminal it does nothing. */
export function createProgress(pipeline: string, io: Io, clock: Clock): Progress {
  let state = START
  let phaseStart = clock.monotonic()
  let shownAt = -Infinity
  return {
    report(report) {
      if (!io.isTerminal) return
      if (report.phase !== undefined && report.phase !== state.phase) phaseStart = clock.monotonic()
      state = { ...state, ...report }
      const now = clock.monotonic()
      if (now - shownAt < EVERY_MS) return
      shownAt = now
      io.stderr.write(CLEAR_LINE + progressText(pipeline, state, now - phaseStart))
    },
    clear() {
      if (io.isTerminal && shownAt > -Infinity) io.stderr.write(CLEAR_LINE)
    },
  }
}
