// Where the sync log is handed over to: a file that others read, or a socket of a collector. What is written here has arrived
// when the call returns: on disk, or read to its end by the receiver.
import { once } from 'node:events'
import { type FileHandle, open } from 'node:fs/promises'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { SyncError } from '../core/words/errors.ts'
import { syncFolder } from '../store/file/durable.ts'

type Texts = AsyncIterable<string>

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'no code'

/** Longer than any line. */
const TAIL_BYTES = 1024 * 1024

/** How a file ends: its last whole line, and what a crash left of the one behind it. */
interface FileEnd {
  readonly line: string
  readonly torn: string
}

async function endOf(file: FileHandle): Promise<FileEnd> {
  const { size } = await file.stat()
  const start = Math.max(0, size - TAIL_BYTES)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
  const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n')
  return { line: lines.at(-2) ?? '', torn: lines.at(-1) ?? '' }
}

/** Readers that follow the file have read what is torn already: it is completed, never cut off. */
async function* behind(torn: string, texts: Texts): Texts {
  let isFirst = torn !== ''
  for await (const text of texts) {
    if (!isFirst) yield `${text}\n`
    else yield text.startsWith(torn) ? `${text.slice(torn.length)}\n` : `\n${text}\n`
    isFirst = false
  }
}

/** Appends what `textsBehind` gives for the last whole line of the file; on disk before it returns. Throws USAGE. */
export async function appendToFile(
  path: string,
  textsBehind: (line: string) => Promise<Texts>,
): Promise<void> {
  let file: FileHandle | undefined
  try {
    file = await open(path, 'a+', 0o640)
    const { line, torn } = await endOf(file)
    for await (const text of behind(torn, await textsBehind(line))) await file.appendFile(text)
    await file.sync()
    syncFolder(path)
  } catch (error) {
    if (error instanceof SyncError) throw error
    throw new SyncError('USAGE', `the sync log cannot be handed over to ${path} (${codeOf(error)})`, {
      hint: 'Name a file in an existing folder that this user can write to, or a receiver.',
      cause: error,
    })
  } finally {
    await file?.close()
  }
}

const PATIENCE_MS = 20_000

/** Gives what connects: a run without a hand-over need not load the encryption. */
async function connecting({ protocol, hostname, port }: URL): Promise<() => Socket> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const to = { host, port: Number(port), allowHalfOpen: true }
  if (protocol !== 'tls:') return () => connectPlain(to)
  const { connect } = await import('node:tls')
  return () => connect({ ...to, ...(isIP(host) === 0 && { servername: host }) })
}

class Unread extends Error {
  readonly code = 'closed before everything was read'
}
class Silent extends Error {
  readonly code = `no progress in ${PATIENCE_MS / 1000} seconds`
}

/**
 * One connection for all of them. A receiver that closes its side after ours has read everything; where it is killed before,
 * the connection is reset, and nothing counts as handed over. Throws RECEIVER_FAILED.
 */
export async function sendToReceiver(to: string, texts: Texts, signal: AbortSignal): Promise<void> {
  const address = new URL(to)
  const connect = await connecting(address)
  const socket = addAbortSignal(signal, connect())
  const closed = once(socket, 'close')
  closed.catch(() => undefined)
  socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Silent()))
  socket.once('end', () => {
    if (!socket.writableEnded) socket.destroy(new Unread())
  })
  // What it says is not read.
  socket.resume()
  try {
    await pipeline(texts, socket)
    await closed
  } catch (error) {
    if (error instanceof SyncError) throw error
    throw new SyncError(
      'RECEIVER_FAILED',
      `the sync log was not accepted by ${address.host} (${codeOf(error)})`,
      {
        hint: 'A receiver must read until the end of the connection, and then close it. Nothing is lost: it is sent again.',
        cause: error,
      },
    )
  } finally {
    socket.destroy()
  }
}
