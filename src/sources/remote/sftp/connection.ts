// A connection to an SFTP server: its key is checked before anything is said, and nothing is waited for without end.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createConnection, type Socket } from 'node:net'
import { type ClientErrorExtensions, Client, type ConnectConfig, type SFTPWrapper } from 'ssh2'
import { describeFault, faultCode } from '../../fault.ts'
import type { SftpAddress } from '../address.ts'
import type { RemoteOptions } from '../options.ts'
import { RemoteFault } from '../session.ts'
import { type KnownKey, keyProblem, keysOfServer, knownName } from './known-hosts.ts'

export interface SftpConnection {
  readonly sftp: SFTPWrapper
  /** One request, or several at once. Throws RemoteFault, what the server answers, and faults of this machine. */
  call<T>(work: (done: (error?: Error | null, value?: T) => void) => void): Promise<T>
  isAlive(): Promise<boolean>
  setUsed(isUsed: boolean): void
  close(): Promise<void>
}

/** The numbers by which the protocol says what failed. */
export const STATUS = { end: 1, missing: 2, denied: 3, failed: 4, unsupported: 8 } as const

/** The number of an answer; undefined for every other error. */
export const statusOf = (error: unknown): number | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined

const KINDS = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521', 'ssh-rsa']
const ALGORITHMS: Readonly<Record<string, readonly string[]>> = {
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256'],
}

/** Those first of which a key is known: otherwise the server shows another one, which looks like a change. */
function algorithmsFor(known: readonly KnownKey[]): string[] {
  const types = known.map(({ type }) => type).filter((type) => KINDS.includes(type))
  return [...new Set([...types, ...KINDS])].flatMap((type) => ALGORITHMS[type] ?? [type])
}

async function hostsText({ known_hosts: file = '' }: RemoteOptions): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (faultCode(error) === undefined) throw error
    throw new RemoteFault(
      'SOURCE_DENIED',
      `source.remote.known_hosts cannot be read: ${describeFault(error)}`,
      'Write the key of the server into it, after comparing it with that of its administrator: ssh-keyscan prints it.',
    )
  }
}

const KEY_HINT =
  'Ask the administrator of the server for the fingerprint of its key. Only if it is the same: put the key into known_hosts (ssh-keyscan prints the line). Otherwise the connection may be intercepted.'

function loginFault(error: Error & Partial<ClientErrorExtensions>, known: readonly KnownKey[]): RemoteFault {
  const { level, message } = error
  if (level === 'client-authentication')
    return new RemoteFault('SOURCE_DENIED', 'the server refuses the user, or its key or password')
  if (level === 'client-timeout')
    return new RemoteFault('SOURCE_UNREACHABLE', 'the server does not answer in time')
  const code = faultCode(error)
  if (code !== undefined)
    return new RemoteFault('SOURCE_UNREACHABLE', `the server cannot be reached (${code})`)
  if (/host key/i.test(message) && known.length === 0)
    return new RemoteFault('SOURCE_DENIED', 'the server has no key of a kind that is supported')
  if (level === 'handshake' || level === 'protocol')
    return new RemoteFault('SOURCE_UNREACHABLE', 'the server and this program agree on no way to speak SSH')
  return new RemoteFault('SOURCE_UNREACHABLE', 'the connection was closed before the login')
}

function loginConfig({ user }: SftpAddress, remote: RemoteOptions): ConnectConfig {
  const { key, passphrase, password, timeout } = remote
  return {
    ...{ username: user, readyTimeout: timeout },
    ...(key === undefined ? {} : { privateKey: key.endsWith('\n') ? key : `${key}\n` }),
    ...(passphrase === undefined ? {} : { passphrase }),
    // Many servers ask for a password as if a person typed it.
    ...(password === undefined ? {} : { password, tryKeyboard: true }),
  }
}

interface Login {
  readonly config: ConnectConfig
  readonly known: readonly KnownKey[]
  readonly name: string
}

