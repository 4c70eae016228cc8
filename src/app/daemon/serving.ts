// What the daemon serves over HTTP: the sets of routes, with what each needs.
import { healthRoutes } from '../../console/health-routes.ts'
import { type Exposition, METRICS_PATH, metricsRoute } from '../../console/metrics-route.ts'
import { pageRoutes } from '../../console/page-routes.ts'
import { type ConsoleServer, startConsole } from '../../console/server.ts'
import { createTokenGate } from '../../console/token.ts'
import type { Decision } from '../../core/decision.ts'
import type { DaemonCondition } from '../../core/outcome/daemon.ts'
import type { RunProgress } from '../../core/outcome/run-progress.ts'
import { errorFacts } from '../../core/words/error-facts.ts'
import type { Clock } from '../../core/ports.ts'
import type { NotedRead, ReadStore } from '../../core/log/reads.ts'
import type { Settings } from '../../core/settings.ts'
import type { Log } from '../../log/log.ts'
import { consoleData } from './console-data.ts'
import { createNotingReads } from './noting-reads.ts'

/** Throws USAGE when the port is taken. */
export async function serveDaemon(parts: {
  readonly clock: Clock
  readonly log: Log
  /** Asked each time: a reload may have changed them. */
  settings(): Settings
  condition(): DaemonCondition
  /** What `/metrics` says; undefined: there is none. */
  readonly metrics?: Exposition | undefined
  /** Of active runs. */
  progress(): readonly RunProgress[]
  readonly state: Pick<ReadStore, 'noteReads'>
  /** By the owner of the state. */
  decide(decision: Decision): Promise<unknown>
}): Promise<ConsoleServer> {
  const { clock, log, settings, condition, metrics, progress, decide } = parts
  const gate = createTokenGate(() => {
    const { token, users } = settings().server
    return [{ token }, ...users.map(({ name, role, token: own }) => ({ name, role, token: own }))]
  }, clock)
  const metricsGate = createTokenGate(() => {
    const { token, metrics_token: metricsToken } = settings().server
    return [{ token: metricsToken }, { token }]
  }, clock)
  const onFault = (error: unknown): void => log.error('HTTP response failed', errorFacts(error))
  const reads = createNotingReads({ state: parts.state, clock, log })
  const noteRead = (read: NotedRead): void => reads.note(read)
  const looking = consoleData({ clock, settings, daemon: condition, progress, noteRead, decide })
  const server = await startConsole(settings().server, {
    mounts: [
      healthRoutes(condition),
      ...(metrics === undefined ? [] : [metricsRoute(metrics, metricsGate)]),
      pageRoutes({ data: looking.data, gate, clock, onFault }),
    ],
    gateOf: (path) => (path === METRICS_PATH ? metricsGate : gate),
    names: () => [settings().server.host, ...settings().server.hosts],
    onFault,
  })
  return {
    port: server.port,
    async close() {
      await server.close()
      await looking.close()
      await reads.close()
    },
  }
}
