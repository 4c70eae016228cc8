// The configurations that were in force: the list of them, each with what it changed, and the ways to them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { planEntry } from '../../src/core/log/other-entries.ts'
import { openState } from '../../src/store/state-store.ts'
import { type Desk, MARKUP, openDesk, pastAt } from './desk.ts'

const HASHES = ['a', 'b', 'c'].map((letter) => letter.repeat(64))
const [FIRST = '', SECOND = '', THIRD = ''] = HASHES
const SHOP = 'd'.repeat(64)

const SETTINGS = [
  [
    { path: 'max_parallel', value: '1' },
    { path: 'pipelines.shop.key', value: 'no' },
  ],
  [
    { path: 'max_parallel', value: '2' },
    { path: 'pipelines.shop.key', value: 'no' },
    { path: 'pipelines.shop.where', value: MARKUP },
  ],
  [{ path: 'max_parallel', value: '2' }],
]

async function pastOfConfigurations(path: string): Promise<void> {
  await pastAt(path)
  const state = openState(path, { pid: 1, since: 0, thorough: false })
  for (const [index, hash] of HASHES.entries()) {
    const at = Date.UTC(2026, 0, 1 + index)
    const pipelines = { shop: index < 2 ? SHOP : 'e'.repeat(64) }
    const about = { at, runId: 'shop-run-3', pipeline: null, configHash: hash }
    const reason = 'another configuration is in force'
    await state.noteConfiguration(
      { hash, at, pipelines, settings: SETTINGS[index] ?? [] },
      planEntry({ action: 'configure', reason }, about),
    )
  }
  await state.close()
}

let desk: Desk
beforeAll(async () => (desk = await openDesk(undefined, pastOfConfigurations)))
afterAll(async () => desk.close())

const textOf = (html: string): string => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

describe('a configuration that was in force', () => {
  it('is shown with what it changed, setting by setting', async () => {
    const { body } = await desk.page(`/configuration/${SECOND}`)
    const text = textOf(body)
    expect(text).toContain('First in force 2026-01-02')
    expect(text).toContain('max_parallel − 1 + 2')
    expect(text).toContain('pipelines.shop.where not set +')
    expect(body).not.toContain(MARKUP)
    expect(body).toContain(`href="/configuration/${FIRST}"`)
  })

  it('says what it removed, and that the first one has none before it', async () => {
    const third = textOf((await desk.page(`/configuration/${THIRD}`)).body)
    expect(third).toContain('pipelines.shop.key − no removed')
    expect(textOf((await desk.page(`/configuration/${FIRST}`)).body)).toContain('the first one that was kept')
  })

  it('is found by the hash of a pipeline, with the others that have it', async () => {
    const { body } = await desk.page(`/configuration/${SHOP}`)
    expect(textOf(body)).toContain('What it changed')
    expect(body).toContain(`href="/configuration/${SECOND}"`)
  })

  it.each(['f'.repeat(64), 'abc', '*', 'a*', "a'"])('is not found by %j', async (hash) => {
    expect((await desk.page(`/configuration/${encodeURIComponent(hash)}`)).status).toBe(404)
  })
})

it('the page of the settings in force lists them, newest first', async () => {
  const { body } = await desk.page('/configuration')
  const links = [...body.matchAll(/href="\/configuration\/(\w+)"/g)].map(([, hash]) => hash)
  expect(links).toEqual([THIRD, SECOND, FIRST])
})

it('an entry that says that another one came into force leads to it; a hash that is not kept leads nowhere', async () => {
  expect((await desk.page('/log?action=configure')).body).toContain(`href="/configuration/${THIRD}"`)
  expect((await desk.page('/runs/shop-run-2')).body).not.toContain('href="/configuration/')
  const entries = await desk.data.log.logPage({ action: 'configure' }, { order: 'newest', limit: 1 })
  expect((await desk.page(`/log/${entries[0]?.seq ?? 0}`)).body).toContain(`href="/configuration/${THIRD}"`)
})
