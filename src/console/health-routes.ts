// Health over HTTP. It contains nothing about contacts, so it requires no token: probes have none.
import type { DaemonCondition } from '../core/outcome/daemon.ts'
import { readiness } from './health.ts'
import type { Mount } from './server.ts'

/** `/healthz`: the process lives. `/readyz`: it does its work, or 503 with the reasons why not. */
export function healthRoutes(daemon: () => DaemonCondition): Mount {
  return (app) => {
    app.get('/healthz', (context) => context.json({ status: 'ok' }))
    app.get('/readyz', (context) => {
      const { ready, reasons, paused } = readiness(daemon())
      const status = ready ? 'ready' : 'not ready'
      // Named only where there are some: probes compare the whole answer.
      return context.json({ status, reasons, ...(paused.length > 0 ? { paused } : {}) }, ready ? 200 : 503)
    })
  }
}
