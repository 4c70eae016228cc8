// A module that does what it should not: what is said of it, and that nothing of it counts as complete.
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SyncError } from '../../../src/core/words/errors.ts'
import { moduleFetcher } from '../../../src/sources/module/fetcher.ts'
import { moduleKind } from '../../../src/sources/module/kind.ts'
import type { ModuleOptions } from '../../../src/sources/module/options.ts'
import type { Fetched } from '../../../src/sources/pull/fetcher.ts'
import { systemClock } from '../../../src/system.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'module-'))
  path = join(folder, 'my-source.mjs')
})
afterEach(() => rmSync(folder, { recursive: true }))

interface End {
  readonly fetched: readonly Fetched[]
  readonly error: SyncError | undefined
  readonly told: readonly string[]
}

async function fetchAll(
  body: string,
  {
    signal = new AbortController().signal,
    ...options
  }: Record<string, unknown> & { signal?: AbortSignal } = {},
): Promise<End> {
  writeFileSync(path, body)
  const checked = moduleKind.schema.parse({ path, ...options }) as ModuleOptions
  const fetched: Fetched[] = []
  const told: string[] = []
  const task = { cursor: { at: 7 }, signal, clock: systemClock, tell: (text: string) => told.push(text) }
  try {
    for await (const one of moduleFetcher(checked).fetch(task)) fetched.push(one)
    return { fetched, error: undefined, told }
  } catch (error) {
    if (error instanceof SyncError) return { fetched, error, told }
    throw error
  }
}

const generator = (body: string): string =>
  `export default async function* (options, { cursor, signal, log }) { ${body} }`

