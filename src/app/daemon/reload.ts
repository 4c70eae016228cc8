// What a new configuration changes, compared with the one in use.
import { isDeepStrictEqual } from 'node:util'
import type { Settings } from '../../core/settings.ts'

/** What is opened once, when the process starts. */
const AT_START: readonly { readonly key: string; of(settings: Settings): unknown }[] = [
  { key: 'state.path', of: ({ state }) => state.path },
  { key: 'state.url', of: ({ state }) => state.url },
  { key: 'server.host', of: ({ server }) => server.host },
  { key: 'server.port', of: ({ server }) => server.port },
  { key: 'log', of: ({ log }) => log },
]

export interface Reload {
  /** The new settings, but for those that take effect at the next start. */
  readonly settings: Settings
  /** Keys of the file that take effect at the next start. */
  readonly atNextStart: readonly string[]
  /** Settings of the connection to the service: no run may be active meanwhile. */
  readonly service: boolean
  /** Pipelines that were added, taken away or changed. */
  readonly pipelines: readonly string[]
}

export function changeTo(next: Settings, old: Settings): Reload {
  const atNextStart = AT_START.filter(({ of }) => !isDeepStrictEqual(of(next), of(old)))
  const names = new Set([...old.pipelines, ...next.pipelines].map(({ name }) => name))
  const named = ({ pipelines }: Settings, name: string) =>
    pipelines.find((pipeline) => pipeline.name === name)
  return {
    settings: {
      ...next,
      state: old.state,
      server: { ...next.server, host: old.server.host, port: old.server.port },
      log: old.log,
    },
    atNextStart: atNextStart.map(({ key }) => key),
    service: !isDeepStrictEqual(next.service, old.service),
    pipelines: [...names].filter((name) => !isDeepStrictEqual(named(next, name), named(old, name))),
  }
}
