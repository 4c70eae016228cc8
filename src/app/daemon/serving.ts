// What the daemon serves over HTTP: one server for all accounts, with what each of them shows.
import type { ConsoleAccount } from '../../console/accounts.ts'
import { type AccountHealth, healthRoutes } from '../../console/health-routes.ts'
import { readiness, type Readiness } from '../../console/health.ts'
import { type Exposition, METRICS_PATH, metricsRoute } from '../../console/metrics-route.ts'
import { pageRoutes } from '../../console/page-routes.ts'
import { type ConsoleServer, type Mount, startConsole } from '../../console/server.ts'
import { createMemorySessions } from '../../store/sessions/memory-sessions.ts'
import { createTokenGate, type TokenOwner } from '../../console/token.ts'
import type { SessionStore } from '../../core/console-sessions.ts'
import type { Decision } from '../../core/decision.ts'
import type { DaemonCondition } from '../../core/outcome/daemon.ts'
import type { RunProgress } from '../../core/outcome/run-progress.ts'
import { DEFAULT_ACCOUNT } from '../../core/settings/account-settings.ts'
import { errorFacts } from '../../core/words/error-facts.ts'
import type { Clock } from '../../core/ports.ts'
import type { NotedRead, ReadStore } from '../../core/log/reads.ts'
import type { Settings } from '../../core/settings.ts'
import { VERSION } from '../../installation.ts'
import type { Log } from '../../log/log.ts'
import { joinedMetrics, type Metrics } from '../../metrics/metrics.ts'
import { consoleData } from './console-data.ts'
import { createNotingReads } from './noting-reads.ts'

/** One account of what is served. */
export interface Served {
  readonly log: Log
  /** Asked each time: a reload may have changed them. */
  settings(): Settings
  condition(): DaemonCondition
  /** What `/metrics` says; undefined: there is none. */
  readonly metrics?: (Exposition & Partial<Pick<Metrics, 'series'>>) | undefined
  /** Of active runs. */
  progress(): readonly RunProgress[]
  readonly state: Pick<ReadStore, 'noteReads'>
  /** By the owner of the state. */
  decide(decision: Decision): Promise<unknown>
}

export interface Serving {
  /** Serves this account, too; what it gives is closed when the account ends. Throws USAGE when the port is taken. */
  join(served: Served): Promise<ConsoleServer>
  /** An account that is configured and could not be started; undefined: it is no longer configured. */
  lacking(account: string, reason: string | undefined): void
  /** Files of the configuration that are not in use, in place of those before. */
  broken(files: readonly string[]): void
  /** Of all sessions of the console: what was searched for, and decisions that were shown. */
  forgetTexts(): Promise<void>
  close(): Promise<void>
}

interface Joined extends Served {
  readonly page: ConsoleAccount
}

/** The tokens of all accounts: which of them a user may see is decided by the account. */
function ownersOf(accounts: readonly Joined[]): readonly TokenOwner[] {
  const [first] = accounts
  const users = accounts.flatMap(({ settings }) => settings().server.users)
  const byName = new Map(users.map(({ name, role, token }) => [name, { name, role, token }]))
  return [{ token: first?.settings().server.token }, ...byName.values()]
}

interface Parts {
  readonly clock: Clock
  readonly log: Log
  /** Figures bear the names of accounts. */
  readonly isOneOfSeveral?: boolean
  /** It answers until it is closed, whether or not there is an account to serve; otherwise it ends with the last account. */
  readonly outlives?: boolean
  /** Of the console; in the memory of this process otherwise. */
  readonly sessions?: SessionStore
}

/** What of the configuration is not at work. */
interface NotServed {
  /** Accounts, with the reason. */
  readonly lacking: Map<string, string>
  /** Names of files. */
  broken: readonly string[]
}

