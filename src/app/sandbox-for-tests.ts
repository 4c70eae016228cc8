/// <reference lib="esnext.disposable" preserve="true" />
// What the package exports as `contact-sync/sandbox`: the sandbox within a test's own process. All types that its users see
// are declared here, for the declarations of the package are made of this file alone.
import { parseFault } from '../sandbox/control/faults.ts'
import { habitsOf } from '../sandbox/habit-text.ts'
import { parseSeed } from '../sandbox/seed.ts'
import { startSandbox } from '../sandbox/server.ts'
import { hostName, systemClock } from '../system.ts'

/** Objects as the interface shows them; an id may be left out. */
export interface SandboxSeed {
  readonly terms?: readonly { readonly id?: number; readonly name: string; readonly description?: string }[]
  readonly contacts?: readonly Readonly<Record<string, unknown>>[]
  readonly custom_fields?: readonly {
    readonly field_id: number
    readonly field_name: string
    readonly type: string
    readonly label?: string
    readonly description?: string
    readonly required?: boolean
    /** Characters; texts only. */
    readonly size?: number
    /** What a selection may be. */
    readonly options?: readonly string[]
  }[]
}

/** By the names of `--habit`: `{ 'page-cap': 3, 'ids-as-text': true }`. */
export type SandboxHabits = Readonly<Record<string, string | number | boolean>>

export interface SandboxFault {
  /** `POST /contacts`: method and path below the interface's prefix; `*` stands for anything. All requests by default. */
  readonly match?: string
  /** How many such requests it happens to; one by default. */
  readonly next?: number
  /**
   * 503: refused. reset: the connection is closed before anything is done. lost: after it was done. truncated: after half of
   * the answer. delay: answered `ms` later.
   */
  readonly do: '503' | 'reset' | 'lost' | 'truncated' | 'delay'
  /** For `delay`; 1000 by default. */
  readonly ms?: number
}

export interface ServedRequest {
  readonly method: string
  readonly path: string
  /** With its `?`; empty where there is none. */
  readonly query: string
  /** Parsed where it is JSON, else the text; null where there is none. */
  readonly body: unknown
  /** 0: the connection was closed without an answer. */
  readonly status: number
}

export interface SandboxStart {
  /** A free one by default. */
  readonly port?: number
  /** Loopback alone by default. */
  readonly host?: string
  /** `sandbox-key` by default. */
  readonly apiKey?: string
  /** Keeps the data in this file; in memory by default. */
  readonly db?: string
  readonly seed?: SandboxSeed
  readonly habits?: SandboxHabits
  /** Answers over HTTPS, with a certificate made for this start. */
  readonly tls?: boolean
}

export interface RunningSandbox {
  /** What a client has as its base URL: `http://127.0.0.1:40123`. Contacts are at `url + '/public/api/V1/contact/1'`. */
  readonly url: string
  readonly port: number
  readonly apiKey: string
  /** With `tls`: the certificate that clients must trust, as PEM. */
  readonly ca: string | undefined
  /** The last 10,000, oldest first. */
  requests(): readonly ServedRequest[]
  /** Back to the beginning: the seed, the habits of the start, no faults, no requests. */
  reset(): void
  /** Changes habits from the next request on. */
  setHabits(habits: SandboxHabits): void
  /** What happens to the next requests that match. */
  addFault(fault: SandboxFault): void
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const typedHabits = (habits: SandboxHabits) =>
  habitsOf(Object.entries(habits).map(([name, value]) => `${name}=${value}`))

/** Rejects where the port is taken, or where seed or habits are wrong, with an Error that says what is allowed. */
async function startForTests(options: SandboxStart = {}): Promise<RunningSandbox> {
  const { port = 0, host, apiKey = 'sandbox-key', db, seed, habits = {}, tls = false } = options
  const server = await startSandbox({
    ...{ port, apiKey, clock: systemClock, habits: typedHabits(habits), control: true },
    ...(host === undefined ? {} : { host }),
    ...(db === undefined ? {} : { db }),
    ...(seed === undefined ? {} : { seed: parseSeed(JSON.stringify(seed), 'seed') }),
    ...(tls ? { tls: { names: [hostName()] } } : {}),
  })
  const { control } = server
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => (stopped ??= server.close())
  return {
    url: server.url,
    port: server.port,
    apiKey,
    ca: server.tls?.certificate,
    requests: () => [...server.requests()],
    reset: () => control.reset(),
    setHabits: (changed) => control.changeHabits(typedHabits(changed)),
    addFault: (fault) => control.faults.add(parseFault(fault)),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

export { startForTests as startSandbox }
