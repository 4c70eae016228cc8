// Fetches by a tap. Its STATE is the cursor, as the text that it wrote; it goes back by --state in a file that is removed
// with the fetch.
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SyncError } from '../../core/words/errors.ts'
import { describeFault, faultCode } from '../fault.ts'
import type { Fetched, Fetcher, FetchPlace, FetchTask } from '../pull/fetcher.ts'
import { withSelection } from './catalog.ts'
import { type Line, linesOf } from './lines.ts'
import type { SingerOptions } from './options.ts'
import { tapRedaction } from './secrets.ts'
import { createStreamReader, type StreamReader } from './stream-reader.ts'
import { createTapLog } from './tap-log.ts'
import { tapOutput } from './tap.ts'

async function selectedCatalog({ catalog = '', stream }: SingerOptions): Promise<string> {
  try {
    return withSelection(await readFile(catalog, 'utf8'), stream)
  } catch (error) {
    if (faultCode(error) === undefined || error instanceof SyncError) throw error
    const message = `the catalog ${catalog} cannot be read: ${describeFault(error)}`
    throw new SyncError('SOURCE_FAILED', message, { cause: error })
  }
}

interface HandedOver {
  readonly args: readonly string[]
  remove(): Promise<void>
}

/** The files that the tap is given, which no other user may read. */
async function handOver(
  options: SingerOptions,
  { folder }: FetchPlace,
  state: string | undefined,
): Promise<HandedOver> {
  const files: string[] = []
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name)
    files.push(path)
    await rm(path, { force: true })
    await writeFile(path, text, { mode: 0o600, flag: 'wx' })
    return path
  }
  return {
    args: [
      ...(options.catalog === undefined
        ? []
        : [options.catalog_option, await file('.tap-catalog.json', await selectedCatalog(options))]),
      ...(state === undefined ? [] : ['--state', await file('.tap-state.json', state)]),
    ],
    remove: async () => {
      for (const path of files) await rm(path, { force: true })
    },
  }
}

async function* fetchedFrom(
  pieces: AsyncIterable<readonly Line[]>,
  reader: StreamReader,
): AsyncGenerator<Fetched> {
  for await (const lines of pieces)
    for (const line of lines) {
      const { json, state } = reader.take(line)
      if (json !== undefined) yield { json }
      if (state !== undefined) yield { cursor: state }
    }
}

async function* records(
  command: readonly string[],
  { options, place, task }: { options: SingerOptions; place: FetchPlace; task: FetchTask },
): AsyncGenerator<Fetched> {
  const log = createTapLog(await tapRedaction(command, place.home), (text) => task.log?.(text))
  const reader = createStreamReader(options.stream)
  const pieces = tapOutput({
    ...{ command, home: place.home, timeout: options.timeout, clock: task.clock, signal: task.signal },
    onError: log.add,
    lastWords: () => {
      log.end()
      return log.last()
    },
  })
  try {
    yield* fetchedFrom(linesOf(pieces), reader)
  } finally {
    log.end()
  }
  // A tap that was told where it had come to may have nothing new to say of the stream.
  if (task.cursor === undefined) reader.assertNamed()
  if (!reader.isMixed()) return
  task.tell('the stream came in several versions: nothing is concluded from the records that it lacks')
  yield { isPart: true }
}

async function* fetched(options: SingerOptions, place: FetchPlace, task: FetchTask): AsyncGenerator<Fetched> {
  const { command } = options
  if (command === undefined) {
    // Its records come from `target`: nothing is missing that was not asked for.
    yield { isPart: true }
    return
  }
  const state = typeof task.cursor === 'string' ? task.cursor : undefined
  const given = await handOver(options, place, state)
  try {
    yield* records([...command, ...given.args], { options, place, task })
  } finally {
    await given.remove()
  }
}

export function singerFetcher(options: SingerOptions, place: FetchPlace): Fetcher {
  const { command, stream, catalog } = options
  return {
    identity: JSON.stringify(['singer', command, stream, catalog]),
    label: stream,
    isFed: command === undefined,
    fetch: (task) => fetched(options, place, task),
  }
}
