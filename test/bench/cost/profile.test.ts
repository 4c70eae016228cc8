// Where the time of a profile goes: each sample to one stage, native code to the one that calls it.
import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CallFrame, hottest, type Profile, type Stage, stageTimes } from './profile.ts'

const source = (file: string): string => `file:///srv/app/src/${file}`
const js = (functionName: string, file: string): CallFrame => ({ functionName, url: source(file) })
const native = (functionName: string): CallFrame => ({ functionName, url: '' })

/** Frames in a chain from the root, each with so many milliseconds of its own. */
function chain(...frames: readonly (readonly [CallFrame, number])[]): Profile {
  const all = [[native('(root)'), 0] as const, ...frames]
  return {
    nodes: all.map(([callFrame], id) => ({
      id,
      callFrame,
      ...(id + 1 < all.length ? { children: [id + 1] } : {}),
    })),
    samples: all.map((_, id) => id),
    timeDeltas: all.map(([, ms]) => ms * 1000),
  }
}

const spent = (profile: Profile): Record<string, number> =>
  Object.fromEntries([...stageTimes(profile)].filter(([, ms]) => ms > 0))

describe('time by stage', () => {
  it.each<[string, Stage]>([
    ['sources/csv/record-ends.ts', 'read'],
    ['core/mapping/mapping.ts', 'map'],
    ['core/change/diff.ts', 'diff'],
    ['store/journal/staging.ts', 'stage'],
    ['sync/plan/stage.ts', 'stage'],
    ['store/journal/sending.ts', 'mark'],
    ['service/request.ts', 'send'],
    ['sync/send/apply.ts', 'send'],
    ['store/journal/settle.ts', 'settle'],
    ['core/change/after-step.ts', 'settle'],
    ['store/log/audit-seal.ts', 'log'],
    ['core/words/format.ts', 'rest'],
  ])('of %s is for: %s', (file, stage) => {
    expect(spent(chain([js('any', file), 3]))).toEqual({ [stage]: 3 })
  })

  it('native code and files of no stage belong to what calls them', () => {
    const profile = chain(
      [js('settleAll', 'store/journal/settle.js'), 1],
      [js('each', 'core/words/format.js'), 2],
      [native('run'), 4],
      [js('append', 'store/log/audit-append.js'), 8],
      [native('run'), 16],
    )
    expect(spent(profile)).toEqual({ settle: 7, log: 24 })
  })

  it.each<[string, Stage]>([
    ['node:internal/modules/esm/loader', 'start'],
    ['node:internal/process/pre_execution', 'start'],
    ['node:internal/process/task_queues', 'rest'],
    ['node:_http_client', 'send'],
    ['node:internal/streams/readable', 'rest'],
  ])("of Node's own %s is for: %s", (url, stage) => {
    expect(spent(chain([{ functionName: 'any', url }, 3]))).toEqual({ [stage]: 3 })
  })

  it('the collector has its own, and what is idle none', () => {
    const profile = chain([native('(garbage collector)'), 5])
    expect(spent(profile)).toEqual({ 'garbage collector': 5 })
    expect(spent(chain([native('(idle)'), 5]))).toEqual({})
  })
})

it('the functions that take most are named with their file, those of no stage with what calls them', () => {
  const profile = chain(
    [js('settleAll', 'store/journal/settle.js'), 1],
    [js('run', 'store/file/connection.js'), 4],
    [native('run'), 2],
  )
  expect(hottest(profile, 2)).toEqual([
    ['run in store/file/connection.js, called by settleAll in store/journal/settle.js', 4],
    ['run, called by settleAll in store/journal/settle.js', 2],
  ])
})

it('every rule names files that are there', () => {
  const files = globSync('**/*.ts', { cwd: resolve(import.meta.dirname, '../../../src') })
  const stages = new Set(
    files.flatMap((file) => [...stageTimes(chain([js('any', file.replace(/ts$/, 'js')), 1])).keys()]),
  )
  for (const stage of ['read', 'map', 'diff', 'stage', 'mark', 'send', 'settle', 'log'])
    expect(stages).toContain(stage)
})
