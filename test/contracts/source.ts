// What every source that reads a drop folder keeps to. A kind passes it by saying how a table is written
// in its format; nothing here knows the format.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Sought } from '../../src/core/erasing.ts'
import { SyncError } from '../../src/core/words/errors.ts'
import type { Clock, OpenOptions, RejectRow, Source, SourceInput } from '../../src/core/ports.ts'
import type { SourceItem } from '../../src/core/mapping/record.ts'

export interface SourceHarness {
  /** The ending of its files, with the dot. */
  readonly ending: string
  /** A source over a folder. `settle` is a duration as in the configuration. */
  create(options: { folder: string; settle: string }, clock: Clock): Source
  /** The columns of a key, a name and a mail, where not every name is possible. */
  readonly columns?: readonly [string, string, string]
  /** A file's content: one record for each row, with these columns. */
  text(columns: readonly string[], rows: readonly (readonly string[])[]): string | Buffer
  /** The line on which the record of that index (from 0) begins in such a text. */
  lineOf(index: number): number
  /** What can be read at first and turns out to be damaged at its end. */
  damagedAtEnd(columns: readonly string[], rows: readonly (readonly string[])[]): string | Buffer
  /** What anybody could read in a file of the kind, where its bytes are packed. */
  plain?(content: Buffer): string
  /** The ending of the file of rejects that can be dropped again. */
  readonly droppable: string
  /** Its folder gives names as text and times as seconds, and has no other mark of a version: it lies on another machine. */
  readonly isCoarse?: boolean
}

const ANY_COLUMNS = ['id', 'name', 'mail']

/** A clock that stands still until a task sleeps; what sleeping does besides can be set. */
export function stillClock(now: number): Clock & { time: number; onSleep: () => void } {
  return {
    time: now,
    onSleep: () => undefined,
    now() {
      return this.time
    },
    monotonic() {
      return this.time
    },
    sleep(ms) {
      this.time += ms
      this.onSleep()
      return Promise.resolve()
    },
  }
}

/** Everything that an input holds, in order. */
export async function readAll(
  source: Source,
  input: SourceInput,
  columns: readonly string[] = ANY_COLUMNS,
  options: Omit<OpenOptions, 'columns'> = {},
) {
  const reader = await source.open(input, { ...options, columns })
  const items: SourceItem[] = []
  const sizes: number[] = []
  try {
    for await (const batch of reader.batches()) {
      sizes.push(batch.length)
      items.push(...batch)
    }
    const { header, twiceEncoded, contradicted } = reader
    return {
      header,
      twiceEncoded,
      contradicted,
      oddities: reader.oddities?.(),
      items,
      sizes,
      sha256: reader.sha256(),
      bytesRead: reader.bytesRead(),
    }
  } finally {
    await reader.close()
  }
}

