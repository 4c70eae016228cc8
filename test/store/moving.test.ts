// A move that ends before its last step: the call again completes it, and the state opens.
import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs'
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
