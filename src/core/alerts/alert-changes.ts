// From what holds and what was told before to what is to be told now. Pure; one receiver at a time.
import { DAY_MS, HOUR_MS } from '../words/duration.ts'
import { CONDITIONS, type Condition, type ConditionKey } from './alert-rules.ts'

/** A condition that holds for a receiver since then; told: a message about it was made. Milliseconds since the epoch. */
export interface RaisedAlert extends ConditionKey {
  readonly since: number
  readonly told: boolean
}

/** A message that the receiver has not taken yet. */
export interface PendingMessage extends ConditionKey {
  readonly id: number
  readonly event: 'raised' | 'recovered'
  readonly attempts: number
}

export interface NewMessage extends ConditionKey {
  readonly event: 'raised' | 'recovered'
  readonly since: number
  readonly numbers: Condition['numbers']
}

export interface AlertChanges {
  readonly set: readonly RaisedAlert[]
  readonly remove: readonly ConditionKey[]
  readonly messages: readonly NewMessage[]
  /** Pending messages that are overtaken before the receiver took them. */
  readonly drop: readonly number[]
}

interface Before {
  readonly raised: readonly RaisedAlert[]
  readonly pending: readonly PendingMessage[]
}

const isSame = (one: ConditionKey, other: ConditionKey): boolean =>
  one.name === other.name && one.pipeline === other.pipeline

/**
 * A message and its opposite, which never got out, cancel each other. Where it may have got out (it was tried), the
 * newer one is sent.
 */
function overtake(messages: readonly NewMessage[], pending: readonly PendingMessage[]) {
  const drop: number[] = []
  const left = messages.filter((message) => {
    const old = pending.find((one) => isSame(one, message))
    if (old === undefined) return true
    drop.push(old.id)
    // The same has happened again: the newer message says so.
    return old.event === message.event || old.attempts > 0
  })
  return { messages: left, drop }
}

/** Where the clock was ahead at that time, and was put back, everything that it says by now is later. */
const isLater = (happened: number, { than, at }: { than: number; at: number }): boolean =>
  happened > than || (than > at && happened <= at)

/** `isUnsettled`: its former condition stays. `afterMs`: how long a condition must hold before it is reported. */
export function alertChanges(
  now: readonly Condition[],
  before: Before,
  context: { at: number; afterMs: number; isUnsettled(key: ConditionKey): boolean },
): AlertChanges {
  const { at, afterMs, isUnsettled } = context
  const set: RaisedAlert[] = []
  const messages: NewMessage[] = []
  for (const condition of now.filter((one) => !isUnsettled(one))) {
    const { name, pipeline, numbers } = condition
    const raised = before.raised.find((one) => isSame(one, condition))
    const happened = condition.at
    // Only what was told of can have happened again: what recurs within `after` would never be told otherwise.
    const isAgain =
      raised?.told === true && happened !== undefined && isLater(happened, { than: raised.since, at })
    const known = isAgain ? undefined : raised
    const since = Math.min(known?.since ?? at, at)
    const told = known?.told === true || at - since >= afterMs
    // The message tells of all that has happened by now.
    const until = told && happened !== undefined ? at : since
    if (known === undefined || told !== known.told || (!told && since !== known.since))
      set.push({ name, pipeline, since: until, told })
    if (told && known?.told !== true) messages.push({ name, pipeline, event: 'raised', since, numbers })
  }
  const over = before.raised.filter((one) => !isUnsettled(one) && !now.some((held) => isSame(held, one)))
  for (const { name, pipeline, since, told } of over)
    if (told && !CONDITIONS[name].event)
      messages.push({ name, pipeline, event: 'recovered', since, numbers: {} })
  const remove = over.map(({ name, pipeline }) => ({ name, pipeline }))
  return { set, remove, ...overtake(messages, before.pending) }
}

const FIRST_GAP_MS = 10_000
export const LONGEST_GAP_MS = HOUR_MS

/** How long to wait after so many failed attempts to deliver a message. */
export const deliveryGapMs = (attempts: number): number =>
  Math.min(FIRST_GAP_MS * 3 ** Math.max(0, attempts - 1), LONGEST_GAP_MS)

/** Older messages that the receiver does not accept are abandoned. */
export const OLDEST_MESSAGE_MS = 3 * DAY_MS
