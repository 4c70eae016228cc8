// When the state itself fails no alert can be stored, and that must be reported: it is sent directly, once,
// and remembered in memory only, for as long as the process lives.
import { deliver } from '../../alerts/delivery.ts'
import { alertMessage } from '../../core/alerts/alert-message.ts'
import type { ConditionKey } from '../../core/alerts/alert-rules.ts'
import type { ErrorCode } from '../../core/words/errors.ts'
import type { AlertSettings } from '../../core/settings.ts'
import { type AlertParts, consoleAddress, serviceHost, type ToldDirectly } from './alert-parts.ts'

/** Within the time that a process has for its end. */
const TIMEOUT_MS = 3_000

export interface LastResort {
  /** Reports runs broken by the state to receivers of failed runs that were not yet notified. */
  tell(): Promise<void>
  /** Whether the receiver of this id was notified of it directly, so that what the state says of it is no news. */
  hasTold(id: string, condition: ConditionKey): boolean
  /** The state works again, and a look has stored what holds now; of what is over the receiver is notified directly, too. */
  over(): Promise<void>
}

const keyOf = (id: string, pipeline: string): string => `${id} ${pipeline}`

export function createLastResort(parts: AlertParts): LastResort {
  const { clock, settings, state, condition, told = new Map<string, ToldDirectly>() } = parts
  // A disk error ends the process: there is no later time to report it.
  const { signal } = new AbortController()
  const find = (pipeline: string) => condition()?.pipelines.find(({ name }) => name === pipeline)

  async function send(
    { receiver }: AlertSettings,
    about: Pick<Parameters<typeof alertMessage>[0], 'event' | 'pipeline' | 'since' | 'numbers'>,
  ): Promise<boolean> {
    const at = clock.now()
    const context = { at, service: serviceHost(settings()), console: consoleAddress(settings()) }
    // Several pipelines, and several accounts, fail for one disk at the same moment.
    const id = `state-${settings().account}-${about.pipeline}-${at}`
    const outgoing = { ...alertMessage({ name: 'failed', ...about }, context), id }
    return (await deliver(receiver, outgoing, { timeoutMs: TIMEOUT_MS, at, signal })).delivered
  }

  const inState = async (id: string, pipeline: string) => {
    const { raised, pending } = await state.alertsOf(id)
    const isIt = (one: ConditionKey): boolean => one.name === 'failed' && one.pipeline === pipeline
    return { raised: raised.find(isIt), isPending: pending.some(isIt) }
  }

  /** A full disk can still be read; what cannot be read is no reason to say nothing. */
  const isToldByState = async (id: string, pipeline: string): Promise<boolean> =>
    inState(id, pipeline).then(
      ({ raised, isPending }) => raised?.told === true && !isPending,
      () => false,
    )

  async function tellOne(alert: AlertSettings, pipeline: string, code: string): Promise<void> {
    const { id, on, pipelines } = alert
    const key = keyOf(id, pipeline)
    if (told.has(key) || !on.includes('failed')) return
    if (pipelines?.includes(pipeline) === false) return
    if (await isToldByState(id, pipeline)) return
    const since = clock.now()
    if (await send(alert, { event: 'raised', pipeline, since, numbers: { code } }))
      told.set(key, { id, pipeline, since })
  }

  /** What the state holds is reported from there, once it has told of it (`after`). */
  async function isSettled({ id, pipeline, since }: ToldDirectly): Promise<boolean> {
    const alert = settings().alerts.find((one) => one.id === id)
    const { raised } = await inState(id, pipeline)
    if (alert === undefined || raised !== undefined) return raised?.told !== false
    return send(alert, { event: 'recovered', pipeline, since, numbers: {} })
  }

  return {
    async tell() {
      const { pipelines = [], fleet } = condition() ?? {}
      // Another worker has taken its run over, and makes it: none has failed.
      const isTakenOver = (code: ErrorCode | undefined): boolean =>
        fleet !== undefined && code === 'STATE_LOCKED'
      const broken = pipelines.filter(
        ({ brokenAt, brokenBy }) => brokenAt !== undefined && !isTakenOver(brokenBy),
      )
      for (const { name, brokenBy } of broken)
        for (const alert of settings().alerts) await tellOne(alert, name, brokenBy ?? 'INTERNAL')
    },
    hasTold: (id, { name, pipeline }) => name === 'failed' && told.has(keyOf(id, pipeline)),
    async over() {
      for (const [key, one] of told)
        if (find(one.pipeline)?.runningSince === undefined && (await isSettled(one))) told.delete(key)
    },
  }
}
