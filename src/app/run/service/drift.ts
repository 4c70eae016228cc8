// Looks at contacts at the service for `drift`: beside a daemon, without a write, and only with requests that runs leave over.
import { createCircuit, type Stop } from '../../../core/outcome/circuit.ts'
import type { DriftReport } from '../../../core/change/others/drift.ts'
import type { ServiceReads } from '../../../core/ports.ts'
import type { StateStore } from '../../../core/state-store.ts'
import type { PipelineSettings, Settings } from '../../../core/settings.ts'
import { createService } from '../../../service/service.ts'
import { openStateForReading } from '../../../store/state-store.ts'
import { watchedSession } from '../../../sync/context.ts'
import { type ErasedNotes, noticingErased } from '../../../sync/reads/erased-reads.ts'
import { type DriftContext, lookForDrift } from '../../../sync/drift.ts'
import { systemClock as clock, systemRandom as random } from '../../../system.ts'
import { rateStanding, sharedWindow } from './rate-window.ts'
import { assertReadOfService } from './service-binding.ts'

interface Looking {
  /** How many contacts of each pipeline; Infinity: all. */
  readonly size: number
  readonly signal: AbortSignal
  looked(pipeline: string, contacts: number, of: number): void
  /** What differs at a contact and may be put back. */
  repairable?(pipeline: string, contact: RepairableContact): void
}

/** Names of fields, and of terms as `term NAME`. */
export interface RepairableContact {
  readonly key: string
  readonly names: readonly string[]
}

export interface DriftLook {
  readonly reports: readonly DriftReport[]
  /** Why it ended before all were read; undefined where it did not. */
  readonly stop: Pick<Stop, 'code' | 'message'> | undefined
  /** Contacts that show the address of an erased person. */
  readonly erased: readonly number[]
}

/** Of a window, and of the last day: what looks may use of them, with whatever else was sent. */
const OF_WINDOW = 1 / 2
const OF_DAY = 9 / 10

/** The contact, its terms, and the empty page that ends them. */
const REQUESTS_PER_LOOK = 3

/** So soon a look that waits notices that a run has begun. */
const LONGEST_WAIT_MS = 1000

/** Waits until half of the window has room for a look; for how many it has. 0: the rest of the day, or the time, is left to runs. */
export async function roomWithin(
  settings: Settings,
  signal: AbortSignal,
  mayLook: () => boolean = () => true,
): Promise<number> {
  while (!signal.aborted && mayLook()) {
    const { allowed, used, perMs, perDay, usedOfDay = 0 } = rateStanding(settings, clock.now())
    const looksOfDay = Math.floor(((perDay ?? Infinity) * OF_DAY - usedOfDay) / REQUESTS_PER_LOOK)
    if (looksOfDay < 1) return 0
    const looks = Math.floor((allowed * OF_WINDOW - used) / REQUESTS_PER_LOOK)
    // A window may be too small to be halved.
    if (looks > 0 || used === 0) return Math.min(looksOfDay, Math.max(1, looks))
    await clock.sleep(Math.min(Math.max(20, perMs / 10), LONGEST_WAIT_MS), signal)
  }
  return 0
}

const nothingSent = (pipeline: string): DriftReport => ({
  ...{ pipeline, contacts: 0, checked: 0, differing: 0, gone: 0, kept: 0, by_field: {} },
  ...{ share: 0, low: 0, high: 0, unanswered: 0 },
})

/** A look writes nothing: what it finds out is reported by the command, each contact once. */
const readingErased = (state: StateStore): ErasedNotes['state'] => ({
  hasTombstones: () => state.hasTombstones(),
  noteErasedRead: ({ mail }) => state.tombstoneOf('', { key: undefined, texts: [mail] }),
})

/** Throws OTHER_SERVICE where the state belongs to another service. */
export async function lookAtContacts(
  settings: Settings,
  pipelines: readonly PipelineSettings[],
  { size, signal, looked, repairable }: Looking,
): Promise<DriftLook> {
  assertReadOfService(settings)
  const state = openStateForReading(settings.state)
  if (state === undefined)
    return { reports: pipelines.map(({ name }) => nothingSent(name)), stop: undefined, erased: [] }
  const service = createService(settings.service, { clock, random, ...sharedWindow(settings) })
  const reports: DriftReport[] = []
  const erased = new Set<number>()
  let stop: DriftLook['stop']
  try {
    for (const pipeline of pipelines) {
      const circuit = createCircuit(pipeline.guards)
      const noticing = noticingErased<ServiceReads>(service.session({ signal }), {
        clock,
        state: readingErased(state),
        found: (contactId) => erased.add(contactId),
      })
      const session = watchedSession<ServiceReads>(noticing, { signal, circuit })
      const { custom_field_key: customFieldKey } = settings.service
      const context: DriftContext = {
        ...{ pipeline, state, session, circuit, customFieldKey, signal, random },
        async room() {
          const looks = await roomWithin(settings, signal)
          if (looks === 0 && !signal.aborted)
            circuit.halt({ code: 'DAILY_LIMIT', message: 'the rest of the daily allowance is left to runs' })
          return looks
        },
        looked: (contacts, of) => looked(pipeline.name, contacts, of),
        repairable: (key, names) => repairable?.(pipeline.name, { key, names }),
      }
      reports.push(await lookForDrift(size, context))
      stop ??= circuit.stop
    }
    return { reports, stop, erased: [...erased] }
  } finally {
    await service.close()
    await state.close()
  }
}
