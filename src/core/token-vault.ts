// Where a source keeps temporary, renewable credentials: OAuth tokens. The texts arrive encrypted; their store
// cannot read them.
import type { Clock } from './ports.ts'

export interface KeptToken {
  /** As it was kept last; undefined where nothing was. */
  readonly kept: string | undefined
  /**
   * Kept permanently when the work has succeeded, and not at all when it throws; the last one counts. In a file it is written at
   * once: throws where that has no room.
   */
  keep(text: string): void
}

export interface TokenVault {
  /**
   * Only one works at a time, in any process. What was kept is on the disk when this resolves. Throws SOURCE_TOKENS where
   * nothing can be kept, and where the run ends before it was its turn.
   */
  exclusive<T>(
    name: string,
    turn: { readonly clock: Clock; readonly signal: AbortSignal },
    work: (token: KeptToken) => Promise<T>,
  ): Promise<T>
}
