// Only what was archived by this program, and long enough ago, is removed from processed and failed.
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runId } from '../../../src/core/words/run-id.ts'
import { archivedName } from '../../../src/sources/file-name.ts'
import { archivedAt, failedFiles, removeOldFiles } from '../../../src/sources/folder/retention.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retention-'))
  await mkdir(join(folder, 'processed'))
})
afterEach(async () => rm(folder, { recursive: true }))

const at = (day: string): number => Date.parse(`${day}T12:30:15Z`)
const idOf = (day: string): string => runId(at(day), () => 0.999)
/** As earlier versions made it. */
const shortIdOf = (day: string): string => idOf(day).slice(0, -2)
const before = at('2026-06-01')
const put = async (name: string): Promise<void> => writeFile(join(folder, 'processed', name), 'x')
const left = async (): Promise<string[]> => (await readdir(join(folder, 'processed'))).sort()

it.each([
  ...['a.csv', 'a', 'a.tar.gz', '.hidden', 'a b.csv', 'ä.csv', `${'n'.repeat(250)}.csv`],
  ...['a.xlsx', 'a.vcf', 'a.csv.gz', 'a.vcf.gz', 'a.jsonl.gz', 'fetch-20260501-123015.jsonl'],
])('knows when %s was put away, whatever stands beside it', (name) => {
  const raw = Buffer.from(name)
  for (const ending of [undefined, '.rejects.csv', '.rejects.jsonl', '.reason.txt'])
    for (const tagged of [idOf, shortIdOf].flatMap((id) => [id('2026-05-01'), `${id('2026-05-01')}-2`]))
      expect(archivedAt(archivedName(raw, tagged, ending))).toBe(at('2026-05-01'))
})

it('takes a mended file for what it was put away as last', () => {
  const mended = archivedName(Buffer.from('a.csv'), idOf('2026-05-01'), '.rejects.csv')
  expect(archivedAt(archivedName(mended, idOf('2026-07-01')))).toBe(at('2026-07-01'))
  // The older id at the very end.
  const odd = archivedName(Buffer.from(`a.${idOf('2026-05-01')}`), idOf('2026-07-01'))
  expect(archivedAt(odd)).toBe(at('2026-07-01'))
})

it.each([
  'a.csv',
  'a.20260501.csv',
  '20260501-123015-k3f9.csv',
  'a.20260501-123015-k3f.csv',
  'a.20260501-123015-K3F9.csv',
  'a.20260501-123015-k3f9x.csv',
])('takes %s for somebody else', (name) => expect(archivedAt(Buffer.from(name))).toBeUndefined())

it('removes what is old enough, and nothing else', async () => {
  const [old, young] = [idOf('2026-05-31'), idOf('2026-06-01')]
  const stay = [`a.${young}.csv`, 'by-hand.csv', `folder.${old}`, `link.${old}.csv`]
  await put(`a.${old}.csv`)
  await put(`a.${old}.rejects.csv`)
  await put(`.writing.${old}.rejects.csv`)
  await put(`a.${young}.csv`)
  await put('by-hand.csv')
  await mkdir(join(folder, 'processed', `folder.${old}`))
  await writeFile(join(folder, 'elsewhere.csv'), 'x')
  await symlink(join(folder, 'elsewhere.csv'), join(folder, 'processed', `link.${old}.csv`))
  await writeFile(join(folder, `waiting.${old}.csv`), 'x')
  expect(await removeOldFiles(folder, 'processed', { before, limit: 100 })).toBe(3)
  expect(await left()).toEqual(stay.sort())
  expect(await readdir(folder)).toEqual(expect.arrayContaining([`waiting.${old}.csv`, 'elsewhere.csv']))
})

it('removes no more at once than it may, and goes on next time', async () => {
  for (let number = 0; number < 5; number += 1) await put(`${number}.${idOf('2026-01-01')}.csv`)
  const counts = []
  for (let turn = 0; turn < 4; turn += 1)
    counts.push(await removeOldFiles(folder, 'processed', { before, limit: 2 }))
  expect(counts).toEqual([2, 2, 1, 0])
})

it('takes names that are no text, and a folder that is not there for what they are', async () => {
  const name = archivedName(Buffer.from([0x61, 0xff, 0xfe]), idOf('2026-01-01'))
  await writeFile(Buffer.concat([Buffer.from(`${folder}/processed/`), name]), 'x')
  expect(await removeOldFiles(folder, 'processed', { before, limit: 9 })).toBe(1)
  expect(await removeOldFiles(folder, 'failed', { before, limit: 9 })).toBe(0)
  await writeFile(join(folder, 'failed'), 'no folder')
  await expect(removeOldFiles(folder, 'failed', { before, limit: 9 })).rejects.toMatchObject({
    code: 'ARCHIVE_FAILED',
  })
})

it('counts what failed, without what lies beside it, and knows since when', async () => {
  expect(await failedFiles(folder)).toEqual({ files: 0, oldest: undefined })
  await mkdir(join(folder, 'failed'))
  const names = ['2026-05-02', '2026-05-01'].flatMap((day) => {
    const tag = idOf(day)
    return [`a.${tag}.csv`, `a.${tag}.reason.txt`, `a.${tag}.rejects.csv`, `a.${tag}-2.rejects.jsonl`]
  })
  // By hand, half written, and a corrected file that failed again.
  const again = `a.${idOf('2026-05-01')}.rejects.${idOf('2026-05-03')}.csv`
  for (const name of [...names, 'by-hand.csv', `.writing.${idOf('2026-04-01')}`, again])
    await writeFile(join(folder, 'failed', name), 'x')
  await mkdir(join(folder, 'failed', 'b'))
  expect(await failedFiles(folder)).toEqual({ files: 4, oldest: at('2026-05-01') })
})
