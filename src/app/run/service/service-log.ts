// What the operational log records of the service: route templates, statuses and waits, never a URL or a body.
import type { ServiceListener } from '../../../core/log/events/service-event.ts'
import type { Log } from '../../../log/log.ts'

export function logService(log: Log): ServiceListener {
  return (event) => {
    switch (event.type) {
      case 'request': {
        const { method, path, status = 'none', attempt, durationMs } = event
        const ms = Math.round(durationMs)
        return log.debug('request attempt finished', { method, path, status, attempt, ms })
      }
      case 'retry': {
        const { method, path, attempt, delayMs, summary: answer } = event
        return log.debug('request retry scheduled', { method, path, attempt, wait_ms: delayMs, answer })
      }
      case 'throttled': {
        const { delayMs, summary: answer } = event
        return log.debug('service throttling: requests slowed', { wait_ms: delayMs, answer })
      }
      case 'waiting':
        return log.debug('requests paused', { wait_ms: event.delayMs })
      case 'paused':
        return log.info('requests paused: the service had asked for it before', { wait_ms: event.delayMs })
      case 'daily_limit':
        return log.warn('daily request limit reached')
      case 'alone':
        return log.warn('rate limit not shared: counted by this process only', { code: event.reason })
    }
  }
}
