// The state at a PostgreSQL server keeps to the contract of the others, where such a server can be had.
import { afterAll, beforeAll, describe } from 'vitest'
import type { StateStore } from '../../../src/core/state-store.ts'
import { openServerState } from '../../../src/store/state-store.ts'
import { roundsContract } from '../../contracts/rounds.ts'
import { stateContract } from '../../contracts/state.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

describe.skipIf(POSTGRES === undefined)('a state at a server', () => {
  let server: PostgresServer
  let states = 0
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
  }, 60_000)
  afterAll(async () => server.stop())

  const open = (): StateStore => {
    states += 1
    return openServerState(server.url, `state_${states}`)
  }
  stateContract('at a server', open)
  roundsContract('at a server', open)
})
