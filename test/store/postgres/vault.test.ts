// OAuth tokens at a server: one turn at a time, over all machines, and carried along when a state is moved.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { moveState } from '../../../src/store/moving/move.ts'
import { openState } from '../../../src/store/state-store.ts'
import { createTokenVault } from '../../../src/store/tokens.ts'
import { systemClock } from '../../../src/system.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

describe.skipIf(POSTGRES === undefined)('tokens at a server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vault-'))
  const turn = { clock: systemClock, signal: new AbortController().signal }
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
  }, 60_000)
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })
  const at = (schema: string) => ({ url: server.url, schema, path: join(folder, `${schema}.db`) })

  it('are kept where the work has succeeded, and seen by every other machine', async () => {
    const [one, other] = [createTokenVault(at('kept')), createTokenVault(at('kept'))]
    const seen: (string | undefined)[] = []
    await one.exclusive('crm', turn, ({ kept, keep }) => {
      seen.push(kept)
      keep('first')
      return Promise.resolve()
    })
    await expect(
      other.exclusive('crm', turn, ({ kept, keep }) => {
        seen.push(kept)
        keep('second')
        return Promise.reject(new Error('refused'))
      }),
    ).rejects.toThrow('refused')
    await one.exclusive('crm', turn, ({ kept }) => Promise.resolve(seen.push(kept)))
    expect(seen).toEqual([undefined, 'first', 'first'])
  })

  it('are renewed by one at a time', async () => {
    let active = 0
    const most: number[] = []
    const renew = () =>
      createTokenVault(at('turns')).exclusive('crm', turn, async ({ kept = '0', keep }) => {
        active += 1
        most.push(active)
        await systemClock.sleep(20)
        active -= 1
        keep(String(Number(kept) + 1))
        return kept
      })
    const given = await Promise.all([renew(), renew(), renew(), renew()])
    expect(Math.max(...most)).toBe(1)
    expect(given.toSorted()).toEqual(['0', '1', '2', '3'])
  })

  it('say what is wrong where the server cannot be reached, without its password', async () => {
    const away = { ...at('away'), url: 'postgres://ann:secret@127.0.0.1:1/db' }
    const error: unknown = await createTokenVault(away)
      .exclusive('crm', turn, () => Promise.resolve())
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'SOURCE_TOKENS' })
    expect(String(error)).not.toContain('secret')
  })

  it('go with a state that is moved, and come back with it', async () => {
    const file = join(folder, 'moved.db')
    await openState(file, { pid: 1, since: 0, thorough: false }).close()
    await createTokenVault(file).exclusive('crm', turn, ({ keep }) => Promise.resolve(keep('newest')))
    const mover = { pid: 1, now: Date.now(), confirm: () => Promise.resolve() }
    await moveState(file, at('moved'), mover)
    const vault = createTokenVault(at('moved'))
    const kept = await vault.exclusive('crm', turn, (token) => {
      token.keep('newer still')
      return Promise.resolve(token.kept)
    })
    expect(kept).toBe('newest')
    const back = join(folder, 'back.db')
    await moveState(at('moved'), back, mover)
    expect(await createTokenVault(back).exclusive('crm', turn, (token) => Promise.resolve(token.kept))).toBe(
      'newer still',
    )
  })

  it('a move whose process ended before the file was put aside leaves the file in force, and the copy refused', async () => {
    const file = join(folder, 'cut.db')
    await openState(file, { pid: 1, since: 0, thorough: false }).close()
    const target = { ...at('cut'), path: join(folder, 'cut-server.db') }
    // As it is between the copy and the moment at which the file gets its other name.
    await openState(target, { pid: 1, since: 0, thorough: false }).close()
    await server.query(`INSERT INTO ${target.schema}.meta VALUES ('moving', '1')`)
    expect(() => openState(target, { pid: 1, since: 0, thorough: false })).toThrow('is the copy of a move')
    await openState(file, { pid: 1, since: 0, thorough: false }).close()
    const mover = { pid: 1, now: Date.now(), confirm: () => Promise.resolve() }
    // The command again: the copy is made once more.
    expect(await moveState(file, target, mover)).toMatchObject({ isResumed: false })
    // As it is after the file has got its other name: the call concludes what is left.
    await server.query(`INSERT INTO ${target.schema}.meta VALUES ('moving', '1')`)
    expect(await moveState(file, target, mover)).toMatchObject({ isResumed: true })
    await openState(target, { pid: 1, since: 0, thorough: false }).close()
  })

  it('a text that a server cannot hold is found before anything is moved', async () => {
    const file = join(folder, 'nul.db')
    const state = openState(file, { pid: 1, since: 0, thorough: false })
    await state.rememberDue({ pipeline: 'shop\0', schedule: '* * * * *', doneUpTo: 1 })
    await state.close()
    const mover = { pid: 1, now: Date.now(), confirm: () => Promise.resolve() }
    await expect(moveState(file, at('nul'), mover)).rejects.toThrow('a text in the table due')
    await openState(file, { pid: 1, since: 0, thorough: false }).close()
  })
})
