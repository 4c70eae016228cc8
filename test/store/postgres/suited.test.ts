// Servers that a state cannot be kept at are refused before anything is written, with what to do.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectToServer, readFromServer } from '../../../src/store/postgres/connection.ts'
import { faultOfServer } from '../../../src/store/postgres/suited.ts'
import { openState, openStateForReading } from '../../../src/store/state-store.ts'
import { POSTGRES, type ReplicatedServer, startReplicated, untilUp } from '../../support/postgres-server.ts'

const OWNER = { pid: 1, since: 0, thorough: false }
const SUITED = { version: '15.8 (Debian 15.8-0+deb12u1)', encoding: 'UTF8', commit: 'on' }

it.each([
  [SUITED, undefined],
  [{ ...SUITED, version: '18.1', commit: 'remote_apply' }, undefined],
  [{ ...SUITED, version: '14.13' }, 'is at PostgreSQL 14.13, and needs 15 or newer'],
  [{ ...SUITED, version: '9.6.24' }, 'is at PostgreSQL 9.6.24, and needs 15 or newer'],
  [{ ...SUITED, encoding: 'SQL_ASCII' }, 'is in a database with the encoding SQL_ASCII'],
  [{ ...SUITED, commit: 'local' }, 'is not durable: synchronous_commit is local'],
])('a server with %o', (settings, fault) => {
  const found = faultOfServer(settings)?.text
  if (fault === undefined) expect(found).toBeUndefined()
  else expect(found).toContain(fault)
})

describe.skipIf(POSTGRES === undefined)('a server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'suited-'))
  let server: ReplicatedServer
  beforeAll(async () => {
    server = await startReplicated(POSTGRES ?? '')
  }, 60_000)
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  const placeAt = (url: string) => ({ url, schema: 'contact_sync', path: join(folder, 'state.db') })
  const refusal = (code: string, message: string): Error =>
    expect.objectContaining({ code, message: expect.stringContaining(message) as string }) as Error

  it('with a database for the characters of some languages is refused', async () => {
    await server.query(
      "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
    )
    const address = server.url.replace('/postgres?', '/latin?')
    expect(() => openState(placeAt(address), OWNER)).toThrow(refusal('STATE_UNUSABLE', 'the encoding LATIN1'))
    expect(openStateForReading(placeAt(address))).toBeUndefined()
  })

  it('whose database limits the statements of other programs does not limit those of a state', async () => {
    await server.query('CREATE DATABASE limited')
    for (const limit of ['statement_timeout', 'lock_timeout', 'idle_session_timeout'])
      await server.query(`ALTER DATABASE limited SET ${limit} = 40`)
    const place = placeAt(server.url.replace('/postgres?', '/limited?'))
    const joining = { name: 'one', machine: 'here', pid: 1, since: 0, leaseMs: 15_000, alone: false }
    const db = connectToServer(place, joining)
    expect(db.prepare('SELECT pg_sleep(0.2)').all()).toHaveLength(1)
    expect(() => db.exec('SET statement_timeout = 40; SELECT pg_sleep(1)')).toThrow(
      refusal('STATE_IO', 'had a statement cancelled at its server (57014: '),
    )
    db.close()
    const reading = readFromServer(place)
    expect(reading?.prepare('SELECT pg_sleep(0.2)').all()).toHaveLength(1)
    reading?.close()
  })

  it('that is a replica is waited for, and can be read', async () => {
    const refused = refusal('STATE_IO', 'a server that only reads')
    expect(() => openState(placeAt(server.replica), OWNER)).toThrow(refused)
    await openState(placeAt(server.url), OWNER).close()
    expect(() => openState(placeAt(server.replica), OWNER)).toThrow(refused)
    // It has each commit, and shows it a moment later.
    await untilUp(async () => {
      const reading = openStateForReading(placeAt(server.replica))
      if (reading === undefined) throw new Error('the replica does not show it yet')
      expect(await reading.backlog('shop')).toMatchObject({ linked: 0 })
      await reading.close()
    })
  })
})
