// The csv kind: a drop folder of CSV files.
import type { Clock, Source } from '../../core/ports.ts'
import { createArchive } from '../archive.ts'
import { createDropFolder } from '../drop-folder.ts'
import type { SourceKind } from '../kind.ts'
import { writeRejectsCsv } from '../rejects-csv.ts'
import { type CsvOptions, csvSchema } from './options.ts'
import { openCsv } from './reader.ts'

function createCsvSource(options: CsvOptions, clock: Clock): Source {
  const dropFolder = createDropFolder(options, clock)
  const archive = createArchive(dropFolder, options.folder)
  /** Rejects are written as the file was: what detects or sets the delimiter must fit them, too. */
  const delimiters = new Map<string, string>()
  return {
    list: dropFolder.list,
    isWaiting: dropFolder.isWaiting,
    archive: archive.archive,
    async open(input) {
      const file = await dropFolder.claim(input)
      try {
        const reader = await openCsv(file, options)
        delimiters.set(input.version, reader.delimiter)
        return reader
      } catch (error) {
        await file.handle.close()
        throw error
      }
    },
    async writeRejects(input, to, header, rows) {
      const delimiter = delimiters.get(input.version) ?? ','
      delimiters.delete(input.version)
      const iterator = rows[Symbol.asyncIterator]()
      const first = await iterator.next()
      if (first.done === true) return
      const all = async function* () {
        yield first.value
        yield* { [Symbol.asyncIterator]: () => iterator }
      }
      await archive.writeBeside(input, to, '.rejects.csv', (path) =>
        writeRejectsCsv(path, header, all(), { delimiter }),
      )
    },
  }
}

export const csvKind: SourceKind = {
  help: 'CSV files in a drop folder. Encoding, delimiter and quoting are detected and can be set.',
  example: 'source: { type: csv, folder: ../state/inbox/shop, files: "*.csv" }',
  schema: csvSchema,
  create: (options, { clock }) => createCsvSource(options as CsvOptions, clock),
}
