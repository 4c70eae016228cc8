// `audit witness`: the head of the sync log, as a line that others can keep; and `audit verify --witness`, which holds the
// log against such lines.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { currentWitness, writeWitness } from '../../app/witnessing.ts'
import { loadConfiguration } from '../../app/run/configuration.ts'
import { readWitnesses, witnessLine } from '../../core/log/witness.ts'
import type { BadEntry } from '../../core/log/sync-log.ts'
import type { StateStore } from '../../core/state-store.ts'
import { isWebAddress, webhookProblem } from '../../core/words/network/address.ts'
import { SyncError } from '../../core/words/errors.ts'
import { EXIT } from '../../core/words/exit-codes.ts'
import { plural } from '../../core/words/format.ts'
import { noStateAt } from '../../store/info.ts'
import { openStateForReading } from '../../store/state-store.ts'
import { systemClock as clock } from '../../system.ts'
import { configFile } from '../config-file.ts'
import { type CommonOptions, type Io, print, printJson } from '../io.ts'
import { commandSettings } from '../settings.ts'

interface WitnessOptions extends CommonOptions {
  readonly to?: string
}

/** Undefined: standard output. */
function placeOf(to: string, cwd: string): string | undefined {
  if (to === '-') return undefined
  if (!isWebAddress(to)) return resolve(cwd, to)
  const problem = webhookProblem(to)
  if (problem !== undefined) throw new SyncError('USAGE', `--to ${problem}`)
  return to
}

/** Prints it where no place is named, neither here nor in the configuration, or `-` is. */
export async function witness(io: Io, options: WitnessOptions): Promise<number> {
  const { state: place, audit } = await commandSettings(io, options)
  const to = options.to === undefined ? audit.witness?.to : placeOf(options.to, io.cwd)
  const state = openStateForReading(place)
  if (state === undefined) throw noStateAt(place)
  try {
    const at = clock.now()
    const head = await currentWitness(state, at)
    if (to === undefined) {
      io.stdout.write(witnessLine(head))
      return EXIT.done
    }
    await writeWitness(head, to, { at, signal: io.signal })
    const shown = isWebAddress(to) ? new URL(to).host : to
    if (options.json === true) printJson(io, { ...head, to: shown })
    else print(io, `${plural(head.entries, 'entry', 'entries')}, head ${head.hash}, kept by ${shown}`)
    return EXIT.done
  } finally {
    await state.close()
  }
}

/** The states of the other accounts of the configuration: one file may be the witness of all of them. */
async function otherInstances(
  { io, options }: { io: Io; options: CommonOptions },
  account: string,
): Promise<ReadonlySet<string>> {
  const loaded = await loadConfiguration(configFile(io, options), io.env)
  const others = loaded.ok ? loaded.accounts.filter((one) => one.account !== account) : []
  const instances = new Set<string>()
  for (const other of others) {
    const state = openStateForReading(other.state)
    if (state === undefined) continue
    try {
      instances.add(await state.instance())
    } finally {
      await state.close()
    }
  }
  return instances
}

/**
 * The first place at which the log is not what a witness says it was; undefined where it is. Throws USAGE where the file
 * cannot be read, or holds no witness of this log at all.
 */
export async function unlikeWitness(
  state: StateStore,
  path: string,
  of: { readonly io: Io; readonly options: CommonOptions; readonly account: string },
): Promise<BadEntry | undefined> {
  const lines = await witnessesIn(path)
  const instance = await state.instance()
  const isOwn = (line: { readonly instance: string }): boolean => line.instance === instance
  const others = lines.every(isOwn) ? new Set() : await otherInstances(of, of.account)
  const own = lines.filter((line) => !others.has(line.instance) || isOwn(line))
  if (own.length === 0) throw new SyncError('USAGE', `${path} holds no line of this state (${instance})`)
  for (const { line, at, entries, hash, ...one } of own) {
    if (!isOwn(one))
      return {
        seq: entries,
        why: `line ${line} of the witness is of another state (${one.instance}; this one is ${instance}): the state was replaced, or this is not its witness`,
      }
    if (!(await isHeadAt(state, entries, hash)))
      return {
        seq: entries,
        why: `line ${line} of the witness says that at ${at} it had the hash ${hash}: the log was cut off or rewritten since then`,
      }
  }
  return undefined
}

/** Whether the log had this hash when it had so many entries, be it in the form of an older version. */
export async function isHeadAt(state: StateStore, entries: number, hash: string): Promise<boolean> {
  if (entries === 0) return true
  const [entry] = await state.logPage({}, { order: 'oldest', from: entries - 1, limit: 1 })
  if (entry?.seq !== entries) return false
  const former = /"was":"([\da-f]{64})"/.exec(entry.proof.entry)?.slice(1) ?? []
  return [entry.hash, ...former].includes(hash)
}

async function witnessesIn(path: string) {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new SyncError('USAGE', `the witness ${path} cannot be read (${code})`, { cause: error })
  })
  try {
    const lines = readWitnesses(text)
    if (lines.length > 0) return lines
  } catch (error) {
    throw new SyncError('USAGE', `${path}: ${error instanceof Error ? error.message : 'no witness'}`, {
      hint: 'Name a file that audit witness --to has written.',
    })
  }
  throw new SyncError('USAGE', `${path} holds no line of audit witness`)
}
