// Work on the state as its owner for that time: an operator's decision is never written beside a daemon.
import type { Settings } from '../../core/settings.ts'
import { openState, type OwnedState } from '../../store/state-store.ts'
import { systemClock as clock } from '../../system.ts'

/** Throws STATE_LOCKED where another process has the state, and what `openState` throws else. */
export async function asOwner<T>(
  settings: Settings,
  pid: number,
  work: (state: OwnedState) => Promise<T>,
): Promise<T> {
  const state = openState(settings.state, { pid, since: clock.now(), thorough: false })
  try {
    return await work(state)
  } finally {
    await state.close()
  }
}
