// Whole processes and what they took; medians over pairs, because machines drift and ratios do not.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

export interface Report {
  readonly wall_s: number
  readonly cpu_s: number
  readonly peak_mib: number
  readonly delay_p99_ms: number
}

const REPORT = resolve(import.meta.dirname, 'report.ts')

/** Runs a script of Node's to its end. Throws with what it printed where it did not end with 0. */
export async function measured(
  folder: string,
  args: readonly string[],
  flags: readonly string[] = [],
): Promise<Report> {
  const child = spawn(process.execPath, [...flags, '--import', REPORT, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
  return JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Report
}

export interface Server {
  readonly url: string
  windows(): Promise<{ requests: number; most: number; took_ms: number }>
  end(): void
}

export async function startService(latencyMs = 0, windowMs = 1000): Promise<Server> {
  const script = resolve(import.meta.dirname, 'service.ts')
  const child = spawn(process.execPath, [script, String(latencyMs), String(windowMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { base_url: url } = JSON.parse(line.toString()) as { base_url: string }
  return {
    url,
    windows: async () =>
      (await (await fetch(`${url}/windows`)).json()) as Awaited<ReturnType<Server['windows']>>,
    end: () => child.kill('SIGTERM'),
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2
}
