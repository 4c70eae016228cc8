// The moment of putting away: whatever comes to the input's name just then is neither taken for what was read nor lost.
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Source, SourceInput } from '../../../src/core/ports.ts'
import { createSource, SOURCE_KINDS } from '../../../src/sources/registry.ts'
import { codeOf, readAll, stillClock } from '../../contracts/source.ts'

interface Moment {
  path: string
  before(): void
  after(): void
  noLinks: boolean
}
const moment = vi.hoisted((): Moment => ({
  path: '',
  before: () => undefined,
  after: () => undefined,
  noLinks: false,
}))
vi.mock(import('node:fs/promises'), async (importOriginal) => {
  const original = await importOriginal()
  return {
    ...original,
    rename: async (from, to) => {
      const isIt = moment.path !== '' && String(from) === moment.path
      if (!isIt) return original.rename(from, to)
      moment.path = ''
      moment.before()
      await original.rename(from, to)
      moment.after()
    },
    link: async (from, to) => {
      if (moment.noLinks) throw Object.assign(new Error('no links'), { code: 'EPERM' })
      return original.link(from, to)
    },
  }
})

const table = (id: string): string => `id,mail\n${id},${id}@example.org\n`
const RUN = '20261121-140509-k3f9'
const to = { folder: 'processed', runId: RUN } as const

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taking-'))
  Object.assign(moment, { path: '', before: () => undefined, after: () => undefined, noLinks: false })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const sourceOf = (files = '*.csv'): Source => {
  const options = SOURCE_KINDS['csv']!.schema.parse({ folder, settle: '0s', files })
  return createSource({ type: 'csv', null_values: [], ...options }, { clock: stillClock(0) })
}
const put = (name: string, text: string): void => {
  writeFileSync(join(folder, '.new'), text)
  renameSync(join(folder, '.new'), join(folder, name))
}
const text = (...path: string[]): string => readFileSync(join(folder, ...path), 'utf8')

async function readFirst(source: Source, name = 'x.csv'): Promise<{ input: SourceInput; sha256: string }> {
  put(name, table('1'))
  const [input] = (await source.list({ wait: false })).ready
  const { sha256 } = await readAll(source, input!, ['id'])
  moment.path = join(folder, name)
  return { input: input!, sha256 }
}

it('gives back another version that came between the look and the move', async () => {
  const source = sourceOf()
  const { input, sha256 } = await readFirst(source)
  moment.before = () => put('x.csv', table('2'))
  expect(await source.archive(input, { ...to, sha256 })).toBe(false)
  expect(text('x.csv')).toBe(table('2'))
  expect(readdirSync(folder).sort()).toEqual(['processed', 'x.csv'])
  expect(readdirSync(join(folder, 'processed'))).toEqual([])
})

it('reads the middle one of three versions before the last one', async () => {
  const source = sourceOf()
  const { input, sha256 } = await readFirst(source)
  moment.before = () => put('x.csv', table('2'))
  moment.after = () => put('x.csv', table('3'))
  expect(await source.archive(input, { ...to, sha256 })).toBe(false)
  const { ready } = await source.list({ wait: false })
  expect(ready.map(({ name }) => text(name))).toEqual([table('2'), table('3')])
})

it.each([
  ['no pattern takes another name', 'x.csv', 'x.csv'],
  ['no other name comes before', 'x', '*'],
])('keeps the middle one in failed, with the reason, where %s', async (_what, name, files) => {
  const source = sourceOf(files)
  const { input, sha256 } = await readFirst(source, name)
  moment.before = () => put(name, table('2'))
  moment.after = () => put(name, table('3'))
  expect(await source.archive(input, { ...to, sha256 })).toBe(false)
  expect(text(name)).toBe(table('3'))
  expect(text('failed', name === 'x' ? `x.${RUN}` : `x.${RUN}.csv`)).toBe(table('2'))
  expect(text('failed', `x.${RUN}.reason.txt`)).toContain('before it was read')
})

