// What ends a run before its time: calls that would be sent again, and whatever it waits for, end with it.
import { expect, it } from 'vitest'
import { limitRun } from '../../../src/app/run/run-limits.ts'
import { createCircuit } from '../../../src/core/outcome/circuit.ts'
import { createFakeClock } from '../../service/fake-clock.ts'
import { GUARDS } from '../../support/pipeline.ts'

function limited(maxDurationMs?: number) {
  const [clock, circuit, halting] = [createFakeClock(), createCircuit(GUARDS), new AbortController()]
  const never = new AbortController().signal
  const { signal, done } = limitRun(
    { max_duration: maxDurationMs },
    { clock, circuit, ending: never, trouble: never, halting: halting.signal, cut: () => undefined },
  )
  return { clock, circuit, halting, signal, done }
}

it('a pause ends what is waited for, a further attempt of a call included', () => {
  const { circuit, halting, signal } = limited()
  expect(signal.aborted).toBe(false)
  const stopAtEnd: unknown[] = []
  signal.addEventListener('abort', () => stopAtEnd.push(circuit.stop))
  halting.abort('the pipeline was paused')
  expect(stopAtEnd).toEqual([{ code: 'PAUSED', message: 'the pipeline was paused' }])
})

it('so does max_duration', async () => {
  const { clock, circuit, signal } = limited(1000)
  await clock.advance(1000)
  expect(signal.aborted).toBe(true)
  expect(circuit.stop).toMatchObject({ code: 'MAX_DURATION' })
})

it('a pause that comes after the end of a run does nothing', () => {
  const { circuit, halting, done, signal } = limited()
  done()
  halting.abort('the pipeline was paused')
  expect({ isAborted: signal.aborted, stop: circuit.stop }).toEqual({ isAborted: false, stop: undefined })
})
