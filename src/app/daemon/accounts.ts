// The daemon over the accounts of a configuration: each has a state, a client, schedules and decisions of its own, and what ends
// one of them keeps no other from its work. One process, one log, one HTTP server.
import { basename } from 'node:path'
import { errorFacts } from '../../core/words/error-facts.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Clock, Random } from '../../core/ports.ts'
import type { RunWatcher } from '../../core/log/run-watcher.ts'
import type { Settings } from '../../core/settings.ts'
import { VERSION } from '../../installation.ts'
import type { Reach } from '../../core/state-place.ts'
import { createSharedChannels } from '../../store/postgres/shared-channels.ts'
import { openServerSessions } from '../../store/sessions/sessions.ts'
import type { Log } from '../../log/log.ts'
import { type DeskServer, openDesk } from '../decisions/desk-server.ts'
import { resumeDecisions, takeDecision, takeLeft, UNWATCHED } from '../decisions/taking.ts'
import type { AccountConfiguration, BrokenFile, Configuration } from '../run/configuration.ts'
import { openRunner } from '../run/runner.ts'
import { refusingOtherService } from '../run/service/service-binding.ts'
import { createThreadShares, type ThreadShare } from '../run/thread-share.ts'
import { createWatchings, type Watching } from './daemon-watch.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { createWaiting, isPassing } from './fleet/rejoining.ts'
import { openServing, type Serving } from './serving.ts'

/** All accounts together have so many connections to their server at most, each with one that renews leases. */
const CONNECTIONS = 4

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
  readonly ended: Promise<void>
}

/** An account that is at work, is being opened, or waits for its state. */
interface Present {
  /** Ends this account alone. */
  stop(): void
  /** It was stopped, and may take some seconds to end. */
  isStopped(): boolean
  readonly ended: Promise<unknown>
}

interface OpenParts extends Parts {
  /** By account: the worker that this process was last. */
  readonly formers: Map<string, number>
  readonly watchingOf: (account: string) => Watching
  /** By account: what of the thread its runs may use. */
  readonly shareOf: (account: string) => ThreadShare
  /** How their states at a server are reached. */
  readonly reach: Reach
  readonly serving: Serving
  /** Whether figures and lines bear the account's name. */
  readonly isOneOfSeveral: boolean
  loadOwn(account: string): Promise<AccountConfiguration>
}

/** `signal`: the end of all, or of this account. */
async function openAccount(settings: Settings, signal: AbortSignal, parts: OpenParts): Promise<Opened> {
  const { clock, random, pid, serving, isOneOfSeveral, loadOwn, formers } = parts
  const { account } = settings
  const log = isOneOfSeveral ? parts.log.with({ account }) : parts.log
  const watching = parts.watchingOf(account)
  const { watcher } = watching
  const reached = { ...settings, state: { ...settings.state, reach: parts.reach } }
  const runner = openRunner(reached, {
    ...{ log, pid, thorough: true, watcher, former: formers.get(account) },
    share: parts.shareOf(account),
  })
  const owned = { state: runner.state, onService: watcher.onService }
  const fence = runner.state.fleet?.own()
  if (fence !== undefined) formers.set(account, fence)
  let desk: DeskServer | undefined
  try {
    await runner.bind(signal)
    const tried = new Set<number>()
    await resumeDecisions({ ...owned, settings: () => settings, signal }, log, tried)
    const daemon = await startDaemon(settings, runner, {
      ...{ clock, random, log, signal, serving },
      load: async () => refusingOtherService(await loadOwn(account), runner.state.binding),
      watch: watching.ofDaemon(runner, log),
      decide: (decision, owner) =>
        takeDecision({ ...owner, ...owned }, decision, { isConfirmed: true, watching: UNWATCHED }),
      takeLeft: (owner) => takeLeft({ ...owner, ...owned }, tried, log),
      async openDesk(owner) {
        desk = await openDesk({ ...owner, ...owned }, log)
      },
    })
    const ended = daemon
      .ended()
      .finally(() => desk?.close())
      .finally(() => runner.close())
    return { daemon, ended }
  } catch (error) {
    await runner.close()
    throw error
  }
}

