// Sessions in memory keep to the contract of all of them.
import { createMemorySessions } from '../../../src/store/sessions/memory-sessions.ts'
import { sessionsContract } from '../../contracts/sessions.ts'
import { testClock } from '../../support/clock.ts'

sessionsContract('in memory', () => {
  const clock = testClock()
  const store = createMemorySessions(clock)
  return Promise.resolve({
    one: store,
    other: store,
    pass: (ms) => Promise.resolve(clock.advance(ms)),
    close: () => store.close(),
  })
})
