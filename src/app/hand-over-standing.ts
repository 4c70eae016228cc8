// How far the hand-over of the sync log (`audit.hand_over`) is behind, for status and metrics.
import { handedOverTo, type HandOverStore } from '../core/log/hand-over.ts'
import type { SyncLog } from '../core/log/sync-log.ts'
import type { Settings } from '../core/settings.ts'

export interface HandOverStanding {
  readonly to: string
  /** Entries that the collector does not have yet. */
  readonly behind: number
  /** When the oldest of them was made, in milliseconds since the epoch; undefined: it has all. */
  readonly oldestAt: number | undefined
}

/** Undefined where nothing is handed over. */
export async function handOverStanding(
  { audit: { hand_over: wanted } }: Pick<Settings, 'audit'>,
  state: (Pick<SyncLog, 'logHead' | 'logEntry'> & HandOverStore) | undefined,
): Promise<HandOverStanding | undefined> {
  if (wanted === undefined || state === undefined) return undefined
  const seq = await handedOverTo(state, wanted)
  const { entries } = await state.logHead()
  const oldest = seq < entries ? await state.logEntry(seq + 1) : undefined
  return {
    to: wanted.to,
    behind: entries - seq,
    oldestAt: oldest === undefined ? undefined : Date.parse(oldest.at),
  }
}
