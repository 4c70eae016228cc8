// A source whose inputs are tables in memory; it behaves like a drop folder, without files.
import type { InputReader, RejectRow, Source, SourceInput } from '../../src/core/ports.ts'
import { type ErrorCode, SyncError } from '../../src/core/words/errors.ts'
import type { SourceItem } from '../../src/core/mapping/record.ts'

export type Table = readonly (readonly string[])[]

export interface MemorySource extends Source {
  /** The first row is the header. `oneLine`: as in JSON without line breaks, where all records are on line 1. */
  drop(
    name: string,
    table: Table,
    options?: { failAfter?: number; code?: ErrorCode; oneLine?: boolean },
  ): void
  readonly archived: { name: string; folder: string; reason?: string }[]
  readonly rejects: Map<string, RejectRow[]>
  readonly waiting: () => string[]
  missing: boolean
  /** Nothing can be moved: no right, no space. */
  stuck: boolean
}

interface Waiting {
  readonly input: SourceInput
  readonly table: Table
  readonly failAfter: number | undefined
  /** How it fails. */
  readonly code: ErrorCode
  readonly oneLine: boolean
}

function items({ table, oneLine }: Waiting): SourceItem[] {
  const [header = [], ...rows] = table
  return rows.map((values, index) => {
    const line = oneLine ? 1 : index + 2
    if (values.length === header.length) return { kind: 'record', values, line }
    return {
      kind: 'defect',
      code: 'RECORD_RAGGED',
      message: `${values.length} values, ${header.length} expected`,
      values,
      line,
    }
  })
}

function reader(waiting: Waiting): InputReader {
  const { table, failAfter, code } = waiting
  const [header = []] = table
  return {
    header,
    bytesRead: () => 0,
    async *batches() {
      const all = items(waiting)
      for (let start = 0; start < all.length; start += 100) {
        await Promise.resolve()
        if (failAfter !== undefined && start >= failAfter)
          throw new SyncError(code, 'a quote that opened on line 3 never closes')
        yield all.slice(start, start + 100)
      }
      if (failAfter !== undefined) throw new SyncError(code, 'a quote that opened on line 3 never closes')
    },
    sha256: () => 'abc',
    close: async () => Promise.resolve(),
  }
}

export function memorySource(): MemorySource {
  const files = new Map<string, Waiting>()
  const archived: MemorySource['archived'] = []
  const rejects = new Map<string, RejectRow[]>()
  let versions = 0
  const source: MemorySource = {
    archived,
    rejects,
    missing: false,
    stuck: false,
    waiting: () => [...files.keys()],
    drop(name, table, options = {}) {
      files.set(name, {
        input: { name, version: `v${++versions}`, bytes: 10 },
        table,
        failAfter: options.failAfter,
        code: options.code ?? 'INPUT_QUOTE',
        oneLine: options.oneLine ?? false,
      })
    },
    async list() {
      if (source.missing) throw new SyncError('INPUT_FOLDER_MISSING', 'the folder is not there')
      const ready = [...files.values()].map(({ input }) => input).sort((a, b) => (a.name < b.name ? -1 : 1))
      return Promise.resolve({ ready, unsettled: 0, refused: [] })
    },
    async open(input) {
      const found = files.get(input.name)
      if (found?.input.version !== input.version) throw new SyncError('INPUT_CHANGED', 'changed')
      return Promise.resolve(reader(found))
    },
    isWaiting: async (input) => Promise.resolve(files.get(input.name)?.input.version === input.version),
    async archive(input, { folder, reason }) {
      if (source.stuck) throw new SyncError('ARCHIVE_FAILED', `${input.name} cannot be moved`)
      if (files.get(input.name)?.input.version !== input.version) return false
      files.delete(input.name)
      archived.push({ name: input.name, folder, ...(reason === undefined ? {} : { reason }) })
      return Promise.resolve(true)
    },
    clearLeftovers: async () => Promise.resolve(),
    async writeRejects(input, _to, _header, rows) {
      const kept: RejectRow[] = []
      for await (const row of rows) kept.push(row)
      if (kept.length > 0) rejects.set(input.name, kept)
    },
  }
  return source
}
