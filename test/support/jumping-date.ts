// Loaded before the program (`node --import`): at SIGUSR2 its wall clock is set by as many milliseconds as the file
// `clock-offset` of its folder says. Timers and the monotonic clock go on as ever, as when a user sets a machine's clock.
import { readFileSync } from 'node:fs'

const Real = globalThis.Date
let offsetMs = 0

class JumpingDate extends Real {
  constructor(...given: [] | [number | string | Date]) {
    if (given.length === 0) super(Real.now() + offsetMs)
    else super(...(given as [number]))
  }

  static override now(): number {
    return Real.now() + offsetMs
  }
}

globalThis.Date = new Proxy(JumpingDate, {
  apply: () => new JumpingDate().toString(),
}) as unknown as DateConstructor
process.on('SIGUSR2', () => (offsetMs = Number(readFileSync('clock-offset', 'utf8'))))
