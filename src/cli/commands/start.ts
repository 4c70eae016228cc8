// `start`: the daemon, until a signal ends it.
import { startAccounts } from '../../app/daemon/accounts.ts'
import { loadConfiguration } from '../../app/run/configuration.ts'
import { openTracing } from '../../app/run/tracing.ts'
import { createLog } from '../../log/log.ts'
import { systemClock as clock, systemRandom as random } from '../../system.ts'
import { VERSION } from '../../installation.ts'
import { configFile } from '../config-file.ts'
import type { CommonOptions, Io } from '../io.ts'
import { accountsIn } from '../settings.ts'

export async function start(io: Io, options: CommonOptions): Promise<number> {
  // Asked for before the daemon stands, it reloads as soon as it does.
  const hangup = { isAsked: false }
  io.onHangup(() => (hangup.isAsked = true))
  const file = configFile(io, options)
  const { accounts, broken } = await accountsIn(file, io)
  const secrets = accounts.flatMap((one) => one.secrets)
  const log = createLog(accounts[0].log, { secrets, stream: io.stderr })
  try {
    const tracing = await openTracing(io.env, { clock, log, version: VERSION })
    try {
      const daemon = await startAccounts(
        { accounts, broken },
        {
          ...{ clock, random, log, pid: io.pid, signal: io.signal, tracing: tracing.watcher },
          load: async () => loadConfiguration(file, io.env),
        },
      )
      io.onHangup(() => daemon.reload())
      if (hangup.isAsked) daemon.reload()
      await daemon.ended()
    } finally {
      await tracing.close()
    }
  } finally {
    await log.close()
  }
  return 0
}