/** `known`: those that are at work, or were last while none is, because their state is away. Their tokens hold. */
function mountsOf(
  { accounts, known }: { accounts(): readonly Joined[]; known(): readonly Joined[] },
  not: NotServed,
  {
    clock,
    sessions,
    onFault,
    isOneOfSeveral,
  }: Omit<Parts, 'log'> & { readonly sessions: SessionStore; onFault(error: unknown): void },
) {
  const gate = createTokenGate(() => ownersOf(known()), clock)
  const metricsGate = createTokenGate(() => {
    const { token, metrics_token: metricsToken } = known()[0]?.settings().server ?? {}
    return [{ token: metricsToken }, { token }]
  }, clock)
  const health = (): readonly AccountHealth[] => [
    ...accounts().map(({ page, condition }) => ({
      name: page.name,
      readiness: () => readiness(condition()),
    })),
    ...[...not.lacking].map(([name, reason]) => ({
      name,
      readiness: (): Readiness => ({ ready: false, reasons: [reason], paused: [] }),
    })),
  ]
  const mounts: Mount[] = [healthRoutes(health, () => not.broken)]
  const [first] = accounts()
  if (first?.metrics !== undefined) {
    const joined = joinedMetrics(VERSION, {
      broken: () => not.broken,
      accounts: () =>
        accounts().flatMap(({ metrics }) =>
          metrics?.series === undefined ? [] : [{ series: metrics.series }],
        ),
    })
    const present = () => (isOneOfSeveral === true ? joined : accounts()[0]?.metrics)
    mounts.push(metricsRoute(present, metricsGate))
  }
  const pages = (): readonly ConsoleAccount[] => accounts().map(({ page }) => page)
  mounts.push(pageRoutes({ accounts: pages, gate, clock, sessions, onFault }))
  return { mounts, gateOf: (path: string) => (path === METRICS_PATH ? metricsGate : gate) }
}

/** They join as each is ready: in the order of their names, the unnamed one first. */
const inOrder = (one: Joined, other: Joined): number => {
  const [first, second] = [one, other].map(({ page: { name } }) => (name === DEFAULT_ACCOUNT ? '' : name))
  return (first ?? '') < (second ?? '') ? -1 : 1
}

/** Listens as soon as there is an account to serve. */
export function openServing(parts: Parts): Serving {
  const { clock, log, isOneOfSeveral = false, outlives = false } = parts
  const sessions = parts.sessions ?? createMemorySessions(clock)
  const joined = new Map<string, Joined>()
  const not: NotServed = { lacking: new Map(), broken: [] }
  const accounts = (): readonly Joined[] => [...joined.values()].sort(inOrder)
  let latest: readonly Joined[] = []
  const known = (): readonly Joined[] => (joined.size > 0 ? accounts() : latest)
  const onFault = (error: unknown): void => log.error('HTTP response failed', errorFacts(error))
  let listening: Promise<ConsoleServer> | undefined
  const listen = async ({ server }: Settings): Promise<ConsoleServer> =>
    startConsole(server, {
      ...mountsOf({ accounts, known }, not, { clock, sessions, onFault, isOneOfSeveral }),
      names() {
        const { host, hosts } = accounts()[0]?.settings().server ?? server
        return [host, ...hosts]
      },
      onFault,
    })
  const end = async (): Promise<void> => {
    const server = await listening
    listening = undefined
    await server?.close()
  }
  return {
    close: end,
    forgetTexts: () => sessions.forgetTexts(),
    lacking(account, reason) {
      if (reason === undefined) not.lacking.delete(account)
      else not.lacking.set(account, reason)
    },
    broken(files) {
      not.broken = files
    },
    async join(served) {
      const { settings, condition, progress, decide } = served
      const name = settings().account
      const reads = createNotingReads({ state: served.state, clock, log: served.log })
      const noteRead = (read: NotedRead): void => reads.note(read)
      const looking = consoleData({ clock, settings, daemon: condition, progress, noteRead, decide })
      const isOpenTo: ConsoleAccount['isOpenTo'] = (holder) =>
        holder.name === undefined || settings().server.users.some((user) => user.name === holder.name)
      joined.set(name, { ...served, page: { name, data: looking.data, isOpenTo } })
      const closeOwn = async (): Promise<void> => {
        await looking.close()
        await reads.close()
      }
      try {
        const server = await (listening ??= listen(settings()))
        return {
          port: server.port,
          async close() {
            latest = accounts()
            joined.delete(name)
            if (joined.size === 0 && !outlives) await end()
            await closeOwn()
          },
        }
      } catch (error) {
        joined.delete(name)
        await closeOwn()
        throw error
      }
    },
  }
}

/** For one account alone. Throws USAGE when the port is taken. */
export const serveDaemon = async (served: Served & Parts): Promise<ConsoleServer> =>
  openServing(served).join(served)
