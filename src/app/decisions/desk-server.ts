// The socket of the process that has the state: takes decisions of other commands, several at once, and answers each on its
// connection. It exists as long as the process has the state.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { ERRORS, SyncError } from '../../core/words/errors.ts'
import { type Fleet, lookEvery } from '../../core/fleet.ts'
import type { Log } from '../../log/log.ts'
import { type ErrorFacts, errorFacts } from '../../core/words/error-facts.ts'
import { Unconfirmed } from '../run/desk.ts'
import { madeForUserAlone, systemClock as clock } from '../../system.ts'
import { isKind, KINDS } from './kinds.ts'
import type { Owner } from './owner.ts'
import { takeDecision } from './taking.ts'
import {
  type OwnerAnswer,
  configPrint,
  lineOf,
  PROTOCOL,
  type Request,
  requestSchema,
  socketBeside,
} from './wire.ts'

export interface DeskServer {
  /** Takes nothing new, and lets what is being taken come to its end. */
  close(): Promise<void>
}

/** Decisions are small; what is longer is not one. */
const LONGEST_REQUEST = 1_000_000
const ASKED_EVERY_MS = 250

const refusal = (code: 'USAGE' | 'CONFIG_INVALID', message: string, hint: string = ERRORS[code].hint) =>
  new SyncError(code, message, { hint })

/** Of a command that has another configuration than the owner. */
const OF_ANY_CONFIGURATION: readonly string[] = ['reload', 'state rebind']

function assertAnswerable(request: Request, owner: Owner): void {
  if (request.protocol !== PROTOCOL)
    throw refusal(
      'USAGE',
      'the process that has the state is of another version than this command',
      'Restart it with the version of this command, or use the command of its version.',
    )
  if (!OF_ANY_CONFIGURATION.includes(request.kind) && request.config !== configPrint(owner.settings()))
    throw refusal(
      'CONFIG_INVALID',
      'the process that has the state works under another configuration than this command',
      'If the configuration of this command is to be used: contact-sync reload. Otherwise name the other one with --config.',
    )
}

const isForDaemon = (kind: string): boolean => isKind(kind) && KINDS[kind].needs !== 'state'

/** The facts that are shown before an erasure are data of a person. */
async function noteRead(owner: Owner, { kind, decided }: Request, facts: unknown): Promise<void> {
  const { contactIds } = z.object({ contactIds: z.array(z.number()) }).parse(facts)
  const about = { at: clock.now(), by: decided.by, role: decided.role, page: kind }
  await owner.state.noteReads(contactIds.map((contactId) => ({ ...about, contactId })))
}

async function answerTo(
  request: Request,
  owner: Owner,
  say: (answer: OwnerAnswer) => void,
): Promise<OwnerAnswer> {
  assertAnswerable(request, owner)
  if (owner.daemon === undefined && isForDaemon(request.kind)) return { wait: true }
  const watching = {
    tell: (tell: string) => say({ tell }),
    show: (show: unknown) => say({ show }),
  }
  const { kind, args, decided, isConfirmed } = request
  const result = await takeDecision(owner, { kind, args, decided }, { isConfirmed, watching }).catch(
    async (error: unknown) => {
      if (error instanceof Unconfirmed && kind === 'audit forget') await noteRead(owner, request, error.facts)
      throw error
    },
  )
  return { result: result ?? null }
}

/** Without the text of a known error, which may name a person. */
function refusalFacts(error: unknown): Omit<ErrorFacts, 'error' | 'detail'> & { readonly error?: string } {
  if (error instanceof SyncError) return { code: error.code }
  return errorFacts(error)
}

function answerOf(error: unknown): OwnerAnswer {
  if (error instanceof Unconfirmed) return { facts: error.facts }
  const { code, message, hint } =
    error instanceof SyncError
      ? error
      : { code: '', message: 'the process that has the state met a fault; its log has it', hint: '' }
  return { error: { code, message, hint } }
}

