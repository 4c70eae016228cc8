// A command that looks at states at a server more than once, or over several accounts: all looks share one connection, since each
// new one costs a thread.
import type { Settings } from '../core/settings.ts'
import { createSharedChannels } from '../store/postgres/shared-channels.ts'

export interface SharedConnections {
  /** With these settings the state is reached so. */
  sharing(settings: Settings): Settings
  close(): void
}

export function shareConnections(): SharedConnections {
  const reach = createSharedChannels(1)
  return {
    sharing: (settings) =>
      settings.state.reach === undefined ? { ...settings, state: { ...settings.state, reach } } : settings,
    close: reach.close,
  }
}
