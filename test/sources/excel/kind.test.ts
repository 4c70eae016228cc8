import { createSource, SOURCE_KINDS } from '../../../src/sources/registry.ts'
import { describeSource } from '../../contracts/source.ts'
import { partsOf, sheetData, workbook } from '../../support/workbook.ts'

describeSource('excel', {
  ending: '.xlsx',
  create: (options, clock) =>
    createSource(
      { type: 'excel', null_values: [], ...SOURCE_KINDS['excel']!.schema.parse(options) },
      { clock },
    ),
  text: (columns, rows) => workbook({ sheets: [{ rows: [columns, ...rows] }] }),
  lineOf: (index) => index + 2,
  damagedAtEnd: (columns, rows) =>
    workbook({ sheets: [{ xml: sheetData([columns, ...rows]).replace(/<\/row><\/sheetData>$/, '') }] }),
  droppable: '.rejects.csv',
  plain: (content) => partsOf(content).join('\n'),
})
