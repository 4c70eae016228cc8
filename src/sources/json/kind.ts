// The kind `json`: contact exports as JSON lists, JSON lines, or objects around a list, in a drop folder. What reads them is
// loaded with the first file.
import type { Source } from '../../core/ports.ts'
import { createDropFolder } from '../drop-folder.ts'
import { sourceKind, type SourceDeps } from '../kind.ts'
import { jsonOptions, type JsonOptions } from './options.ts'
import { REMOTE_SECRETS } from '../remote/options.ts'

const reading = () => import('./reader.ts')
const searching = () => import('./erase.ts')

export const jsonKind = sourceKind({
  help: 'JSON files in a drop folder: a list of objects, one object a line, or an object around a list. Columns are paths such as emails[0].value.',
  example: [
    'type: json',
    'folder: ../state/inbox/crm',
    'files: ["*.json", "*.jsonl"]',
    'records: results',
  ].join('\n'),
  schema: jsonOptions,
  create: createJsonSource,
  secrets: REMOTE_SECRETS,
  find: async (file, options, sought) => (await searching()).findObjects(file, options, sought),
  read: async (file, options, asked) => (await reading()).readJson(file, options, asked),
})

function createJsonSource(options: JsonOptions, deps: SourceDeps): Source {
  const folder = createDropFolder(options, deps, async (file, theirs) =>
    (await searching()).findObjects(file, options, theirs),
  )
  return {
    list: folder.list,
    isUnclaimed: folder.isUnclaimed,
    isWaiting: folder.isWaiting,
    archive: folder.archive,
    giveBack: folder.giveBack,
    clearLeftovers: folder.clearLeftovers,
    async open(input, asked) {
      const { readJson } = await reading()
      return readJson(await folder.openFile(input), options, asked)
    },
    writeRejects: (input, to, header, rows) =>
      folder.writeRejects(input, to, { header, delimiter: ',', jsonLines: true }, rows),
  }
}
