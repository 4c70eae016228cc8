// A log that cannot be written never ends a run, by the real process: standard error is full or closed, the folder is none.
import { readFile, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MAIN, openWorkshop, peopleCsv, type Workshop } from '../support/cli.ts'

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop()
  const yaml = await readFile(shop.path('config.yaml'), 'utf8')
  await shop.configure(yaml.replace('state: {', 'log: { level: debug, folder: logs }\nstate: {'))
  await shop.drop('shop', 'a.csv', peopleCsv(2))
})
afterEach(() => shop.close())

it.each([
  ['is full', '2>/dev/full'],
  ['is closed', '2>&-'],
])('a run goes on where standard error %s', async (_, redirection) => {
  const shell = ['sh', '-c', `exec "$0" "$@" ${redirection}`, process.execPath, MAIN] as const
  const { code, stdout } = await shop.startBy(shell, 'run', '--json').ended
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ pipelines: [{ created: 2 }] })
})

it('a run goes on where the folder of the log cannot be made, and says so once', async () => {
  await writeFile(shop.path('logs'), 'a file')
  const { code, stderr } = await shop.cli('run')
  expect(code).toBe(0)
  expect(stderr.match(/log file not writable/g)).toHaveLength(1)
  expect(await shop.contacts('person0@example.com', 'mail')).toHaveLength(1)
})
