// What a killed run leaves while it puts an input away, and what of it may be taken for such.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createSource, SOURCE_KINDS } from '../../../src/sources/registry.ts'
import { stillClock } from '../../contracts/source.ts'

const RUN = '20261121-140509-k3f9'
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'leftovers-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const processed = (): string[] => readdirSync(join(folder, 'processed')).sort()

async function cleared(name: string, files: Readonly<Record<string, string>>): Promise<string[]> {
  mkdirSync(join(folder, 'processed'))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, 'processed', file), text)
  const { schema } = SOURCE_KINDS['csv']!
  const checked = schema.parse({ folder, settle: '0s', files: '*' })
  const source = createSource({ type: 'csv', null_values: [], ...checked }, { clock: stillClock(0) })
  await source.clearLeftovers({ name, version: 'v', bytes: 1 }, RUN)
  return processed()
}

it('takes away what the run wrote by half, what it reserved, and the rejects beside no input', async () => {
  const left = await cleared('a.csv', {
    [`.writing.${RUN}.rejects.csv`]: 'no,mail\n1,person@exam',
    [`a.${RUN}.csv`]: '',
    [`a.${RUN}.rejects.csv`]: 'no,mail\n1,person@example.com\n',
  })
  expect(left).toEqual([])
})

it('leaves what is another run’s or another input’s', async () => {
  const others = {
    '.writing.20261121-140510-aaaa.rejects.csv': 'x',
    'a.20261121-140510-aaaa.csv': '',
    'a.20261121-140510-aaaa.rejects.csv': 'x',
    [`b.${RUN}.csv`]: 'x',
    [`b.${RUN}.rejects.csv`]: 'x',
  }
  expect(await cleared('a.csv', others)).toEqual(Object.keys(others).sort())
})

it('leaves everything of a name that the run has put away: rejects beside it may belong to that', async () => {
  const others = { [`a.${RUN}.csv`]: 'no,mail\n', [`a.${RUN}.rejects.csv`]: 'x' }
  expect(await cleared('a.txt', others)).toEqual(Object.keys(others).sort())
})

it('leaves names that were cut: two inputs may have come to the same one', async () => {
  const long = 'x'.repeat(250)
  const name = `${'x'.repeat(255 - RUN.length - 1 - 4)}.${RUN}.csv`
  expect(await cleared(`${long}.csv`, { [name]: '' })).toEqual([name])
})

it('does not mind a folder that is not there', async () => {
  rmSync(folder, { recursive: true })
  const { schema } = SOURCE_KINDS['csv']!
  const source = createSource(
    { type: 'csv', null_values: [], ...schema.parse({ folder, settle: '0s' }) },
    { clock: stillClock(0) },
  )
  await expect(source.clearLeftovers({ name: 'a.csv', version: 'v', bytes: 1 }, RUN)).resolves.toBeUndefined()
})
