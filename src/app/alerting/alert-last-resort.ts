// When the state itself fails no alert can be stored, and that must be reported: it is sent directly, once,
// and remembered in memory only.
import { deliver } from '../../alerts/delivery.ts'
import { alertMessage } from '../../core/alerts/alert-message.ts'
import type { AlertSettings } from '../../core/settings.ts'
import { type AlertParts, consoleAddress, DELIVERY_TIMEOUT_MS, serviceHost } from './alert-parts.ts'

export interface LastResort {
  /** Reports runs broken by the state to receivers of failed runs that were not yet notified. */
  tell(): Promise<void>
  /** The state works again. */
  over(): void
}

export function createLastResort(parts: AlertParts): LastResort {
  const told = new Set<string>()
  const { clock, settings, condition, signal } = parts

  async function tellOne(
    { id, receiver, on, pipelines }: AlertSettings,
    pipeline: string,
    code: string,
  ): Promise<void> {
    const key = `${id} ${pipeline}`
    if (told.has(key) || !on.includes('failed')) return
    if (pipelines?.includes(pipeline) === false) return
    const at = clock.now()
    const context = { at, service: serviceHost(settings()), console: consoleAddress(settings()) }
    const message = alertMessage(
      { name: 'failed', pipeline, event: 'raised', since: at, numbers: { code } },
      context,
    )
    const outgoing = { ...message, id: `state-${at}` }
    const { delivered } = await deliver(receiver, outgoing, { timeoutMs: DELIVERY_TIMEOUT_MS, at, signal })
    if (delivered) told.add(key)
  }

  return {
    async tell() {
      const broken = (condition()?.pipelines ?? []).filter(({ brokenAt }) => brokenAt !== undefined)
      for (const { name, brokenBy } of broken)
        for (const alert of settings().alerts) await tellOne(alert, name, brokenBy ?? 'INTERNAL')
    },
    over: () => told.clear(),
  }
}
