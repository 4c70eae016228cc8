// An input that ends the process while it is read (it takes more memory than there is, or meets a fault of a library) would
// end it again after each restart, and no other one would ever be read. After three times it is set aside.
import { SyncError } from '../../core/words/errors.ts'
import type { SourceInput } from '../../core/ports.ts'
import type { PlanContext } from '../context.ts'

const MOST_ENDED = 3

/** Throws INPUT_FATAL in place of reading it a fourth time. */
export async function readingOf<Result>(
  { name, version }: SourceInput,
  { pipeline, state }: PlanContext,
  read: () => Promise<Result>,
): Promise<Result> {
  const ended = await state.beginReading(pipeline.name, version)
  if (ended >= MOST_ENDED)
    throw new SyncError('INPUT_FATAL', `${name}: the process ended ${ended} times while it read this file`)
  // By an error, too: what is counted is a process that could not even say so.
  return read().finally(() => state.endReading(pipeline.name, version))
}
