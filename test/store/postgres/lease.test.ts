// One process at a time writes the state at a server, however the one before it ended.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SyncError } from '../../../src/core/words/errors.ts'
import { openServerState } from '../../../src/store/state-store.ts'
import { systemClock } from '../../../src/system.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

const LEASE_MS = 1000

describe.skipIf(POSTGRES === undefined)('the lease of a state at a server', () => {
  let server: PostgresServer
  let schema: string
  let schemas = 0
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
  }, 60_000)
  const folder = mkdtempSync(join(tmpdir(), 'leases-'))
  const placeOf = (url: string, name: string) => ({ url, schema: name, path: join(folder, name) })
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })
  beforeEach(() => {
    schemas += 1
    schema = `lease_${schemas}`
  })

  const open = (pid: number) =>
    openServerState(placeOf(server.url, schema), { pid, since: 0, leaseMs: LEASE_MS })

  function refusal(work: () => unknown): SyncError {
    try {
      work()
    } catch (error) {
      if (error instanceof SyncError) return error
      throw error
    }
    throw new Error('it was not refused')
  }

  async function untilOpen(pid: number) {
    for (;;)
      try {
        return open(pid)
      } catch {
        await systemClock.sleep(20)
      }
  }

  const begin = (state: ReturnType<typeof open>, id: string) =>
    state.beginRun({ id, pipeline: 'shop', startedAt: 1, configHash: 'c' })

  it('is of one process, which a second one is told of; the next takes it once that has closed', async () => {
    const first = open(1)
    const error = refusal(() => open(2))
    expect(error.code).toBe('STATE_LOCKED')
    expect(error.message).toBe(
      `another process holds the state ${schema} at localhost (process 1 on ${hostname()}, since 1970-01-01T00:00:00.000Z)`,
    )
    await first.close()
    const second = open(2)
    await begin(second, 'r1')
    await second.close()
  })

  it('lasts while its holder stands still for longer than it would without being renewed', async () => {
    const first = open(1)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * LEASE_MS)
    expect(refusal(() => open(2)).code).toBe('STATE_LOCKED')
    await begin(first, 'r1')
    await first.close()
  })

  it('ends by itself when its holder was killed, and not before', async () => {
    const holder = fork(new URL('./lease-holder.ts', import.meta.url), [
      JSON.stringify(placeOf(server.url, schema)),
      String(LEASE_MS),
    ])
    await once(holder, 'message')
    expect(refusal(() => open(2)).code).toBe('STATE_LOCKED')
    holder.kill('SIGKILL')
    const next = await untilOpen(2)
    await begin(next, 'r1')
    await next.close()
  })

  it('lets one that was taken over write nothing more, and says so once and for all', async () => {
    const first = open(1)
    await begin(first, 'r1')
    await server.query(`UPDATE ${schema}.lease SET fence = fence + 1`)
    for (const id of ['r2', 'r3'])
      await expect(begin(first, id)).rejects.toMatchObject({
        code: 'STATE_LOCKED',
        message: expect.stringContaining('was taken over by another process') as string,
      })
    expect(await server.query(`SELECT id FROM ${schema}.run`)).toEqual([{ id: 'r1' }])
    await first.close()
  })

  it('reports a server that has gone as STATE_IO, without the password', () => {
    const error = refusal(() =>
      openServerState(placeOf('postgres://ann:secret@127.0.0.1:1/db', 'contact_sync'), { pid: 1, since: 0 }),
    )
    expect(error.code).toBe('STATE_IO')
    expect(error.message).toMatch(/^the state contact_sync at 127\.0\.0\.1:1 cannot be reached/)
    expect(`${error.message}${String(error.stack)}`).not.toContain('secret')
  })

  it('reports a database that is not there as STATE_UNUSABLE, with what to check', () => {
    const error = refusal(() =>
      openServerState(placeOf(server.url.replace('/postgres?', '/nowhere?'), 'contact_sync'), {
        pid: 1,
        since: 0,
      }),
    )
    expect(error).toMatchObject({
      code: 'STATE_UNUSABLE',
      hint: expect.stringContaining('state.url') as string,
    })
  })
})