/** A server is waited for while others are answered; opening its state stands still. */
async function answering({ state }: Settings): Promise<void> {
  const { assertAnswering } = await import('../../store/postgres/silence.ts')
  return assertAnswering(state)
}

const stopping = (own: AbortController): Pick<Present, 'stop' | 'isStopped'> => ({
  stop: () => own.abort(),
  isStopped: () => own.signal.aborted,
})

/** Another process is at work on the same state: this one was started twice. */
const isStartedTwice = (error: unknown): boolean =>
  error instanceof SyncError && (error.code === 'STATE_LOCKED' || error.code === 'USAGE')

const reasonOf = (error: unknown): string =>
  error instanceof SyncError ? `not running (${error.code})` : 'not running (internal error)'

type Configured = Pick<Extract<Configuration, { ok: true }>, 'accounts' | 'broken'>

/** Accounts that are not at work for a reason that does not pass. */
function createFailures({ log, serving, isOneOfSeveral }: OpenParts) {
  const accounts = new Set<string>()
  let last: Error | undefined
  return {
    last: () => last,
    note(event: 'account not started' | 'account stopped by an error', account: string, error: unknown) {
      last = error instanceof Error ? error : new Error(String(error))
      accounts.add(account)
      serving.lacking(account, reasonOf(error))
      if (isOneOfSeveral) log.error(event, { account, ...errorFacts(error) })
    },
    /** Accounts that are not configured any more lack nothing. */
    forget(isGone: (account: string) => boolean) {
      for (const account of accounts) if (isGone(account)) serving.lacking(account, undefined)
    },
  }
}

/** Those that are at work. What ends one of several, or keeps it from starting, is reported, and the others stay. */
function accountSet(parts: OpenParts) {
  const { serving, signal, isOneOfSeveral } = parts
  const [running, opening] = [new Map<string, Present & Opened>(), new Map<string, Present>()]
  const failures = createFailures(parts)
  const { waiting, wait } = createWaiting(parts, {
    open: async (settings) => answering(settings).then(async () => open(settings)),
    readAgain: (account) => running.get(account)?.daemon.reload(),
    onEnd: (account, error) => failures.note('account stopped by an error', account, error),
  })
  const present = (): [string, Present][] => [...running, ...opening, ...waiting]

  async function openTo(settings: Settings, own: AbortController): Promise<void> {
    const { account } = settings
    const opened = await openAccount(settings, AbortSignal.any([signal, own.signal]), parts)
    const ended = opened.ended
      .catch((error: unknown) => {
        if (isPassing(settings, error) && !signal.aborted) wait(opened.daemon.decisions.settings(), error)
        else failures.note('account stopped by an error', account, error)
      })
      .finally(() => running.delete(account))
    running.set(account, { ...opened, ...stopping(own), ended })
    serving.lacking(account, undefined)
  }

  /** Throws what keeps a single account from starting, and what must end all. `former`: this account, which is being ended. */
  async function open(settings: Settings, former?: Present): Promise<void> {
    const { account } = settings
    const own = new AbortController()
    const begin = async (): Promise<void> => {
      await Promise.allSettled([former?.ended])
      // It may have been opened before it could be stopped.
      await Promise.allSettled([running.get(account)?.ended])
      if (!own.signal.aborted && !(former !== undefined && signal.aborted)) await openTo(settings, own)
    }
    const ended = begin().finally(() => {
      if (opening.get(account) === present) opening.delete(account)
    })
    const present: Present = { ...stopping(own), ended }
    opening.set(account, present)
    try {
      await ended
    } catch (error) {
      if (own.signal.aborted) return
      if (!isOneOfSeveral || isStartedTwice(error) || isPassing(settings, error)) throw error
      failures.note('account not started', account, error)
    }
  }

  /** One of several waits for its server, as it would later. */
  const start = async (settings: Settings, former?: Present): Promise<void> =>
    open(settings, former).catch((error: unknown) => {
      const isPatient = isOneOfSeveral && isPassing(settings, error) && error.code !== 'STATE_LOCKED'
      if (!isPatient) throw error
      wait(settings, error)
    })
  return {
    running,
    present,
    start,
    async ended() {
      for (let all = present(); all.length > 0; all = present())
        await Promise.allSettled(all.map(async ([, { ended }]) => ended))
    },
    /** What is being opened begins under what was read before. */
    readAgainOnceOpen() {
      for (const [account, { ended }] of opening)
        void ended.then(
          () => running.get(account)?.daemon.reload(),
          () => undefined,
        )
    },
    failures,
  }
}

