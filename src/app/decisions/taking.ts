// Takes a decision as the owner of the state: written down first, then done, then concluded. One that an owner was killed over
// is taken by the next one, whole, or was done already.
import type { Decision, OpenDecision } from '../../core/decision.ts'
import type { DecidedBy } from '../../core/words/decided-by.ts'
import { SyncError } from '../../core/words/errors.ts'
import { runId } from '../../core/words/run-id.ts'
import { systemClock as clock, systemRandom as random } from '../../system.ts'
import type { Log } from '../../log/log.ts'
import { completeErasures } from '../people/forgetting.ts'
import { Unconfirmed } from '../run/desk.ts'
import { atRest } from '../run/workers/resting.ts'
import { inDecisionTurn } from '../run/workers/turns.ts'
import { isKind, KINDS, type KindName } from './kinds.ts'
import type { Owner, Taking } from './owner.ts'

interface Watching {
  tell(text: string): void
  show(event: unknown): void
}

/** No one waits for what happens meanwhile. */
export const UNWATCHED: Watching = { tell: () => undefined, show: () => undefined }

interface Course {
  /** In the state; undefined where it is not written down. */
  readonly id: number | undefined
  readonly decided: DecidedBy
  readonly isConfirmed: boolean
  readonly watching: Watching
}

function takingOf(owner: Owner, { id, decided, isConfirmed, watching }: Course): Taking {
  const settings = owner.settings()
  const at = clock.now()
  const run = runId(at, random)
  return {
    ...watching,
    owner,
    settings,
    state: owner.state,
    signal: owner.signal,
    onService: owner.onService,
    decided,
    decision: id,
    about: (pipeline) => ({
      at,
      runId: run,
      pipeline,
      configHash: settings.pipelines.find(({ name }) => name === pipeline)?.hash ?? '',
      decided,
    }),
    ask(facts) {
      if (!isConfirmed) throw new Unconfirmed(facts)
    },
    conclude: (effects, entries) => owner.state.concludeDecision(id ?? 0, { at, effects, entries }),
  }
}

type AnyTake = (desk: Taking, args: unknown) => Promise<unknown>

function assertKnown(name: string): asserts name is KindName {
  if (!isKind(name))
    throw new SyncError('USAGE', `the process that has the state knows no decision "${name}"`, {
      hint: 'It is of another version: restart it with the version of this command.',
    })
}

/** Where the state has failed, the next owner may find it open. */
function leftInState(error: unknown): unknown {
  if (!(error instanceof SyncError)) return error
  const { code, message, hint } = error
  return new SyncError(code, message, {
    hint: `${hint} What was decided may stand in the state all the same, and is then taken by the next process that has it: see contact-sync audit list after that.`,
    cause: error,
  })
}

/**
 * Takes it. Throws Unconfirmed where a person has to see something first, and whatever the kind throws; then nothing is left
 * open. A kind that needs rest waits for it.
 */
export async function takeDecision(
  owner: Owner,
  { kind, args, decided }: Decision,
  how: { isConfirmed: boolean; watching: Watching },
): Promise<unknown> {
  assertKnown(kind)
  const row = KINDS[kind]
  const given = row.args.parse(args)
  const { state } = owner
  const isWritten = row.needs !== 'daemon' && how.isConfirmed
  const work = async (): Promise<unknown> => {
    const id = isWritten ? await state.beginDecision({ kind, args: given, decided }, clock.now()) : undefined
    const end = async (): Promise<void> => {
      if (id !== undefined) await state.concludeDecision(id, { at: clock.now() })
    }
    try {
      const result = await (row.take as AnyTake)(takingOf(owner, { ...how, id, decided }), given)
      await end()
      return result
    } catch (error) {
      const isEnded = await end().then(
        () => true,
        () => false,
      )
      throw isEnded ? error : leftInState(error)
    }
  }
  const { daemon } = owner
  if (row.needs === 'state') return inDecisionTurn(state.fleet, clock, work)
  if (row.needs === 'daemon' || daemon === undefined) return work()
  if (daemon.isRunning()) how.watching.tell('waiting until no run is active')
  return daemon.rest(work)
}

/** What takes it; undefined for one of another version. */
function takerOf({ kind, args }: OpenDecision) {
  if (!isKind(kind)) return undefined
  const row = KINDS[kind]
  const given = row.args.safeParse(args)
  if (!given.success) return undefined
  return { needs: row.needs, take: (desk: Taking) => (row.take as AnyTake)(desk, given.data) }
}

async function takeLeftOne(owner: Owner, open: OpenDecision, log?: Log): Promise<void> {
  const { daemon, signal, state } = owner
  const { id, decided, kind: decision } = open
  const taker = takerOf(open)
  if (taker === undefined) {
    log?.warn('decision resumed', { decision, outcome: 'left' })
    return
  }
  const desk = takingOf(owner, { id, decided, isConfirmed: true, watching: UNWATCHED })
  const take = (): Promise<unknown> => taker.take(desk)
  try {
    if (taker.needs === 'state') await inDecisionTurn(state.fleet, clock, take)
    else if (taker.needs === 'daemon') await take()
    else await (daemon === undefined ? atRest(state.fleet, { clock, signal }, take) : daemon.rest(take))
    log?.warn('decision resumed', { decision, outcome: 'taken' })
  } catch (error) {
    // A process that is ended leaves it to the next one.
    if (signal.aborted) return
    const code = error instanceof SyncError ? { code: error.code } : {}
    log?.warn('decision resumed', { decision, outcome: 'refused', ...code })
  }
  await state.concludeDecision(id, { at: clock.now() })
}

/**
 * Those that a process had written down which is gone, but for those that this one has `tried`. Of several workers one takes
 * each.
 */
export async function takeLeft(owner: Owner, tried: Set<number>, log?: Log): Promise<void> {
  const { state } = owner
  const { fleet } = state
  for (const { id } of await state.openDecisions()) {
    const name = `decision ${id}`
    if (tried.has(id) || (await fleet?.claim([name])) === false) continue
    tried.add(id)
    // Another worker may have taken it, and let go of it, since they were read.
    const open = (await state.openDecisions()).find((one) => one.id === id)
    if (open !== undefined) await takeLeftOne(owner, open, log)
    await fleet?.letGo([name])
  }
}

/** What an owner was killed over; before this one does anything else. */
export async function resumeDecisions(owner: Owner, log?: Log, tried = new Set<number>()): Promise<void> {
  try {
    completeErasures({ settings: owner.settings(), state: owner.state })
  } catch (error) {
    if (!(error instanceof SyncError)) throw error
    log?.warn('erasure not completed', { code: error.code })
  }
  await takeLeft(owner, tried, log)
}
