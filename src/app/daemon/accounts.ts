// The daemon over the accounts of a configuration: each has a state, a client, schedules and decisions of its own, and what ends
// one of them keeps no other from its work. One process, one log, one HTTP server.
import { basename } from 'node:path'
import { errorFacts } from '../../core/words/error-facts.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Clock, Random } from '../../core/ports.ts'
import type { RunWatcher } from '../../core/log/run-watcher.ts'
import type { Settings } from '../../core/settings.ts'
import { VERSION } from '../../installation.ts'
import type { Log } from '../../log/log.ts'
import { openDesk } from '../decisions/desk-server.ts'
import { resumeDecisions, takeDecision, UNWATCHED } from '../decisions/taking.ts'
import type { AccountConfiguration, BrokenFile, Configuration } from '../run/configuration.ts'
import { openRunner } from '../run/runner.ts'
import { refusingOtherService } from '../run/service-binding.ts'
import { openWatching } from './daemon-watch.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { openServing, type Serving } from './serving.ts'

interface Parts {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly pid: number
  /** The end of all. */
  readonly signal: AbortSignal
  readonly tracing: RunWatcher
  /** Reads and checks the configuration. */
  load(): Promise<Configuration>
}

export interface DaemonOfAccounts {
  /** Reads the configuration again: accounts are added, changed and removed. An invalid one is reported, and the one in use stays. */
  reload(): void
  /** Resolves after a clean shutdown of all; rejects with the error that ended the last. */
  ended(): Promise<void>
}

interface Opened {
  readonly daemon: Daemon
  /** Ends this account alone. */
  stop(): void
  readonly ended: Promise<void>
}

interface OpenParts extends Parts {
  readonly serving: Serving
  /** Whether figures and lines bear the account's name. */
  readonly isOneOfSeveral: boolean
  loadOwn(account: string): Promise<AccountConfiguration>
}

async function openAccount(settings: Settings, parts: OpenParts): Promise<Opened> {
  const { clock, random, pid, tracing, serving, isOneOfSeveral, loadOwn } = parts
  const { account } = settings
  const own = new AbortController()
  const signal = AbortSignal.any([parts.signal, own.signal])
  const log = isOneOfSeveral ? parts.log.with({ account }) : parts.log
  const label = isOneOfSeveral ? { account } : {}
  const watching = openWatching(settings, { clock, log, version: VERSION, tracing, ...label })
  const runner = openRunner(settings, { log, pid, thorough: true, watcher: watching.watcher })
  try {
    await runner.bind(signal)
    await resumeDecisions({ settings: () => settings, state: runner.state, signal }, log)
    const daemon = await startDaemon(settings, runner, {
      ...{ clock, random, log, signal, serving },
      load: async () => refusingOtherService(await loadOwn(account), runner.state.binding),
      watch: watching.ofDaemon(runner),
      decide: (decision, owner) =>
        takeDecision({ ...owner, state: runner.state }, decision, { isConfirmed: true, watching: UNWATCHED }),
    })
    const desk = await openDesk({ ...daemon.decisions, state: runner.state }, log)
    const ended = daemon
      .ended()
      .finally(() => desk.close())
      .finally(() => runner.close())
    return { daemon, stop: () => own.abort(), ended }
  } catch (error) {
    await runner.close()
    throw error
  }
}

/** Another process is at work on the same state: this one was started twice. */
const isStartedTwice = (error: unknown): boolean =>
  error instanceof SyncError && (error.code === 'STATE_LOCKED' || error.code === 'USAGE')

const reasonOf = (error: unknown): string =>
  error instanceof SyncError ? `not running (${error.code})` : 'not running (internal error)'

type Configured = Pick<Extract<Configuration, { ok: true }>, 'accounts' | 'broken'>

/** The server with its state is away, or this worker was taken for lost: it joins again as soon as it can. */
const isPassing = (settings: Settings, error: unknown): error is SyncError =>
  settings.state.url !== undefined &&
  error instanceof SyncError &&
  (error.code === 'STATE_IO' || error.code === 'STATE_LOCKED')

const REJOIN_MS = 2000

/** Joins again as soon as it can. Ends where it is at work again, and where it cannot be. */
async function rejoin(
  settings: Settings,
  error: SyncError,
  {
    parts,
    open,
    note,
  }: {
    parts: OpenParts
    open(settings: Settings): Promise<void>
    note(event: 'account stopped by an error', account: string, error: unknown): void
  },
): Promise<void> {
  const { clock, log, serving, signal, isOneOfSeveral } = parts
  const { account } = settings
  const label = isOneOfSeveral ? { account } : {}
  log.warn('state unavailable: waiting', { ...label, code: error.code })
  for (let last: unknown = error; isPassing(settings, last);) {
    serving.lacking(account, `state unavailable (${last.code})`)
    await clock.sleep(REJOIN_MS, signal)
    if (signal.aborted) return
    const loaded = await parts.loadOwn(account)
    last = await open(loaded.ok ? loaded.settings : settings).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (last === undefined) log.info('state available again', label)
    else if (!isPassing(settings, last)) note('account stopped by an error', account, last)
  }
}

