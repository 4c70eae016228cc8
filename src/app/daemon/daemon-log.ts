// What the operational log says of the daemon's life: its events in words, one line each.
import type { DaemonListener, Pause } from '../../core/outcome/daemon.ts'
import type { Log } from '../../log/log.ts'

function logPause(log: Log, { code, reason, nextProbeAt }: Pause, isKeyInFile: boolean): void {
  if (code !== 'SERVICE_KEY_REFUSED') {
    log.warn('no run begins until the service can be used; it is asked again by itself', {
      code,
      detail: reason,
    })
    return
  }
  const next = isKeyInFile
    ? 'runs go on when the file service.api_key_file has another key, or after SIGHUP'
    : 'runs go on after a restart with another key, or after SIGHUP; service.api_key_file needs neither'
  if (nextProbeAt === undefined)
    log.error('no run begins: the service refuses the key', { code, detail: reason, next })
}

export function daemonLog(log: Log, isKeyInFile: () => boolean): DaemonListener {
  return (event) => {
    switch (event.type) {
      case 'missed':
        return log.info('runs were missed; this one makes up for them', {
          pipeline: event.pipeline,
          times: event.times,
        })
      case 'overlapped':
        return log.warn('a run was still going on when the next was due', {
          pipeline: event.pipeline,
          times: event.times,
        })
      case 'clock_set_back':
        return log.warn('the clock was set back', { pipeline: event.pipeline })
      case 'paused':
        return logPause(log, event.pause, isKeyInFile())
      case 'resumed':
        return log.info('runs go on', { after_ms: Math.round(event.ms) })
      case 'reloaded':
        return log.info('the configuration was reloaded', { pipelines: event.settings.pipelines.length })
      case 'reload_refused':
        for (const problem of event.problems) log.error('the configuration is not valid', { problem })
        return log.error('the configuration was not reloaded; the one in use stays', {
          problems: event.problems.length,
        })
      case 'run_started':
      case 'run_ended':
      case 'run_broken':
        // The run itself says so.
        return undefined
    }
  }
}
