// Metrics over HTTP. They have a separate check: the token that Prometheus holds must not open the console.
import { bearerOnly } from './guarded.ts'
import type { Mount } from './server.ts'
import type { TokenGate } from './token.ts'

export const METRICS_PATH = '/metrics'

/** What `/metrics` answers with. */
export interface Exposition {
  readonly contentType: string
  text(): Promise<string>
}

/** `present`: asked each time; undefined while there is nothing that could be counted. */
export function metricsRoute(present: () => Exposition | undefined, gate: TokenGate): Mount {
  return (app) => {
    app.get(METRICS_PATH, bearerOnly(gate), async (context) => {
      const exposition = present()
      if (exposition === undefined) return context.json({ error: 'no account is at work; see /readyz' }, 503)
      return context.body(await exposition.text(), 200, { 'content-type': exposition.contentType })
    })
  }
}
