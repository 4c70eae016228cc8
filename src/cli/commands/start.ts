// `start`: the daemon, until a signal ends it.
import { clock, createLog, openRunner, startDaemon } from '../../app.ts'
import type { CommonOptions, Io } from '../io.ts'
import { commandSettings } from '../settings.ts'

export async function start(io: Io, options: CommonOptions): Promise<number> {
  const settings = await commandSettings(io, options)
  const log = createLog(settings.log, { secrets: settings.secrets, stream: io.stderr })
  try {
    const runner = openRunner(settings, { log, pid: io.pid, thorough: true })
    try {
      const daemon = await startDaemon(settings, runner, { clock, log, signal: io.signal })
      await daemon.ended()
    } finally {
      await runner.close()
    }
  } finally {
    await log.close()
  }
  return 0
}
