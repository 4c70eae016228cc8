// Unhandled errors, of a promise that was not awaited or a timer that throws: whether they come from the code of a module. Such a module must not end the program, and with it the runs of other pipelines.
import { AsyncLocalStorage } from 'node:async_hooks'

/** A fetch by a module. */
export interface ModuleCall {
  /** An unhandled error of the module's code. */
  report(error: unknown): void
}

/** Whatever is begun within a call (promises, timers, sockets) belongs to it, for as long as it lasts. */
const calls = new AsyncLocalStorage<ModuleCall | undefined>()

export const withinModule = <T>(call: ModuleCall, work: () => T): T => calls.run(call, work)

/** For what the module asks of the program: a fault there is one of the program. */
export const outsideModule = <T>(work: () => T): T => calls.run(undefined, work)

/** To be asked where an unhandled error arrives; true: its module's call has it. */
export function reportedToModule(error: unknown): boolean {
  const call = calls.getStore()
  if (call === undefined) return false
  outsideModule(() => call.report(error))
  return true
}
