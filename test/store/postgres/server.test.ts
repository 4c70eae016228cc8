// The state at a PostgreSQL server keeps to the contract of the others, where such a server can be had.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import type { StateStore } from '../../../src/core/state-store.ts'
import { openState } from '../../../src/store/state-store.ts'
import { roundsContract } from '../../contracts/rounds.ts'
import { stateContract } from '../../contracts/state.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

describe.skipIf(POSTGRES === undefined)('a state at a server', () => {
  let server: PostgresServer
  let states = 0
  const folder = mkdtempSync(join(tmpdir(), 'states-'))
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
  }, 60_000)
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  const open = (): StateStore => {
    states += 1
    const place = { url: server.url, schema: `state_${states}`, path: join(folder, `state_${states}`) }
    return openState(place, { pid: 1, since: 0, thorough: false })
  }
  stateContract('at a server', open)
  roundsContract('at a server', open)
})
