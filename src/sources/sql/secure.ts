// The connection to a database server: how it is encrypted, and how it ends where the server is silent.
import { readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { SyncError } from '../../core/words/errors.ts'
import { isLoopback } from '../../core/words/network/loopback.ts'
import { describeFault, faultCode } from '../fault.ts'
import type { SqlOptions } from './options.ts'

/** Undefined: not at all. Throws SOURCE_FAILED for a certificate that cannot be read. */
export async function tlsOptions(
  { tls, ca_file: caFile }: SqlOptions,
  hostname: string,
): Promise<{ rejectUnauthorized: true; ca?: string } | undefined> {
  if (tls === 'off' || (tls === 'auto' && isLoopback(hostname))) return undefined
  if (caFile === undefined) return { rejectUnauthorized: true }
  try {
    return { rejectUnauthorized: true, ca: await readFile(caFile, 'utf8') }
  } catch (error) {
    if (faultCode(error) === undefined) throw error
    throw new SyncError('SOURCE_FAILED', `source.ca_file cannot be read: ${describeFault(error)}`, {
      cause: error,
    })
  }
}

type Emit = (event: string | symbol, ...given: unknown[]) => boolean

/** The server ends a query that takes too long itself, and says so: it goes first. */
const GRACE_MS = 5_000

/** For an answer after which nothing else of the connection can be relied on. */
export const notUnderstood = (cause: unknown): SyncError =>
  new SyncError('SOURCE_ANSWER', 'the database answers what its driver does not understand', { cause })

/** What a driver throws over an answer would end the process: nothing of ours is on the stack that could catch it. */
export function guard(stream: Duplex): void {
  const emit = stream.emit.bind(stream) as Emit
  const safely: Emit = (event, ...given) => {
    try {
      return emit(event, ...given)
    } catch (cause) {
      stream.destroy(notUnderstood(cause))
      return true
    }
  }
  stream.emit = safely
}

/** Ends where nothing came or went for longer than any step may take: a network that is gone closes no connection. */
export function createSocket({ timeout }: Pick<SqlOptions, 'timeout'>): Socket {
  const socket = new Socket()
  guard(socket)
  socket.setTimeout(timeout + GRACE_MS, () =>
    socket.destroy(Object.assign(new Error('the server is silent'), { code: 'ETIMEDOUT' })),
  )
  return socket
}

const NETWORK = /^(E[A-Z]+|CERT_|DEPTH_|SELF_SIGNED|UNABLE_|ERR_TLS|PROTOCOL_|HANDSHAKE)/

export const unreachable = (cause: unknown, host: string, code: string): SyncError =>
  new SyncError('SOURCE_UNREACHABLE', `the database on ${host} cannot be reached (${code})`, { cause })

/** What could not be reached, or secured; undefined for what a server says. */
export function networkFault(error: unknown, host: string): SyncError | undefined {
  const code = faultCode(error)
  if (code === undefined || !NETWORK.test(code) || code.startsWith('ER_')) return undefined
  return unreachable(error, host, code)
}
