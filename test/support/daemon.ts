// A daemon in a world of its own: time stands still until a test moves it, runs end as told, and the state is a table in
// memory. For tests of the daemon's life; what runs do is tested elsewhere.
import { isDeepStrictEqual } from 'node:util'
import { startDaemon } from '../../src/app/daemon/daemon.ts'
import type { WithWarnings } from '../../src/app/run/run.ts'
import type { AccountConfiguration } from '../../src/app/run/configuration.ts'
import type { Stop } from '../../src/core/outcome/circuit.ts'
import type { DaemonEvent, DueDone, Pause } from '../../src/core/outcome/daemon.ts'
import type { PipelinePause } from '../../src/core/decision.ts'
import { type ErrorCode, SyncError } from '../../src/core/words/errors.ts'
import type { PipelineSettings, Settings } from '../../src/core/settings.ts'
import { noCounts } from '../../src/core/outcome/summary.ts'
import type { Ticks } from '../../src/schedule/ticks.ts'
import type { Log } from '../../src/log/log.ts'
import { createFakeClock } from '../service/fake-clock.ts'
import { pipelineSettings, serviceSettings } from './pipeline.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

/** A run that lasts so long, and then ends well, with trouble, with a file that it left, or with an error. */
export interface Outcome {
  readonly lasts?: number
  readonly trouble?: Stop['code']
  readonly left?: ErrorCode
  /** The source itself could not be read. */
  readonly unread?: ErrorCode
  readonly failed?: number
  readonly error?: SyncError
  readonly requests?: number
}

export interface TestDaemonOptions {
  readonly start?: string
  readonly pipelines?: readonly Partial<PipelineSettings>[]
  readonly settings?: Partial<Settings>
  /** What an earlier life left in the state. */
  readonly due?: readonly DueDone[]
  /** The outcome of each run, in order; well and at once when they are used up. */
  readonly outcomes?: Outcome[]
  /** What every run of a pipeline ends with. */
  readonly trouble?: Readonly<Record<string, Pause['code']>>
  /** What each probe finds; nothing wrong when they are used up. */
  readonly probes?: (Pick<Pause, 'code' | 'reason'> | undefined)[]
  load?(): Promise<AccountConfiguration>
  /** Nothing can be entered into the sync log. */
  isFull?(): boolean
  /** Where commands reach it; nothing is opened otherwise. Given is what it has logged so far. */
  openDesk?(lines: readonly string[]): Promise<void>
  /** What operators have paused; it may change without the daemon being told, as by way of another worker. */
  readonly paused?: readonly PipelinePause[]
  /** What the next run of a pipeline is to send of it. */
  leftByDecisions?(): string
  /** It is woken by its own clock, as in earnest; by `pass` otherwise. */
  readonly wakesByItself?: boolean
}

export function testSettings(
  pipelines: readonly Partial<PipelineSettings>[],
  changes: Partial<Settings> = {},
): Settings {
  return {
    service: serviceSettings(),
    state: { path: 'unused' },
    workers: { labels: [] },
    file: '/nowhere/contact-sync.yaml',
    account: 'default',
    log: { level: 'info', console_level: undefined, format: 'json', folder: undefined, keep: 1 },
    keep: {
      processed: undefined,
      failed: undefined,
      rejects: undefined,
      runs: 86_400_000,
      sync_log: undefined,
      reads: 365 * 86_400_000,
    },
    server: { host: '127.0.0.1', port: 0, hosts: [], users: [], token: undefined, metrics_token: undefined },
    audit: {},
    approvals: [],
    allow: [],
    consents: {},
    max_parallel: 4,
    alerts: [],
    pipelines: pipelines.map((pipeline) => pipelineSettings(pipeline)),
    secrets: [],
    unshown: [],
    ...changes,
  }
}

