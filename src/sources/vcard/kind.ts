// The kind `vcard`: cards in a drop folder.
import { loadedKind } from '../loaded-kind.ts'
import { vcardOptions } from './options.ts'

export const vcardKind = loadedKind({
  help: 'vCards (.vcf) of versions 2.1, 3.0 and 4.0 in a drop folder, any number in a file. Columns are properties such as N.family and TEL;TYPE=CELL.',
  example: ['type: vcard', 'folder: ../state/inbox/phones'].join('\n'),
  schema: vcardOptions,
  async load() {
    const [{ readVcard }, { findCards }] = await Promise.all([import('./reader.ts'), import('./erase.ts')])
    return { read: readVcard, find: findCards }
  },
})
