// `sandbox`: the stand-in for the service, until it is ended.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { habitsHelp, habitsOf } from '../../sandbox/habit-text.ts'
import { parseSeed, type Seed } from '../../sandbox/seed.ts'
import { startSandbox } from '../../sandbox/server.ts'
import { systemClock as clock } from '../../system.ts'
import { SyncError } from '../../core/words/errors.ts'
import { type CommonOptions, type Io, print, printJson } from '../io.ts'

interface SandboxOptions extends CommonOptions {
  readonly port: string
  readonly db?: string
  readonly apiKey: string
  readonly habit?: readonly string[]
  readonly host?: string
  readonly seed?: string
  readonly control?: boolean
}

function portNumber(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new SyncError('USAGE', `"${text}" is not a port`, {
    hint: 'A port is a whole number from 0 to 65535.',
  })
}

/** Throws USAGE for a file that cannot be read, or is no seed. */
function seedIn(io: Io, file: string): Seed {
  let text: string
  try {
    text = readFileSync(resolve(io.cwd, file), 'utf8')
  } catch (error) {
    throw new SyncError('USAGE', `${file} cannot be read`, { cause: error })
  }
  return parseSeed(text, file)
}

/** What its help says after the options: every habit. */
export const sandboxHelp = habitsHelp

export async function sandbox(io: Io, options: SandboxOptions): Promise<number> {
  const { apiKey } = options
  const db = options.db === undefined ? {} : { db: resolve(io.cwd, options.db) }
  const port = portNumber(options.port)
  const habits = habitsOf(options.habit ?? [])
  const server = await startSandbox({
    ...{ port, apiKey, clock, habits, ...db, control: options.control === true },
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.seed === undefined ? {} : { seed: seedIn(io, options.seed) }),
  })
  const keeps = options.db === undefined ? 'in memory' : `in ${options.db}`
  if (options.json === true) printJson(io, { base_url: server.url, port: server.port })
  else {
    print(io, `sandbox at ${server.url}, its data ${keeps}; stop it with Ctrl-C`)
    if (options.control === true) print(io, `contacts, terms and requests: ${server.url}/_sandbox/`)
  }
  if (!io.signal.aborted)
    await new Promise((done) => io.signal.addEventListener('abort', done, { once: true }))
  await server.close()
  return 0
}
