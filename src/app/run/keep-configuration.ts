// Keeps the configuration that comes into force, and enters that it is another one than before.
import { hash } from 'node:crypto'
import { effectiveSettings } from '../../config/effective.ts'
import type { KeptConfiguration } from '../../core/log/configuration-store.ts'
import { planEntry } from '../../core/log/other-entries.ts'
import type { Settings } from '../../core/settings.ts'
import { SOURCE_KINDS } from '../../sources/registry.ts'
import type { OwnedState } from '../../store/state-store.ts'

/** Settings are kept once for each process that uses them. */
const noted = new WeakSet<Settings>()

function configurationOf(settings: Settings, at: number): KeptConfiguration {
  const shown = effectiveSettings(settings, SOURCE_KINDS)
  const pipelines = Object.fromEntries(settings.pipelines.map(({ name, hash: own }) => [name, own]))
  return {
    hash: hash('sha256', JSON.stringify([shown, pipelines]), 'hex'),
    at,
    pipelines,
    settings: shown,
  }
}

export async function keepConfiguration(
  settings: Settings,
  { state, at, runId }: { state: OwnedState; at: number; runId: string },
): Promise<void> {
  if (noted.has(settings)) return
  const configuration = configurationOf(settings, at)
  const reason = 'another configuration is in force'
  const about = { at, runId, pipeline: null, configHash: configuration.hash }
  await state.noteConfiguration(configuration, planEntry({ action: 'configure', reason }, about))
  noted.add(settings)
}