/** Takes what the line asks for; the last answer to it. */
async function answered(
  line: string,
  { owner, log, say }: { owner: Owner; log: Log; say(answer: OwnerAnswer): void },
): Promise<OwnerAnswer> {
  let kind = ''
  try {
    const request = requestSchema.parse(JSON.parse(line))
    ;({ kind } = request)
    const answer = await answerTo(request, owner, say)
    log.info('decision taken', { decision: kind })
    return answer
  } catch (error) {
    if (!(error instanceof Unconfirmed))
      log.warn('decision refused', { decision: kind, ...refusalFacts(error) })
    return answerOf(error)
  }
}

/** Requests of other workers, from wherever they are. */
function serveFleet(fleet: Fleet, owner: Owner, log: Log): DeskServer {
  const active = new Set<Promise<void>>()
  const closing = new AbortController()
  let last = 0
  const take = async ({ id, request }: { id: number; request: string }): Promise<void> => {
    // A state that has failed throws within the call; the process that asked sees that this worker has ended.
    const tell = async (answer: OwnerAnswer): Promise<void> => fleet.answer(id, lineOf(answer))
    const say = (answer: OwnerAnswer): void => void tell(answer).catch(() => undefined)
    say(await answered(request, { owner, log, say }))
  }
  const look = async (): Promise<void> => {
    for (const asked of await fleet.asked(last)) {
      last = asked.id
      const taken = take(asked)
      active.add(taken)
      void taken.finally(() => active.delete(taken))
    }
  }
  const follow = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      // A state that cannot be asked ends the worker elsewhere.
      await look().catch(() => undefined)
      await clock.sleep(lookEvery(ASKED_EVERY_MS, fleet), closing.signal)
    }
  }
  const followed = follow()
  return {
    async close() {
      closing.abort()
      await followed
      await Promise.all(active)
    },
  }
}

async function serve(socket: Socket, owner: Owner, log: Log): Promise<void> {
  // A client that has gone is no fault: what it asked for is taken all the same.
  socket.on('error', () => socket.destroy())
  const say = (answer: OwnerAnswer): void => {
    if (!socket.destroyed) socket.write(lineOf(answer))
  }
  let bytes = 0
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > LONGEST_REQUEST) socket.destroy()
  })
  const lines = createInterface({ input: socket })
  // It passes the faults of the socket on, and without a listener such a fault would end the process.
  lines.on('error', () => undefined)
  // A connection that breaks has no end of its own.
  socket.once('close', () => lines.close())
  for await (const line of lines) {
    say(await answered(line, { owner, log, say }))
    break
  }
  socket.end()
}

async function listening(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    // It is made within the call.
    madeForUserAlone(() => server.listen(path, resolve))
  })
}

/** Beside the state, where that can be; else in a private folder, whose name is left in the lock. */
async function listen(server: Server, owner: Owner): Promise<string> {
  const beside = socketBeside(owner.settings().state.path)
  if (beside !== undefined)
    try {
      // The owner of the lock is the only one who listens: what is there was left behind.
      rmSync(beside, { force: true })
      await listening(server, beside)
      return beside
    } catch {
      // Some mounts have no sockets.
    }
  const path = join(mkdtempSync(join(tmpdir(), 'contact-sync-')), 'sock')
  await listening(server, path)
  owner.state.leaveInLock(path)
  return path
}

function remove(path: string, owner: Owner): void {
  try {
    rmSync(path, { force: true })
    if (path !== socketBeside(owner.settings().state.path))
      rmSync(dirname(path), { recursive: true, force: true })
  } catch {
    // The folder may have become read-only. One that is left behind does no harm, and the next owner replaces it.
  }
}

/** Without a socket the owner works on: commands that decide end with STATE_LOCKED then, and the log says why. */
export async function openDesk(owner: Owner, log: Log): Promise<DeskServer> {
  if (owner.state.fleet !== undefined) return serveFleet(owner.state.fleet, owner, log)
  const active = new Set<Promise<void>>()
  const server = createServer((socket) => {
    const served = serve(socket, owner, log).catch(() => void socket.destroy())
    active.add(served)
    void served.then(() => active.delete(served))
  })
  let path: string | undefined
  try {
    path = await listen(server, owner)
  } catch (error) {
    const { detail: _, ...facts } = errorFacts(error)
    log.warn('no socket for decisions', facts)
  }
  return {
    async close() {
      if (path === undefined) return
      server.close()
      remove(path, owner)
      await Promise.all(active)
    },
  }
}
