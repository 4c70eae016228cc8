// What the operational log says of the daemon's life: its events in words, one line each.
import type { DaemonListener, Pause } from '../../core/outcome/daemon.ts'
import type { Log } from '../../log/log.ts'

function logPause(log: Log, { code, reason, nextProbeAt }: Pause, isKeyInFile: boolean): void {
  if (code !== 'SERVICE_KEY_REFUSED') {
    log.warn('service unavailable: runs paused, probing', {
      code,
      detail: reason,
    })
    return
  }
  const next = isKeyInFile
    ? 'runs resume when the file service.api_key_file holds another key, or after SIGHUP'
    : 'runs resume after a restart with another key, or after SIGHUP; service.api_key_file needs neither'
  if (nextProbeAt === undefined) log.error('API key refused: runs paused', { code, detail: reason, next })
}

export function daemonLog(log: Log, isKeyInFile: () => boolean): DaemonListener {
  return (event) => {
    switch (event.type) {
      case 'missed':
        return log.info('missed runs: catching up', {
          pipeline: event.pipeline,
          times: event.times,
        })
      case 'overlapped':
        return log.warn('run skipped: previous run still active', {
          pipeline: event.pipeline,
          times: event.times,
        })
      case 'clock_set_back':
        return log.warn('system clock set back', { pipeline: event.pipeline })
      case 'paused':
        return logPause(log, event.pause, isKeyInFile())
      case 'resumed':
        return log.info('runs resumed', { after_ms: Math.round(event.ms) })
      case 'reloaded':
        return log.info('configuration reloaded', { pipelines: event.settings.pipelines.length })
      case 'reload_refused':
        for (const problem of event.problems) log.error('configuration invalid', { problem })
        return log.error('configuration not reloaded: previous one kept', {
          problems: event.problems.length,
        })
      case 'run_started':
      case 'run_ended':
      case 'run_broken':
      case 'ended_elsewhere':
        // The run itself says so.
        return undefined
    }
  }
}