/** Those that are at work. What ends one of several, or keeps it from starting, is reported, and the others stay. */
function accountSet(parts: OpenParts) {
  const { log, serving, signal, isOneOfSeveral } = parts
  const running = new Map<string, Opened>()
  const waiting = new Map<string, Promise<void>>()
  const failed: { last?: Error } = {}
  const note = (
    event: 'account not started' | 'account stopped by an error',
    account: string,
    error: unknown,
  ) => {
    failed.last = error instanceof Error ? error : new Error(String(error))
    serving.lacking(account, reasonOf(error))
    if (isOneOfSeveral) log.error(event, { account, ...errorFacts(error) })
  }
  const rejoining = (settings: Settings, error: SyncError): Promise<void> =>
    rejoin(settings, error, { parts, open, note }).finally(() => waiting.delete(settings.account))
  /** Throws what keeps a single account from starting, and what must end all. */
  const open = async (settings: Settings): Promise<void> => {
    const { account } = settings
    try {
      const opened = await openAccount(settings, parts)
      running.set(account, opened)
      serving.lacking(account, undefined)
      const left = (): boolean => running.delete(account)
      opened.ended.then(left, (error: unknown) => {
        if (isPassing(settings, error) && !signal.aborted) waiting.set(account, rejoining(settings, error))
        else note('account stopped by an error', account, error)
        left()
      })
    } catch (error) {
      if (!isOneOfSeveral || isStartedTwice(error) || isPassing(settings, error)) throw error
      note('account not started', account, error)
    }
  }
  /** At the start: one of several waits for its server, as it would later. */
  const start = (settings: Settings): Promise<void> =>
    open(settings).catch((error: unknown) => {
      if (!isOneOfSeveral || !isPassing(settings, error) || error.code === 'STATE_LOCKED') throw error
      waiting.set(settings.account, rejoining(settings, error))
    })
  return {
    running,
    waiting,
    failed,
    start,
    async ended() {
      while (running.size + waiting.size > 0)
        await Promise.allSettled([
          ...[...running.values()].map(async ({ ended }) => ended),
          ...waiting.values(),
        ])
    },
    /** `isPartial`: what is missing may be in a file that is broken, and stays. */
    async change(next: readonly Settings[], isPartial: boolean) {
      for (const [account, one] of running) {
        if (isPartial || next.some((settings) => settings.account === account)) continue
        log.info('account removed', { account })
        one.stop()
      }
      for (const settings of next) {
        const { account } = settings
        if (running.has(account)) continue
        log.info('account added', { account })
        await open(settings).catch((error: unknown) => note('account not started', account, error))
      }
    },
  }
}

/** Reads the configuration; all accounts that ask at the same time get the same, once it has been shown to `onRead`. */
function readTogether(
  load: Parts['load'],
  onRead: (configured: Configured) => Promise<void>,
): (account: string) => Promise<AccountConfiguration> {
  const readAgain = async (): Promise<Configuration> => {
    const loaded = await load()
    if (loaded.ok) await onRead(loaded)
    return loaded
  }
  let reading: Promise<Configuration> | undefined
  return async (account) => {
    reading ??= readAgain().finally(() => (reading = undefined))
    const loaded = await reading
    if (!loaded.ok) return loaded
    const settings = loaded.accounts.find((one) => one.account === account)
    return settings === undefined
      ? { ok: false, problems: [`account ${account}: is no longer in the configuration`] }
      : { ok: true, settings, warnings: loaded.warnings }
  }
}

/**
 * Starts every account. Throws what keeps the first from starting where it is the only one, STATE_LOCKED where another process
 * has the state of one, and USAGE where the port is taken.
 */
export async function startAccounts(
  { accounts: first, broken }: Configured,
  parts: Parts,
): Promise<DaemonOfAccounts> {
  const { clock, log, signal } = parts
  const isOneOfSeveral = first.length > 1 || broken.length > 0
  const ending = new AbortController()
  const outlives = first.some(({ state }) => state.url !== undefined)
  const serving = openServing({ clock, log, isOneOfSeveral, outlives })
  const nameBroken = (files: readonly BrokenFile[]): void => {
    for (const { file, problems } of files)
      log.error('file of the configuration refused', { file: basename(file), problems: problems.length })
    serving.broken(files.map(({ file }) => basename(file)))
  }
  nameBroken(broken)
  const set = accountSet({
    ...parts,
    signal: AbortSignal.any([signal, ending.signal]),
    serving,
    isOneOfSeveral,
    loadOwn: readTogether(parts.load, async ({ accounts: next, broken: now }) => {
      nameBroken(now)
      const isSame = first.length === 1 && next.length === 1 && next[0].account === first[0].account
      if (isSame) return
      // What is logged and counted of a single account does not bear its name.
      if (isOneOfSeveral) await set.change(next, now.length > 0)
      else log.warn('configuration change requires a restart', { settings: 'accounts' })
    }),
  })
  try {
    for (const settings of first) await set.start(settings)
    const { last } = set.failed
    if (set.running.size + set.waiting.size === 0 && last !== undefined) throw last
  } catch (error) {
    ending.abort()
    await set.ended()
    await serving.close()
    throw error
  }
  return {
    reload() {
      for (const { daemon } of set.running.values()) daemon.reload()
    },
    async ended() {
      await set.ended()
      await serving.close()
      if (set.failed.last !== undefined && !(isOneOfSeveral && signal.aborted)) throw set.failed.last
    },
  }
}
