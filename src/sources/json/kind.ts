// The kind `json`: contact exports as JSON lists, JSON lines, or objects around a list, in a drop folder. What reads them is
// loaded with the first file.
import { loadedKind } from '../loaded-kind.ts'
import { jsonOptions } from './options.ts'

export const jsonKind = loadedKind({
  help: 'JSON files in a drop folder: a list of objects, one object a line, or an object around a list. Columns are paths such as emails[0].value.',
  example: [
    'type: json',
    'folder: ../state/inbox/crm',
    'files: ["*.json", "*.jsonl", "*.rejects.csv"]',
    'records: results',
  ].join('\n'),
  schema: jsonOptions,
  jsonLines: true,
  async load() {
    const [{ readJson }, { findObjects }] = await Promise.all([import('./reader.ts'), import('./erase.ts')])
    return { read: readJson, find: findObjects }
  },
})
