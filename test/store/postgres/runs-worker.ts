// A process that works with a state at a server, and begins and ends so many runs of its own.
import { noCounts } from '../../../src/core/outcome/summary.ts'
import type { ServerPlace } from '../../../src/core/state-place.ts'
import { openState } from '../../../src/store/state-store.ts'

const END = { counts: noCounts(), error: undefined, code: undefined, drift: 0, files: 0, refused: 0 }

const [place = '', runs = ''] = process.argv.slice(2)
const state = openState(JSON.parse(place) as ServerPlace, { pid: process.pid, since: 0, thorough: false })
process.send?.('joined')
process.once('message', () => {
  void (async () => {
    for (let run = 0; run < Number(runs); run += 1) {
      const id = `${process.pid}-${run}`
      await state.beginRun({ id, pipeline: 'shop', startedAt: run, configHash: 'c' })
      await state.endRun(id, { ...END, status: 'ok', endedAt: run + 1 })
    }
    await state.close()
    process.disconnect()
  })()
})
