// The state for tests of runs: that on disk, in a database that leaves no trace, or, with TEST_STATE=memory, that in memory.
import { openTemporaryState } from '../../../src/store/state-store.ts'
import { memoryState, type TestState } from './memory-state.ts'

export const temporaryState = (): TestState =>
  process.env['TEST_STATE'] === 'memory' ? memoryState() : openTemporaryState()