/** The code of the SyncError that a promise fails with. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof SyncError) return error.code
  throw new Error(`expected a SyncError, got ${String(error)}`)
}

export async function* rejectRows(...rows: RejectRow[]): AsyncGenerator<RejectRow> {
  yield* await Promise.resolve(rows)
}

export function describeSource(name: string, harness: SourceHarness): void {
  describe(`source ${name}`, () => {
    const HOUR = 3_600_000
    const COLUMNS = harness.columns ?? ANY_COLUMNS
    let folder: string
    let clock: ReturnType<typeof stillClock>
    let source: Source

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'source-'))
      clock = stillClock(Date.now() + HOUR)
      source = harness.create({ folder, settle: '2s' }, clock)
    })
    afterEach(() => rmSync(folder, { recursive: true, force: true }))

    const table = (...ids: string[]): Buffer =>
      Buffer.from(
        harness.text(
          COLUMNS,
          ids.map((id) => [id, `Name ${id}`, `${id}@example.org`]),
        ),
      )
    const plain = harness.plain ?? ((content: Buffer): string => content.toString())
    const contentOf = (rows: string[][]): Buffer => Buffer.from(harness.text(COLUMNS, rows))
    const drop = (stem: string | Buffer, text: string | Buffer = table('1')): void => {
      const raw = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(stem), Buffer.from(harness.ending)])
      writeFileSync(raw, text)
    }
    const only = async (): Promise<SourceInput> => {
      const { ready } = await source.list({ wait: false })
      expect(ready).toHaveLength(1)
      return ready[0]!
    }
    const file = (stem: string): string => join(folder, stem + harness.ending)

    describe('listing', () => {
      it('takes matching files in order of code units, whatever their case', async () => {
        for (const stem of ['b', 'a', 'B', 'a10', 'a2', 'ä']) drop(stem)
        writeFileSync(join(folder, `C${harness.ending.toUpperCase()}`), table('1'))
        writeFileSync(join(folder, 'notes.md'), 'x')
        const { ready } = await source.list({ wait: false })
        expect(ready.map((input) => input.name.slice(0, -harness.ending.length))).toEqual(
          ['B', 'C', 'a', 'a10', 'a2', 'b', 'ä'].sort(),
        )
      })

      it('passes over hidden and unfinished names and its own folders', async () => {
        drop('.hidden')
        for (const ending of ['.part', '.tmp', '.filepart', '.crdownload', '.partial', '.swp', '~']) {
          writeFileSync(file('x') + ending, table('1'))
        }
        mkdirSync(join(folder, 'processed'))
        mkdirSync(join(folder, 'failed'))
        expect(await source.list({ wait: false })).toEqual({ ready: [], unsettled: 0, refused: [] })
      })

      it('names a missing folder, and takes it for nothing else', async () => {
        const missing = harness.create({ folder: join(folder, 'nowhere'), settle: '0s' }, clock)
        expect(await codeOf(missing.list({ wait: false }))).toBe('INPUT_FOLDER_MISSING')
        drop('x')
        const inFile = harness.create({ folder: file('x'), settle: '0s' }, clock)
        expect(await codeOf(inFile.list({ wait: false }))).toBe('INPUT_FOLDER_MISSING')
      })

      it('reports what is no regular file without opening it, and lists the others', async () => {
        drop('good')
        symlinkSync('/etc/passwd', file('link'))
        symlinkSync('/nowhere', file('dangling'))
        mkdirSync(file('folder'))
        execFileSync('mkfifo', [file('pipe')])
        const server = createServer().listen(file('socket'))
        await new Promise((resolve) => server.once('listening', resolve))
        const { ready, refused } = await source.list({ wait: false })
        server.close()
        expect(ready.map((input) => input.name)).toEqual([`good${harness.ending}`])
        expect(refused.map((entry) => entry.name.slice(0, -harness.ending.length))).toEqual(
          ['dangling', 'folder', 'link', 'pipe', 'socket'].sort(),
        )
        for (const { name: shown, error } of refused) {
          expect(error.code).toBe('INPUT_NOT_A_FILE')
          expect(error.message).toContain(shown)
        }
      })

      it.each([
        ['a line break', 'a\nb'],
        ['an escape sequence', 'a\u001b[31mred'],
        ['a backslash', 'a\\nb'],
        ['a direction mark', 'a\u202egnp'],
        ['broken UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0x62])],
        ['255 bytes', 'n'.repeat(255 - harness.ending.length)],
        ['255 bytes of wide characters', 'ü'.repeat((255 - harness.ending.length) >> 1)],
      ])('reads and puts away a file whose name has %s', async (_what, stem) => {
        drop(stem)
        if (harness.isCoarse === true && Buffer.isBuffer(stem)) {
          expect((await source.list({ wait: false })).refused).toMatchObject([
            { error: { code: 'INPUT_UNREADABLE' } },
          ])
          return
        }
        const input = await only()
        expect(input.name).toMatch(/^[^\p{Cc}\p{Cf}]*$/u)
        expect((await readAll(source, input, COLUMNS)).items).toHaveLength(1)
        expect(await source.archive(input, { folder: 'processed', runId: 'r1' })).toBe(true)
        await source.writeRejects(input, { folder: 'processed', runId: 'r1' }, COLUMNS, rejectRows())
        expect(readdirSync(folder)).toEqual(['processed'])
        const kept = readdirSync(join(folder, 'processed'), { encoding: 'buffer' })
        expect(kept.length).toBeGreaterThanOrEqual(2)
        expect(kept.every((raw) => raw.length <= 255)).toBe(true)
      })
    })

    describe('settling', () => {
      const changedAgo = (stem: string, ms: number): void => {
        const seconds = (clock.time - ms) / 1000
        utimesSync(file(stem), seconds, seconds)
      }

      it('leaves a file that changed a moment ago for later', async () => {
        drop('old')
        drop('new')
        changedAgo('old', 3500)
        changedAgo('new', 500)
        const { ready, unsettled } = await source.list({ wait: false })
        expect(ready.map((input) => input.name)).toEqual([`old${harness.ending}`])
        expect(unsettled).toBe(1)
      })

      it('waits until those that it found have settled, but not for later ones', async () => {
        drop('growing')
        changedAgo('growing', 500)
        let sleeps = 0
        clock.onSleep = () => {
          sleeps += 1
          if (sleeps === 1) changedAgo('growing', 100)
          drop(`later${sleeps}`)
          changedAgo(`later${sleeps}`, 0)
        }
        const { ready, unsettled } = await source.list({ wait: true })
        expect(sleeps).toBe(2)
        expect(ready.map((input) => input.name)).toContain(`growing${harness.ending}`)
        expect(unsettled).toBeGreaterThanOrEqual(1)
      })

      it('stops waiting when it is told to', async () => {
        drop('growing')
        changedAgo('growing', 0)
        const abort = new AbortController()
        clock.onSleep = () => {
          changedAgo('growing', 0)
          abort.abort()
        }
        expect(await source.list({ wait: true, signal: abort.signal })).toMatchObject({
          ready: [],
          unsettled: 1,
        })
      })

      it('takes everything at once with settle 0', async () => {
        drop('new')
        changedAgo('new', 0)
        const eager = harness.create({ folder, settle: '0s' }, clock)
        expect((await eager.list({ wait: false })).ready).toHaveLength(1)
      })

      it('does not wait for a time of change that lies far ahead', async () => {
        drop('future')
        changedAgo('future', -10 * 365 * 24 * HOUR)
        expect((await source.list({ wait: false })).ready).toHaveLength(1)
      })
    })

    describe('reading', () => {
      it('hands on records in order with their lines, blank values as empty text', async () => {
        const text = contentOf([
          ['1', 'Ann', ''],
          ['2', '', 'b@example.org'],
        ])
        drop('x', text)
        const { header, items, sha256, bytesRead } = await readAll(source, await only(), COLUMNS)
        expect(header).toEqual(COLUMNS)
        expect(items.map((item) => [item.kind, item.line, ...item.values])).toEqual([
          ['record', harness.lineOf(0), '1', 'Ann', ''],
          ['record', harness.lineOf(1), '2', '', 'b@example.org'],
        ])
        expect(sha256).toBe(createHash('sha256').update(text).digest('hex'))
        expect(bytesRead).toBe(text.length)
      })

      it('hands on many records in several batches', async () => {
        const ids = Array.from({ length: 1000 }, (_, index) => String(index))
        drop('x', table(...ids))
        const { items, sizes } = await readAll(source, await only(), COLUMNS)
        expect(items.map((item) => item.values[0])).toEqual(ids)
        expect(items.map((item) => item.line)).toEqual(ids.map((_, index) => harness.lineOf(index)))
        expect(sizes.length).toBeGreaterThan(1)
        expect(Math.max(...sizes)).toBeLessThanOrEqual(1000)
      })

      it.each(['', '\n', '\r\n \n', '\ufeff'])('refuses a file that holds only %j', async (text) => {
        drop('x', text)
        expect(await codeOf(readAll(source, await only(), COLUMNS))).toBe('INPUT_EMPTY')
      })

      it('refuses what is no text, and says what it looks like', async () => {
        drop('x', 'PK\u0003\u0004rest of a workbook')
        await expect(readAll(source, await only(), COLUMNS)).rejects.toThrow(/Excel/)
      })

      it('changes nothing by listing and reading', async () => {
        drop('x')
        await readAll(source, await only(), COLUMNS)
        expect(readdirSync(folder)).toEqual([`x${harness.ending}`])
        expect(await source.isWaiting(await only())).toBe(true)
      })

      it('refuses a damaged end, with the records before it read', async () => {
        const ids = Array.from({ length: 3000 }, (_, index) => String(index))
        drop(
          'x',
          harness.damagedAtEnd(
            COLUMNS,
            ids.map((id) => [id, `Name ${id}`, 'm@example.org']),
          ),
        )
        const reader = await source.open(await only(), { columns: COLUMNS })
        let seen = 0
        const read = async (): Promise<void> => {
          for await (const batch of reader.batches()) seen += batch.length
        }
        await expect(read()).rejects.toMatchObject({ class: 'input' })
        await reader.close()
        expect(seen).toBeGreaterThan(0)
        expect(seen).toBeLessThan(3001)
      })
    })

    describe('versions', () => {
      it('gives a file a new version when its content may have changed', async () => {
        drop('x')
        const before = await only()
        expect(await only()).toEqual(before)
        appendFileSync(file('x'), ' ')
        expect((await only()).version).not.toBe(before.version)
        expect(await source.isWaiting(before)).toBe(false)
      })

      it('does not open another version than the one listed', async () => {
        drop('x')
        const input = await only()
        appendFileSync(file('x'), ' ')
        expect(await codeOf(readAll(source, input, COLUMNS))).toBe('INPUT_CHANGED')
        rmSync(file('x'))
        expect(await codeOf(readAll(source, input, COLUMNS))).toBe('INPUT_CHANGED')
      })

      it('does not open a link or a pipe that took the place of the file', async () => {
        drop('x')
        const input = await only()
        renameSync(file('x'), file('y'))
        symlinkSync(file('y'), file('x'))
        expect(await codeOf(readAll(source, input, COLUMNS))).toBe('INPUT_NOT_A_FILE')
        rmSync(file('x'))
        execFileSync('mkfifo', [file('x')])
        expect(['INPUT_NOT_A_FILE', 'INPUT_CHANGED']).toContain(await codeOf(readAll(source, input, COLUMNS)))
      })

      it.each([
        ['grows', (path: string) => appendFileSync(path, 'x')],
        [
          'is replaced',
          (path: string) => {
            writeFileSync(`${path}.tmp`, 'other')
            renameSync(`${path}.tmp`, path)
          },
        ],
        ['is cut off', (path: string) => writeFileSync(path, '')],
        ['is removed', (path: string) => rmSync(path)],
      ])('says so when a file %s while it is read', async (_what, change) => {
        drop('x', table(...Array.from({ length: 5000 }, (_, index) => String(index))))
        const reader = await source.open(await only(), { columns: COLUMNS })
        const read = async (): Promise<void> => {
          let first = true
          for await (const _ of reader.batches()) {
            if (first) change(file('x'))
            first = false
          }
        }
        expect(await codeOf(read())).toBe('INPUT_CHANGED')
        await reader.close()
      })
    })

    describe('putting away', () => {
      it('moves a file under its name with the run, with the reason beside it', async () => {
        drop('x', table('7'))
        const input = await only()
        const to = { folder: 'failed', runId: 'run-1', reason: 'It cannot be read.' } as const
        expect(await source.archive(input, to)).toBe(true)
        expect(readdirSync(join(folder, 'failed')).sort()).toEqual(
          [`x.run-1${harness.ending}`, 'x.run-1.reason.txt'].sort(),
        )
        expect(readFileSync(join(folder, 'failed', `x.run-1${harness.ending}`))).toEqual(table('7'))
        expect(readFileSync(join(folder, 'failed', 'x.run-1.reason.txt'), 'utf8')).toBe(
          'It cannot be read.\n',
        )
        expect(await source.isWaiting(input)).toBe(false)
      })

      it('leaves out the records of a person who was erased, and keeps the others on their lines', async () => {
        drop('a', table('1', '2', '3'))
        const leaveOut: Sought = {
          columns: COLUMNS,
          ofLine: () => undefined,
          ofRecord: (_header, values) => (values.includes('2@example.org') ? 'surely' : undefined),
        }
        expect(await source.archive(await only(), { folder: 'processed', runId: 'r1', leaveOut })).toBe(true)
        const archived = join(folder, 'processed')
        const text = readdirSync(archived).map((name) => plain(readFileSync(join(archived, name))))
        expect(text).toHaveLength(1)
        expect(text[0]).not.toContain('2@example.org')
        const left = harness.create({ folder: archived, settle: '0s' }, clock)
        const [input] = (await left.list({ wait: false })).ready
        const { items } = await readAll(left, input!, COLUMNS)
        // A list may keep an empty place where the record was.
        const named = items.flatMap((item) => (item.kind === 'record' ? [[item.line, item.values[0]]] : []))
        expect(named.filter(([, id]) => id !== '')).toEqual([
          [harness.lineOf(0), '1'],
          [harness.lineOf(2), '3'],
        ])
      })

      it('never overwrites', async () => {
        for (const text of [table('1'), table('2'), table('3')]) {
          drop('x', text)
          expect(await source.archive(await only(), { folder: 'processed', runId: 'r' })).toBe(true)
        }
        const texts = ['', '-2', '-3'].map((suffix) =>
          readFileSync(join(folder, 'processed', `x.r${suffix}${harness.ending}`)),
        )
        expect(texts).toEqual([table('1'), table('2'), table('3')])
      })

      it('does not move another version', async () => {
        drop('x')
        const input = await only()
        appendFileSync(file('x'), ' ')
        expect(await source.archive(input, { folder: 'processed', runId: 'r' })).toBe(false)
        expect(readdirSync(folder)).toEqual([`x${harness.ending}`])
        rmSync(file('x'))
        expect(await source.archive(input, { folder: 'processed', runId: 'r' })).toBe(false)
      })

      it.skipIf(harness.isCoarse)(
        'does not move a version of the same size and time of modification',
        async () => {
          const times = new Date(clock.time - HOUR)
          drop('x', table('1'))
          utimesSync(file('x'), times, times)
          const input = await only()
          drop('x', table('2'))
          utimesSync(file('x'), times, times)
          expect(await source.archive(input, { folder: 'processed', runId: 'r' })).toBe(false)
          expect(await codeOf(readAll(source, input, COLUMNS))).toBe('INPUT_CHANGED')
          expect(readFileSync(file('x'))).toEqual(table('2'))
        },
      )

      it('does not move another content than the one that was read', async () => {
        drop('x')
        const to = { folder: 'processed', runId: 'r', sha256: '0'.repeat(64) } as const
        expect(await source.archive(await only(), to)).toBe(false)
        expect(readdirSync(folder).sort()).toEqual(['processed', `x${harness.ending}`])
        expect(readdirSync(join(folder, 'processed'))).toEqual([])
        const { sha256 } = await readAll(source, await only(), COLUMNS)
        expect(await source.archive(await only(), { ...to, sha256 })).toBe(true)
      })

      it('reads the other content next, whatever its version', async () => {
        const times = new Date(Math.floor((clock.time - HOUR) / 1000) * 1000)
        drop('x', table('1'))
        utimesSync(file('x'), times, times)
        const input = await only()
        const { sha256 } = await readAll(source, input, COLUMNS)
        drop('x', table('2'))
        utimesSync(file('x'), times, times)
        expect(await source.archive(input, { folder: 'processed', runId: 'r', sha256 })).toBe(false)
        const { items } = await readAll(source, await only(), COLUMNS)
        expect(items).toMatchObject([{ kind: 'record', values: expect.arrayContaining(['2']) as string[] }])
      })

      it('leaves the file where it is when the folder cannot be made', async () => {
        drop('x')
        writeFileSync(join(folder, 'processed'), 'a file in the way')
        expect(await codeOf(source.archive(await only(), { folder: 'processed', runId: 'r' }))).toBe(
          'ARCHIVE_FAILED',
        )
        expect(await source.isWaiting(await only())).toBe(true)
      })
    })

    describe('rejects', () => {
      const to = { folder: 'processed', runId: 'r' } as const

      it('can be dropped again and give the same records', async () => {
        const rows = [
          ['1', 'Ann "the" O\'Neil; Ltd, |\t', 'a@example.org'],
          ['2', 'two\r\nlines\rand\nmore', ''],
          ['3', '=1+1', 'Ünïcode ✓'],
        ]
        drop('x', harness.text(COLUMNS, rows))
        const input = await only()
        const { items } = await readAll(source, input, COLUMNS)
        await source.archive(input, to)
        await source.writeRejects(
          input,
          to,
          COLUMNS,
          rejectRows(
            ...items.map((item) => ({ ...item, reason: 'MAIL_INVALID', file: input.name, line: item.line })),
          ),
        )
        const rejects = readFileSync(join(folder, 'processed', 'x.r.rejects.csv'))
        expect(rejects.toString().split(',')[0]).toBe(COLUMNS[0])
        expect(rejects.toString()).toContain(`,MAIL_INVALID,${input.name},`)
        renameSync(
          join(folder, 'processed', `x.r${harness.droppable}`),
          join(folder, `x.r${harness.droppable}`),
        )
        const again = await readAll(source, await only(), COLUMNS)
        expect(again.items.map((item) => item.values.slice(0, 3))).toEqual(rows)
      })

      it('are whole or not there at all', async () => {
        drop('x')
        const input = await only()
        async function* failing(): AsyncGenerator<RejectRow> {
          yield await Promise.resolve({ values: ['1'], text: '{}', reason: 'r', file: 'f', line: 1 })
          throw new Error('the state has gone')
        }
        await source.archive(input, to)
        await expect(source.writeRejects(input, to, COLUMNS, failing())).rejects.toThrow('the state has gone')
        expect(readdirSync(join(folder, 'processed'))).toEqual([`x.r${harness.ending}`])
      })

      it('never overwrite', async () => {
        drop('x')
        const input = await only()
        for (const reason of ['FIRST', 'SECOND']) {
          const row = { values: ['1', '2', '3'], text: '{}', reason, file: 'f', line: 2 }
          await source.writeRejects(input, to, COLUMNS, rejectRows(row))
        }
        const read = (file: string): string => readFileSync(join(folder, 'processed', file), 'utf8')
        expect(read('x.r.rejects.csv')).toContain('FIRST')
        expect(read('x.r-2.rejects.csv')).toContain('SECOND')
      })
    })
  })
}
