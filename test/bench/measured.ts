// Runs one thing in a process of its own and tells, on standard error, what it took:
// `plain FILE` parses a CSV file and does nothing with it; anything else is a command line of the program.
import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'
import { runCommandLine } from '../../src/cli/program.ts'

async function plainParse(file: string): Promise<number> {
  let rows = 0
  for await (const row of createReadStream(file).pipe(parse()) as AsyncIterable<string[]>)
    rows += row.length > 0 ? 1 : 0
  return rows
}

async function work(args: readonly string[]): Promise<number> {
  if (args[0] === 'plain') return (await plainParse(args[1] ?? '')) > 0 ? 0 : 1
  return runCommandLine(args, {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    pid: process.pid,
    isTerminal: false,
    signal: new AbortController().signal,
  })
}

const started = performance.now()
process.exitCode = await work(process.argv.slice(2))
const { user, system } = process.cpuUsage()
const report = {
  wall_s: (performance.now() - started) / 1000,
  cpu_s: (user + system) / 1e6,
  peak_mib: process.resourceUsage().maxRSS / 1024,
}
process.stderr.write(`\n${JSON.stringify(report)}\n`)
