// The line that moves while a pipeline runs: on a terminal only, on standard error, at most ten times a second.
import type { Clock } from '../core/ports.ts'
import {
  beginsPhase,
  NOT_BEGUN,
  type Pace,
  paceOf,
  type ProgressReport,
  type WatchedPhase,
} from '../core/outcome/run-progress.ts'
import { number, spanText } from '../core/words/format.ts'
import { control } from './guarded.ts'
import type { Io } from './io.ts'

const EVERY_MS = 100
const CLEAR_LINE = control('\r\u001b[2K')

/** Before anything else is printed on standard error: the line that moves is taken away. */
export const clearLine = (io: Pick<Io, 'stderr' | 'isTerminal'>): void => {
  if (io.isTerminal) io.stderr.write(CLEAR_LINE)
}

export interface Progress {
  report(report: Partial<ProgressReport>): void
  clear(): void
}

/** `, 31 %, 1 min left`, as far as it is known. */
const rest = (texts: readonly (string | false)[]): string =>
  texts
    .filter((text) => text !== false)
    .map((text) => `, ${text}`)
    .join('')

const speed = ({ perSecond = 0 }: Pace): string => `${number(Math.round(perSecond))} records/s`

/** The text of the line. */
function progressText(pipeline: string, watched: WatchedPhase): string {
  const { phase, read, file, files, applied, planned, requests } = watched.now
  const pace = paceOf(watched)
  switch (phase) {
    case 'recover':
      return `${pipeline}: settling what earlier runs left open`
    case 'read':
      return `${pipeline}: reading ${number(read)} records${rest([
        files > 1 && `file ${number(file)} of ${number(files)}`,
        pace.share !== undefined && `${Math.floor(pace.share * 100)} %`,
        pace.perSecond !== undefined && speed(pace),
      ])}`
    case 'apply':
      return `${pipeline}: sending ${number(applied)} of ${number(planned)} changes${rest([
        `${number(requests)} requests`,
        speed(pace),
        pace.leftMs !== undefined && `${spanText(pace.leftMs)} left`,
      ])}`
    case 'settle':
      return `${pipeline}: waiting before the next look-up of doubts`
  }
}

/** Without a terminal it does nothing. */
export function createProgress(pipeline: string, io: Io, clock: Clock): Progress {
  let state = NOT_BEGUN
  let first = NOT_BEGUN
  let phaseStart = clock.monotonic()
  let shownAt = -Infinity
  return {
    report(report) {
      if (!io.isTerminal) return
      const isFirst = beginsPhase(report, state)
      state = { ...state, ...report }
      if (isFirst) [first, phaseStart] = [state, clock.monotonic()]
      const now = clock.monotonic()
      if (now - shownAt < EVERY_MS) return
      shownAt = now
      io.stderr.write(CLEAR_LINE + progressText(pipeline, { now: state, first, elapsedMs: now - phaseStart }))
    },
    clear() {
      if (shownAt > -Infinity) clearLine(io)
    },
  }
}
