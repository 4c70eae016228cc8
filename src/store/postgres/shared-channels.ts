// Several states of one process at a server, over few connections: the accounts of a daemon, or of a command. The stores speak
// synchronously, so none comes between the statements of another one's transaction; each finds its own settings and temporary
// tables again.
import type { Reach, ServerPlace } from '../../core/state-place.ts'
import { askOver, ENDED, openChannel, type OpenChannel, openWire, type Wire } from './channel.ts'

/** What a connection compiled for tables as they were fails for as long as it lasts (trouble.ts). */
const COMPILED_BEFORE = '0A000'

interface Host {
  readonly url: string
  readonly wire: Wire
  users: number
  /** No other state is given it. */
  isRetired: boolean
}

export interface SharedChannels extends Reach {
  readonly open: OpenChannel
  /** Closes the connections that no state uses; until then they wait for the next one. */
  close(): void
}

/** How a state at a server is reached. */
export const reachOf = ({ reach }: Pick<ServerPlace, 'reach'>): OpenChannel =>
  reach === undefined ? openChannel : (reach as SharedChannels).open

/** `most`: so many connections are opened to a server; another state joins the one that has the fewest. */
export function createSharedChannels(most: number): SharedChannels {
  const hosts = new Set<Host>()
  let marks = 0

  function closeIfUnused(host: Host): void {
    if (host.users > 0) return
    hosts.delete(host)
    host.wire.close()
  }

  const isUsable = (host: Host): boolean => !host.isRetired && !host.wire.isBroken()

  function hostAt(url: string): Host {
    for (const host of hosts) if (!isUsable(host)) closeIfUnused(host)
    const all = [...hosts].filter((host) => host.url === url && isUsable(host))
    const [fewest] = all.toSorted((one, other) => one.users - other.users)
    if (fewest !== undefined && (all.length >= most || fewest.users === 0)) return fewest
    const opened: Host = { url, wire: openWire(url), users: 0, isRetired: false }
    hosts.add(opened)
    return opened
  }

  const open: OpenChannel = (url, place) => {
    const host = hostAt(url)
    const { wire } = host
    host.users += 1
    marks += 1
    let stopRenewing: (() => void) | undefined
    let isClosed = false
    const own: Pick<Wire, 'answer'> = { answer: (asked) => (isClosed ? ENDED : wire.answer(asked)) }
    const asking = askOver(own, place, (code) => {
      if (code === COMPILED_BEFORE) host.isRetired = true
    })
    return {
      ...asking,
      mark: `_${marks}`,
      crowd: () => [...hosts].reduce((sum, one) => sum + (one.url === url ? one.users : 0), 0),
      keepRenewing(renewal) {
        wire.keepRenewing(renewal)
        stopRenewing = () => wire.renewNoMore(renewal)
      },
      close() {
        if (isClosed) return
        isClosed = true
        stopRenewing?.()
        host.users -= 1
        if (!isUsable(host)) closeIfUnused(host)
      },
    }
  }
  return { isShared: true, open, close: () => [...hosts].forEach(closeIfUnused) }
}
