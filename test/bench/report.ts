// Preloaded into a measured process: tells on standard error, when it ends, what it took.
import { monitorEventLoopDelay } from 'node:perf_hooks'

const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  const report = {
    wall_s: process.uptime(),
    cpu_s: (user + system) / 1e6,
    peak_mib: process.resourceUsage().maxRSS / 1024,
    delay_p99_ms: delay.percentile(99) / 1e6,
  }
  process.stderr.write(`\n${JSON.stringify(report)}\n`)
})
