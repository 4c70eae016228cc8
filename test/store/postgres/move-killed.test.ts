// A move whose process is killed, at many moments: never are both places in force, nothing is lost, and the call again completes it.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AUDIT_START } from '../../../src/core/log/audit-chain.ts'
import type { StateLocation } from '../../../src/core/state-place.ts'
import { SyncError } from '../../../src/core/words/errors.ts'
import { moveState } from '../../../src/store/moving/move.ts'
import { openState, openStateForReading } from '../../../src/store/state-store.ts'
import { systemClock } from '../../../src/system.ts'
import { people, testLine } from '../../support/line.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

const PEOPLE = 200
/** Of so many moments between the first row and the end, and some after it. */
const KILLS = 3
const OWNER = { pid: 1, since: 0, thorough: false }

describe.skipIf(POSTGRES === undefined)('a move whose process is killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'move-'))
  let server: PostgresServer
  let places = 0
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
  }, 60_000)
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  const inFile = (): StateLocation => join(folder, `${(places += 1)}.db`)
  function atServer(): StateLocation {
    const schema = `moved_${(places += 1)}`
    return { url: server.url, schema, path: join(folder, `${schema}.db`) }
  }

  async function makeState(where: StateLocation): Promise<void> {
    const state = openState(where, OWNER)
    const line = testLine({ state })
    line.source.drop('1.csv', people(PEOPLE))
    expect(await line.run()).toMatchObject({ created: PEOPLE })
    await state.close()
  }

  const startMove = (from: StateLocation, to: StateLocation): ChildProcess =>
    fork(
      new URL('./mover.ts', import.meta.url),
      [from, to].map((where) => JSON.stringify(where)),
    )

  /** As after the time of its lease. */
  async function forgetWorker(...all: readonly StateLocation[]): Promise<void> {
    for (const where of all)
      if (typeof where !== 'string')
        await server.query(`DELETE FROM ${String(where.schema)}.worker`).catch(() => undefined)
  }

  /** Whether it is the state that runs go on with. */
  async function isInForce(where: StateLocation): Promise<boolean> {
    try {
      const state = openStateForReading(where)
      const { linked } = (await state?.backlog('shop')) ?? { linked: 0 }
      await state?.close()
      return linked > 0
    } catch (error) {
      if (error instanceof SyncError && error.code === 'STATE_UNUSABLE') return false
      throw error
    }
  }

  async function assertWhole(where: StateLocation): Promise<void> {
    const state = openState(where, OWNER)
    expect(await state.backlog('shop')).toMatchObject({ linked: PEOPLE, inDoubt: 0 })
    const { done, bad } = await state.checkLog({ seq: 0, hash: AUDIT_START }, 10_000)
    expect([done, bad]).toEqual([true, undefined])
    await state.close()
  }

  /** Milliseconds from the first row to the end of a move that nothing disturbs. */
  async function lengthOf(from: StateLocation, to: StateLocation): Promise<number> {
    await makeState(from)
    const moving = startMove(from, to)
    await once(moving, 'message')
    const began = systemClock.monotonic()
    const ended = once(moving, 'exit')
    await once(moving, 'message')
    const took = systemClock.monotonic() - began
    await ended
    await assertWhole(to)
    expect(await isInForce(from)).toBe(false)
    return took
  }

  it.each([
    ['from a file to a server', inFile, atServer],
    ['from a server to a file', atServer, inFile],
  ] as const)('%s', { timeout: 180_000 }, async (_, source, target) => {
    const tookMs = await lengthOf(source(), target())
    const left = { source: 0, neither: 0, target: 0 }
    for (let kill = 0; kill < KILLS; kill += 1) {
      const [from, to] = [source(), target()]
      await makeState(from)
      const moving = startMove(from, to)
      await once(moving, 'message')
      const ended = once(moving, 'exit')
      await systemClock.sleep((tookMs * kill) / (KILLS - 1))
      moving.kill('SIGKILL')
      await ended
      await forgetWorker(from, to)
      const [isSource, isTarget] = [await isInForce(from), await isInForce(to)]
      expect(isSource && isTarget).toBe(false)
      left[isSource ? 'source' : isTarget ? 'target' : 'neither'] += 1
      if (!isTarget) await moveState(from, to, { pid: 1, now: 0, confirm: () => Promise.resolve() })
      await assertWhole(to)
      expect(await isInForce(from)).toBe(false)
    }
    // One that is killed at once has moved nothing.
    expect(left.source).toBeGreaterThan(0)
  })
})
