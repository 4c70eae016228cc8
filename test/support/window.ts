// A window of all processes in which there is always a place, but for what a test says of it.
import type { SharedWindow } from '../../src/core/ports.ts'

export const windowWith = (changes: Partial<SharedWindow>): SharedWindow => ({
  take: () => 0,
  giveBack: () => undefined,
  undo: () => undefined,
  takeOfDay: () => true,
  slowDown: () => undefined,
  hold: () => undefined,
  pausedMs: () => 0,
  close: () => undefined,
  ...changes,
})
