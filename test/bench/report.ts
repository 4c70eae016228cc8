// Preloaded into a measured process: tells on standard error, when it ends, what it took.
process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  const report = {
    wall_s: process.uptime(),
    cpu_s: (user + system) / 1e6,
    peak_mib: process.resourceUsage().maxRSS / 1024,
  }
  process.stderr.write(`\n${JSON.stringify(report)}\n`)
})
