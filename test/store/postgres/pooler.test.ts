// The way to the server leads through pgbouncer.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openState, openStateForReading } from '../../../src/store/state-store.ts'
import { people, testLine } from '../../support/line.ts'
import { hasPgbouncer, type Pooler, startPgbouncer } from '../../support/pgbouncer.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

const OWNER = { pid: 1, since: 0, thorough: false }

describe.skipIf(POSTGRES === undefined || !hasPgbouncer)('a state through pgbouncer', () => {
  let folder: string
  let server: PostgresServer
  let pooler: Pooler | undefined
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pooler-'))
    server = await startPostgres(POSTGRES ?? '')
  }, 60_000)
  afterEach(async () => {
    await pooler?.stop()
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  async function placeBehind(mode: 'session' | 'transaction') {
    pooler = await startPgbouncer(server.url, mode)
    return { url: pooler.url, schema: 'contact_sync', path: join(folder, 'state.db') }
  }

  it('in session mode is used by several workers as without it', { timeout: 60_000 }, async () => {
    const place = await placeBehind('session')
    const [state, beside] = [openState(place, OWNER), openState(place, { ...OWNER, pid: 2 })]
    const line = testLine({ state })
    line.source.drop('1.csv', people(20))
    expect(await line.run()).toMatchObject({ created: 20 })
    expect(await beside.backlog('shop')).toMatchObject({ linked: 20, inDoubt: 0 })
    await beside.close()
    await state.close()
    const after = openStateForReading(place)
    expect(await after?.backlog('shop')).toMatchObject({ linked: 20 })
    await after?.close()
  })

  it('in transaction mode is refused before anything is written', { timeout: 60_000 }, async () => {
    const place = await placeBehind('transaction')
    const refusal = expect.objectContaining({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining('a pooler that hands out another session') as string,
    }) as Error
    expect(() => openState(place, OWNER)).toThrow(refusal)
    expect(() => openStateForReading(place)).toThrow(refusal)
    expect(await server.query("SELECT 1 FROM pg_namespace WHERE nspname = 'contact_sync'")).toEqual([])
  })
})
