// What every kind of drop-folder source has to do, whatever its format. A kind passes it with a few lines of its own.
import { execFileSync } from 'node:child_process'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SyncError } from '../../src/core/errors.ts'
import type { RejectRow, Source, SourceInput } from '../../src/core/ports.ts'
import type { SourceItem } from '../../src/core/record.ts'
import { createSource, SOURCE_KINDS } from '../../src/sources/registry.ts'
import { systemClock } from '../../src/system.ts'
import { testClock } from '../support/clock.ts'

export interface SourceHarness {
  readonly kind: string
  /** With the dot. */
  readonly ending: string
  /** A file in the kind's format. */
  content(columns: readonly string[], rows: readonly (readonly string[])[]): string
  /** A file that is damaged at its end, after many good records. */
  damaged: string
}

const COLUMNS = ['no', 'name'] as const
const ROWS = [
  ['1', 'Änne'],
  ['2', 'two\nlines'],
  ['3', ''],
]

export async function recordsOf(source: Source, input: SourceInput, columns: readonly string[] = COLUMNS) {
  const reader = await source.open(input, { columns })
  try {
    const items: SourceItem[] = []
    let batches = 0
    for await (const batch of reader.batches()) {
      items.push(...batch)
      batches += 1
    }
    return { header: reader.header, items, batches, sha256: reader.sha256(), bytes: reader.bytesRead() }
  } finally {
    await reader.close()
  }
}

export function makeSource(
  kind: string,
  folder: string,
  options: Record<string, unknown> = {},
  clock = systemClock,
): Source {
  const parsed = SOURCE_KINDS[kind]?.schema.parse({ folder, settle: '0ms', ...options }) as Record<
    string,
    unknown
  >
  return createSource({ type: kind, nullValues: [], ...parsed }, { clock })
}

async function* each(rows: readonly RejectRow[]): AsyncGenerator<RejectRow> {
  for (const row of rows) yield await Promise.resolve(row)
}

