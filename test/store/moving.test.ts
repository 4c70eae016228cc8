// A move that ends before its last step: the call again completes it, and the state opens.
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { moveState } from '../../src/store/moving/move.ts'
import { openState } from '../../src/store/state-store.ts'
import { people, testLine } from '../support/line.ts'

const OWNER = { pid: 1, since: 0, thorough: false }
const MOVER = { pid: 1, now: 0, confirm: () => Promise.resolve() }

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'moving-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

it('is not in force before its mark lies beside it', async () => {
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')]
  const before = openState(from, OWNER)
  const line = testLine({ state: before })
  line.source.drop('1.csv', people(3))
  expect(await line.run()).toMatchObject({ created: 3 })
  await before.close()

  // No file can take the place of a folder.
  mkdirSync(join(folder, 'to.db.mark', 'in the way'), { recursive: true })
  await expect(moveState(from, to, MOVER)).rejects.toThrow('EISDIR')
  rmdirSync(join(folder, 'to.db.mark', 'in the way'))
  rmdirSync(join(folder, 'to.db.mark'))
  expect(() => openState(to, OWNER)).toThrow('the copy of a move that was interrupted')

  expect(await moveState(from, to, MOVER)).toMatchObject({ isResumed: true })
  const after = openState(to, OWNER)
  expect(await after.backlog('shop')).toMatchObject({ linked: 3 })
  await after.close()
  // Who still names the former place is not led to a new state there.
  expect(() => openState(from, OWNER)).toThrow(
    expect.objectContaining({
      code: 'STATE_OLDER',
      message: expect.stringContaining('state move put it aside as from.db.moved-') as string,
      hint: expect.not.stringContaining('state accept') as string,
    }) as Error,
  )
})

it('says that it is complete, however often it is called again, also once the state was used', async () => {
  const [from, to] = [join(folder, 'twice.db'), join(folder, 'twice-to.db')]
  const before = openState(from, OWNER)
  const line = testLine({ state: before })
  line.source.drop('1.csv', people(3))
  expect(await line.run()).toMatchObject({ created: 3 })
  await before.close()
  expect(await moveState(from, to, MOVER)).toMatchObject({ isResumed: false })
  expect(await moveState(from, to, MOVER)).toMatchObject({ isResumed: true })

  const after = openState(to, OWNER)
  const next = testLine({ state: after, runs: 1 })
  next.source.drop('2.csv', people(5))
  expect(await next.run()).toMatchObject({ read: 5 })
  await after.close()
  const { mark } = await moveState(from, to, MOVER)
  const again = openState(to, OWNER)
  expect((await again.logHead()).entries).toBe(mark.entries)
  await again.close()

  // Another state is not taken for it, and nobody is told to remove it.
  const other = join(folder, 'twice-other.db')
  const state = openState(other, OWNER)
  const others = testLine({ state })
  others.source.drop('1.csv', people(1))
  await others.run()
  await state.close()
  await expect(moveState(from, other, MOVER)).rejects.toThrow(/is not empty/)
})

/** Copied, and not put aside: a folder has the name of the file. */
async function begunMove(name: string): Promise<readonly [from: string, to: string]> {
  const [from, to] = [join(folder, `${name}.db`), join(folder, `${name}-to.db`)]
  const before = openState(from, OWNER)
  const line = testLine({ state: before })
  line.source.drop('1.csv', people(3))
  expect(await line.run()).toMatchObject({ created: 3 })
  await before.close()
  const inTheWay = `${from}.moved-19700101T000000Z`
  mkdirSync(inTheWay)
  await expect(moveState(from, to, MOVER)).rejects.toThrow('EISDIR')
  rmdirSync(inTheWay)
  return [from, to]
}

it('does not put a copy in force that the former state has outgrown', async () => {
  const [from, to] = await begunMove('outgrown')
  const state = openState(from, OWNER)
  const line = testLine({ state, runs: 1 })
  line.source.drop('2.csv', people(5))
  expect(await line.run()).toMatchObject({ read: 5 })
  await state.close()
  for (const part of ['', '-wal', '-shm']) rmSync(`${from}${part}`, { force: true })

  await expect(moveState(from, to, MOVER)).rejects.toMatchObject({
    code: 'STATE_OLDER',
    message: expect.stringContaining('is older than its mark') as string,
  })
  expect(() => openState(to, OWNER)).toThrow('the copy of a move that was interrupted')
})

it('does not put a copy in force beside a state that has another name', async () => {
  const [from, to] = await begunMove('named')
  await expect(moveState(join(folder, 'wrong.db'), to, MOVER)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('there is no state') as string,
  })
  expect(() => openState(to, OWNER)).toThrow('the copy of a move that was interrupted')
  await openState(from, OWNER).close()
})

it('moves nothing where no state is', async () => {
  const nowhere = join(folder, 'nowhere.db')
  await expect(moveState(nowhere, join(folder, 'target.db'), MOVER)).rejects.toMatchObject({ code: 'USAGE' })
  expect([nowhere, join(folder, 'target.db')].filter((path) => existsSync(path))).toEqual([])
})
