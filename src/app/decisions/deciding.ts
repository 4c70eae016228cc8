// A decision on its way from a command: taken by the command itself where the state is free, by its owner where another process
// has it. What comes back is the same.
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { type Fleet, isDaemon } from '../../core/fleet.ts'
import { serverPlace } from '../../core/state-place.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Settings } from '../../core/settings.ts'
import { leftInLock } from '../../store/file/lock.ts'
import { systemClock as clock } from '../../system.ts'
import { asOwner } from '../run/as-owner.ts'
import { atRest } from '../run/workers/resting.ts'
import { Unconfirmed } from '../run/desk.ts'
import { addressee, askEveryWorker, askWorker, requestOf } from './fleet-asking.ts'
import { type Deciding, type KindName, KINDS, type ResultOf } from './kinds.ts'
import { tellOfSilence } from './silence.ts'
import { resumeDecisions, takeDecision } from './taking.ts'
import { type OwnerAnswer, answerSchema, errorOfAnswer, lineOf, type Request, socketBeside } from './wire.ts'

export interface Waiting {
  readonly pid: number
  readonly signal: AbortSignal
  /** A sentence for the person who waits. */
  tell(text: string): void
  /** What a run shows while it continues. */
  show?(event: unknown): void
  /** Asks the person, with the facts; throws where the answer is no. Without it nothing is asked. */
  confirm?(facts: unknown): Promise<void>
}

/** An owner that is about to listen, or that ends now, is given so long. */
const PATIENCE_MS = 3_000
const PAUSE_MS = 50
/** How often it is looked whether a process that makes no runs for others has ended. */
const LOOK_MS = 250

const isLocked = (error: unknown): error is SyncError =>
  error instanceof SyncError && error.code === 'STATE_LOCKED'

function connected(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => resolve(undefined))
  })
}

/** Undefined where nothing listens. */
async function socketOf(statePath: string): Promise<Socket | undefined> {
  const beside = socketBeside(statePath)
  const found = beside === undefined ? undefined : await connected(beside)
  if (found !== undefined) return found
  let elsewhere: string | undefined
  try {
    elsewhere = leftInLock(statePath)
  } catch {
    return undefined
  }
  return elsewhere === undefined ? undefined : connected(elsewhere)
}

const GONE =
  'the process that has the state ended before it answered; what it had not concluded is taken by the next one'
const LEFT = 'this command was ended before the answer came; what it asked for may be taken all the same'

/** The last answer of the owner. Throws STATE_LOCKED where it ended before. */
async function conversation(
  socket: Socket,
  request: Parameters<typeof lineOf>[0],
  { tell, show, signal }: Waiting,
): Promise<OwnerAnswer> {
  const stop = (): void => void socket.destroy()
  signal.addEventListener('abort', stop, { once: true })
  socket.on('error', stop)
  const endSilence = tellOfSilence(tell)
  socket.write(lineOf(request))
  try {
    const lines = createInterface({ input: socket })
    // A connection that breaks has no end of its own.
    socket.once('close', () => lines.close())
    for await (const line of lines) {
      endSilence()
      const answer = answerSchema.parse(JSON.parse(line))
      if ('tell' in answer) tell(answer.tell)
      else if ('show' in answer) show?.(answer.show)
      else return answer
    }
  } catch (error) {
    // An owner that is killed resets the connection, or leaves half a line.
    if (error !== socket.errored && !(error instanceof SyntaxError)) throw error
  } finally {
    endSilence()
    signal.removeEventListener('abort', stop)
    socket.destroy()
  }
  throw new SyncError('STATE_LOCKED', signal.aborted ? LEFT : GONE, {
    hint: 'See what was decided: contact-sync audit list',
  })
}

interface Asked<Name extends KindName> {
  readonly settings: Settings
  readonly deciding: Deciding<Name>
  readonly isConfirmed: boolean
}

async function askBySocket(
  settings: Settings,
  request: Request,
  asking: Waiting,
): Promise<OwnerAnswer | 'silent'> {
  const socket = await socketOf(settings.state.path)
  return socket === undefined ? 'silent' : conversation(socket, request, asking)
}

/** By a worker that is there for this question alone. */
const askFleet = (
  settings: Settings,
  request: Request,
  asking: Waiting,
): Promise<OwnerAnswer | 'silent' | 'free'> =>
  asOwner(settings, asking.pid, async ({ fleet }) => {
    if (fleet === undefined) return 'silent'
    const standing = await fleet.standing()
    if (request.kind === 'reload') return askEveryWorker(fleet, { standing, request }, asking)
    const to = addressee(standing, { args: request.args, own: fleet.own() })
    if (to === undefined) return 'silent'
    return to === 'guest' ? 'free' : askWorker(fleet, { to, request }, asking)
  })

