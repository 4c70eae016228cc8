// The kind `excel`: workbooks in a drop folder.
import { loadedKind } from '../loaded-kind.ts'
import { excelOptions } from './options.ts'

export const excelKind = loadedKind({
  help: 'Excel workbooks (.xlsx) in a drop folder: one sheet with a header row. Dates read as yyyy-MM-dd, numbers as typed.',
  example: ['type: excel', 'folder: ../state/inbox/sales', 'sheet: Customers', 'skip_lines: auto'].join('\n'),
  schema: excelOptions,
  async load() {
    const [{ readExcel }, { findSheetRows }] = await Promise.all([
      import('./reader.ts'),
      import('./erase.ts'),
    ])
    return { read: readExcel, find: findSheetRows }
  },
})