/** Notes every line instead of writing it. */
function notingLog(lines: string[]): Log {
  const note = (message: string, fields: object = {}): void =>
    void lines.push([message, ...Object.values(fields).map(String)].join(' '))
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

const ended = (pipeline: string, changes: Partial<WithWarnings>): WithWarnings => ({
  ...noCounts(),
  pipeline,
  run_id: 'run',
  status: 'ok',
  requests: 0,
  retries: 0,
  duration_ms: 0,
  files: [],
  warnings: [],
  drift: 0,
  kept_edits: 0,
  ...changes,
})

export async function startTestDaemon(options: TestDaemonOptions) {
  const clock = createFakeClock(Date.parse(options.start ?? '2027-01-01T00:00:30Z'))
  const settings = testSettings(
    options.pipelines ?? [{ schedule: '0 * * * *', timezone: 'UTC' }],
    options.settings,
  )
  const ending = new AbortController()
  const due = new Map((options.due ?? []).map((done) => [done.pipeline, done]))
  const witnesses: number[] = []
  const [events, lines, notes, began]: [DaemonEvent[], string[], string[], string[]] = [[], [], [], []]
  const inUse: Settings[] = []
  const pauses: (string | undefined)[] = []
  const used: { readonly at: string; readonly pipeline: PipelineSettings }[] = []
  const outcomes = [...(options.outcomes ?? [])]
  const probes = [...(options.probes ?? [])]
  const probedAt: string[] = []
  const now = (): string => new Date(clock.now()).toISOString().slice(5, 19).replace('T', ' ')
  let underway = 0
  let most = 0
  let wake = (): void => undefined
  let rhythm: 'second' | 'minute' | undefined
  const ticks: Ticks = (every, onTick) => {
    rhythm = every
    wake = onTick
    return { stop: () => (wake = () => undefined) }
  }
  const daemon = await startDaemon(
    settings,
    {
      async run(pipeline, { signal, onStop }) {
        const always = options.trouble?.[pipeline.name]
        const { lasts = 0, trouble = always, ...outcome } = outcomes.shift() ?? {}
        const { left, unread, failed = 0, error, requests = 0 } = outcome
        began.push(`${now()} ${pipeline.name}`)
        used.push({ at: now(), pipeline })
        underway += 1
        most = Math.max(most, underway)
        await clock.sleep(lasts, signal)
        underway -= 1
        if (error !== undefined) throw error
        if (trouble !== undefined) {
          const stop: Stop = { code: trouble, message: 'no answer' }
          onStop?.(stop)
          return ended(pipeline.name, { status: 'failed', code: trouble })
        }
        const files = [
          ...(left === undefined ? [] : [{ file: 'a.csv', status: 'left', code: left } as const]),
          ...(unread === undefined ? [] : [{ file: '', status: 'refused', code: unread } as const]),
        ]
        return ended(pipeline.name, { status: signal.aborted ? 'failed' : 'ok', files, requests, failed })
      },
      undo: () => Promise.reject(new Error('not in this world')),
      continueDrift: () => Promise.resolve({ ended: undefined, stop: undefined }),
      probe() {
        probedAt.push(now())
        return Promise.resolve(probes.shift())
      },
      reconfigure(next) {
        if (!isDeepStrictEqual(next.service, settings.service)) inUse.push(next)
        return Promise.resolve()
      },
      state: {
        dueDone: () => Promise.resolve([...due.values()]),
        rememberDue: (done) => Promise.resolve(void due.set(done.pipeline, done)),
        pausedPipelines: () => Promise.resolve([...(options.paused ?? [])]),
        leftByDecisions: () => Promise.resolve(options.leftByDecisions?.() ?? ''),
        brakes: () => Promise.resolve([]),
        termAliases: () => Promise.resolve(new Map()),
        noteReads: () => Promise.resolve(),
        logHead: () => Promise.resolve({ entries: 0, hash: '0'.repeat(64) }),
        instance: () => Promise.resolve('instance'),
        logEntry: () => Promise.resolve(undefined),
        logPage: () => Promise.resolve([]),
        handedOver: () => Promise.resolve(undefined),
        noteHandedOver: () => Promise.resolve(),
        lastWitness: () => Promise.resolve(witnesses.at(-1)),
        noteWitness: (at) => Promise.resolve(void witnesses.push(at)),
        notePause: (pause) => Promise.resolve(void pauses.push(pause?.code)),
        note: (entry) =>
          options.isFull?.() === true
            ? Promise.reject(new SyncError('STATE_FULL', 'the disk is full'))
            : Promise.resolve(void notes.push(`${entry.action} ${entry.pipeline}: ${entry.reason}`)),
      },
    },
    {
      clock,
      random: () => 0.5,
      log: notingLog(lines),
      signal: ending.signal,
      listeners: [(event) => void events.push(event)],
      openDesk: async () => options.openDesk?.(lines),
      load: options.load ?? (() => Promise.resolve({ ok: true, settings, warnings: [] })),
      ...(options.wakesByItself === true ? {} : { ticks }),
    },
  )
  await clock.settle()
  return {
    daemon,
    clock,
    began,
    used,
    events,
    lines,
    notes,
    /** What the state was told of pauses; undefined: that one is over. */
    pauses,
    inUse,
    probedAt,
    due,
    /** How often it wants to be woken. */
    rhythm: () => rhythm,
    /** The most that ran at the same time. */
    most: () => most,
    ofType: <T extends DaemonEvent['type']>(type: T) =>
      events.filter((event): event is Extract<DaemonEvent, { type: T }> => event.type === type),
    /** Time passes, with a tick at each full minute. */
    async pass(ms: number) {
      const until = clock.now() + ms
      while (clock.now() < until) {
        const next = (Math.floor(clock.now() / MINUTE) + 1) * MINUTE
        await clock.advance(Math.min(next, until) - clock.now())
        if (clock.now() === next) wake()
        await clock.settle()
      }
    },
    /** Time passes and no timer fires: a machine that sleeps. */
    async sleep(ms: number) {
      await clock.advance(ms)
      await clock.settle()
    },
    async end() {
      ending.abort()
      await daemon.ended()
    },
  }
}
