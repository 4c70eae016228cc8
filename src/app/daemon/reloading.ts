// Another configuration while the daemon runs, and another key of the service. Runs in flight keep what they began with.
// Settings of the connection change between runs: none starts, active ones end, then the client is created again.
import { readFile } from 'node:fs/promises'
import type { DaemonListener } from '../../core/outcome/daemon.ts'
import { planEntry } from '../../core/log/other-entries.ts'
import type { Clock, Random } from '../../core/ports.ts'
import { runId } from '../../core/words/run-id.ts'
import type { Settings } from '../../core/settings.ts'
import type { Log } from '../../log/log.ts'
import type { DecidedBy } from '../../core/words/decided-by.ts'
import type { Reloaded } from '../decisions/owner.ts'
import type { AccountConfiguration } from '../run/configuration.ts'
import type { DaemonRuns } from './daemon-runs.ts'
import { type Reload, changeTo } from './reload.ts'
import type { Runner } from '../run/runner.ts'

export interface Reloading {
  /** Reads the configuration; asked again meanwhile, once more afterwards. */
  ask(): void
  /** Reads it now; for a person who waits for what comes of it. */
  now(decided: DecidedBy): Promise<Reloaded>
  /** Takes the key from its file, where another one is there; whether that was so. */
  renewKey(): Promise<boolean>
  /** What was wrong with the last configuration that was read; undefined: it is in use. */
  readonly refused: readonly string[] | undefined
  idle(): Promise<void>
}

interface Parts {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly runner: Pick<Runner, 'reconfigure'> & { readonly state: Pick<Runner['state'], 'note'> }
  readonly runs: DaemonRuns
  readonly emit: DaemonListener
  /** The end of this account. */
  readonly signal: AbortSignal
  load(): Promise<AccountConfiguration>
  settings(): Settings
  /** Continues with these. */
  use(settings: Settings): Promise<void>
  onReloaded(): void
  onFault(error: unknown): void
}

/** The key in the file, without the newline that editors add; undefined where there is none to be had. */
async function keyIn(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const key = text.replace(/\r?\n$/, '')
  return /^[\x21-\x7e]+$/.test(key) ? key : undefined
}

function reasonOf({ service, pipelines, settings }: Reload, name: string, old: Settings): string {
  const isIn = (all: Settings): boolean => all.pipelines.some((pipeline) => pipeline.name === name)
  const verb = !isIn(old) ? 'added' : isIn(settings) ? 'changed' : 'removed'
  const what = [
    ...(pipelines.includes(name) ? [`the pipeline was ${verb}`] : []),
    ...(service ? ['the settings of the service were changed'] : []),
  ]
  return `configuration reloaded: ${what.join(', ')}`
}

/** Between runs: then nothing that is on its way changes under them. */
async function changeBetweenRuns(
  next: Settings,
  { log, runner, runs, use }: Parts,
  enterFirst: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  if (runs.running > 0) log.info('configuration change waiting for active runs', { runs: runs.running })
  await runs.hold()
  try {
    await enterFirst()
    await runner.reconfigure(next)
    await use(next)
  } finally {
    runs.release()
  }
}

/** An entry of the sync log for each pipeline that it concerns. */
async function enter(
  change: Reload,
  { old, decided }: { old: Settings; decided: DecidedBy | undefined },
  { clock, random, runner }: Parts,
): Promise<void> {
  const { pipelines } = change.settings
  const at = clock.now()
  const id = runId(at, random)
  const concerned = change.service ? pipelines.map(({ name }) => name) : []
  for (const name of new Set([...concerned, ...change.pipelines])) {
    const configHash = [...pipelines, ...old.pipelines].find((pipeline) => pipeline.name === name)?.hash ?? ''
    const reason = reasonOf(change, name, old)
    await runner.state.note(
      planEntry({ action: 'reload', reason }, { at, runId: id, pipeline: name, configHash, decided }),
    )
  }
}

/** `decided`: of a person who asked for it by name. */
async function reload(parts: Parts, decided?: DecidedBy): Promise<Reloaded> {
  const { clock, emit, log, settings, signal } = parts
  const loaded = await parts.load()
  if (!loaded.ok) {
    // An account that is configured no longer ends; it keeps nothing.
    if (!signal.aborted) emit({ type: 'reload_refused', at: clock.now(), problems: loaded.problems })
    return { problems: loaded.problems, atNextStart: [] }
  }
  log.mask(loaded.settings.secrets)
  const old = settings()
  const change = changeTo(loaded.settings, old)
  if (change.atNextStart.length > 0)
    log.warn('configuration change requires a restart', { settings: change.atNextStart.join(', ') })
  // First: where the state cannot be written, the configuration in use stays.
  const enterFirst = (): Promise<void> => enter(change, { old, decided }, parts)
  if (change.service) await changeBetweenRuns(change.settings, parts, enterFirst)
  else {
    await enterFirst()
    await parts.runner.reconfigure(change.settings)
    await parts.use(change.settings)
  }
  emit({ type: 'reloaded', at: clock.now(), settings: change.settings })
  parts.onReloaded()
  parts.runs.pump()
  return { problems: undefined, atNextStart: change.atNextStart }
}

async function renewKey(parts: Parts): Promise<boolean> {
  const old = parts.settings()
  const { api_key_file: apiKeyFile, api_key: apiKey } = old.service
  const key = apiKeyFile === undefined ? undefined : await keyIn(apiKeyFile)
  if (key === undefined || key === apiKey) return false
  parts.log.mask([key])
  parts.log.info('API key changed', { settings: 'service.api_key_file' })
  const service = { ...old.service, api_key: key }
  await changeBetweenRuns({ ...old, service, secrets: [...old.secrets, key] }, parts)
  return true
}

export function createReloading(parts: Parts): Reloading {
  let refused: readonly string[] | undefined
  let isWanted = false
  /** One change at a time. */
  let work: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const done = work.then(act)
    work = done.catch(() => undefined)
    return done
  }
  const reloadOnce = async (): Promise<void> => {
    isWanted = false
    refused = (await reload(parts)).problems
  }
  return {
    ask() {
      if (isWanted) return
      isWanted = true
      inTurn(reloadOnce).catch(parts.onFault)
    },
    now: (decided) =>
      inTurn(async () => {
        const reloaded = await reload(parts, decided)
        refused = reloaded.problems
        return reloaded
      }),
    renewKey: () => inTurn(() => renewKey(parts)),
    get refused() {
      return refused
    },
    async idle() {
      await work
    },
  }
}
