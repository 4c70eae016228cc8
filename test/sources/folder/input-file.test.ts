// What becomes of an input that cannot be opened: whose fault it is decides where the file goes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type fsPromises from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openInputFile } from '../../../src/sources/input-file.ts'

vi.mock('node:fs/promises', async (actual) => {
  const real = await actual<typeof fsPromises>()
  return { ...real, open: vi.fn(real.open) }
})

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'input-'))
  writeFileSync(join(folder, 'a.csv'), 'no,mail\n')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const opened = async (code: string): Promise<unknown> => {
  vi.mocked(open).mockRejectedValueOnce(Object.assign(new Error(code), { code }))
  const input = { name: 'a.csv', version: 'v', bytes: 8 }
  return openInputFile(Buffer.from(join(folder, 'a.csv')), input).catch((error: unknown) => error)
}

it.each(['EACCES', 'EIO'])('%s: it cannot be read', async (code) => {
  expect(await opened(code)).toMatchObject({ code: 'INPUT_UNREADABLE' })
})

it.each(['EMFILE', 'ENFILE'])('%s: the limit of open files is no fault of the file', async (code) => {
  expect(await opened(code)).toMatchObject({ code: 'TOO_MANY_FILES' })
})
