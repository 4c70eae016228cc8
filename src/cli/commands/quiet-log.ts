// The operational log of a command that a person waits for: what it did is on standard output, standard error says what went wrong,
// and the log file has everything. That nothing is sent for a while is said, too: it would look like a program that hangs.
import type { EventName, LogEvent } from '../../core/log/events/events.ts'
import { heldBackText } from '../../core/log/events/service-event.ts'
import type { Settings } from '../../core/settings.ts'
import { spanText } from '../../core/words/format.ts'
import { createLog, type Log } from '../../log/log.ts'
import { systemClock } from '../../system.ts'
import { type Io, printError } from '../io.ts'
import { clearLine } from '../progress.ts'

/** A shorter wait is not worth a sentence. */
const LONG_MS = 5000

interface Wait {
  readonly wait_ms: number
  readonly answer: string
}

const ASKED_TO_WAIT = ({ wait_ms: ms }: Wait): string => heldBackText(ms)

const TEXTS: Partial<Record<EventName, (wait: Wait) => string>> = {
  'requests paused': ASKED_TO_WAIT,
  'requests paused: the service had asked for it before': ASKED_TO_WAIT,
  'service throttling: requests slowed': ASKED_TO_WAIT,
  'request retry scheduled': ({ wait_ms: ms, answer }) => `${answer}; it is sent again in ${spanText(ms)}`,
}

/** Tells of a wait once, and again only where it has become longer: several calls at the same time are told the same. */
function createTelling(io: Io): (event: EventName, fields: unknown) => void {
  let toldUntil = -Infinity
  return (event, fields) => {
    const text = TEXTS[event]
    if (text === undefined) return
    const wait = fields as Wait
    const until = systemClock.monotonic() + wait.wait_ms
    if (wait.wait_ms < LONG_MS || until < toldUntil + LONG_MS) return
    toldUntil = until
    clearLine(io)
    printError(io, text(wait))
  }
}

function tellingWaits(log: Log, tell: ReturnType<typeof createTelling>): Log {
  const info: LogEvent<'info'> = (event, fields) => {
    tell(event, fields)
    log.info(event, fields)
  }
  const debug: LogEvent<'debug'> = (event, fields) => {
    tell(event, fields)
    log.debug(event, fields)
  }
  return { ...log, info, debug, with: (fields) => tellingWaits(log.with(fields), tell) }
}

export const quietLog = (io: Io, { log, secrets }: Settings): Log =>
  tellingWaits(
    createLog(log, { secrets, stream: io.stderr, consoleLevel: log.level === 'debug' ? 'debug' : 'error' }),
    createTelling(io),
  )

/** A plan leaves no trace, in the log's folder neither. */
export const planLog = (io: Io, settings: Settings): Log =>
  quietLog(io, { ...settings, log: { ...settings.log, folder: undefined } })
