// One process of the fleet: the runner and the daemon of the program over the simulated ways to the outside, put together as
// app/daemon/accounts.ts does it for one account, without the HTTP server and the socket for commands. The state that is away,
// or a lease that has ended, makes it wait and join again (rejoining.ts).
import '../../../src/core/mapping/values/dates/date.ts'
import { startDaemon } from '../../../src/app/daemon/daemon.ts'
import { createWaiting, isPassing } from '../../../src/app/daemon/fleet/rejoining.ts'
import type { Serving } from '../../../src/app/daemon/serving.ts'
import { resumeDecisions, takeLeft } from '../../../src/app/decisions/taking.ts'
import { type Machine, openRunner, type Runner } from '../../../src/app/run/runner.ts'
import type { DaemonEvent } from '../../../src/core/outcome/daemon.ts'
import type { Source } from '../../../src/core/ports.ts'
import type { Settings } from '../../../src/core/settings.ts'
import type { Log } from '../../../src/log/log.ts'
import type { Transport } from '../../../src/service/http.ts'
import type { Chance } from '../chance.ts'
import type { Timeline } from '../timeline.ts'
import { channelsOf, type Way } from './channel.ts'
import { createLife, type Life, sourceOf, transportOf } from './life.ts'

export interface ProcessDeps {
  readonly timeline: Timeline
  readonly chance: Chance
  readonly way: Way
  readonly transport: Transport
  readonly sources: ReadonlyMap<string, Source>
  readonly settings: Settings
  readonly lateRate: number
  /** Every line that is logged, as JSON. */
  log(line: string): void
  say(text: string): void
  /** A request left, in the name of this worker; it is the last one of the ledger. */
  sent(process: FleetProcess, fence: number): void
  /** It is a worker now. */
  joined(): void
  /** A run of the pipeline has begun. */
  begun(pipeline: string): void
  /** It ended, and was not told to: `error` undefined means that it was. */
  onEnd(process: FleetProcess, error: unknown): void
}

export interface FleetProcess {
  readonly name: string
  readonly life: Life
  /** Of the worker that it is now; undefined while it is none. */
  readonly fence: number | undefined
  readonly runner: Runner | undefined
  /** Since when it has been at work without a break; undefined while it is not. */
  usableSince: number | undefined
  /** Pipelines whose runs are active, and since when. */
  readonly active: ReadonlyMap<string, number>
  /** Asks it to end in good order. */
  drain(): void
  isDraining: boolean
}

const LATEST_WAKE_MS = 2500

const serving: Serving = {
  join: () => Promise.resolve({ port: 0, close: () => Promise.resolve() }),
  lacking: () => undefined,
  broken: () => undefined,
  forgetTexts: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

function logOf(put: (line: string) => void): Log {
  const note = (message: string, fields: unknown = {}): void => put(JSON.stringify({ message, fields }))
  const log: Log = {
    info: note,
    warn: note,
    error: note,
    debug: () => undefined,
    with: () => log,
    mask: () => undefined,
    close: () => Promise.resolve(),
  }
  return log
}

export function startProcess(
  deps: ProcessDeps,
  { name, number }: { name: string; number: number },
): FleetProcess {
  const { timeline, way, say, settings } = deps
  const draws = deps.chance.stream(`process ${number}`)
  const life = createLife({
    number,
    timeline,
    chance: draws.stream('late'),
    lateRate: deps.lateRate,
    latestMs: LATEST_WAKE_MS,
  })
  const random = draws.stream('random').next
  const { clock } = life
  const ending = new AbortController()
  const { signal } = ending
  const active = new Map<string, number>()
  let runner: Runner | undefined
  let former: number | undefined
  let joined: number | undefined
  const log = logOf((line) => {
    deps.log(line)
    // The hashes of the sync log hold chance that no seed decides.
    say(`${name}: ${line.replace(/"sync_log_head":"\w+"/, '')}`)
  })

  function listener(event: DaemonEvent): void {
    if (event.type === 'run_started') {
      active.set(event.pipeline, timeline.now())
      deps.begun(event.pipeline)
    }
    if (event.type === 'run_broken') active.delete(event.pipeline)
    if (event.type === 'run_ended') {
      active.delete(event.run.pipeline)
      say(`${name}: ${JSON.stringify(event.run)}`)
    }
  }

  function machineOf(fence: () => number): Machine {
    return {
      clock,
      random,
      transport: transportOf(deps.transport, life, () => deps.sent(process, fence())),
      channel: channelsOf(way, life),
      source({ name: pipeline }) {
        const source = deps.sources.get(pipeline)
        if (source === undefined) throw new Error(`no source for ${pipeline}`)
        return sourceOf(source, life)
      },
    }
  }

  async function open(of: Settings): Promise<void> {
    await life.gate()
    let fence = 0
    const machine = machineOf(() => fence)
    const opened = openRunner(of, { log, pid: number, thorough: true, machine, former })
    fence = opened.state.fleet?.own() ?? 0
    former = fence
    say(`${name} is worker ${fence}`)
    deps.joined()
    try {
      await opened.bind(signal)
      const tried = new Set<number>()
      await resumeDecisions({ settings: () => of, state: opened.state, signal }, log, tried)
      const daemon = await startDaemon(of, opened, {
        ...{ clock, random, log, signal, serving },
        listeners: [listener],
        load: () => Promise.resolve({ ok: true, settings: of, warnings: [] }),
        takeLeft: (owner) => takeLeft({ ...owner, state: opened.state }, tried, log),
      })
      runner = opened
      joined = fence
      process.usableSince = timeline.now()
      const leave = (): void => {
        joined = undefined
        process.usableSince = undefined
      }
      opened.state.onTrouble(leave)
      const ended = daemon.ended().finally(() => {
        runner = undefined
        leave()
        active.clear()
        return opened.close()
      })
      void ended.then(
        () => deps.onEnd(process, undefined),
        (error: unknown) => {
          if (isPassing(of, error) && !signal.aborted) waiting.wait(of, error)
          else deps.onEnd(process, error)
        },
      )
    } catch (error) {
      await opened.close()
      throw error
    }
  }

  const waiting = createWaiting(
    {
      ...{ clock, log, serving, signal },
      isOneOfSeveral: false,
      loadOwn: () => Promise.resolve({ ok: true, settings, warnings: [] }),
    },
    { open, readAgain: () => undefined, onEnd: (_, error) => deps.onEnd(process, error) },
  )

  const process: FleetProcess = {
    name,
    life,
    get fence() {
      return joined
    },
    get runner() {
      return runner
    },
    usableSince: undefined,
    active,
    isDraining: false,
    drain() {
      process.isDraining = true
      const isWaiting = waiting.waiting.get(settings.account)?.ended
      ending.abort()
      // One that waits for its state has nothing to bring to its end.
      void isWaiting?.then(() => {
        if (runner === undefined) deps.onEnd(process, undefined)
      })
    },
  }
  say(`${name} starts`)
  // What keeps the first account from starting ends the process.
  open(settings).catch((error: unknown) => deps.onEnd(process, error))
  return process
}
