// `audit verify`: the whole chain, from the first entry to the head, and the head against what is known of it elsewhere.
import { resolve } from 'node:path'
import { EXIT } from '../../core/words/exit-codes.ts'
import { knownHead } from '../../app/audit-files.ts'
import { noStateAt } from '../../store/info.ts'
import { openStateForReading } from '../../store/state-store.ts'
import { AUDIT_START } from '../../core/log/audit-chain.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { BadEntry, CheckStep, IndexFault, KeptFault } from '../../core/log/sync-log.ts'
import type { StateStore } from '../../core/state-store.ts'
import { number } from '../../core/words/format.ts'
import { control } from '../guarded.ts'
import { decided } from '../deciding.ts'
import { type CommonOptions, type Io, print, printError, printJson } from '../io.ts'
import { headText } from '../log-text.ts'
import { commandSettings } from '../settings.ts'
import { isHeadAt, unlikeWitness } from './audit-witness.ts'

const STEP = 5000

/** Whether a hash that was noted down some time ago is one of the chain's, in its older form, too. */
async function isInChain(state: StateStore, hash: string, last: number): Promise<boolean> {
  if (hash === AUDIT_START) return true
  for (let from = 0; from < last;) {
    const page = await state.logPage({}, { order: 'oldest', from, limit: STEP })
    if (page.some((entry) => entry.hash === hash || entry.proof.entry.includes(`"was":"${hash}"`)))
      return true
    if (page.length === 0) return false
    from = page.at(-1)?.seq ?? last
  }
  return false
}

async function checkAll(state: StateStore, io: Io): Promise<CheckStep> {
  let step: CheckStep = { to: { seq: 0, hash: AUDIT_START }, done: false }
  while (!step.done) {
    if (io.signal.aborted) throw new SyncError('USAGE', 'the check was interrupted')
    step = await state.checkLog(step.to, STEP)
    if (io.isTerminal && !step.done)
      io.stderr.write(`${control('\r')}${number(step.to.seq)} entries verified so far`)
  }
  if (io.isTerminal) io.stderr.write(control('\r\u001b[2K'))
  return step
}

interface VerifyOptions extends CommonOptions {
  readonly head?: string
  readonly witness?: string
  readonly rebuildIndex?: boolean
}

/** What the mark beside the state, read before the log, contradicts: it was cut off, rewritten, or replaced. */
async function unlikeMark(
  state: StateStore,
  marked: ReturnType<typeof knownHead>,
): Promise<BadEntry | undefined> {
  if (marked === undefined) return undefined
  const now = await state.logHead()
  const missing = now.entries + 1
  if (marked === 'unreadable')
    return { seq: missing, why: 'it may be missing: the mark beside the state cannot be read' }
  const { instance, entries, hash } = marked
  const own = await state.instance()
  if (instance !== own) {
    const why = `the mark beside the state is of another state (${instance}; this one is ${own}): the state was replaced`
    return { seq: entries, why }
  }
  if (entries > now.entries)
    return {
      seq: missing,
      why: `it is missing: the mark beside the state says that there were ${entries} entries`,
    }
  if (await isHeadAt(state, entries, hash)) return undefined
  const why = `the mark beside the state says that it had the hash ${hash}: the log was rewritten since then`
  return { seq: entries, why }
}

const HASH = /^[\da-f]{64}$/i

/** Throws USAGE for what is no hash. */
function assertHash(head: string): void {
  if (HASH.test(head)) return
  const what = `${JSON.stringify(head)} is no hash of an entry: those have 64 digits from 0 to f`
  throw new SyncError('USAGE', what, {
    hint: 'Give the whole hash, as run, state info or audit witness showed it.',
  })
}

/** A head that a person brings along: where no entry has it, entries have been cut off. */
async function cutOff(state: StateStore, head: string | undefined): Promise<BadEntry | undefined> {
  const now = await state.logHead()
  if (head !== undefined && !(await isInChain(state, head.toLowerCase(), now.entries)))
    return {
      seq: now.entries + 1,
      why: `no entry has the hash ${head}: the log was cut off or rewritten since then`,
    }
  return undefined
}

const indexText = ({ table, why }: IndexFault): string[] => [
  `INDEX NOT WHOLE: ${table}: ${why}`,
  '  Lists and filters may leave entries out. The entries themselves are intact; contact-sync audit verify --rebuild-index rebuilds the indexes from them',
  '  First find out who changed them: the program never does.',
]

const keptText = ({ table, why }: KeptFault): string[] => [
  `CHANGED BESIDE THE LOG: ${table}: ${why}`,
  '  The entries themselves are intact. Keep the state unchanged for the investigation, and compare it with a backup: the program never does this.',
]

interface Checked {
  readonly entries: number
  readonly hash: string
  /** Each entry follows from the one before it; but what is known of the log elsewhere says something else. */
  readonly isChained: boolean
}

const badText = ({ seq, why }: BadEntry, { entries, hash, isChained }: Checked): string[] => [
  `NOT WHOLE: entry ${seq}: ${why}`,
  isChained
    ? `  the ${number(entries)} entries that are there follow from each other, up to ${hash}`
    : `  the ${number(entries)} entries before it are intact, up to ${hash}`,
  '  Keep the state unchanged for the investigation, and compare it with a backup: contact-sync audit verify --config ...',
]

/** Ends with 1 where an entry is not as it was written, or what lies beside the entries does not fit them. */
export async function verify(io: Io, options: VerifyOptions): Promise<number> {
  if (options.head !== undefined) assertHash(options.head)
  const settings = await commandSettings(io, options)
  const { account } = settings
  if (options.rebuildIndex === true)
    await decided({ io, options, settings }, { kind: 'audit rebuild-index', args: {} })
  const marked = knownHead(settings.state.path)
  const state = openStateForReading(settings.state)
  if (state === undefined) throw noStateAt(settings.state)
  try {
    const { to, bad: found } = await checkAll(state, io)
    const bad =
      found ??
      (await unlikeMark(state, marked)) ??
      (await cutOff(state, options.head)) ??
      (options.witness === undefined
        ? undefined
        : await unlikeWitness(state, resolve(io.cwd, options.witness), { io, options, account }))
    const index = bad === undefined ? await state.checkIndexes() : undefined
    const kept = bad === undefined ? await state.checkKept() : undefined
    const isOk = [bad, index, kept].every((fault) => fault === undefined)
    if (options.json === true)
      printJson(io, {
        ok: isOk,
        entries: to.seq,
        hash: to.hash,
        first_bad: bad ?? null,
        bad_index: index ?? null,
        bad_kept: kept ?? null,
      })
    else if (kept !== undefined) printError(io, keptText(kept))
    else if (index !== undefined) printError(io, indexText(index))
    else if (bad === undefined) print(io, `whole: ${headText({ entries: to.seq, hash: to.hash })}`)
    else printError(io, badText(bad, { entries: to.seq, hash: to.hash, isChained: found === undefined }))
    return isOk ? EXIT.done : EXIT.fault
  } finally {
    await state.close()
  }
}
