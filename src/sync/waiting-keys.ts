// Records of which a change waits: held, or to be tried again. A change that is planned from what the state knows alone would
// replace the waiting one, which says more.
import type { PlanContext } from './context.ts'

const PAGE = 500

/** Their keys. What waits for a brake alone is replaced by nothing. */
export async function waitingKeys({ pipeline, state }: PlanContext): Promise<ReadonlySet<string>> {
  const keys = new Set<string>()
  for await (const { key, guard } of state.held([pipeline.name])) if (guard !== 'brake') keys.add(key)
  for (let after: number | undefined = 0; after !== undefined;) {
    const page = await state.leftOpen('failed', pipeline.name, { after, limit: PAGE })
    for (const { key } of page) keys.add(key)
    after = page.length < PAGE ? undefined : page.at(-1)?.id
  }
  return keys
}
