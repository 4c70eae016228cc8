// What ends a run before its time: the process is asked to end, the state fails, the pipeline is paused, or max_duration is over.
// Nothing new is sent from then on; what is on its way may finish. Where no answer comes the connections are cut, so that
// a process that was asked to end does so in time: what was on its way is in doubt then, and journalled.
import type { Circuit, Stop } from '../../core/outcome/circuit.ts'
import type { Clock } from '../../core/ports.ts'
import type { PipelineSettings } from '../../core/settings.ts'
import { durationText } from '../../core/words/duration.ts'

/** Supervisors kill after ten seconds; what follows the cut takes well under one. */
const PATIENCE_MS = 8_000

export interface RunLimits {
  readonly signal: AbortSignal
  /** The run has ended: nothing is waited for any more. */
  done(): void
}

export function limitRun(
  { max_duration: maxDurationMs }: Pick<PipelineSettings, 'max_duration'>,
  parts: {
    readonly clock: Clock
    readonly circuit: Circuit
    /** The end of the process, and the trouble of the state. */
    readonly ending: AbortSignal
    readonly trouble: AbortSignal
    /** Aborted when the pipeline is paused, with the reason. */
    readonly halting?: AbortSignal | undefined
    cut(): void
  },
): RunLimits {
  const { clock, circuit, ending, trouble, halting, cut } = parts
  const over = new AbortController()
  const finished = new AbortController()
  const later = (ms: number, act: () => void): void =>
    void clock.sleep(ms, finished.signal).then(() => {
      if (!finished.signal.aborted) act()
    })
  const onEnding = (): void => later(PATIENCE_MS, cut)
  if (ending.aborted) onEnding()
  else ending.addEventListener('abort', onEnding, { once: true })
  const halt = (stop: Stop): void => {
    circuit.halt(stop)
    over.abort()
  }
  const onHalting = (): void => halt({ code: 'PAUSED', message: String(halting?.reason) })
  if (halting?.aborted === true) onHalting()
  else halting?.addEventListener('abort', onHalting, { once: true })
  if (maxDurationMs !== undefined)
    later(maxDurationMs, () => {
      const message = `max_duration (${durationText(maxDurationMs)}) is over; the next run continues from here`
      halt({ code: 'MAX_DURATION', message })
    })
  return {
    signal: AbortSignal.any([ending, trouble, over.signal]),
    done() {
      ending.removeEventListener('abort', onEnding)
      halting?.removeEventListener('abort', onHalting)
      finished.abort()
    },
  }
}
