// A text as an open input file, without a disk; and a drop folder of such texts as a source of kind csv.
import { createHash } from 'node:crypto'
import type { Source, SourceInput } from '../../src/core/ports.ts'
import { csvOptions } from '../../src/sources/csv/options.ts'
import { type CsvReader, readCsv } from '../../src/sources/csv/reader.ts'
import type { InputFile } from '../../src/sources/input-file.ts'

function textInput(content: Buffer, { name = 'file.csv', chunkBytes = 32 * 1024 } = {}): InputFile {
  let furthest = 0
  return {
    name,
    version: 'v',
    bytes: content.length,
    readAt: async (buffer, position) => Promise.resolve(content.copy(buffer, 0, position)),
    async *chunks() {
      for (let at = 0; at < content.length; at += chunkBytes) {
        await Promise.resolve()
        furthest = Math.max(furthest, at + chunkBytes)
        yield Buffer.from(content.subarray(at, at + chunkBytes))
      }
    },
    bytesRead: () => Math.min(furthest, content.length),
    sha256: () => createHash('sha256').update(content).digest('hex'),
    assertUnchanged: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

export const readText = (
  content: Buffer,
  options: Readonly<Record<string, unknown>> = {},
  chunkBytes = 32 * 1024,
): Promise<CsvReader> =>
  readCsv(textInput(content, { chunkBytes }), csvOptions.parse({ folder: '/', ...options }))

export interface TextSource extends Source {
  /** Instead of what waits. */
  drop(content: Buffer): void
}

/** `raw`: whether its readers offer their raw bytes. */
export function textSource(options: Readonly<Record<string, unknown>>, raw: boolean): TextSource {
  let waiting: { readonly input: SourceInput; readonly content: Buffer } | undefined
  let versions = 0
  return {
    drop(content) {
      waiting = { input: { name: 'people.csv', version: `v${++versions}`, bytes: content.length }, content }
    },
    list: async () =>
      Promise.resolve({ ready: waiting === undefined ? [] : [waiting.input], unsettled: 0, refused: [] }),
    async open(_input, { lastEndedWithLineBreak, settled }) {
      const file = textInput(waiting?.content ?? Buffer.alloc(0), { name: 'people.csv', chunkBytes: 64 })
      const checked = csvOptions.parse({ folder: '/', ...options })
      const reader = await readCsv(file, checked, {
        lastEndedWithLineBreak: lastEndedWithLineBreak === true,
        settled: raw ? settled : undefined,
      })
      return raw ? reader : { ...reader, rawForm: undefined }
    },
    isWaiting: async (input) => Promise.resolve(waiting?.input.version === input.version),
    archive: async () => {
      waiting = undefined
      return Promise.resolve(true)
    },
    clearLeftovers: () => Promise.resolve(),
    writeRejects: () => Promise.resolve(),
  }
}
