// The state on disk and that in memory keep to one contract.
import { openTemporaryState } from '../../src/store/state-store.ts'
import { roundsContract } from '../contracts/rounds.ts'
import { stateContract } from '../contracts/state.ts'
import { memoryState } from '../support/state/memory-state.ts'

stateContract('on disk', openTemporaryState)
stateContract('in memory', memoryState)
roundsContract('on disk', openTemporaryState)
roundsContract('in memory', memoryState)
