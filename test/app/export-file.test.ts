// What an operator asked to have as a file: whole, for its owner alone, never through a file that another user prepared.
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { writeText } from '../../src/app/audit-files.ts'
import { backupState } from '../../src/store/file/backup.ts'
import { openState } from '../../src/store/state-store.ts'

let folder = ''
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'export-'))))
afterEach(async () => rm(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)
const mode = async (name: string): Promise<number> => (await stat(at(name))).mode & 0o777

it('a new file is for its owner alone', async () => {
  expect(await writeText(at('a.csv'), ['one', 'two'])).toEqual({ replaced: false })
  expect([await readFile(at('a.csv'), 'utf8'), await mode('a.csv')]).toEqual(['onetwo', 0o600])
  expect(await readdir(folder)).toEqual(['a.csv'])
})

it('a file that is there is replaced, which is said, and its rights are not taken over', async () => {
  await writeFile(at('a.csv'), 'old')
  await chmod(at('a.csv'), 0o666)
  expect(await writeText(at('a.csv'), ['new'])).toEqual({ replaced: true })
  expect([await readFile(at('a.csv'), 'utf8'), await mode('a.csv')]).toEqual(['new', 0o600])
})

it('a link is replaced, and not followed', async () => {
  await writeFile(at('precious.txt'), 'precious')
  await symlink(at('precious.txt'), at('a.csv'))
  expect(await writeText(at('a.csv'), ['new'])).toEqual({ replaced: true })
  expect(await readFile(at('precious.txt'), 'utf8')).toBe('precious')
})

it('what ends half-way leaves the old file, and nothing else', async () => {
  await writeFile(at('a.csv'), 'old')
  function* half(): Generator<string> {
    yield 'half'
    throw new Error('the end')
  }
  await expect(writeText(at('a.csv'), half())).rejects.toThrow('the end')
  expect([await readdir(folder), await readFile(at('a.csv'), 'utf8')]).toEqual([['a.csv'], 'old'])
})

it.each([
  ['nowhere/a.csv', 'ENOENT'],
  ['', 'EISDIR'],
])('"%s" cannot be written (%s)', async (name, code) => {
  await expect(writeText(name === '' ? folder : at(name), ['new'])).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(
      new RegExp(`cannot be written \\((${code}|EXDEV|EBUSY|ENOTEMPTY)\\)`),
    ) as string,
  })
})

it.each([
  ['a file', async () => writeFile(at('copy.db.part'), 'of somebody else')],
  ['a link', async () => symlink(at('precious.txt'), at('copy.db.part'))],
  ['a link that leads nowhere', async () => symlink(at('nowhere'), at('copy.db.part'))],
])('a backup uses no .part that is there already: %s', async (_, prepare) => {
  await writeFile(at('precious.txt'), 'precious')
  await openState(at('state.db'), { pid: 1, since: 0, thorough: false }).close()
  await prepare()
  const before = await readdir(folder)
  const backup = () =>
    backupState(at('state.db'), at('copy.db'), { at: 0, signal: new AbortController().signal })
  await expect(backup()).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('copy.db.part exists already') as string,
  })
  expect(await readdir(folder)).toEqual(before)
  expect(await readFile(at('precious.txt'), 'utf8')).toBe('precious')
  await rm(at('copy.db.part'))
  await backup()
  expect([await mode('copy.db'), (await readdir(folder)).includes('copy.db.part')]).toEqual([0o600, false])
})

it('a backup replaces no link that leads nowhere', async () => {
  await openState(at('state.db'), { pid: 1, since: 0, thorough: false }).close()
  await symlink(at('nowhere'), at('copy.db'))
  await expect(
    backupState(at('state.db'), at('copy.db'), { at: 0, signal: new AbortController().signal }),
  ).rejects.toThrow('exists already')
})
