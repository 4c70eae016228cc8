// The kind `csv`: contact exports as separated values in a drop folder. What reads them is loaded with the first file: commands
// that only list files do without.
import type { Source } from '../../core/ports.ts'
import { createDropFolder } from '../drop-folder.ts'
import { sourceKind, type SourceDeps } from '../kind.ts'
import { csvOptions, type CsvOptions } from './options.ts'
import { REMOTE_SECRETS } from '../remote/options.ts'

const REMEMBERED = 100

const reading = () => import('./reader.ts')
const searching = () => import('./erase.ts')

export const csvKind = sourceKind({
  help: 'CSV files in a drop folder. Encoding, delimiter and line ends are detected for each file.',
  example: ['type: csv', 'folder: ../state/inbox/shop', 'files: "*.csv"', 'settle: 2s'].join('\n'),
  schema: csvOptions,
  create: createCsvSource,
  secrets: REMOTE_SECRETS,
  find: async (file, options, sought) => (await searching()).findRows(file, options, sought),
  read: async (file, options, asked) => (await reading()).readCsv(file, options, asked),
})

function createCsvSource(options: CsvOptions, deps: SourceDeps): Source {
  const folder = createDropFolder(options, deps, async (file, theirs) =>
    (await searching()).findRows(file, options, theirs),
  )
  // The delimiters of the files opened last, so that their rejects look like them.
  const delimiters = new Map<string, string>()
  return {
    list: folder.list,
    isUnclaimed: folder.isUnclaimed,
    isWaiting: folder.isWaiting,
    archive: folder.archive,
    giveBack: folder.giveBack,
    clearLeftovers: folder.clearLeftovers,
    async open(input, open) {
      const { readCsv } = await reading()
      const reader = await readCsv(await folder.openFile(input), options, open)
      delimiters.set(input.version, reader.delimiter)
      const [oldest] = delimiters.keys()
      if (delimiters.size > REMEMBERED && oldest !== undefined) delimiters.delete(oldest)
      return reader
    },
    writeRejects(input, to, header, rows) {
      const set = options.delimiter === 'auto' ? ',' : options.delimiter
      const delimiter = delimiters.get(input.version) ?? set
      return folder.writeRejects(input, to, { header, delimiter, jsonLines: false }, rows)
    },
  }
}
