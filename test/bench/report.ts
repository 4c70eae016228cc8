// Preloaded into a measured process: writes to standard error, when it ends, what it used. It imports nothing, and is
// loaded without TypeScript (cost/scripts.ts), so that it adds next to nothing to what it measures.
const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks')
const { readFileSync } = process.getBuiltinModule('node:fs')

const RESOLUTION_MS = 5
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delay.enable()

/**
 * The peak of this process alone: what resourceUsage() tells on Linux begins with the size of the process that started
 * it.
 */
function peakKib(): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
  } catch {
    return process.resourceUsage().maxRSS
  }
}

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  const report = {
    wall_s: process.uptime(),
    cpu_s: (user + system) / 1e6,
    peak_mib: peakKib() / 1024,
    // The histogram holds the time between two ticks of a timer, its interval included.
    delay_p99_ms: Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS),
  }
  process.stderr.write(`\n${JSON.stringify(report)}\n`)
})
