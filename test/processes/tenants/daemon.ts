// A daemon as a process, and what it costs: read from /proc, and asked over HTTP.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock as clock } from '../../../src/system.ts'
import { MAIN } from '../../support/cli.ts'
import { CONSOLE_TOKEN, configurationOf, type Place } from './place.ts'

export interface TenantDaemon {
  readonly url: string
  /** Milliseconds from the start of the process until every account was at work. */
  readonly startMs: number
  readonly log: string
  cost(): ProcessCost
  /** As the token of the console, or another one. */
  get(path: string, token?: string): Promise<{ status: number; text: string; ms: number }>
  end(): Promise<void>
}

export interface ProcessCost {
  readonly cpuMs: number
  readonly residentMb: number
  readonly peakMb: number
  readonly threads: number
  readonly files: number
}

const TICK_MS = 10

function costOf(pid: number): ProcessCost {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const figure = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    residentMb: Math.round(figure('VmRSS') / 1024),
    peakMb: Math.round(figure('VmHWM') / 1024),
    threads: figure('Threads'),
    files: readdirSync(`/proc/${pid}/fd`).length,
  }
}

async function untilStarted(
  daemon: ChildProcess,
  { log, accounts, withinMs }: { log: string; accounts: number; withinMs: number },
): Promise<string> {
  const until = clock.monotonic() + withinMs
  for (;;) {
    const text = readFileSync(log, 'utf8')
    const started = text.match(/"message":"daemon started"|daemon started/g)?.length ?? 0
    if (started >= accounts) return `http://127.0.0.1:${/"port":(\d+)/.exec(text)?.[1] ?? ''}`
    if (daemon.exitCode !== null || clock.monotonic() > until)
      throw new Error(`${started} of ${accounts} accounts are at work: ${text.slice(-2000)}`)
    await clock.sleep(50)
  }
}

/** `accounts`: that are expected to work. */
export async function startTenants(
  place: Place,
  { name, accounts, withinMs = 180_000 }: { name: string; accounts: number; withinMs?: number },
): Promise<TenantDaemon> {
  const log = join(place.folder, `${name}.log`)
  const to = openSync(log, 'a')
  const began = clock.monotonic()
  const args = [MAIN, 'start', '--config', configurationOf(place)]
  const daemon = spawn(process.execPath, [...profiling(), ...args], {
    stdio: ['ignore', 'ignore', to],
    cwd: place.folder,
  })
  closeSync(to)
  const end = async (): Promise<void> => {
    if (daemon.exitCode !== null || daemon.signalCode !== null) return
    daemon.kill('SIGTERM')
    await once(daemon, 'exit')
  }
  let url: string
  try {
    url = await untilStarted(daemon, { log, accounts, withinMs })
  } catch (error) {
    daemon.kill('SIGKILL')
    throw error
  }
  const startMs = clock.monotonic() - began
  return {
    url,
    startMs,
    log,
    cost: () => costOf(daemon.pid ?? 0),
    async get(path, token = CONSOLE_TOKEN) {
      const asked = clock.monotonic()
      const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
      const text = await answer.text()
      return { status: answer.status, text, ms: clock.monotonic() - asked }
    },
    end,
  }
}

/** Profiles of each process where they are asked for: `PROFILE=folder npm run tenants`. */
const profiling = (): readonly string[] => {
  const folder = process.env['PROFILE']
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`]
}

/** Runs a command over the configuration. */
export async function command(
  place: Place,
  ...args: readonly string[]
): Promise<{ code: number | null; output: string; ms: number }> {
  const began = clock.monotonic()
  const run = spawn(process.execPath, [MAIN, ...args, '--config', configurationOf(place)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: place.folder,
  })
  let output = ''
  for (const stream of [run.stdout, run.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void (output += text))
  const [code] = (await once(run, 'close')) as [number | null]
  return { code, output, ms: clock.monotonic() - began }
}
