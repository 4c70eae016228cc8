// Metrics over HTTP, for whoever shows the token.
import { bearerOnly } from './guarded.ts'
import type { Mount } from './server.ts'
import type { TokenGate } from './token.ts'

/** What `/metrics` answers with. */
export interface Exposition {
  readonly contentType: string
  text(): Promise<string>
}

export function metricsRoute(exposition: Exposition, gate: TokenGate): Mount {
  return (app) => {
    app.get('/metrics', bearerOnly(gate), async (context) =>
      context.body(await exposition.text(), 200, { 'content-type': exposition.contentType }),
    )
  }
}
