// The head of the sync log, written to where others keep it: by `audit witness`, and by the daemon as `audit.witness` says.
// Part of the composition: it reads the head from the state, and hands it to a file or an address.
import { type FileHandle, open } from 'node:fs/promises'
import { postJson } from '../alerts/posting.ts'
import { isWitnessDue, type Witness, witnessLine, type WitnessStore } from '../core/log/witness.ts'
import type { SyncLog } from '../core/log/sync-log.ts'
import type { InstanceStore } from '../core/state.ts'
import type { Clock } from '../core/ports.ts'
import type { Settings } from '../core/settings.ts'
import { isWebAddress } from '../core/words/network/address.ts'
import { MINUTE_MS } from '../core/words/duration.ts'
import { SyncError } from '../core/words/errors.ts'
import { errorFacts } from '../core/words/error-facts.ts'
import type { Log } from '../log/log.ts'

const TIMEOUT_MS = 20_000
/** Where it could not be written. */
const RETRY_MS = 10 * MINUTE_MS

type Witnessed = Pick<SyncLog, 'logHead'> & InstanceStore

export async function currentWitness(state: Witnessed, at: number): Promise<Witness> {
  const { entries, hash } = await state.logHead()
  return { at: new Date(at).toISOString(), instance: await state.instance(), entries, hash }
}

/**
 * On disk when it returns. A part of a line, as a full disk leaves one, is taken back: to those who verify it would look like a
 * witness that was changed, and so would the next one behind it.
 */
async function appendWhole(file: FileHandle, line: string): Promise<void> {
  const { size } = await file.stat()
  try {
    await file.appendFile(line)
    await file.sync()
  } catch (error) {
    const now = await file.stat()
    if (now.size < size + line.length) await file.truncate(size).catch(() => undefined)
    throw error
  }
}

async function append(path: string, line: string): Promise<void> {
  try {
    const file = await open(path, 'a', 0o644)
    try {
      await appendWhole(file, line)
    } finally {
      await file.close()
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new SyncError('USAGE', `the witness ${path} cannot be written (${code})`, {
      hint: 'Name a file in an existing folder that this user can write to, or an address.',
      cause: error,
    })
  }
}

/** Throws USAGE where the file cannot be written, RECEIVER_FAILED where the address did not accept it. */
export async function writeWitness(
  witness: Witness,
  to: string,
  { at, signal }: { at: number; signal: AbortSignal },
): Promise<void> {
  const line = witnessLine(witness)
  if (!isWebAddress(to)) return append(to, line)
  const told = await postJson({ url: to, body: line }, { at, signal, timeoutMs: TIMEOUT_MS })
  if (!told.delivered)
    throw new SyncError(
      'RECEIVER_FAILED',
      `the witness was not accepted by ${new URL(to).host}: ${told.reason}`,
      {
        hint: 'The address must accept a POST with a JSON body, and answer with 200 to 299.',
      },
    )
}

interface Parts {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly log: Log
  readonly signal: AbortSignal
  readonly state: Witnessed & WitnessStore
  settings(): Pick<Settings, 'audit'>
}

export interface Witnessing {
  /** Writes it where it is due; never rejects. */
  look(): Promise<void>
  /** Resolves when nothing is being written. */
  idle(): Promise<void>
}

export function createWitnessing({ clock, log, signal, state, settings }: Parts): Witnessing {
  let current: Promise<void> | undefined
  let failedAt: number | undefined
  const isWaiting = (): boolean => failedAt !== undefined && clock.monotonic() - failedAt < RETRY_MS

  async function write(): Promise<void> {
    const { witness: wanted } = settings().audit
    const at = clock.now()
    try {
      if (wanted === undefined || !isWitnessDue(await state.lastWitness(), wanted.every, at)) return
      const witness = await currentWitness(state, at)
      await writeWitness(witness, wanted.to, { at, signal })
      await state.noteWitness(at)
      failedAt = undefined
      log.info('witness written', { sync_log_entries: witness.entries, sync_log_head: witness.hash })
    } catch (error) {
      failedAt = clock.monotonic()
      log.warn('witness not written', errorFacts(error))
    }
  }

  return {
    look() {
      if (current !== undefined || isWaiting() || signal.aborted) return current ?? Promise.resolve()
      current = write().finally(() => {
        current = undefined
      })
      return current
    },
    idle: () => current ?? Promise.resolve(),
  }
}
