// Files that land in a watched folder: real files, real events.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLandings, type Landings } from '../../../src/app/daemon/landings.ts'
import type { PipelineSettings } from '../../../src/core/settings.ts'
import { systemClock } from '../../../src/system.ts'
import { pipelineSettings } from '../../support/pipeline.ts'

let root: string
let landings: Landings
let landed: string[]
let wake: () => void
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'landings-'))
  landed = []
  wake = () => undefined
  landings = createLandings({
    clock: systemClock,
    onLanded(name) {
      landed.push(name)
      wake()
    },
  })
})
afterEach(async () => {
  await landings.close()
  await rm(root, { recursive: true })
})

const watching = (name: string, folder: string, settle = 0): PipelineSettings =>
  pipelineSettings({
    name,
    watch: true,
    source: { type: 'csv', null_values: [], folder, files: ['*.csv'], settle, encoding: 'auto' },
  })

async function until(times: number): Promise<void> {
  while (landed.length < times) await new Promise<void>((done) => (wake = done))
}

it('asks for one run for each version of a file, and for none where a file stays', async () => {
  await writeFile(join(root, 'old.csv'), 'a')
  landings.watch([watching('shop', root), pipelineSettings({ name: 'unwatched' })])
  await until(1)
  await writeFile(join(root, 'new.csv'), 'a')
  await until(2)
  await writeFile(join(root, 'new.csv'), 'ab')
  await until(3)
  landings.lookAgain()
  await writeFile(join(root, 'more.csv'), 'a')
  await until(4)
  expect(landed).toEqual(['shop', 'shop', 'shop', 'shop'])
})

it('waits until a file has settled', async () => {
  landings.watch([watching('shop', root, 400)])
  const begun = performance.now()
  await writeFile(join(root, 'new.csv'), 'a')
  await until(1)
  expect(performance.now() - begun).toBeGreaterThanOrEqual(390)
})

it('finds a folder that was not there, and one that went and came back, when it looks again', async () => {
  const folder = join(root, 'share', 'inbox')
  landings.watch([watching('shop', folder)])
  for (const times of [1, 3]) {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'new.csv'), 'a')
    // What the schedule does once a minute; until then nothing may be told.
    while (landed.length < times) {
      landings.lookAgain()
      await new Promise((done) => setImmediate(done))
    }
    // From now on by its events.
    await writeFile(join(folder, 'next.csv'), 'a')
    await until(times + 1)
    await rm(folder, { recursive: true })
  }
  expect(landed).toHaveLength(4)
})

it('follows another configuration: what is watched no more tells nothing, and what is new is looked at', async () => {
  const [one, other] = [join(root, 'one'), join(root, 'other')]
  await mkdir(one)
  await mkdir(other)
  const kept = watching('kept', other)
  landings.watch([watching('gone', one), kept])
  landings.watch([kept])
  await writeFile(join(one, 'new.csv'), 'a')
  await writeFile(join(other, 'new.csv'), 'a')
  await until(1)
  landings.watch([kept, watching('fresh', one)])
  await until(2)
  expect(landed).toEqual(['kept', 'fresh'])
})
