// What the parts of alerting share.
import type { DaemonCondition } from '../../core/outcome/daemon.ts'
import type { Clock } from '../../core/ports.ts'
import type { Settings } from '../../core/settings.ts'
import type { StateStore } from '../../core/state-store.ts'
import type { Log } from '../../log/log.ts'
import type { ServiceVerdict } from './alert-facts.ts'

/** How long a receiver may take for one message. */
export const DELIVERY_TIMEOUT_MS = 10_000

/** A failure of the state that a receiver was told of directly. */
export interface ToldDirectly {
  /** Of the receiver. */
  readonly id: string
  readonly pipeline: string
  readonly since: number
}

export interface AlertParts {
  readonly state: StateStore
  readonly clock: Clock
  readonly log: Log
  readonly service: ServiceVerdict
  /** Ends deliveries that are under way. */
  readonly signal: AbortSignal
  settings(): Settings
  condition(): DaemonCondition | undefined
  /** Of several workers one looks after alerts; each tells of the end of what it has told directly. Absent: there is one owner. */
  isFirst?(): boolean
  /** From before, where the daemon lost its state at a server and has joined it again. */
  readonly told?: Map<string, ToldDirectly>
  onDelivery?(outcome: 'delivered' | 'failed'): void
}

/** Where the console can be opened, by the configuration; undefined where it is closed. */
export function consoleAddress({ server }: Settings): string | undefined {
  if (server.token === undefined && server.users.length === 0) return undefined
  if (server.url !== undefined) return server.url
  const [name = server.host] = server.hosts
  // Listening everywhere is no address, and a port of 0 is none that can be known beforehand.
  return name === '0.0.0.0' || name === '::' || server.port === 0
    ? undefined
    : `http://${name.includes(':') ? `[${name}]` : name}:${server.port}`
}

/** Tells several installations apart. */
export const serviceHost = ({ service }: Settings): string => new URL(service.base_url).host
