// Several states of one process at a server, over few connections: the accounts of a daemon. The stores speak synchronously, so none
// comes between the statements of another one's transaction; each finds its own settings and temporary tables again.
import { askOver, type OpenChannel, openWire, type Wire } from './channel.ts'

/** What a connection compiled for tables as they were fails for as long as it lasts (trouble.ts). */
const COMPILED_BEFORE = '0A000'

interface Host {
  readonly wire: Wire
  users: number
  /** No other state is given it. */
  isRetired: boolean
}

/** `most`: so many connections are opened to a server; another state joins the one that has the fewest. */
export function createSharedChannels(most: number): OpenChannel {
  const hosts = new Map<string, Set<Host>>()
  let marks = 0

  function hostAt(url: string): Host {
    const all = hosts.get(url) ?? new Set<Host>()
    hosts.set(url, all)
    for (const host of all) if (host.isRetired || host.wire.isBroken()) all.delete(host)
    const [fewest] = [...all].toSorted((one, other) => one.users - other.users)
    if (fewest !== undefined && all.size >= most) return fewest
    const opened: Host = { wire: openWire(url), users: 0, isRetired: false }
    all.add(opened)
    return opened
  }

  return (url, place) => {
    const host = hostAt(url)
    const { wire } = host
    host.users += 1
    marks += 1
    const asking = askOver(wire, place, (code) => {
      if (code === COMPILED_BEFORE) host.isRetired = true
    })
    let stopRenewing: (() => void) | undefined
    let isClosed = false
    return {
      ...asking,
      mark: `_${marks}`,
      keepRenewing(renewal) {
        wire.keepRenewing(renewal)
        stopRenewing = () => wire.renewNoMore(renewal)
      },
      close() {
        if (isClosed) return
        isClosed = true
        stopRenewing?.()
        host.users -= 1
        if (host.users > 0) return
        hosts.get(url)?.delete(host)
        wire.close()
      },
    }
  }
}
