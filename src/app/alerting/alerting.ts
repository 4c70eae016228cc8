// Alerts at work: looks at what holds, writes down what is to be told, and delivers it. It never rejects and never makes
// any run wait: what a receiver does not accept now is sent later.
import { deliver, receiverName } from '../../alerts/delivery.ts'
import { alertMessage } from '../../core/alerts/alert-message.ts'
import {
  alertChanges,
  deliveryGapMs,
  type NewMessage,
  OLDEST_MESSAGE_MS,
} from '../../core/alerts/alert-changes.ts'
import type { QueuedMessage } from '../../core/alerts/alert-store.ts'
import { type AlertFacts, conditions, isUnsettled } from '../../core/alerts/alert.ts'
import { errorFacts } from '../../core/words/error-facts.ts'
import type { AlertSettings } from '../../core/settings.ts'
import { gatherFacts } from './alert-facts.ts'
import { createLastResort, type LastResort } from './alert-last-resort.ts'
import { type AlertParts, consoleAddress, serviceHost, DELIVERY_TIMEOUT_MS } from './alert-parts.ts'

export interface Alerting {
  /** Looks now, and sends what is due; looks that are asked for meanwhile are one look after it. */
  look(): Promise<void>
  /** When a message is due to be sent again, in milliseconds since the epoch; undefined: none is. */
  nextAt(): Promise<number | undefined>
}

interface LookParts extends AlertParts {
  readonly lastResort: LastResort
}

/** What is to be told now, written down; nothing is sent. */
async function note(
  alert: AlertSettings,
  facts: AlertFacts,
  { state, settings, lastResort }: LookParts,
): Promise<void> {
  const before = await state.alertsOf(alert.id)
  const { messages, ...changes } = alertChanges(conditions(facts, alert), before, {
    at: facts.now,
    afterMs: alert.after,
    isUnsettled: (key) => isUnsettled(key, facts),
  })
  if (messages.length + changes.set.length + changes.remove.length + changes.drop.length === 0) return
  const context = { at: facts.now, service: serviceHost(settings()), console: consoleAddress(settings()) }
  const isNews = (message: NewMessage): boolean =>
    message.event === 'recovered' || !lastResort.hasTold(alert.id, message)
  const written = messages
    .filter(isNews)
    .map((message) => ({ ...message, message: alertMessage(message, context) }))
  await state.changeAlerts(alert.id, { ...changes, messages: written }, facts.now)
}

/** One message to its receiver; false where it was not taken. */
async function send(queued: QueuedMessage, { receiver }: AlertSettings, parts: AlertParts): Promise<boolean> {
  const { state, clock, log, signal, onDelivery } = parts
  const { condition, event } = queued.message
  const names = { receiver: receiverName(receiver), condition }
  const id = `${await state.instance()}-${queued.id}`
  const result = await deliver(
    receiver,
    { ...queued.message, id },
    { timeoutMs: DELIVERY_TIMEOUT_MS, at: clock.now(), signal },
  )
  onDelivery?.(result.delivered ? 'delivered' : 'failed')
  if (result.delivered) {
    await state.dropMessage(queued.id)
    log.info('alert delivered', { ...names, event })
    return true
  }
  // Only now: where the clock went forward, or nothing ran for days, it is not the receiver that kept it waiting.
  if (clock.now() - queued.createdAt > OLDEST_MESSAGE_MS) {
    await state.dropMessage(queued.id)
    log.error('alert abandoned', names)
    return true
  }
  const waitMs = deliveryGapMs(queued.attempts + 1)
  await state.postponeMessage(queued.id, clock.now() + waitMs)
  log.warn('alert delivery failed', { ...names, reason: result.reason, wait_ms: waitMs })
  return false
}

/** Each receiver gets its messages in order: behind one that it does not take, the others wait. */
async function sendDue(alerts: readonly AlertSettings[], parts: AlertParts): Promise<void> {
  const due = await parts.state.dueMessages(parts.clock.now())
  const toReceiver = async (alert: AlertSettings): Promise<void> => {
    for (const queued of due.filter(({ receiver }) => receiver === alert.id))
      if (parts.signal.aborted || !(await send(queued, alert, parts))) return
  }
  await Promise.all(alerts.map(toReceiver))
}

/** What a look does; throws where the state fails. */
async function lookOnce(parts: LookParts): Promise<void> {
  const { alerts } = parts.settings()
  await parts.state.keepReceivers(alerts.map(({ id }) => id))
  if (alerts.length === 0) return
  const { clock, service, state } = parts
  const facts = await gatherFacts(parts.settings(), state, { clock, service, condition: parts.condition() })
  for (const alert of alerts) await note(alert, facts, parts)
  await sendDue(alerts, parts)
}

export function createAlerting(parts: AlertParts): Alerting {
  const lastResort = createLastResort(parts)
  let looking: Promise<void> | undefined
  let next: Promise<void> | undefined
  const begin = async (): Promise<void> => {
    const isFirst = parts.isFirst?.() !== false
    try {
      if (isFirst) await lookOnce({ ...parts, lastResort })
      await lastResort.over()
    } catch (error) {
      parts.log.error('alert processing failed', errorFacts(error))
      if (isFirst) await lastResort.tell()
    }
  }
  const look = async (): Promise<void> => {
    if (looking !== undefined) {
      next ??= looking.then(async () => {
        next = undefined
        await look()
      })
      return next
    }
    looking = begin().finally(() => (looking = undefined))
    return looking
  }
  return {
    look,
    async nextAt() {
      try {
        return await parts.state.nextMessageAt()
      } catch {
        // Said by the look that failed; another one comes.
        return undefined
      }
    },
  }
}
