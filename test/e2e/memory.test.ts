// Memory does not grow with the source: a file of 60 MB takes hardly more than one of 60 kB, whatever is in it.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MAIN } from '../support/cli.ts'

const REPORT = resolve(import.meta.dirname, '../bench/report.ts')
const CONFIGURATION = `
service: { base_url: "http://127.0.0.1:9", api_key: key-1 }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 0s }
    key: no
    where: 'record["mail"] == "nobody"'
    map: { mail: mail, company: company }
`

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memory-'))
  await mkdir(join(folder, 'inbox'))
  await writeFile(join(folder, 'config.yaml'), CONFIGURATION)
})
afterEach(async () => rm(folder, { recursive: true }))

/** How many MiB the process held at most while it planned for so many records of 1,500 bytes, or with so many blank lines. */
async function peakMib(records: number, blankLines = 0): Promise<number> {
  const file = createWriteStream(join(folder, 'inbox', 'a.csv'))
  file.write('no,mail,company,note\n')
  for (let number = 1; number <= records; number += 1)
    if (!file.write(`${number},person${number}@example.com,Firma,${String(number).padEnd(1450, '.')}\n`))
      await once(file, 'drain')
  file.write('\n'.repeat(blankLines))
  file.end(`last,last@example.com,Firma,\n`)
  await once(file, 'finish')
  const args = ['--import', REPORT, MAIN, 'plan', '--json', '--config', 'config.yaml']
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder })
  expect(JSON.parse(stdout)).toMatchObject({ pipelines: [{ read: records + 1, skipped: records + 1 }] })
  const report = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { peak_mib: number }
  return report.peak_mib
}

it('a file of 60 MB takes no 50 MiB more than a small one', async () => {
  const small = await peakMib(40)
  const large = await peakMib(40_000)
  expect((await stat(join(folder, 'inbox', 'a.csv'))).size).toBeGreaterThan(59e6)
  expect(small).toBeGreaterThan(20)
  expect(large - small).toBeLessThan(50)
}, 120_000)

it('six million blank lines take no 50 MiB more than none', async () => {
  const none = await peakMib(40)
  expect((await peakMib(40, 6_000_000)) - none).toBeLessThan(50)
}, 120_000)
