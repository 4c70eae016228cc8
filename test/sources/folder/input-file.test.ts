// What becomes of an input that cannot be opened: whose fault it is decides where the file goes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type fsPromises from 'node:fs/promises'
import { lstat, open } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { getSystemErrorMap } from 'node:util'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { listFolder } from '../../../src/sources/folder/folder-listing.ts'
import { fileVersion, openInputFile } from '../../../src/sources/input-file.ts'

vi.mock('node:fs/promises', async (actual) => {
  const real = await actual<typeof fsPromises>()
  return { ...real, open: vi.fn(real.open), lstat: vi.fn(real.lstat) }
})

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'input-'))
  writeFileSync(join(folder, 'a.csv'), 'no,mail\n')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** As Node makes it: it has no name for some, ESTALE among them. */
function systemError(name: keyof typeof constants.errno): Error {
  const errno = -constants.errno[name]
  const [code] = getSystemErrorMap().get(errno) ?? [`Unknown system error ${errno}`]
  return Object.assign(new Error(code), { code, errno })
}

const opened = async (code: keyof typeof constants.errno): Promise<unknown> => {
  vi.mocked(open).mockRejectedValueOnce(systemError(code))
  const input = { name: 'a.csv', version: 'v', bytes: 8 }
  return openInputFile(Buffer.from(join(folder, 'a.csv')), input).catch((error: unknown) => error)
}

it('EACCES: it cannot be read', async () => {
  expect(await opened('EACCES')).toMatchObject({ code: 'INPUT_UNREADABLE', class: 'input' })
})

it.each(['EIO', 'ESTALE', 'ETIMEDOUT'] as const)(
  '%s: the disk or the share failed, and the file is left',
  async (code) => {
    expect(await opened(code)).toMatchObject({
      code: 'INPUT_IO',
      class: 'later',
      message: expect.stringContaining(`(${code})`) as string,
    })
  },
)

it('the same where it is read', async () => {
  const path = Buffer.from('/proc/self/mem')
  const version = fileVersion(await lstat(path, { bigint: true }))
  const file = await openInputFile(path, { name: 'mem', version, bytes: 8 })
  const read = file.chunks().next()
  await expect(read).rejects.toMatchObject({
    code: 'INPUT_IO',
    message: expect.stringContaining('EIO') as string,
  })
  await file.close()
})

it.each([
  ['ESTALE', 'INPUT_IO'],
  ['ENOENT', 'INPUT_CHANGED'],
] as const)('%s where its path is looked at once more: %s', async (code, expected) => {
  const path = Buffer.from(join(folder, 'a.csv'))
  const version = fileVersion(await lstat(path, { bigint: true }))
  const file = await openInputFile(path, { name: 'a.csv', version, bytes: 8 })
  vi.mocked(lstat).mockRejectedValueOnce(systemError(code))
  await expect(file.assertUnchanged()).rejects.toMatchObject({ code: expected })
  await file.close()
})

it.each(['EMFILE', 'ENFILE'] as const)(
  '%s: the limit of open files is no fault of the file',
  async (code) => {
    expect(await opened(code)).toMatchObject({ code: 'TOO_MANY_FILES' })
  },
)

it('one that cannot even be looked at keeps the folder from being read, and is named', async () => {
  vi.mocked(lstat).mockRejectedValueOnce(systemError('EIO'))
  const listing = listFolder({ folder, files: ['*.csv'], settle: 0 }, 0)
  await expect(listing).rejects.toMatchObject({
    code: 'INPUT_UNREADABLE',
    message: `The folder ${folder} cannot be read: a.csv: the disk reported an error (EIO)`,
  })
})
