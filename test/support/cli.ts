// The program as a user has it: a separate process, started by the command line, in a folder of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import type { Habits } from '../../src/sandbox/habits.ts'
import { systemClock } from '../../src/system.ts'

/** The program as it is installed; `test/support/built.ts` sees to it that it is as new as its source. */
export const MAIN = resolve(import.meta.dirname, '../../dist/main.js')
/** The program from its source, a file for each module. */
export const SOURCE_MAIN = resolve(import.meta.dirname, '../../src/main.ts')
/** Shared by all: what a process compiles, the next one need not. */
const COMPILED = resolve(import.meta.dirname, '../../node_modules/.cache/compiled')
export const KEY = 'canary-key-7f3a91'

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly process: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves with what standard error holds once the pattern has come. */
  stderrHas(pattern: RegExp): Promise<string>
}

export interface Workshop {
  readonly folder: string
  readonly sandbox: Sandbox
  path(...names: string[]): string
  drop(inbox: string, name: string, text: string | Buffer): Promise<void>
  configure(yaml?: string): Promise<void>
  cli(...args: string[]): Promise<Ended>
  start(...args: string[]): Running
  /** Starts it by another command line than usual, under a tracer say. */
  startBy(program: Program, ...args: string[]): Running
  /** Every contact of the sandbox with this mail. */
  contacts(mail: string, fields: string): Promise<Record<string, unknown>[]>
  writes(): number
  close(): Promise<void>
}

const CONFIGURATION = `
service:
  base_url: \${BASE_URL}
  api_key: \${API_KEY}
  rate_limit: { requests: 500, per: 1s, concurrency: 4 }
  retry: { attempts: 2, max_delay: 1s }
  doubt: { quiesce: 200ms, absent_reads: 1 }
state: { path: state/contact-sync.db }
server: { port: 0 }
pipelines:
  shop:
    source: { type: csv, folder: inbox/shop, settle: 0s }
    key: no
    map: { mail: mail, first_name: first, family_name: last, phone: phone }
`

function running(child: ChildProcess): Running {
  let stdout = ''
  let stderr = ''
  const waiting: { pattern: RegExp; found: (text: string) => void }[] = []
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
    for (const { pattern, found } of waiting) if (pattern.test(stderr)) found(stderr)
  })
  const ended = new Promise<Ended>((done) =>
    child.once('close', (code, signal) => done({ code, signal, stdout, stderr })),
  )
  return {
    process: child,
    ended,
    stderrHas: (pattern) =>
      new Promise((found, failed) => {
        if (pattern.test(stderr)) found(stderr)
        waiting.push({ pattern, found })
        void ended.then(() => failed(new Error(`ended without ${String(pattern)}:\n${stderr}`)))
      }),
  }
}

/** What a command line begins with. */
export type Program = readonly [string, ...string[]]

export interface WorkshopOptions {
  /** Keeps the sandbox's data in this file of the folder; in memory otherwise. */
  readonly sandboxDb?: string
  /** The program as it is installed by default. */
  readonly program?: Program
}

export async function openWorkshop(
  habits: Partial<Habits> = {},
  { sandboxDb, program = [process.execPath, MAIN] }: WorkshopOptions = {},
): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), 'workshop-'))
  const path = (...names: string[]): string => join(folder, ...names)
  const db = sandboxDb === undefined ? {} : { db: path(sandboxDb) }
  const sandbox = await startSandbox({ port: 0, apiKey: KEY, habits, clock: systemClock, ...db })
  const env = {
    PATH: process.env['PATH'],
    BASE_URL: sandbox.url,
    API_KEY: KEY,
    TZ: 'UTC',
    // Every process of this folder but the first starts in half the time.
    NODE_COMPILE_CACHE: COMPILED,
  }
  const startBy = ([command, ...rest]: Program, ...args: string[]): Running =>
    running(spawn(command, [...rest, ...args, '--config', path('config.yaml')], { cwd: folder, env }))
  const start = (...args: string[]): Running => startBy(program, ...args)
  await mkdir(path('inbox', 'shop'), { recursive: true })
  await writeFile(path('config.yaml'), CONFIGURATION)
  return {
    folder,
    sandbox,
    path,
    start,
    startBy,
    cli: (...args) => start(...args).ended,
    drop: async (inbox, name, text) => writeFile(path('inbox', inbox, name), text),
    configure: async (yaml = CONFIGURATION) => writeFile(path('config.yaml'), yaml),
    async contacts(mail, fields) {
      const url = `${sandbox.url}/public/api/V1/contact/${encodeURIComponent(mail)}?fields=${fields}`
      const response = await fetch(url, { headers: { authorization: `Bearer ${KEY}` } })
      return (await response.json()) as Record<string, unknown>[]
    },
    writes: () => sandbox.requests().filter(({ method }) => method !== 'GET').length,
    async close() {
      await sandbox.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** A CSV of invented people; `change` alters the phone of some. */
export function peopleCsv(count: number, changed: readonly number[] = []): string {
  const rows = Array.from({ length: count }, (_, index) => {
    const phone = changed.includes(index) ? `040 ${index}` : `030 ${index}`
    return `K${index},person${index}@example.com,Vorname${index},Nachname${index},${phone}`
  })
  return ['no,mail,first,last,phone', ...rows, ''].join('\n')
}
