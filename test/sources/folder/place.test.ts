// Files beside an archived input: whole, or not there.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { writeWhole } from '../../../src/sources/folder/place.ts'

const RUN = '20261121-140509-k3f9'
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'place-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const place = () => ({ folder, raw: Buffer.from('a.csv'), runId: RUN })

it('has its name once it is whole', async () => {
  await writeWhole(place(), '.reason.txt', (file) => file.writeFile('why'))
  expect(readdirSync(folder)).toEqual([`a.${RUN}.reason.txt`])
  expect(readFileSync(join(folder, `a.${RUN}.reason.txt`), 'utf8')).toBe('why')
})

it('leaves no empty file where it cannot be given its name', async () => {
  const lost = writeWhole(place(), '.reason.txt', async (file) => {
    await file.writeFile('why')
    await rm(join(folder, `.writing.${RUN}.reason.txt`))
  })
  await expect(lost).rejects.toMatchObject({ code: 'ARCHIVE_FAILED' })
  expect(readdirSync(folder)).toEqual([])
})
