// The source of a plan, which leaves no trace: what has to be fetched for it is spooled into a folder of its own, and removed.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Source } from '../core/ports.ts'
import type { SourceSettings } from '../core/settings.ts'
import type { SourceDeps } from './kind.ts'
import { createSource, kindOf } from './registry.ts'

export interface PlanSource {
  readonly source: Source
  close(): Promise<void>
}

export async function openPlanSource(settings: SourceSettings, deps: SourceDeps): Promise<PlanSource> {
  const source = createSource(settings, deps)
  const isFetched = kindOf(settings).kind.isPulled === true
  // What waits already is what a run would take.
  if (!isFetched || (await source.list({ wait: false })).ready.length > 0)
    return { source, close: () => Promise.resolve() }
  const folder = await mkdtemp(join(tmpdir(), 'contact-sync-plan-'))
  return {
    source: createSource({ ...settings, folder }, deps),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
