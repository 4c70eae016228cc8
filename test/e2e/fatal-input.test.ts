// A file that ends the process while it is read does so three times; then it is set aside with the reason, and those behind it
// are read.
import { appendFile, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkshop, type Workshop } from '../support/cli.ts'

/** Takes some seconds to read. */
const LARGE = `no,mail,first,last,phone\n${Array.from({ length: 30_000 }, (_, index) => `L${index},large${index}@example.com,,,\n`).join('')}`

let place: Workshop
beforeEach(async () => {
  place = await openWorkshop()
  await place.configure()
  await appendFile(place.path('config.yaml'), 'log: { level: debug }\n')
  await place.drop('shop', 'a.csv', LARGE)
  await place.drop('shop', 'b.csv', 'no,mail,first,last,phone\nB1,small@example.com,,,\n')
})
afterEach(async () => place.close())

/** Ends a run while it reads the large file. */
async function endedWhileReading(signal: NodeJS.Signals): Promise<void> {
  const run = place.start('run')
  await run.stderrHas(/file processing started/)
  run.process.kill(signal)
  const { stderr } = await run.ended
  expect(stderr).not.toContain('file read and planned')
}

const folder = async (name: string): Promise<readonly string[]> =>
  readdir(place.path('inbox', 'shop', name)).catch(() => [])

it('is set aside after the third time, with the reason beside it, and can be dropped again', async () => {
  for (let time = 0; time < 3; time += 1) await endedWhileReading('SIGKILL')
  expect(place.writes()).toBe(0)
  const { code, stdout, stderr } = await place.cli('run')
  expect(code).toBe(3)
  expect(stdout + stderr).toContain('a.csv: the process ended 3 times while it read this file')
  expect(await place.contacts('small@example.com', 'mail')).toHaveLength(1)
  const failed = await folder('failed')
  const [file = ''] = failed.filter((name) => name.endsWith('.csv'))
  const [reason = ''] = failed.filter((name) => !name.endsWith('.csv'))
  expect(await readFile(place.path('inbox', 'shop', 'failed', file), 'utf8')).toBe(LARGE)
  expect(await readFile(place.path('inbox', 'shop', 'failed', reason), 'utf8')).toMatch(
    /ended 3 times while it read this file\nFind out why the process ended/,
  )
  // Cut to what this test can wait for, and put back.
  await writeFile(
    place.path('inbox', 'shop', 'failed', file),
    'no,mail,first,last,phone\nL1,large1@example.com,,,\n',
  )
  await rename(place.path('inbox', 'shop', 'failed', file), place.path('inbox', 'shop', 'a.csv'))
  expect((await place.cli('run')).code).toBe(0)
  expect(await place.contacts('large1@example.com', 'mail')).toHaveLength(1)
})

it('does not count a process that was asked to end', async () => {
  for (let time = 0; time < 4; time += 1) await endedWhileReading('SIGTERM')
  expect(await folder('failed')).toEqual([])
})
