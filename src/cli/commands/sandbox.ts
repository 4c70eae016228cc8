// `sandbox`: the stand-in for the service, until it is ended.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { habitsHelp, habitsOf } from '../../sandbox/habit-text.ts'
import { parseSeed, type Seed } from '../../sandbox/seed.ts'
import { type Sandbox, startSandbox } from '../../sandbox/server.ts'
import { hostName, systemClock as clock } from '../../system.ts'
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
  readonly tls?: boolean
  readonly caFile?: string
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

interface KeptCertificate {
  readonly file: string
  remove(): void
}

/** The certificate in a file that clients can be given: the named one, or a temporary one that goes with the sandbox. */
function keepCertificate(io: Io, certificate: string, named: string | undefined): KeptCertificate {
  const folder = named === undefined ? mkdtempSync(join(tmpdir(), 'contact-sync-sandbox-')) : undefined
  const file = folder === undefined ? resolve(io.cwd, named ?? '') : join(folder, 'ca.pem')
  try {
    writeFileSync(file, certificate)
  } catch (error) {
    throw new SyncError('USAGE', `${file} cannot be written`, { cause: error })
  }
  return {
    file,
    remove: () => folder !== undefined && rmSync(folder, { recursive: true, force: true }),
  }
}

function printStart(io: Io, server: Sandbox, options: SandboxOptions & { certificateFile?: string }): void {
  const { certificateFile: file } = options
  if (options.json === true) {
    const tls = file === undefined ? {} : { ca_file: file, fingerprint: server.tls?.fingerprint }
    printJson(io, { base_url: server.url, port: server.port, ...tls })
    return
  }
  const keeps = options.db === undefined ? 'in memory' : `in ${options.db}`
  print(io, `sandbox at ${server.url}, its data ${keeps}; stop it with Ctrl-C`)
  if (options.control === true) print(io, `contacts, terms and requests: ${server.url}/_sandbox/`)
  if (file === undefined) return
  print(io, `certificate: ${file}`)
  print(io, `  SHA-256 ${server.tls?.fingerprint ?? ''}`)
  print(io, `  so that contact-sync trusts it: export NODE_EXTRA_CA_CERTS=${file}`)
}

/** What its help says after the options: every habit. */
export const sandboxHelp = habitsHelp

export async function sandbox(io: Io, options: SandboxOptions): Promise<number> {
  const { apiKey, tls = false, caFile } = options
  if (caFile !== undefined && !tls) {
    throw new SyncError('USAGE', '--ca-file needs --tls', { hint: 'Without TLS there is no certificate.' })
  }
  const db = options.db === undefined ? {} : { db: resolve(io.cwd, options.db) }
  const port = portNumber(options.port)
  const habits = habitsOf(options.habit ?? [])
  const server = await startSandbox({
    ...{ port, apiKey, clock, habits, ...db, control: options.control === true },
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.seed === undefined ? {} : { seed: seedIn(io, options.seed) }),
    ...(tls ? { tls: { names: [hostName()] } } : {}),
  })
  let kept: KeptCertificate | undefined
  try {
    if (server.tls !== undefined) kept = keepCertificate(io, server.tls.certificate, caFile)
    printStart(io, server, { ...options, ...(kept === undefined ? {} : { certificateFile: kept.file }) })
    if (!io.signal.aborted)
      await new Promise((done) => io.signal.addEventListener('abort', done, { once: true }))
  } finally {
    kept?.remove()
    await server.close()
  }
  return 0
}