export function describeSource(harness: SourceHarness): void {
  describe(`the ${harness.kind} source`, () => {
    let folder = ''
    let source: Source
    const named = (name: string): string => name + harness.ending
    const drop = (name: string, text = harness.content(COLUMNS, ROWS)): Promise<void> =>
      writeFile(join(folder, name), text)
    const list = async () => source.list({ wait: false })
    const first = async (): Promise<SourceInput> => {
      const [input] = (await list()).ready
      if (input === undefined) throw new Error('nothing is ready')
      return input
    }

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'source-'))
      source = makeSource(harness.kind, folder)
    })
    afterEach(async () => rm(folder, { recursive: true }))

    it('lists files in order of name, without unfinished, hidden and foreign ones', async () => {
      for (const name of [
        named('b'),
        named('A'),
        named('a'),
        named('.a'),
        `${named('c')}.part`,
        `${named('c')}.tmp`,
        named('~c'),
        'readme.md',
      ])
        await drop(name)
      await mkdir(join(folder, 'processed'))
      await drop(join('processed', named('old')))
      expect((await list()).ready.map(({ name }) => name)).toEqual([named('A'), named('a'), named('b')])
    })

    it('says when the folder is not there or cannot be read', async () => {
      await expect(
        makeSource(harness.kind, join(folder, 'nowhere')).list({ wait: false }),
      ).rejects.toMatchObject({ code: 'INPUT_FOLDER_MISSING' })
      await drop(named('file'))
      await expect(
        makeSource(harness.kind, join(folder, named('file'))).list({ wait: false }),
      ).rejects.toMatchObject({ code: 'INPUT_FOLDER_MISSING' })
    })

    it('leaves links, folders and pipes alone, and says so', async () => {
      await drop(named('real'))
      await symlink('/etc/passwd', join(folder, named('link')))
      await mkdir(join(folder, named('folder')))
      execFileSync('mkfifo', [join(folder, named('pipe'))])
      const { ready, refused } = await list()
      expect(ready.map(({ name }) => name)).toEqual([named('real')])
      expect(refused.map(({ name, error }) => [name, error.code])).toEqual([
        [named('folder'), 'INPUT_NOT_A_FILE'],
        [named('link'), 'INPUT_NOT_A_FILE'],
        [named('pipe'), 'INPUT_NOT_A_FILE'],
      ])
      expect((await readdir(folder)).sort()).toContain(named('link'))
    })

    it('never opens a link or a pipe that has taken a file’s place', async () => {
      await drop(named('a'))
      const input = await first()
      await rm(join(folder, named('a')))
      await symlink('/etc/passwd', join(folder, named('a')))
      await expect(source.open(input, { columns: COLUMNS })).rejects.toBeInstanceOf(SyncError)
      await rm(join(folder, named('a')))
      execFileSync('mkfifo', [join(folder, named('a'))])
      await expect(source.open(input, { columns: COLUMNS })).rejects.toBeInstanceOf(SyncError)
    })

    it('leaves a growing file for later, and waits for it where that is asked for', async () => {
      const clock = testClock(Date.now())
      source = makeSource(harness.kind, folder, { settle: '5s' }, clock)
      await drop(named('a'))
      expect(await list()).toMatchObject({ ready: [], unsettled: 1 })
      expect((await source.list({ wait: true })).ready).toHaveLength(1)
      expect(clock.slept.length).toBeGreaterThan(0)
    })

    it('gives the records in order, with verbatim values', async () => {
      await drop(named('a'))
      const { header, items, sha256, bytes } = await recordsOf(source, await first())
      expect(header).toEqual([...COLUMNS])
      expect(items.map(({ values }) => values)).toEqual(ROWS)
      expect(sha256).toMatch(/^[0-9a-f]{64}$/)
      expect(bytes).toBe((await readFile(join(folder, named('a')))).length)
    })

    it('hands a thousand records on in several batches', async () => {
      const rows = Array.from({ length: 1201 }, (_, index) => [String(index), `name ${index}`])
      await drop(named('a'), harness.content(COLUMNS, rows))
      const { items, batches } = await recordsOf(source, await first())
      expect(items.map(({ values }) => values)).toEqual(rows)
      expect(batches).toBeGreaterThanOrEqual(3)
      const lines = items.map(({ line }) => line)
      expect(lines).toEqual([...lines].sort((left, right) => left - right))
    })

    it('notices a file that was changed, replaced or removed, before and while it is read', async () => {
      await drop(named('a'))
      const input = await first()
      await drop(named('b'))
      await rename(join(folder, named('b')), join(folder, named('a')))
      await expect(source.open(input, { columns: COLUMNS })).rejects.toMatchObject({ code: 'INPUT_CHANGED' })
      expect(await source.isWaiting(input)).toBe(false)
      const second = await first()
      const reader = await source.open(second, { columns: COLUMNS })
      await utimes(join(folder, named('a')), 1, 1)
      const reading = (async () => {
        for await (const batch of reader.batches()) expect(batch.length).toBeGreaterThan(0)
      })()
      await expect(reading).rejects.toMatchObject({ code: 'INPUT_CHANGED' })
      await reader.close()
    })

    it('moves a file away under its name with the run, never over another one, never another version', async () => {
      const to = { folder: 'processed', runId: 'r1' } as const
      await drop(named('a'))
      expect(await source.archive(await first(), to)).toBe(true)
      await drop(named('a'))
      const again = await first()
      expect(await source.archive(again, to)).toBe(true)
      expect((await readdir(join(folder, 'processed'))).sort()).toEqual(
        [named('a.r1-2'), named('a.r1')].sort(),
      )
      await drop(named('a'), harness.content(COLUMNS, [['9', 'other']]))
      expect(await source.archive(again, to)).toBe(false)
      expect(await readdir(folder)).toContain(named('a'))
    })

    it('says beside a failed file why it failed', async () => {
      await drop(named('a'))
      await source.archive(await first(), { folder: 'failed', runId: 'r1', reason: 'because\n' })
      expect(await readFile(join(folder, 'failed', 'a.r1.reason.txt'), 'utf8')).toBe('because\n')
    })

    it('writes rejects as UTF-8 with reason, file and line, and nothing where there are none', async () => {
      await drop(named('a'))
      const input = await first()
      const to = { folder: 'processed', runId: 'r1' } as const
      const { header } = await recordsOf(source, input)
      await source.writeRejects(input, to, header, each([]))
      expect(await readdir(folder)).not.toContain('processed')
      const row = {
        values: ['1', 'Än"ne'],
        text: '{"no":"1","name":"Än\\"ne"}',
        reason: 'so, so',
        file: named('a'),
        line: 2,
      }
      await source.writeRejects(input, to, header, each([row]))
      const text = await readFile(join(folder, 'processed', 'a.r1.rejects.csv'), 'utf8')
      expect(text).toBe(`no,name,_reason,_file,_line\n1,"Än""ne","so, so",${named('a')},2\n`)
      expect((await readdir(join(folder, 'processed'))).filter((name) => name.endsWith('.tmp'))).toEqual([])
    })

    it('refuses a damaged file with the line, and never with its content', async () => {
      await drop(named('a'), harness.damaged)
      const error = await recordsOf(source, await first()).catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(SyncError)
      expect((error as SyncError).message).toMatch(/^line \d+/)
      expect((error as SyncError).message).not.toContain('Geheim')
    })

    it.each([
      ['empty', ''],
      ['only a byte order mark', '\ufeff'],
      ['only blank lines', '\n\n  \r\n'],
    ])('refuses a file that is %s', async (_, text) => {
      await drop(named('a'), text)
      await expect(recordsOf(source, await first())).rejects.toMatchObject({ code: 'INPUT_EMPTY' })
    })

    it('refuses what is no text, and says what it looks like', async () => {
      await writeFile(join(folder, named('a')), Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0]))
      await expect(recordsOf(source, await first())).rejects.toMatchObject({
        code: 'INPUT_BINARY',
        message: expect.stringContaining('.xlsx') as string,
      })
      await writeFile(join(folder, named('a')), Buffer.from('no,na\u0000me\n1,2\n'))
      await expect(recordsOf(source, await first())).rejects.toMatchObject({ code: 'INPUT_BINARY' })
    })

    it('survives names that are made to deceive', async () => {
      const names = [named('a\nb'), named('\u001b[31mred'), named('x'.repeat(250 - harness.ending.length))]
      for (const name of names) await drop(name)
      await writeFile(
        Buffer.concat([Buffer.from(`${folder}/bad`), Buffer.from([0xff]), Buffer.from(harness.ending)]),
        harness.content(COLUMNS, ROWS),
      )
      const { ready } = await list()
      expect(ready).toHaveLength(4)
      for (const input of ready) {
        expect(input.name).not.toMatch(/[\n\u001b]/)
        expect((await recordsOf(source, input)).items).toHaveLength(3)
        expect(await source.archive(input, { folder: 'processed', runId: '20260101-000000-abcd' })).toBe(true)
      }
      expect(await readdir(join(folder, 'processed'))).toHaveLength(4)
    })

    it.skipIf(process.getuid?.() === 0)('says when a file cannot be read', async () => {
      await drop(named('a'))
      await chmod(join(folder, named('a')), 0)
      await expect(source.open(await first(), { columns: COLUMNS })).rejects.toMatchObject({
        code: 'INPUT_UNREADABLE',
      })
    })
  })
}
