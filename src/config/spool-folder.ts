// Where the files lie that are fetched for a pipeline: beside the state.
import { dirname, join } from 'node:path'

/** `statePath`: absolute. */
export const spoolFolder = (statePath: string, pipeline: string): string =>
  join(dirname(statePath), 'spool', pipeline)