describe('a module', () => {
  it('gets options, cursor and log, and yields records with and without a cursor', async () => {
    const body = `
      log.info('begins at ' + cursor.at + ' of ' + options.list)
      yield { id: '1', n: 2, big: 12345678901234567890n, yes: true, none: null, no: undefined, tags: ['a', { b: 'c' }] }
      yield { record: { id: '2' }, cursor: { at: 8 } }
      yield { record: 'a column of this name' }`
    const { fetched, error, told } = await fetchAll(generator(body), { options: { list: 'all' } })
    expect(error).toBeUndefined()
    expect(told).toEqual(['begins at 7 of all'])
    expect(fetched).toEqual([
      {
        json: '{"id":"1","n":2,"big":12345678901234567890,"yes":true,"none":null,"tags":["a",{"b":"c"}]}',
      },
      { json: '{"id":"2"}', cursor: { at: 8 } },
      { json: '{"record":"a column of this name"}' },
    ])
  })

  it('is loaded anew once it was changed', async () => {
    await fetchAll(generator(`yield { a: '1' }`))
    const before = new Date(1_000_000)
    const { fetched } = await fetchAll(generator(`yield { a: '2' }`)).finally(() =>
      utimesSync(path, before, before),
    )
    expect(fetched).toEqual([{ json: '{"a":"2"}' }])
  })

  it.each([
    [
      'throws',
      `yield { a: '1' }; throw new TypeError('not\\nthere')`,
      1,
      'it failed after 1 records: TypeError: not',
    ],
    ['throws what is no error', `throw 'no'`, 0, 'it failed after 0 records: no'],
    [
      'throws what has no text',
      `throw Object.create(null)`,
      0,
      'it failed after 0 records: something that has no text',
    ],
    ['yields a list', `yield []`, 0, 'record 1: what was yielded is a list, not an object'],
    ['yields nothing', `yield undefined`, 0, 'record 1: what was yielded is a undefined, not an object'],
    [
      'yields a date',
      `yield { a: { b: new Date() } }`,
      0,
      'record 1: a.b is a Date, which says no time zone; yield a text',
    ],
    ['yields a function', `yield { a: () => 1 }`, 0, 'record 1: a is a function'],
    ['yields no number', `yield { a: NaN }`, 0, 'record 1: a is no finite number'],
    ['yields what is no plain object', `yield { a: new Map() }`, 0, 'record 1: a is no plain object'],
    [
      'yields a circle',
      `const a = {}; a.a = a; yield a`,
      0,
      'record 1: the record is nested too deeply, or within itself',
    ],
    [
      'yields a cursor that cannot be kept',
      `yield { record: {}, cursor: () => 1 }`,
      0,
      'record 1: the cursor is no value that JSON can hold',
    ],
    [
      'yields a big integer as a cursor',
      `yield { record: {}, cursor: 1n }`,
      0,
      'record 1: the cursor is no value that JSON can hold',
    ],
    [
      'hangs',
      `yield { a: '1' }; await new Promise(() => {})`,
      1,
      'it yielded nothing in the time of source.timeout',
    ],
  ])('that %s is given up with its name and no stack', async (_, body, records, message) => {
    const { fetched, error } = await fetchAll(generator(body), { timeout: '50ms' })
    expect(fetched).toHaveLength(records)
    expect(error?.code).toBe('SOURCE_FAILED')
    expect(error?.message).toBe(`module my-source.mjs: ${message}`)
  })

  it.each([
    ['is not there', undefined, /^module my-source\.mjs: .*my-source\.mjs cannot be read/],
    ['is no JavaScript', 'export default {{{', /^module my-source\.mjs: it cannot be loaded: \w*Error: /],
    [
      'exports nothing',
      'export const a = 1',
      /^module my-source\.mjs: it has no function as its default export$/,
    ],
    [
      'is no generator',
      'export default () => 5',
      /^module my-source\.mjs: it gives nothing that can be iterated/,
    ],
  ])('that %s is refused', async (_, body, message) => {
    const { error } = await fetchAll(body ?? '').then((end) => {
      if (body !== undefined) return end
      rmSync(path)
      const options = moduleKind.schema.parse({ path }) as ModuleOptions
      const task = {
        cursor: undefined,
        signal: new AbortController().signal,
        clock: systemClock,
        tell: () => 0,
      }
      const first = moduleFetcher(options).fetch(task)[Symbol.asyncIterator]().next()
      return first.then(
        () => ({ error: undefined }),
        (reason: unknown) => ({ error: reason as SyncError }),
      )
    })
    expect(error?.code).toBe('SOURCE_FAILED')
    expect(error?.message).toMatch(message)
    expect(error?.message).not.toMatch(/\n/)
  })

  it('that is never loaded is given up', async () => {
    const { error } = await fetchAll(`await new Promise(() => {})\n${generator('')}`, { timeout: '50ms' })
    expect(error?.message).toBe('module my-source.mjs: it was not loaded in the time of source.timeout')
  })

  it('that changes its options changes them for itself alone', async () => {
    const options = { list: { name: 'all' } }
    const { fetched } = await fetchAll(generator(`yield { a: (options.list.name = 'none') }`), { options })
    expect([fetched, options]).toEqual([[{ json: '{"a":"none"}' }], { list: { name: 'all' } }])
  })

  it('is ended with the run, and told so', async () => {
    const ending = new AbortController()
    const body = `
      yield { a: '1' }
      signal.addEventListener('abort', () => log.warn('ended'))
      setTimeout(() => process.emit('end of the run'), 5)
      await new Promise(() => {})`
    process.once('end of the run', () => ending.abort())
    const { error, told } = await fetchAll(generator(body), { signal: ending.signal })
    expect(error?.message).toContain('the run was ended')
    expect(told).toEqual(['ended'])
  })

  it('that talks much is cut short', async () => {
    const { told } = await fetchAll(generator(`for (let i = 0; i < 50; i++) log.info('x'.repeat(1000))`))
    expect(told).toHaveLength(21)
    expect(told.at(-1)).toBe('and more, not shown')
    expect(told[0]).toHaveLength(500)
  })
})
