// A process that moves a state, and says when it begins to copy and when it has ended.
import type { StateLocation } from '../../../src/core/state-place.ts'
import { moveState } from '../../../src/store/moving/move.ts'

const [from = '', to = ''] = process.argv.slice(2)
await moveState(JSON.parse(from) as StateLocation, JSON.parse(to) as StateLocation, {
  pid: process.pid,
  now: Date.now(),
  confirm() {
    process.send?.('begins')
    return Promise.resolve()
  },
})
process.send?.('moved')
process.disconnect()
