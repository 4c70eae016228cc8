// A text as an open input file, without a disk; and a drop folder of such texts as a source of kind csv.
import type { Source, SourceInput } from '../../src/core/ports.ts'
import { bytesInput } from '../../src/sources/bytes-input.ts'
import { csvOptions } from '../../src/sources/csv/options.ts'
import { type CsvReader, readCsv } from '../../src/sources/csv/reader.ts'

export const readText = (
  content: Buffer,
  options: Readonly<Record<string, unknown>> = {},
  chunkBytes = 32 * 1024,
): Promise<CsvReader> =>
  readCsv(bytesInput(content, { chunkBytes }), csvOptions.parse({ folder: '/', ...options }))

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
      const file = bytesInput(waiting?.content ?? Buffer.alloc(0), { name: 'people.csv', chunkBytes: 64 })
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
