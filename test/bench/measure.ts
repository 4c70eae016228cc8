// Whole processes and what they used; medians over pairs, because machines drift and ratios do not.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { median } from './cost/median.ts'
import { SCRIPTS } from './cost/scripts.ts'
import type { ServedRequest } from './cost/rate-use.ts'

export interface Report {
  readonly wall_s: number
  readonly cpu_s: number
  readonly peak_mib: number
  readonly delay_p99_ms: number
}

interface How {
  /** For Node. */
  readonly flags?: readonly string[]
  /** What it may end with. */
  readonly codes?: readonly number[]
}

export function startScript(folder: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Runs a script of Node's to its end. Throws with what it printed where it did not end as it may. */
export async function measured(
  folder: string,
  args: readonly string[],
  { flags = [], codes = [0] }: How = {},
): Promise<Report> {
  const child = startScript(folder, [...flags, '--require', SCRIPTS.report, ...args])
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number]
  if (!codes.includes(code)) throw new Error(`${args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
  return JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Report
}

type Work = () => Promise<Report>

export interface Compared {
  readonly own: Report
  /** Each with the ratio of processor time: the median over the rounds. */
  readonly beside: readonly { readonly report: Report; readonly ratio: number }[]
}

/** Of each figure by itself. */
function medianReport(reports: readonly Report[]): Report {
  const of = (name: keyof Report): number => median(reports.map((report) => report[name]))
  return {
    wall_s: of('wall_s'),
    cpu_s: of('cpu_s'),
    peak_mib: of('peak_mib'),
    delay_p99_ms: of('delay_p99_ms'),
  }
}

/** One after the other, so many rounds. */
export async function compared(rounds: number, own: Work, others: readonly Work[]): Promise<Compared> {
  const ownReports: Report[] = []
  const otherReports = others.map((): Report[] => [])
  for (let round = 0; round < rounds; round += 1) {
    ownReports.push(await own())
    for (const [index, other] of others.entries()) otherReports[index]?.push(await other())
  }
  const ratioTo = (reports: readonly Report[]): number =>
    median(reports.map(({ cpu_s }, round) => (ownReports[round]?.cpu_s ?? NaN) / cpu_s))
  return {
    own: medianReport(ownReports),
    beside: otherReports.map((reports) => ({ report: medianReport(reports), ratio: ratioTo(reports) })),
  }
}

export interface Server {
  readonly url: string
  requests(): Promise<readonly ServedRequest[]>
  /** Resolves when so many requests have come. */
  after(count: number): Promise<void>
  end(): void
}

export async function startService(latencyMs = 0, connections: 'kept' | 'cold' = 'kept'): Promise<Server> {
  const script = resolve(import.meta.dirname, 'service.ts')
  const child = spawn(process.execPath, [script, String(latencyMs), connections], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { base_url: url } = JSON.parse(line.toString()) as { base_url: string }
  return {
    url,
    requests: async () => (await (await fetch(`${url}/requests`)).json()) as readonly ServedRequest[],
    after: async (count) => {
      await (await fetch(`${url}/after/${count}`)).text()
    },
    end: () => child.kill('SIGTERM'),
  }
}
