// `start`: the daemon, until a signal ends it.
import { loadConfiguration } from '../../app/run/configuration.ts'
import { openWatching } from '../../app/daemon/daemon-watch.ts'
import { startDaemon } from '../../app/daemon/daemon.ts'
import { openDesk } from '../../app/decisions/desk-server.ts'
import { resumeDecisions, takeDecision, UNWATCHED } from '../../app/decisions/taking.ts'
import { createLog } from '../../log/log.ts'
import { openRunner } from '../../app/run/runner.ts'
import { refusingOtherService } from '../../app/run/service-binding.ts'
import { openTracing } from '../../app/run/tracing.ts'
import { systemClock as clock, systemRandom as random } from '../../system.ts'
import type { CommonOptions, Io } from '../io.ts'
import { configFile } from '../config-file.ts'
import { commandSettings } from '../settings.ts'
import { VERSION } from '../../installation.ts'

export async function start(io: Io, options: CommonOptions): Promise<number> {
  // Asked for before the daemon stands, it reloads as soon as it does.
  const hangup = { isAsked: false }
  io.onHangup(() => (hangup.isAsked = true))
  const settings = await commandSettings(io, options)
  const log = createLog(settings.log, { secrets: settings.secrets, stream: io.stderr })
  try {
    const tracing = await openTracing(io.env, { clock, log, version: VERSION })
    const watching = openWatching(settings, { clock, log, version: VERSION, tracing: tracing.watcher })
    const runner = openRunner(settings, {
      log,
      pid: io.pid,
      thorough: true,
      watcher: watching.watcher,
    })
    try {
      await runner.bind(io.signal)
      await resumeDecisions({ settings: () => settings, state: runner.state, signal: io.signal }, log)
      const load = async () =>
        refusingOtherService(await loadConfiguration(configFile(io, options), io.env), runner.state.binding)
      const daemon = await startDaemon(settings, runner, {
        clock,
        random,
        log,
        signal: io.signal,
        load,
        watch: watching.ofDaemon(runner),
        decide: (decision, owner) =>
          takeDecision({ ...owner, state: runner.state }, decision, {
            isConfirmed: true,
            watching: UNWATCHED,
          }),
      })
      const desk = await openDesk({ ...daemon.decisions, state: runner.state }, log)
      io.onHangup(() => daemon.reload())
      if (hangup.isAsked) daemon.reload()
      await daemon.ended().finally(() => desk.close())
    } finally {
      await runner.close()
      await tracing.close()
    }
  } finally {
    await log.close()
  }
  return 0
}
