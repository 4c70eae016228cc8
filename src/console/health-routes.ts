// Health over HTTP. It contains nothing about contacts, so it requires no token: probes have none.
import type { Readiness } from './health.ts'
import type { Mount } from './server.ts'

/** One account of the daemon. */
export interface AccountHealth {
  readonly name: string
  readiness(): Readiness
}

/** Of several accounts each reason bears the name; one that is not ready keeps the others at work. */
function readinessOf(accounts: readonly AccountHealth[], broken: readonly string[]): Readiness {
  const files = broken.map((file) => `${file}: broken, and not in use`)
  const [only, ...others] = accounts
  if (only === undefined) return { ready: false, reasons: ['starting'], paused: [] }
  if (others.length === 0) {
    const { reasons, ...rest } = only.readiness()
    return { ...rest, reasons: [...reasons, ...files] }
  }
  const all = accounts.map((one) => ({ name: one.name, ...one.readiness() }))
  return {
    ready: all.some(({ ready }) => ready),
    reasons: [
      ...all.flatMap(({ name, reasons }) => reasons.map((reason) => `account ${name}: ${reason}`)),
      ...files,
    ],
    paused: all.flatMap(({ paused }) => paused),
  }
}

/**
 * `/healthz`: the process lives. `/readyz`: it does its work, or 503 with the reasons why not. `broken`: files of the configuration
 * that are not in use.
 */
export function healthRoutes(
  accounts: () => readonly AccountHealth[],
  broken: () => readonly string[],
): Mount {
  return (app) => {
    app.get('/healthz', (context) => context.json({ status: 'ok' }))
    app.get('/readyz', (context) => {
      const { ready, reasons, paused } = readinessOf(accounts(), broken())
      const status = ready ? 'ready' : 'not ready'
      // Named only where there are some: probes compare the whole answer.
      return context.json({ status, reasons, ...(paused.length > 0 ? { paused } : {}) }, ready ? 200 : 503)
    })
  }
}
