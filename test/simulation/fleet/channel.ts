// The way of one worker to the database, and what goes wrong on it: it is away, slow, or the connection breaks off: before a
// statement, or after a commit whose answer never comes.
import type { Channel, OpenChannel, Renewal } from '../../../src/store/postgres/channel.ts'
import { serverError } from '../../../src/store/postgres/trouble.ts'
import type { Chance } from '../chance.ts'
import type { Timeline } from '../timeline.ts'
import type { SimulatedDatabase } from './database.ts'
import type { Life } from './life.ts'

/** What becomes of one ask. */
export interface AskFault {
  readonly kind: 'lost' | 'answer lost' | 'slow'
  /** `slow`: before it is done, and until its answer is there. */
  readonly beforeMs?: number
  readonly afterMs?: number
}

export interface Way {
  readonly database: SimulatedDatabase
  readonly timeline: Timeline
  readonly chance: Chance
  /** What the clock of the server says. */
  now(): number
  /** Connections of an earlier number are broken: the server was restarted, or cut them. */
  readonly restarts: number
  readonly isAway: boolean
  fault(life: Life, isCommit: boolean): AskFault | undefined
  /** Leases cannot be renewed, although the other connection works. */
  isRenewerCut(life: Life): boolean
  /** The time of all has passed while a statement was slow. */
  spent(ms: number): void
  say(text: string): void
}

const BROKEN = { code: 'ECONNRESET', message: 'the connection has ended' }
const AWAY = { code: 'ECONNREFUSED', message: 'the server is away' }

export const channelsOf =
  (way: Way, life: Life): OpenChannel =>
  (_url, place): Channel => {
    const { database, timeline } = way
    const { restarts } = way
    const session = database.open()
    let isBroken = false
    let settings: string | undefined
    const isGone = (): boolean => isBroken || life.isOver || restarts !== way.restarts

    function breakOff(problem: typeof BROKEN): never {
      if (!isBroken) database.end(session)
      isBroken = true
      throw serverError(problem, place)
    }

    async function keepRenewing({ renew, everyMs }: Renewal): Promise<void> {
      for (;;) {
        await timeline.pause(everyMs)
        await life.gate()
        if (isGone()) return
        if (!way.isAway && !way.isRenewerCut(life)) database.read(renew, way.now())
      }
    }

    return {
      mark: '',
      crowd: () => 1,
      under: (text) => void (settings = text),
      ask(queries) {
        if (isGone()) return breakOff(BROKEN)
        if (way.isAway) return breakOff(AWAY)
        const isCommit = queries.some(({ text }) => text === 'COMMIT')
        const fault = way.fault(life, isCommit)
        if (fault !== undefined && fault.kind !== 'slow')
          way.say(`worker ${life.number}: ${isCommit ? 'commit' : 'statement'}, ${fault.kind}`)
        if (fault?.kind === 'lost') return breakOff(BROKEN)
        const { beforeMs = 0, afterMs = 0 } = fault ?? {}
        way.spent(beforeMs + afterMs)
        timeline.pass(beforeMs)
        if (settings !== undefined) database.ask(session, [{ text: settings, values: [] }], way.now())
        settings = undefined
        const { answers, problem } = database.ask(session, queries, way.now())
        timeline.pass(afterMs)
        if (fault?.kind === 'answer lost') return breakOff(BROKEN)
        if (problem !== undefined) throw serverError(problem, place)
        return answers
      },
      keepRenewing: (renewal) => void keepRenewing(renewal),
      close() {
        if (!isBroken) database.end(session)
        isBroken = true
      },
    }
  }
