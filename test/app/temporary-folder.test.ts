// Folders among the temporary files of the machine: what a killed process left goes, what others have stays.
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../src/app/temporary-folder.ts'

let place = ''
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'temporary-'))
  vi.stubEnv('TMPDIR', place)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(place, { recursive: true })
})

/** The number of a process that has ended. */
const ended = (): string => execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }).trim()

it('leaves what another process, machine or program may need, and removes the rest', async () => {
  const gone = ended()
  const mine = [
    `contact-sync-plan-${hostname()}-${process.pid}-abcdef`,
    `contact-sync-plan-elsewhere-${gone}-abcdef`,
    `contact-sync-demo-${hostname()}-${gone}-abcdef`,
    `other-plan-${hostname()}-${gone}-abcdef`,
  ]
  const left = [
    `contact-sync-plan-${hostname()}-${gone}-abcdef`,
    `contact-sync-init-${hostname()}-${gone}-ghijkl`,
    `contact-sync-plan-elsewhere-${gone}-mnopqr`,
  ]
  for (const name of [...mine, ...left]) {
    await mkdir(join(place, name))
    await writeFile(join(place, name, 'page.json'), '[]')
  }
  const old = new Date(Date.now() - 2 * 86_400_000)
  await utimes(join(place, left[2] ?? ''), old, old)
  const made = await temporaryFolder('plan')
  expect((await readdir(place)).sort()).toEqual([...mine, basename(made)].sort())
})

it('finds what it has left itself', async () => {
  const script = `import { temporaryFolder } from ${JSON.stringify(join(import.meta.dirname, '../../src/app/temporary-folder.ts'))}
await temporaryFolder('init')
process.kill(process.pid, 'SIGKILL')`
  expect(() => execFileSync(process.execPath, ['--input-type=module', '-e', script])).toThrow('')
  expect(await readdir(place)).toHaveLength(1)
  const made = await temporaryFolder('init')
  expect(await readdir(place)).toEqual([basename(made)])
})
