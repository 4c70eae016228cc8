// One state under several names: lock and mark go by what a path leads to, and a file with several names is refused.
import { link, mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stateInfo, stateOwner } from '../../../src/store/info.ts'
import { isOwned } from '../../../src/store/file/lock.ts'
import { statePlace } from '../../../src/store/file/place.ts'
import { openState, openStateForReading } from '../../../src/store/state-store.ts'
import { people, testLine } from '../../support/line.ts'

let folder = ''
let real = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'place-'))
  await mkdir(join(folder, 'data'))
  real = join(folder, 'data', 'state.db')
})
afterEach(async () => rm(folder, { recursive: true }))

const owner = { pid: 4711, since: 0, thorough: false }
const make = async (): Promise<void> => openState(real, owner).close()

const ALIASES: readonly (readonly [name: string, make: () => Promise<string>])[] = [
  [
    'a symbolic link',
    async () => {
      await symlink(real, join(folder, 'alias.db'))
      return join(folder, 'alias.db')
    },
  ],
  [
    'a relative link to a link',
    async () => {
      await symlink('data/state.db', join(folder, 'one.db'))
      await symlink('one.db', join(folder, 'two.db'))
      return join(folder, 'two.db')
    },
  ],
  [
    'a link to its folder',
    async () => {
      await symlink(join(folder, 'data'), join(folder, 'elsewhere'))
      return join(folder, 'elsewhere', 'state.db')
    },
  ],
  ['a path with dots', async () => Promise.resolve(join(folder, 'data') + '/../data/./state.db')],
]

describe.each(ALIASES)('%s', (_, alias) => {
  it('has the same owner', async () => {
    await make()
    const name = await alias()
    expect(statePlace(name)).toBe(statePlace(real))
    for (const [first, second] of [
      [real, name],
      [name, real],
    ] as const) {
      const state = openState(first, owner)
      expect(() => openState(second, owner)).toThrow(expect.objectContaining({ code: 'STATE_LOCKED' }))
      expect([isOwned(second), stateOwner(second)?.pid]).toEqual([true, 4711])
      await state.close()
    }
  })

  it('has the same mark: an older copy is noticed by every name', async () => {
    await make()
    const name = await alias()
    const state = openState(name, owner)
    const line = testLine({ state })
    line.source.drop('a.csv', people(2))
    await line.run()
    await state.close()
    expect(await readdir(join(folder, 'data'))).toEqual(['state.db', 'state.db.lock', 'state.db.mark'])
    expect(await stateInfo(real, Date.now())).toMatchObject({
      isMarked: true,
      doubt: undefined,
      mark: { runs: 1 },
    })
    await rm(real)
    for (const gone of [real, ...(name.endsWith('data/./state.db') ? [name] : [])])
      expect(() => openState(gone, owner)).toThrow('does not exist, but its mark says that run 1')
  })
})

it('a folder is no state, and no matter of rights', () => {
  expect(() => openState(join(folder, 'data'), owner)).toThrow(/^the state .*data is a folder$/)
})

it('a state that is not there yet is owned once under two names of its folder', async () => {
  await symlink(join(folder, 'data'), join(folder, 'elsewhere'))
  const state = openState(join(folder, 'elsewhere', 'new', 'state.db'), owner)
  expect(() => openState(join(folder, 'data', 'new', 'state.db'), owner)).toThrow(
    expect.objectContaining({ code: 'STATE_LOCKED' }),
  )
  await state.close()
})

const refusals: readonly (readonly [string, () => Promise<string>, RegExp])[] = [
  [
    'a hard link',
    async () => {
      await make()
      await link(real, join(folder, 'alias.db'))
      return join(folder, 'alias.db')
    },
    /has 2 names \(hard links\)/,
  ],
  [
    'the file that a hard link was made of',
    async () => {
      await make()
      await link(real, join(folder, 'alias.db'))
      return real
    },
    /has 2 names \(hard links\)/,
  ],
  [
    'a link that leads nowhere',
    async () => {
      await symlink(real, join(folder, 'alias.db'))
      return join(folder, 'alias.db')
    },
    /is a link to a missing target/,
  ],
  [
    'a folder that is a link and leads nowhere',
    async () => {
      await symlink(join(folder, 'unmounted'), join(folder, 'elsewhere'))
      return join(folder, 'elsewhere', 'state.db')
    },
    /is a link to a missing target/,
  ],
]

it.each(refusals)('%s is refused, to write and to read', async (_, name, message) => {
  const path = await name()
  const before = await readdir(folder, { recursive: true })
  for (const use of [() => openState(path, owner), () => openStateForReading(path), () => isOwned(path)]) {
    expect(use).toThrow(message)
    expect(use).toThrow(expect.objectContaining({ code: 'STATE_UNUSABLE' }))
  }
  expect(await readdir(folder, { recursive: true })).toEqual(before)
})

it('a mark that an older version left beside a link is taken over once', async () => {
  const state = openState(real, owner)
  const line = testLine({ state })
  line.source.drop('a.csv', people(2))
  await line.run()
  await state.close()
  const alias = join(folder, 'alias.db')
  await symlink(real, alias)
  await rename(`${real}.mark`, `${alias}.mark`)
  await openState(alias, owner).close()
  expect(await readdir(folder)).not.toContain('alias.db.mark')
  expect(await readdir(join(folder, 'data'))).toContain('state.db.mark')
  await openState(real, owner).close()
})
