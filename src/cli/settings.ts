// How a command comes to its settings: the file by option, environment or default, every problem at once.
import { type Leniency, loadConfiguration } from '../app/run/configuration.ts'
import { stateDoubt } from '../store/info.ts'
import { SyncError } from '../core/words/errors.ts'
import type { PipelineSettings, Settings } from '../core/settings.ts'
import { stateText } from '../core/state-place.ts'
import { type Accounts, chosenAccount } from './accounts/chosen.ts'
import { basename } from 'node:path'
import { plural } from '../core/words/format.ts'
import { configFile } from './config-file.ts'
import { type CommonOptions, type Io, printError } from './io.ts'
import { ConfigurationError } from './messages.ts'

/** Throws ConfigurationError with every problem, and what `chosenAccount` throws; warnings go to standard error. */
export async function commandSettings(
  io: Io,
  options: CommonOptions,
  leniency?: Leniency,
): Promise<Settings> {
  return options.settings ?? chosenAccount(await accountsIn(configFile(io, options), io, leniency), options)
}

const notInUse = (file: string, problems: readonly string[]): string =>
  `${plural(problems.length, 'problem')} in ${basename(file)}; its pipelines are not in use.`

/** The settings of all accounts in the file or folder; files that are not in use are named on standard error. */
export async function accountsIn(file: string, io: Io, leniency?: Leniency): Promise<Accounts> {
  const loaded = await loadConfiguration(file, io.env, leniency)
  if (!loaded.ok) throw new ConfigurationError(loaded.problems)
  for (const warning of loaded.warnings) printError(io, `warning: ${warning}`)
  for (const { file: name, problems } of loaded.broken)
    printError(io, [...problems, notInUse(name, problems)])
  return loaded
}

/** The pipelines named, in the order of the configuration; all of them where none is named. Throws USAGE. */
export function chosenPipelines(settings: Settings, names: readonly string[]): readonly PipelineSettings[] {
  const known = settings.pipelines.map(({ name }) => name)
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new SyncError('USAGE', `there is no pipeline ${unknown.join(', ')}`, {
      hint: `Pipelines: ${known.join(', ')}`,
    })
  return names.length === 0
    ? settings.pipelines
    : settings.pipelines.filter(({ name }) => names.includes(name))
}

/** For commands that only look: runs refuse such a state, and what they would see there is not how things are. */
export function warnOfOlderState(io: Io, { state: place }: Settings): void {
  const found = stateDoubt(place)
  if (found !== undefined)
    printError(io, `warning: the state ${stateText(place)} ${found.doubt}. ${found.hint}`)
}
