// The state for tests of runs: that on disk, in a database that leaves no trace; with TEST_STATE=memory that in memory; with
// TEST_STATE=server one at the PostgreSQL server of STATE_URL; with TEST_STATE=inside one at such a server in this process.
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { StateStore } from '../../../src/core/state-store.ts'
import type { OpenChannel } from '../../../src/store/postgres/channel.ts'
import { openState, openTemporaryState } from '../../../src/store/state-store.ts'
import { memoryState, type TestState } from './memory-state.ts'

const inside =
  process.env['TEST_STATE'] === 'inside'
    ? await import('./inside.ts').then((it) => it.openInside())
    : undefined

function stateAtServer(channel?: OpenChannel): StateStore {
  const schema = `state_${randomUUID().replaceAll('-', '')}`
  const place = {
    url: process.env['STATE_URL'] ?? 'postgres://localhost/inside',
    schema,
    path: join(tmpdir(), 'states-at-server', schema),
  }
  const state = openState(place, { pid: 1, since: 0, thorough: false, channel })
  // A process that a test lets die leaves its state open: without this, the server would have no connection left.
  if (channel === undefined) onTestFinished(() => state.close())
  return state
}

const where = process.env['TEST_STATE']

/** For tests of what the state in memory does not do. */
export const realState = (): StateStore =>
  where === 'server' || where === 'inside' ? stateAtServer(inside) : openTemporaryState()

export const temporaryState = (): TestState => (where === 'memory' ? memoryState() : realState())