/** Logs in. Throws RemoteFault. */
function logIn(client: Client, { config, known, name }: Login): Promise<void> {
  let refusal: string | undefined
  const hostVerifier = (key: Buffer): boolean => {
    refusal = keyProblem(key, known, name)
    return refusal === undefined
  }
  return new Promise<void>((resolve, reject) => {
    const fail = (error: Error): void =>
      reject(
        refusal === undefined
          ? loginFault(error, known)
          : new RemoteFault('SOURCE_DENIED', refusal, KEY_HINT),
      )
    client.on('ready', resolve)
    client.on('error', fail)
    client.on('close', () => fail(new Error('closed')))
    client.on('keyboard-interactive', (...asked) => asked[4](asked[3].map(() => config.password ?? '')))
    try {
      client.connect({
        ...config,
        hostVerifier,
        algorithms: { serverHostKey: algorithmsFor(known) as never },
      })
    } catch {
      // Only a key that cannot be used fails before anything is sent.
      const hint =
        'Check source.remote.key_file: a private key in the form of OpenSSH or PEM. With a passphrase, set passphrase_file.'
      reject(new RemoteFault('SOURCE_DENIED', 'the private key cannot be read', hint))
    }
  })
}

const lost = (): RemoteFault => new RemoteFault('SOURCE_UNREACHABLE', 'the connection was lost')

/** Runs requests: each ends with its answer, or with the connection. */
function caller(broken: AbortSignal): SftpConnection['call'] {
  return (work) =>
    new Promise((resolve, reject) => {
      const onBroken = (): void => end(broken.reason as RemoteFault)
      const end = (error: Error | undefined, value?: Parameters<typeof resolve>[0]): void => {
        broken.removeEventListener('abort', onBroken)
        if (error === undefined) resolve(value as NonNullable<typeof value>)
        else reject(error)
      }
      if (broken.aborted) return onBroken()
      broken.addEventListener('abort', onBroken)
      try {
        work((error, value) => {
          // Of a connection that breaks, ssh2 says so to each request in words of its own.
          const isOther = error && statusOf(error) === undefined && faultCode(error) === undefined
          end(isOther ? lost() : (error ?? undefined), value)
        })
      } catch (error) {
        end(error as Error)
      }
    })
}

/** So long a connection is kept for what comes next. */
const IDLE_MS = 3000
/** So long a server may take over the end of a connection. */
const END_MS = 1000

/** Ends the connection when nothing comes for so long as it is told, and tells those who wait for an answer. */
function watched(client: Client, socket: Socket): AbortSignal {
  const broken = new AbortController()
  const isBroken = (): void => broken.abort(lost())
  client.on('error', isBroken).on('close', isBroken).on('end', isBroken)
  socket.on('timeout', () => {
    broken.abort(new RemoteFault('SOURCE_UNREACHABLE', 'the server does not answer in time'))
    client.destroy()
  })
  return broken.signal
}

async function end(client: Client, socket: Socket): Promise<void> {
  if (socket.destroyed) return
  socket.setTimeout(END_MS)
  const closed = once(socket, 'close')
  client.end()
  await closed.catch(() => undefined)
}

async function openFiles(client: Client, call: SftpConnection['call']): Promise<SFTPWrapper> {
  try {
    return await call<SFTPWrapper>((done) => client.sftp(done))
  } catch (error) {
    if (error instanceof RemoteFault && error.message !== lost().message) throw error
    throw new RemoteFault('SOURCE_DENIED', 'the server lets the user in, but not to files (SFTP)')
  }
}

/** Throws RemoteFault. */
export async function connectSftp(address: SftpAddress, remote: RemoteOptions): Promise<SftpConnection> {
  const name = knownName(address.host, address.port)
  const known = keysOfServer(await hostsText(remote), name)
  // A socket of our own: small requests go out at once. With Nagle's algorithm files come thirty times as slowly.
  const socket = createConnection({ host: address.host, port: address.port, noDelay: true })
  const client = new Client()
  try {
    await logIn(client, { config: { ...loginConfig(address, remote), sock: socket }, known, name })
    const call = caller(watched(client, socket))
    socket.setTimeout(remote.timeout)
    const sftp = await openFiles(client, call)
    return {
      ...{ sftp, call },
      close: () => end(client, socket),
      setUsed(isUsed) {
        socket.setTimeout(isUsed ? remote.timeout : IDLE_MS)
        if (isUsed) socket.ref()
        else socket.unref()
      },
      isAlive: () =>
        call<string>((done) => sftp.realpath('.', done)).then(
          () => true,
          () => false,
        ),
    }
  } catch (error) {
    client.on('error', () => undefined)
    client.destroy()
    socket.destroy()
    throw error
  }
}