it('notices a file that is rewritten in place with the same size and time while it is moved', async () => {
  const source = sourceOf()
  const { input, sha256 } = await readFirst(source)
  moment.before = () => {
    const { atime, mtime } = statSync(join(folder, 'x.csv'))
    const times = [atime, new Date(Math.floor(mtime.getTime() / 1000) * 1000)] as const
    writeFileSync(join(folder, 'x.csv'), table('2'))
    utimesSync(join(folder, 'x.csv'), ...times)
  }
  // A time of whole seconds, so that it can be set again to the nanosecond.
  const whole = new Date(Math.floor(statSync(join(folder, 'x.csv')).mtimeMs / 1000) * 1000)
  utimesSync(join(folder, 'x.csv'), whole, whole)
  const [listed] = (await source.list({ wait: false })).ready
  expect(listed!.name).toBe(input.name)
  expect(await source.archive(listed!, { ...to, sha256 })).toBe(false)
  expect(text('x.csv')).toBe(table('2'))
})

it('archives what was read where only permissions or links have changed since', async () => {
  const source = sourceOf()
  const { input, sha256 } = await readFirst(source)
  chmodSync(join(folder, 'x.csv'), 0o600)
  linkSync(join(folder, 'x.csv'), join(folder, 'kept'))
  expect(await source.archive(input, { ...to, sha256 })).toBe(true)
  expect(text('processed', `x.${RUN}.csv`)).toBe(table('1'))
})

it('does not archive another content of the same size and time whose permissions have changed', async () => {
  const source = sourceOf()
  const { input, sha256 } = await readFirst(source)
  const whole = new Date(Math.floor(statSync(join(folder, 'x.csv')).mtimeMs / 1000) * 1000)
  utimesSync(join(folder, 'x.csv'), whole, whole)
  const [listed = input] = (await source.list({ wait: false })).ready
  writeFileSync(join(folder, 'x.csv'), table('2'))
  utimesSync(join(folder, 'x.csv'), whole, whole)
  chmodSync(join(folder, 'x.csv'), 0o600)
  expect(await source.archive(listed, { ...to, sha256 })).toBe(false)
  expect(text('x.csv')).toBe(table('2'))
})

it('loses nothing on a file system without links', async () => {
  moment.noLinks = true
  const source = sourceOf()
  const { input, sha256 } = await readFirst(source)
  moment.before = () => put('x.csv', table('2'))
  expect(await source.archive(input, { ...to, sha256 })).toBe(false)
  expect((await source.list({ wait: false })).ready.map(({ name }) => text(name))).toEqual([table('2')])
})

it('gives the file back when it cannot be put where it belongs', async () => {
  const source = sourceOf()
  const { input } = await readFirst(source)
  moment.after = () => rmSync(join(folder, 'processed'), { recursive: true })
  expect(await codeOf(source.archive(input, to))).toBe('ARCHIVE_FAILED')
  expect(text('x.csv')).toBe(table('1'))
  expect(readdirSync(folder)).toEqual(['x.csv'])
  expect(await source.isWaiting(input)).toBe(true)
})

it('gives back what a killed run had taken as the same input, and another content as another one', async () => {
  const source = sourceOf()
  const { input } = await readFirst(source)
  mkdirSync(join(folder, `.taken.${RUN}`))
  renameSync(join(folder, 'x.csv'), join(folder, `.taken.${RUN}`, 'x.csv'))
  expect(await source.isWaiting(input)).toBe(false)
  await source.giveBack?.()
  expect((await source.list({ wait: false })).ready[0]?.version).not.toBe(input.version)
  expect(await source.isWaiting(input)).toBe(true)
  put('x.csv', table('2'))
  expect(await source.isWaiting(input)).toBe(false)
})

it('gives back what a killed run had taken, before a newer one of its name', async () => {
  const source = sourceOf()
  mkdirSync(join(folder, `.taken.${RUN}`))
  writeFileSync(join(folder, `.taken.${RUN}`, 'x.csv'), table('1'))
  mkdirSync(join(folder, `.taken.${RUN}-2`))
  writeFileSync(join(folder, `.taken.${RUN}-2`, 'other.txt'), 'of another pipeline')
  mkdirSync(join(folder, 'processed'))
  writeFileSync(join(folder, 'processed', `x.${RUN}.csv`), '')
  put('x.csv', table('2'))
  await source.giveBack?.()
  const { ready } = await source.list({ wait: false })
  expect(ready.map(({ name }) => text(name))).toEqual([table('1'), table('2')])
  expect(readdirSync(join(folder, 'processed'))).toEqual([])
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([`.taken.${RUN}-2`])
})
