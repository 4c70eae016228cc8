// Asking another worker of a state at a server: the lines of the socket, as rows. Whom: the worker that has the pipeline, and
// for what is about no pipeline the one that has been at work for longest.
import { type Fleet, type FleetStanding, isDaemon } from '../../core/fleet.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Settings } from '../../core/settings.ts'
import type { OwnedState } from '../../store/state-store.ts'
import { systemClock as clock } from '../../system.ts'
import type { WithWarnings } from '../run/run.ts'
import type { KindName, RunMade } from './kinds.ts'
import type { AskedRun, RunListener } from './owner.ts'
import { tellOfSilence } from './silence.ts'
import {
  answerSchema,
  configPrint,
  errorOfAnswer,
  lineOf,
  type OwnerAnswer,
  PROTOCOL,
  type Request,
} from './wire.ts'

/** What the person who waits is shown meanwhile. */
export interface FleetListener {
  readonly signal: AbortSignal
  tell(text: string): void
  show?(event: unknown): void
}

const LOOK_MS = 150

const pipelineOf = (args: unknown): string | undefined => {
  const { pipeline } = args as { pipeline?: unknown }
  return typeof pipeline === 'string' ? pipeline : undefined
}

/** `guest`: a process that makes no runs for others has the pipeline. */
export function addressee(
  { workers, leases }: FleetStanding,
  of: { readonly args: unknown; readonly own: number },
): number | 'guest' | undefined {
  const daemons = workers.filter((worker) => isDaemon(worker) && worker.fence !== of.own)
  const pipeline = pipelineOf(of.args)
  const lease = leases.find((one) => one.pipeline === pipeline && one.fence !== of.own)
  if (lease !== undefined) return daemons.some(({ fence }) => fence === lease.fence) ? lease.fence : 'guest'
  // One that has just left, or joined: another one takes its pipelines within seconds.
  return daemons.find(({ runs }) => pipeline === undefined || Object.hasOwn(runs, pipeline))?.fence
}

const gone = (isAborted: boolean): SyncError =>
  new SyncError(
    'STATE_LOCKED',
    isAborted
      ? 'this command was ended before the answer came; what it asked for may be taken all the same'
      : 'the worker that was asked ended before it answered; what it had not concluded is taken by another one',
    { hint: 'See what was decided: contact-sync audit list' },
  )

/** Undefined where more follows. */
function heard(line: string, { tell, show }: FleetListener): OwnerAnswer | undefined {
  const answer = answerSchema.parse(JSON.parse(line))
  if ('tell' in answer) tell(answer.tell)
  else if ('show' in answer) show?.(answer.show)
  else return answer
  return undefined
}

async function answerTo(
  fleet: Fleet,
  { ask, endSilence }: { readonly ask: number; readonly endSilence: () => void },
  listener: FleetListener,
): Promise<OwnerAnswer> {
  const { signal } = listener
  for (let after = 0; ;) {
    const { isOpen, lines } = await fleet.answersTo(ask, after)
    if (lines.length > 0) endSilence()
    for (const { id, line } of lines) {
      after = id
      const last = heard(line, listener)
      if (last !== undefined) return last
    }
    if (!isOpen || signal.aborted) throw gone(signal.aborted)
    await clock.sleep(LOOK_MS, signal)
  }
}

/** The last answer of the worker. Throws STATE_LOCKED where it ended before. */
export async function askWorker(
  fleet: Fleet,
  { to, request }: { to: number; request: Request },
  listener: FleetListener,
): Promise<OwnerAnswer> {
  const { signal, tell } = listener
  const ask = await fleet.ask(to, lineOf(request))
  if (ask === undefined) throw gone(false)
  const endSilence = tellOfSilence(tell)
  try {
    return await answerTo(fleet, { ask, endSilence }, listener)
  } finally {
    endSilence()
    if (!signal.aborted) await fleet.endAsk(ask)
  }
}

/** Every worker that follows schedules: each has a configuration of its own to read. The first refusal, or the last answer. */
export async function askEveryWorker(
  fleet: Fleet,
  { standing, request }: { standing: FleetStanding; request: Request },
  listener: FleetListener,
): Promise<OwnerAnswer | 'silent'> {
  let last: OwnerAnswer | 'silent' = 'silent'
  for (const { fence, name } of standing.workers.filter(isDaemon)) {
    listener.tell(`asking worker ${name}`)
    last = await askWorker(fleet, { to: fence, request }, listener)
    if (!('result' in last)) return last
    const { problems } = last.result as { problems: readonly string[] }
    if (problems.length > 0) return last
  }
  return last
}

export const requestOf = (
  settings: Settings,
  {
    kind,
    args,
    decided,
    isConfirmed,
  }: Pick<Request, 'args' | 'decided' | 'isConfirmed'> & { kind: KindName },
): Request => ({ protocol: PROTOCOL, kind, args, decided, isConfirmed, config: configPrint(settings) })

/** A run that this daemon was asked for, of a pipeline that another worker has. */
export async function forwardRun({
  state,
  settings,
  asked,
  listener,
  signal,
}: {
  state: Partial<Pick<OwnedState, 'fleet'>>
  settings: Settings
  asked: AskedRun
  listener: RunListener
  signal: AbortSignal
}): Promise<WithWarnings> {
  const { fleet } = state
  const standing = await fleet?.standing()
  const to = standing === undefined ? undefined : addressee(standing, { args: asked, own: fleet?.own() ?? 0 })
  if (fleet === undefined || typeof to !== 'number')
    throw new SyncError('STATE_LOCKED', `no worker has the pipeline ${asked.pipeline} now`, {
      hint: 'Try again in a few seconds: contact-sync status lists the workers.',
    })
  const { pipeline } = asked
  const { kind, args } =
    asked.kind === 'undo'
      ? ({ kind: 'undo', args: { pipeline, evenPaused: asked.evenPaused, ...asked.undo } } as const)
      : ({ kind: 'run', args: { pipeline, rejectsOnly: asked.kind === 'rejects' } } as const)
  const request = requestOf(settings, { kind, args, decided: listener.decided, isConfirmed: true })
  const answer = await askWorker(fleet, { to, request }, { signal, tell: () => undefined })
  if ('error' in answer) throw errorOfAnswer(answer.error)
  const { result, left } = ('result' in answer ? answer.result : undefined) as RunMade
  for (const one of left) listener.left(one)
  return result
}
