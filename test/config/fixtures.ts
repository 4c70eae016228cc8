// Loads the tiny files of test/fixtures/config, one for each way to be right or wrong.
import { fileURLToPath } from 'node:url'
import { type Loaded, type LoadOptions, loadSettings, problemText } from '../../src/config/load.ts'
import type { Settings } from '../../src/core/settings.ts'
import { KINDS } from './fake-kinds.ts'

export const FOLDER = fileURLToPath(new URL('../fixtures/config/', import.meta.url))

export const ENV = {
  KEY: 's3cret-of-the-service',
  TOKEN: 't0ken-of-the-console',
  METRICS_TOKEN: 't0ken-of-the-metrics',
  EMPTY: '',
  SPACED: 'abc def',
  QUOTED: '"s3cret-in-quotes"',
  NUMBER: '8081',
  WORD: 'high',
}

const checkSchedule = (expression: string): string | undefined =>
  expression.startsWith('61') ? 'minute: 61 is above 59; write 0 to 59' : undefined

export function loadFixture(name: string, env: Record<string, string> = ENV): Promise<Loaded> {
  const presetFolder = `${FOLDER}presets`
  return loadSettings({ file: FOLDER + name, env, kinds: KINDS, presetFolder, checkSchedule })
}

/** Loads a text as if it were a file beside the fixtures. */
export function loadText(
  text: string,
  env: Record<string, string> = ENV,
  leniency: Pick<LoadOptions, 'withoutSecrets'> = {},
): Promise<Loaded> {
  const presetFolder = `${FOLDER}presets`
  const readFile = () => Promise.resolve(Buffer.from(text))
  return loadSettings({ ...leniency, file: '/etc/sync/sync.yaml', env, kinds: KINDS, presetFolder, readFile })
}

export function linesOf(loaded: Loaded): string[] {
  const problems = loaded.ok ? loaded.warnings : loaded.problems
  return problems.map((problem) => problemText(problem).replaceAll(FOLDER, ''))
}

export function settingsOf(loaded: Loaded): Settings {
  if (!loaded.ok) throw new Error(linesOf(loaded).join('\n'))
  return loaded.settings
}