/** What another configuration makes of them. `isPartial`: what is missing may be in a file that is broken, and stays. */
function changeAccounts(
  { next, isPartial }: { next: readonly Settings[]; isPartial: boolean },
  set: ReturnType<typeof accountSet>,
  log: Log,
): void {
  const isGone = (account: string): boolean =>
    !isPartial && next.every((settings) => settings.account !== account)
  for (const [account, one] of set.present())
    if (isGone(account) && !one.isStopped()) {
      log.info('account removed', { account })
      one.stop()
    }
  set.failures.forget(isGone)
  set.readAgainOnceOpen()
  const there = new Map(set.present())
  for (const settings of next) {
    const { account } = settings
    const former = there.get(account)
    if (former?.isStopped() === false) continue
    log.info('account added', { account })
    set
      .start(settings, former)
      .catch((error: unknown) => set.failures.note('account not started', account, error))
  }
}

/** Reads the configuration; all accounts that ask at the same time get the same, once it has been shown to `onRead`. */
function readTogether(
  load: Parts['load'],
  onRead: (configured: Configured) => void,
): (account: string) => Promise<AccountConfiguration> {
  const readAgain = async (): Promise<Configuration> => {
    const loaded = await load()
    if (loaded.ok) onRead(loaded)
    return loaded
  }
  let reading: Promise<Configuration> | undefined
  return async (account) => {
    reading ??= readAgain().finally(() => (reading = undefined))
    const loaded = await reading
    if (!loaded.ok) return loaded
    const settings = loaded.accounts.find((one) => one.account === account)
    if (settings !== undefined) return { ok: true, settings, warnings: loaded.warnings }
    // It may be in a file that is broken.
    const problems = loaded.broken.flatMap((file) => file.problems)
    return { ok: false, problems: [`account ${account}: is not in the configuration`, ...problems] }
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
  const atServer = first.find(({ state }) => state.url !== undefined)
  const sessions = atServer && openServerSessions(atServer.state)
  const serving = openServing({
    ...{ clock, log, isOneOfSeveral, outlives: atServer !== undefined },
    ...(sessions === undefined ? {} : { sessions }),
  })
  const reach = createSharedChannels(CONNECTIONS)
  const close = async (): Promise<void> => {
    reach.close()
    await serving.close()
    await sessions?.close()
  }
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
    formers: new Map(),
    watchingOf: createWatchings({ clock, version: VERSION, tracing: parts.tracing }, isOneOfSeveral),
    shareOf: createThreadShares(clock),
    reach,
    loadOwn: readTogether(parts.load, ({ accounts: next, broken: now }) => {
      nameBroken(now)
      const isSame = first.length === 1 && next.length === 1 && next[0].account === first[0].account
      if (isSame) return
      // What is logged and counted of a single account does not bear its name.
      if (isOneOfSeveral) changeAccounts({ next, isPartial: now.length > 0 }, set, log)
      else log.warn('configuration change requires a restart', { settings: 'accounts' })
    }),
  })
  try {
    // None waits for another one, whose service may not answer.
    const started = await Promise.allSettled(first.map(async (settings) => set.start(settings)))
    const failed = started.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    const last = set.failures.last()
    if (set.present().length === 0 && last !== undefined) throw last
  } catch (error) {
    ending.abort()
    await set.ended()
    await close()
    throw error
  }
  return {
    reload() {
      for (const { daemon } of set.running.values()) daemon.reload()
    },
    async ended() {
      await set.ended()
      await close()
      const last = set.failures.last()
      if (last !== undefined && !(isOneOfSeveral && signal.aborted)) throw last
    },
  }
}
