// Connections to a server that may fall silent: its machine is gone, or packets are dropped on the way. No socket reports that
// for many minutes, and the thread that asked stands still. So connecting has a limit, and where an answer does not come it is
// looked, over another connection, whether the session still works on it: a statement may take long.
import type { Socket } from 'node:net'
import pg from 'pg'
import { serverPlace, type StateLocation, stateText } from '../../core/state-place.ts'
import { serverError, serverProblem } from './trouble.ts'

/** A connection, and each answer to a look, is waited for so long. */
export const PATIENCE_MS = 5000

/** Connecting has a limit in any case; `query_timeout`: that of each answer. */
export function newClient(
  url: string,
  options: Pick<pg.ClientConfig, 'pipeline' | 'query_timeout'> = { query_timeout: PATIENCE_MS },
): pg.Client {
  const made = new pg.Client({
    connectionString: url,
    application_name: 'contact-sync',
    connectionTimeoutMillis: PATIENCE_MS,
    ...options,
  })
  // The statement that is under way fails, too, and says it.
  made.on('error', () => undefined)
  return made
}

/** Where nothing comes from the other side, an orderly end would be waited for in vain. */
export const cut = (client: pg.Client, why?: Error): void =>
  void (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy(why)

/**
 * Throws what keeps a server from answering. Other work of the process continues meanwhile, which it does not while a state is opened. A file
 * is not looked at.
 */
export async function assertAnswering(where: StateLocation): Promise<void> {
  const server = serverPlace(where)
  if (server === undefined) return
  const client = newClient(server.url)
  try {
    await client.connect()
    await client.query('SELECT 1')
  } catch (error) {
    throw serverError(serverProblem(error), stateText(server))
  } finally {
    cut(client)
  }
}

const TURN_MS = 1000
/** An answer that takes so many turns longer is looked after, and so often. */
const LOOK_TURNS = 5
/** A look that failed is made again at the next turn: the answer may have been on its way, or this process stood still. */
const FAILED_LOOKS = 3

export interface SilenceWatch {
  /** Something is asked. */
  begin(): void
  /** It was answered, or has failed. */
  end(): void
}

/** Until the thread ends. `giveUp`: called once for what was asked, if the session works on it no more. */
export function createSilenceWatch({
  isAtWork,
  giveUp,
}: {
  isAtWork(): Promise<boolean>
  giveUp(): void
}): SilenceWatch {
  /** What is asked now, in which turns are counted; undefined while nothing is. */
  let asked: { turns: number; failed: number; isLookedAfter: boolean } | undefined

  async function turn(): Promise<void> {
    const of = asked
    if (of === undefined || of.isLookedAfter) return
    of.turns += 1
    if (of.failed === 0 && of.turns < LOOK_TURNS) return
    of.isLookedAfter = true
    const isFine = await isAtWork()
    Object.assign(of, { turns: 0, failed: isFine ? 0 : of.failed + 1, isLookedAfter: false })
    if (of !== asked || of.failed < FAILED_LOOKS) return
    asked = undefined
    giveUp()
  }

  setInterval(() => void turn(), TURN_MS).unref()
  return {
    begin: () => void (asked = { turns: 0, failed: 0, isLookedAfter: false }),
    end: () => void (asked = undefined),
  }
}

/** What the server itself has answered, however little that helps, has a SQLSTATE. */
export const isOfServer = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E')
