// Two workers at one state take decisions at the same moment, and each counts what was decided before: one waits for the other.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { takeDecision, UNWATCHED } from '../../../src/app/decisions/taking.ts'
import type { Fleet } from '../../../src/core/fleet.ts'
import type { Settings } from '../../../src/core/settings.ts'
import { openState, type OwnedState } from '../../../src/store/state-store.ts'
import { pipelineSettings } from '../../support/pipeline.ts'

let folder: string
let state: OwnedState
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contact-sync-in-turn-'))
  state = openState(join(folder, 'state.db'), { pid: 1, since: 0, thorough: false })
})
afterEach(async () => {
  await state.close()
  rmSync(folder, { recursive: true })
})

it.each([
  ['held release', { run: 'r', remaining: false }],
  ['held drop', { run: 'r' }],
  ['edits release', { pipeline: 'shop', key: 'K1' }],
] as const)('%s begins when that of another worker has ended', async (kind, args) => {
  const turns = new Set<string>()
  const refused = Promise.withResolvers<undefined>()
  const worker = {
    claim(names: readonly string[]) {
      const isFree = names.every((name) => !turns.has(name))
      if (isFree) for (const name of names) turns.add(name)
      else refused.resolve(undefined)
      return Promise.resolve(isFree)
    },
    letGo(names: readonly string[]) {
      for (const name of names) turns.delete(name)
      return Promise.resolve()
    },
  } as unknown as Fleet
  const course: string[] = []
  const began = Promise.withResolvers<undefined>()
  const goOn = Promise.withResolvers<undefined>()
  const take = async (name: string): Promise<void> => {
    const seen: OwnedState = {
      ...state,
      fleet: worker,
      async beginDecision(decision, at) {
        course.push(`${name} begins`)
        began.resolve(undefined)
        await goOn.promise
        return state.beginDecision(decision, at)
      },
    }
    const settings = () =>
      ({ pipelines: [pipelineSettings({})], server: { users: [] } }) as unknown as Settings
    await expect(
      takeDecision(
        { settings, state: seen, signal: new AbortController().signal },
        { kind, args, decided: { by: name, note: null } as never },
        { isConfirmed: true, watching: UNWATCHED },
      ),
    ).rejects.toMatchObject({ code: 'USAGE' })
    course.push(`${name} ends`)
  }
  const first = take('anna')
  await began.promise
  const second = take('bert')
  await refused.promise
  goOn.resolve(undefined)
  await Promise.all([first, second])
  expect(course.map((step) => step.split(' ')[1])).toEqual(['begins', 'ends', 'begins', 'ends'])
})
