// Debian's sshd over a loopback port, with a key of its own, for a user with a key: a real SFTP server. Where it is not
// installed, `hasSshd` says so (apt-get install openssh-server).
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'

const SSHD = '/usr/sbin/sshd'

export const hasSshd = existsSync(SSHD) && userInfo().uid === 0

export interface SftpServer {
  readonly port: number
  readonly user: string
  /** A folder for the files of this server. */
  readonly home: string
  readonly key: string
  readonly knownHosts: string
  /** The server has another key from now on. */
  changeKey(): Promise<void>
  stop(): Promise<void>
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return address.port
}

const makeKey = (path: string): void => {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path])
}

function configure(home: string, port: number): string {
  const lines = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(home, 'host')}`,
    `AuthorizedKeysFile ${join(home, 'authorized')}`,
    `PidFile ${join(home, 'pid')}`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'PermitRootLogin yes',
    'MaxStartups 100:30:200',
    'PerSourcePenalties no',
    'Subsystem sftp internal-sftp',
  ]
  const config = join(home, 'sshd_config')
  // Older ones do not know penalties.
  writeFileSync(config, `${lines.join('\n')}\n`)
  try {
    execFileSync(SSHD, ['-t', '-f', config], { stdio: 'pipe' })
  } catch {
    writeFileSync(config, `${lines.filter((line) => !line.startsWith('PerSource')).join('\n')}\n`)
  }
  return config
}

async function untilOpen(port: number): Promise<void> {
  for (;;) {
    const socket = createConnection(port, '127.0.0.1')
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true))
      socket.once('error', () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return
    await new Promise((resolve) => void setTimeout(resolve, 20))
  }
}

export async function startSftpServer(): Promise<SftpServer> {
  const home = mkdtempSync(join(tmpdir(), 'sftp-'))
  const port = await freePort()
  makeKey(join(home, 'host'))
  makeKey(join(home, 'user'))
  writeFileSync(join(home, 'authorized'), readFileSync(join(home, 'user.pub')))
  const config = configure(home, port)
  const knownHosts = join(home, 'known_hosts')
  const tell = (): string => readFileSync(join(home, 'host.pub'), 'utf8').split(' ').slice(0, 2).join(' ')
  writeFileSync(knownHosts, `[127.0.0.1]:${port} ${tell()}\n`)
  mkdirSync('/run/sshd', { recursive: true })
  mkdirSync(join(home, 'files'))
  chmodSync(home, 0o755)
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    child = spawn(SSHD, ['-D', '-f', config], { stdio: 'ignore' })
    await untilOpen(port)
  }
  const stop = async (): Promise<void> => {
    const ended = child && once(child, 'exit')
    child?.kill()
    await ended
  }
  await start()
  return {
    ...{
      port,
      user: userInfo().username,
      home: join(home, 'files'),
      key: readFileSync(join(home, 'user'), 'utf8'),
    },
    knownHosts,
    async changeKey() {
      await stop()
      rmSync(join(home, 'host'))
      rmSync(join(home, 'host.pub'))
      makeKey(join(home, 'host'))
      await start()
    },
    async stop() {
      await stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

export interface CuttingProxy {
  readonly port: number
  /** Connections from now on end after so many bytes from the server; Infinity: they do not. */
  cutAfter(bytes: number): void
  /** Ends those that are open. */
  breakAll(): void
  /** Bytes that came from the server since the last cut was set. */
  passed(): number
  close(): Promise<void>
}

/** Passes connections on, and breaks them in the middle. */
export async function startCuttingProxy(to: number): Promise<CuttingProxy> {
  let limit = Infinity
  let bytes = 0
  const open = new Set<Socket>()
  const server: Server = createServer((socket) => {
    const upstream = createConnection(to, '127.0.0.1')
    for (const one of [socket, upstream]) {
      open.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        open.delete(one)
        socket.destroy()
        upstream.destroy()
      })
    }
    socket.pipe(upstream)
    upstream.on('data', (data: Buffer) => {
      bytes += data.length
      if (bytes > limit) socket.destroy()
      else socket.write(data)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return {
    port: address.port,
    cutAfter(count) {
      limit = count
      bytes = 0
    },
    breakAll() {
      for (const one of open) one.destroy()
    },
    passed: () => bytes,
    async close() {
      for (const one of open) one.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
