// A user of the database with no more rights than the manual asks for (state/SERVER.md).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AUDIT_START } from '../../../src/core/log/audit-chain.ts'
import { planEntry } from '../../../src/core/log/other-entries.ts'
import { connectToServer } from '../../../src/store/postgres/connection.ts'
import { openState, openStateForReading } from '../../../src/store/state-store.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

describe.skipIf(POSTGRES === undefined)('a user of the database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rights-'))
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
    await server.query('REVOKE ALL ON DATABASE postgres FROM PUBLIC; REVOKE ALL ON SCHEMA public FROM PUBLIC')
    for (const role of ['owner', 'stranger'])
      await server.query(
        `CREATE ROLE ${role} LOGIN; GRANT CONNECT, TEMPORARY ON DATABASE postgres TO ${role}`,
      )
    await server.query('CREATE SCHEMA given AUTHORIZATION owner')
  }, 60_000)
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })
  const place = (role: string, schema: string) => ({
    url: server.url.replace('sync@', `${role}@`),
    schema,
    path: join(folder, `${role}-${schema}`),
  })
  const owner = { pid: 1, since: 0, thorough: true }
  const joining = { name: 'w', machine: 'm', pid: 1, since: 0, leaseMs: 15_000, alone: false }

  it('who owns the schema and may connect needs nothing else', async () => {
    const state = openState(place('owner', 'given'), owner)
    const about = { at: 0, runId: 'r', pipeline: 'shop', configHash: '' }
    await state.note(planEntry({ action: 'reload', reason: 'by a word' }, about))
    expect(await state.checkLog({ seq: 0, hash: AUDIT_START }, 100)).toMatchObject({
      done: true,
      to: { seq: 1 },
    })
    const reader = openStateForReading(place('owner', 'given'))
    expect(await reader?.logHead()).toMatchObject({ entries: 1 })
    await reader?.close()
    await state.close()
    // As an erasure does, and a first push.
    const db = connectToServer(place('owner', 'given'), joining)
    db.rewrite()
    db.exec('ANALYZE audit')
    db.close()
  })

  it.each([
    ['has no schema, and may make none', 'owner', 'other'],
    ['may not read the schema of another one', 'stranger', 'given'],
  ])('who %s is refused, with what to check', (_, role, schema) => {
    expect(() => openState(place(role, schema), owner)).toThrow(
      expect.objectContaining({
        code: 'STATE_UNUSABLE',
        hint: expect.stringContaining(
          'must own the schema of the state, or be allowed to create it',
        ) as string,
      }),
    )
  })
})
