// The thread that reads the state for the console: however long a look takes, no run waits for it. It has a connection of
// its own that cannot write, and answers one question after the other; what is counted in slices lets others in between.
import { parentPort, workerData } from 'node:worker_threads'
import { statePlaceOf, type StateLocation, stateText } from '../../core/state-place.ts'
import { SyncError } from '../../core/words/errors.ts'
import { createLogViews } from '../../store/log/log-views.ts'
import { openToRead } from '../../store/reading.ts'
import { createStateViews } from '../../store/views/views.ts'
import { createExplainViews } from '../../store/views/views-explain.ts'
import { systemClock as clock } from '../../system.ts'
import type { Answer, Question, Readable } from './reader.ts'

function views(where: StateLocation): Readable {
  const db = openToRead(where)
  if (db === undefined) throw new SyncError('STATE_UNUSABLE', `there is no state ${stateText(where)}`)
  const { path } = statePlaceOf(where)
  const now = (): number => clock.now()
  return { ...createStateViews(db, now), ...createLogViews(db, path, now), ...createExplainViews(db) }
}

/** What is wrong, in a form that another thread can be told. */
function problem(error: unknown): NonNullable<Answer['problem']> {
  if (error instanceof SyncError) return { code: error.code, message: error.message }
  return { code: undefined, message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

let readable: Readable | undefined

async function answer({ id, method, args }: Question): Promise<Answer> {
  try {
    readable ??= views(workerData as StateLocation)
    const ask = readable[method] as (...args: readonly unknown[]) => Promise<unknown>
    return { id, value: await ask(...args) }
  } catch (error) {
    return { id, problem: problem(error) }
  }
}

parentPort?.on('message', (question: Question) => {
  void answer(question).then((answered) => parentPort?.postMessage(answered))
})
