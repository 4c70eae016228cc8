// A log that also keeps its warnings, for the user who started the run or the plan. They may hold what the log itself leaves out.
import type { PlanWarning } from '../../core/change/plan/plan.ts'
import { COMMON_FIELDS, type EventName } from '../../core/log/events/events.ts'
import type { Log } from '../../log/log.ts'

/** `told`: events that the summary has its own lines for. */
export function keepingWarnings(
  log: Log,
  told: readonly EventName[],
): { readonly log: Log; readonly warnings: readonly PlanWarning[] } {
  const warnings: PlanWarning[] = []
  const warn: Log['warn'] = (event, fields) => {
    log.warn(event, fields)
    if (told.includes(event)) return
    // Fields that lead to other lines of the log are of no use beside a summary.
    const shown = Object.entries(fields ?? {}).filter(([name]) => !Object.hasOwn(COMMON_FIELDS, name))
    const details = shown.map(([name, value]) => `${name} ${String(value)}`)
    warnings.push({ event, text: [event, ...details].join(', ') })
  }
  return { log: { ...log, warn }, warnings }
}
