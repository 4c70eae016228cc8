// Continues the round of looks for drift of a pipeline, as long as the daemon lets it: with requests that runs leave over.
import { dueRound, type DriftRound } from '../../../core/change/others/drift-rounds.ts'
import { createCircuit, type Stop } from '../../../core/outcome/circuit.ts'
import type { Clock, Random, ServiceReads } from '../../../core/ports.ts'
import type { StateStore } from '../../../core/state-store.ts'
import type { PipelineSettings, Settings } from '../../../core/settings.ts'
import type { Log } from '../../../log/log.ts'
import type { Service } from '../../../service/service.ts'
import { watchedSession } from '../../../sync/context.ts'
import { continueRound } from '../../../sync/drift.ts'
import { noticingErased } from '../../../sync/reads/erased-reads.ts'
import { roomWithin } from './drift.ts'

interface Parts {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly settings: Settings
  readonly service: Service
  readonly state: StateStore
}

export interface RoundLooking {
  readonly signal: AbortSignal
  /** False: a run goes first, and the rest of the round waits. */
  mayLook(): boolean
}

export interface RoundLook {
  /** Set where the round has ended. */
  readonly ended: DriftRound | undefined
  /** Why the service could not be used. */
  readonly stop: Pick<Stop, 'code' | 'message'> | undefined
}

export async function lookInRound(
  pipeline: PipelineSettings,
  { clock, random, log, settings, service, state }: Parts,
  { signal, mayLook }: RoundLooking,
): Promise<RoundLook> {
  const { name, drift, guards } = pipeline
  const none = { ended: undefined, stop: undefined }
  if (drift === undefined) return none
  const due = { pipeline: name, every: drift.every, now: clock.now() }
  const round = dueRound(await state.driftRound(name), due)
  if (round === undefined) return none
  const circuit = createCircuit(guards)
  const noticing = noticingErased<ServiceReads>(service.session({ signal }), {
    ...{ state, clock },
    found: (contact_id, print) => log.warn('erased person at the service again', { contact_id, print }),
  })
  const after = await continueRound(round, {
    ...{ pipeline, state, circuit, signal, random },
    session: watchedSession<ServiceReads>(noticing, { signal, circuit }),
    customFieldKey: settings.service.custom_field_key,
    room: () => roomWithin(settings, signal, mayLook),
    looked: () => undefined,
    note: (now) => state.noteDriftRound(now),
  })
  if (after === undefined) return { ended: undefined, stop: circuit.stop }
  const ended = { ...after, after: '', endedAt: clock.now() }
  await state.noteDriftRound(ended)
  return { ended, stop: undefined }
}
