// A disk that is full or fails under the state, at points spread over a run: the run ends there with a sentence, sends
// nothing more, and the next one ends as if nothing had been. DISK_POINTS=40 asks at many points (npm run test:slow at 8).
import { describe, expect, it } from 'vitest'
import { type AfterFailure, callsOfWholeRun, type DiskFault, runOnFailingDisk } from '../processes/disk.ts'
import { NO_STRACE, straceWorks } from '../processes/strace.ts'

const POINTS = Number(process.env['DISK_POINTS'] ?? 2)

if (!straceWorks) console.warn(`disk.test.ts: ${NO_STRACE}`)

const whole = straceWorks ? await callsOfWholeRun() : undefined
const right = straceWorks ? await runOnFailingDisk() : undefined

const FAULTS: readonly DiskFault[] = [
  { calls: 'pwrite64', error: 'ENOSPC', lasts: true },
  { calls: 'pwrite64', error: 'EIO', lasts: false },
  { calls: 'fsync,fdatasync', error: 'EIO', lasts: false },
]

const points = FAULTS.flatMap((fault) =>
  Array.from({ length: POINTS }, (_, index) => {
    const nth = Math.ceil((((whole?.[fault.calls] ?? 0) + 1) * (index + 0.5)) / POINTS)
    return { ...fault, nth }
  }),
)

/** A failure that comes when all is done, or that SQLite itself does not mind, may leave the run's own exit code. */
function judge({ ended, met, damage, there, atOnce, ...later }: AfterFailure, measure: AfterFailure): void {
  expect(met, 'the call was never made').toBeDefined()
  expect({ damage, there }, met).toEqual({ damage: [], there: measure.there })
  if (ended.code === measure.ended.code && (later.requestsLater === 0 || HARMLESS.test(met ?? '')))
    return expect(atOnce, met).toEqual(measure.there)
  expect({ code: ended.code, unjournalled: later.unjournalled }, met).toEqual({ code: 1, unjournalled: [] })
  expect(ended.stderr, met).toMatch(/^STATE_(?:FULL|IO|UNUSABLE): /)
  expect(ended.stderr, met).not.toMatch(/\n +at /)
}

/**
 * What no change rests on. A folder that cannot be flushed: some systems cannot do that at all. The window of the rate
 * limit: where it cannot be written, the process counts by itself.
 */
const HARMLESS = /^\d+ +(?:fsync\(\d+<[^>]*\/state>\)|\w+\(\d+<[^>]*\.window(?:-\w+)?>)/

describe.skipIf(!straceWorks)(
  'a disk that fails under the state',
  { concurrent: true, timeout: 60_000 },
  () => {
    it('is measured by a run on a sound one', () => {
      expect(right?.ended.code).toBe(3)
      expect(right?.there.contacts).toHaveLength(7)
      expect(right?.there.files.processed).toHaveLength(2)
    })

    it.each(points)('$error at call $nth of $calls', async ({ nth, ...fault }) =>
      judge(await runOnFailingDisk(fault, nth), right ?? expect.fail('there is no measure')),
    )
  },
)