/** What the owner answers. `free`: it makes no runs for others, or has ended: the state is free soon. */
async function askOwner<Name extends KindName>(
  { settings, deciding, isConfirmed }: Asked<Name>,
  asking: Waiting,
): Promise<{ readonly result: ResultOf<Name> } | 'free' | 'silent'> {
  const request = requestOf(settings, { ...deciding, isConfirmed })
  const answer =
    serverPlace(settings.state) === undefined
      ? await askBySocket(settings, request, asking)
      : await askFleet(settings, request, asking)
  if (typeof answer === 'string') return answer
  if ('error' in answer) throw errorOfAnswer(answer.error)
  if ('facts' in answer) throw new Unconfirmed(answer.facts)
  return 'result' in answer ? { result: answer.result as ResultOf<Name> } : 'free'
}

/** Tries `own`, which needs the state; while another process has it, its owner is asked, or waited for. */
export async function ownOrAsk<Name extends KindName>(
  asked: Asked<Name>,
  asking: Waiting,
  own: () => Promise<ResultOf<Name>>,
): Promise<ResultOf<Name>> {
  let patientUntil = clock.monotonic() + PATIENCE_MS
  let isTold = false
  for (;;) {
    let locked: SyncError
    try {
      return await own()
    } catch (error) {
      if (!isLocked(error) || asking.signal.aborted) throw error
      locked = error
    }
    const answer = await askOwner(asked, asking)
    if (typeof answer === 'object') return answer.result
    if (answer === 'silent' && clock.monotonic() > patientUntil) throw locked
    if (answer === 'free') {
      if (!isTold) asking.tell('waiting until the process that has the state ends')
      isTold = true
      patientUntil = clock.monotonic() + PATIENCE_MS
    }
    await clock.sleep(answer === 'free' ? LOOK_MS : PAUSE_MS, asking.signal)
  }
}

/** Until no worker has an active run of these: those that follow schedules look at pauses every second. */
const untilIdle =
  (fleet: Fleet, { signal, tell }: Waiting) =>
  async (pipelines: readonly string[]): Promise<void> => {
    let isTold = false
    for (;;) {
      const { workers, leases } = await fleet.standing()
      const active = workers.flatMap(({ doing }) => doing)
      const guests = leases.filter(({ fence }) =>
        workers.some((one) => one.fence === fence && !isDaemon(one)),
      )
      const busy = [...active, ...guests.map(({ pipeline }) => pipeline)]
      if (signal.aborted || !pipelines.some((name) => busy.includes(name))) return
      if (!isTold) tell('waiting until active runs have ended')
      isTold = true
      await clock.sleep(LOOK_MS, signal)
    }
  }

/** By this process, as the owner of the state for that time. */
const takeHere = <Name extends KindName>(
  { settings, deciding, isConfirmed }: Asked<Name>,
  asking: Waiting,
): Promise<ResultOf<Name>> =>
  asOwner(settings, asking.pid, async (state) => {
    const { signal } = asking
    const { fleet } = state
    const owner = {
      settings: () => settings,
      state,
      signal,
      ...(fleet && { halt: untilIdle(fleet, asking) }),
    }
    await resumeDecisions(owner)
    const watching = { tell: asking.tell, show: () => undefined }
    const take = async () =>
      (await takeDecision(owner, deciding, { isConfirmed, watching })) as ResultOf<Name>
    if (KINDS[deciding.kind].needs !== 'rest') return take()
    return atRest(fleet, { clock, signal }, take)
  })

/**
 * Takes a decision, here or by the owner of the state. Throws what its kind throws; CONFIG_INVALID where the owner works under
 * another configuration; STATE_LOCKED where it cannot be asked.
 */
export async function decide<Name extends KindName>(
  settings: Settings,
  deciding: Deciding<Name>,
  asking: Waiting,
): Promise<ResultOf<Name>> {
  const once = (isConfirmed: boolean): Promise<ResultOf<Name>> => {
    const asked = { settings, deciding, isConfirmed }
    return ownOrAsk(asked, asking, () => takeHere(asked, asking))
  }
  if (asking.confirm === undefined) return once(true)
  try {
    return await once(false)
  } catch (error) {
    if (!(error instanceof Unconfirmed)) throw error
    await asking.confirm(error.facts)
    return once(true)
  }
}

/** For kinds that only a daemon takes: throws USAGE where no process has the state. */
export async function askDaemon<Name extends KindName>(
  settings: Settings,
  deciding: Deciding<Name>,
  asking: Waiting,
): Promise<ResultOf<Name>> {
  const asked = { settings, deciding, isConfirmed: true }
  return ownOrAsk(asked, asking, () => noDaemon(settings, asking))
}

function noDaemon(settings: Settings, { pid }: Waiting): Promise<never> {
  return asOwner(settings, pid, async ({ fleet }) => {
    const standing = await fleet?.standing()
    if (standing?.workers.some(isDaemon) === true)
      throw new SyncError('STATE_LOCKED', 'the workers with this state have to be asked')
    throw new SyncError('USAGE', 'no daemon is running on this state', {
      hint: 'contact-sync start reads the configuration when it starts.',
    })
  })
}
