// A process that works with a state at a server until it is killed.
import type { ServerPlace } from '../../../src/core/state-place.ts'
import { openState } from '../../../src/store/state-store.ts'

const [place = '', leaseMs = '', pipelines = '[]'] = process.argv.slice(2)
const state = openState(JSON.parse(place) as ServerPlace, {
  pid: process.pid,
  since: 0,
  thorough: false,
  leaseMs: Number(leaseMs),
})
await state.fleet?.take(JSON.parse(pipelines) as string[], 1)
process.send?.('joined')
process.on('message', () => undefined)
