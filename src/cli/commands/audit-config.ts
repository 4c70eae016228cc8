// `audit config`: a configuration that was in force, and what it changed.
import { type KeptConfiguration, settingChanges } from '../../core/log/configuration-store.ts'
import { SyncError } from '../../core/words/errors.ts'
import { momentText } from '../../core/words/format.ts'
import { openStateForReading } from '../../store/state-store.ts'
import { type CommonOptions, type Io, print, printJson } from '../io.ts'
import { commandSettings } from '../settings.ts'

const SHORTEST = 6

const unknown = (hash: string): SyncError =>
  new SyncError('USAGE', `the state has no configuration ${hash}`, {
    hint: 'HASH is the config_hash of an entry of the sync log, or at least its first six characters. Configurations from before contact-sync kept them are unknown.',
  })

const iso = (ms: number): string => new Date(ms).toISOString()

type Changes = ReturnType<typeof settingChanges>

function configurationJson(
  { hash, at, pipelines, settings }: KeptConfiguration,
  {
    before,
    changes,
    also,
  }: { before: KeptConfiguration | undefined; changes: Changes; also: readonly string[] },
) {
  return {
    hash,
    in_force_since: iso(at),
    pipelines,
    settings: Object.fromEntries(settings.map(({ path, value }) => [path, value])),
    before: before?.hash ?? null,
    changes: changes.map(({ path, from = null, to = null }) => ({ path, from, to })),
    also,
  }
}

const changeLines = (changes: Changes): readonly string[] =>
  changes.flatMap(({ path, from, to }) => [
    ...(from === undefined ? [] : [`- ${path}: ${from}`]),
    ...(to === undefined ? [] : [`+ ${path}: ${to}`]),
  ])

export async function showConfiguration(
  io: Io,
  options: CommonOptions,
  [hash = '']: string[],
): Promise<number> {
  const { state: place } = await commandSettings(io, options)
  if (!/^[\da-f]+$/.test(hash) || hash.length < SHORTEST) throw unknown(hash)
  const state = openStateForReading(place)
  try {
    const [found, ...others] = (await state?.configurationsLike(hash)) ?? []
    if (found === undefined) throw unknown(hash)
    const before = await state?.configurationBefore(found.hash)
    const changes = before === undefined ? [] : settingChanges(before.settings, found.settings)
    const also = others.map((one) => one.hash)
    if (options.json === true) {
      printJson(io, configurationJson(found, { before, changes, also }))
      return 0
    }
    print(io, [
      `configuration ${found.hash}, in force since ${momentText(found.at)}`,
      ...(also.length === 0 ? [] : [`also: ${also.join(', ')}`]),
      '',
      ...found.settings.map(({ path, value }) => `${path}: ${value}`),
      ...(before === undefined ? [] : ['', `changed from ${before.hash}:`, ...changeLines(changes)]),
    ])
    return 0
  } finally {
    await state?.close()
  }
}
