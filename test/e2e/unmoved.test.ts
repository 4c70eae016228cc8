// A file whose records were sent, and that cannot be archived: no run reads it again, whatever comes after it.
import { chmod, readdir, rm, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkshop, type Workshop } from '../support/cli.ts'

let place: Workshop
beforeEach(async () => (place = await openWorkshop()))
afterEach(async () => place.close())

const row = (first: string, ...more: readonly string[]): string =>
  ['no,mail,first,last,phone', `K1,anna@example.com,${first},Berg,1`, ...more]
    .map((line) => `${line}\n`)
    .join('')

interface Report {
  readonly pipelines: readonly [{ readonly read: number; readonly files: readonly Record<string, unknown>[] }]
}

async function run(code: number): Promise<Report['pipelines'][0]> {
  const ended = await place.cli('run', '--json')
  expect(ended).toMatchObject({ code })
  return (JSON.parse(ended.stdout) as Report).pipelines[0]
}

const inbox = async (...names: readonly string[]): Promise<string[]> =>
  (await readdir(place.path('inbox', 'shop', ...names))).sort()

it('moves a file that could not be archived once that is possible, and does not read it again', async () => {
  // Nothing can be archived where the folder would be.
  await place.drop('shop', 'processed', '')
  await place.drop('shop', 'a.csv', row('Old', 'K2,nobody,,,'))
  await place.drop('shop', 'b.csv', row('New'))
  const first = await run(3)
  expect(first).toMatchObject({ read: 3 })
  expect(first.files.map(({ file, status, code }) => [file, status, code])).toEqual([
    ['a.csv', 'left', 'ARCHIVE_FAILED'],
    ['b.csv', 'left', 'ARCHIVE_FAILED'],
  ])
  await place.drop('shop', 'c.csv', row('Newest'))
  expect(JSON.parse((await place.cli('plan', '--json')).stdout)).toMatchObject({
    pipelines: [{ read: 1, updated: 1 }],
  })
  expect(await run(3)).toMatchObject({ read: 1, updated: 1 })
  const writes = place.writes()
  expect(await run(3)).toMatchObject({ read: 0 })
  await rm(place.path('inbox', 'shop', 'processed'))
  // Their permissions are no part of what was read.
  await chmod(place.path('inbox', 'shop', 'a.csv'), 0o600)
  expect(await run(0)).toMatchObject({
    read: 0,
    files: ['a.csv', 'b.csv', 'c.csv'].map((file) => ({ file, status: 'done' })),
  })
  expect(place.writes()).toBe(writes)
  expect(await inbox()).toEqual(['processed'])
  expect(
    (await inbox('processed')).map((name) => name.replace(/\.[0-9a-z-]+\.(rejects\.)?csv$/i, '.$1csv')),
  ).toEqual(['a.csv', 'a.rejects.csv', 'b.csv', 'c.csv'])
  expect(await place.contacts('anna@example.com', 'first_name')).toMatchObject([{ first_name: 'Newest' }])
  expect((await place.cli('explain', 'shop', 'K1')).stdout).toContain('c.csv')
})

it('reads a file that was replaced meanwhile', async () => {
  await place.drop('shop', 'processed', '')
  await place.drop('shop', 'a.csv', row('Old'))
  await run(3)
  await rm(place.path('inbox', 'shop', 'processed'))
  await writeFile(place.path('inbox', 'shop', 'a.csv'), row('New'))
  expect(await run(0)).toMatchObject({ read: 1, updated: 1 })
  expect(await inbox()).toEqual(['processed'])
})
