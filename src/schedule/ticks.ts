// What wakes the daemon: node-cron, once a minute, or once a second where a schedule has seconds. It only wakes; what is
// due then is decided by due times and what is known to have run, so a tick too late or too many does no harm.
import { schedule } from 'node-cron'

/** Calls until it is stopped. */
export type Ticks = (every: 'second' | 'minute', onTick: () => void) => { stop(): void }

/** node-cron writes to standard error by itself otherwise. */
const silent = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  debug: () => undefined,
}

export const cronTicks: Ticks = (every, onTick) => {
  const expression = every === 'second' ? '* * * * * *' : '* * * * *'
  const task = schedule(expression, onTick, { timezone: 'UTC', logger: silent, suppressMissedWarning: true })
  return { stop: () => void task.destroy() }
}

/** Whether an expression names seconds. */
export const hasSeconds = (expression: string): boolean => {
  const [second = '', ...rest] = expression.trim().split(/\s+/)
  return rest.length === 5 && second !== '0' && second !== '00'
}
