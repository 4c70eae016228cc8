// The state at a PostgreSQL server keeps to the contract of the others, where such a server can be had.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import type { StateStore } from '../../../src/core/state-store.ts'
import type { OpenChannel } from '../../../src/store/postgres/channel.ts'
import { createSharedChannels } from '../../../src/store/postgres/shared-channels.ts'
import { openState } from '../../../src/store/state-store.ts'
import { roundsContract } from '../../contracts/rounds.ts'
import { stateContract } from '../../contracts/state.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

const shared = createSharedChannels(1).open

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

  const open = (channel?: OpenChannel): StateStore => {
    states += 1
    const place = { url: server.url, schema: `state_${states}`, path: join(folder, `state_${states}`) }
    return openState(place, { pid: 1, since: 0, thorough: false, channel })
  }
  stateContract('at a server, over one connection for all', () => open(shared))
  roundsContract('at a server', () => open())
})
