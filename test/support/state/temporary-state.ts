// The state for tests of runs: that on disk, in a database that leaves no trace; with TEST_STATE=memory that in memory; with
// TEST_STATE=server one at the PostgreSQL server of STATE_URL.
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openState, openTemporaryState } from '../../../src/store/state-store.ts'
import { memoryState, type TestState } from './memory-state.ts'

function stateAtServer(): TestState {
  const schema = `state_${randomUUID().replaceAll('-', '')}`
  const place = {
    url: process.env['STATE_URL'] ?? '',
    schema,
    path: join(tmpdir(), 'states-at-server', schema),
  }
  return openState(place, { pid: 1, since: 0, thorough: false })
}

export function temporaryState(): TestState {
  const where = process.env['TEST_STATE']
  if (where === 'server') return stateAtServer()
  return where === 'memory' ? memoryState() : openTemporaryState()
}
