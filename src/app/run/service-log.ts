// What the operational log is told of the service: route templates, statuses and waits, never a URL or a body.
import type { ServiceListener } from '../../core/log/service-event.ts'
import type { Log } from '../../log/log.ts'

export function logService(log: Log): ServiceListener {
  return (event) => {
    switch (event.type) {
      case 'request': {
        const { method, path, status = 'none', attempt, durationMs } = event
        const ms = Math.round(durationMs)
        return log.debug('a request was answered, or got no answer', { method, path, status, attempt, ms })
      }
      case 'retry': {
        const { method, path, attempt, delayMs, summary: answer } = event
        return log.debug('a request is sent again', { method, path, attempt, wait_ms: delayMs, answer })
      }
      case 'throttled': {
        const { delayMs, summary: answer } = event
        return log.debug('the service asks for fewer requests', { wait_ms: delayMs, answer })
      }
      case 'waiting':
        return log.debug('all requests wait', { wait_ms: event.delayMs })
      case 'daily_limit':
        return log.warn('the daily allowance is used up')
      case 'alone':
        return log.warn('the rate limit is counted by this process alone', { code: event.reason })
    }
  }
}
