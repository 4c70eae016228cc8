import { inflateRawSync } from 'node:zlib'
import { createSource, SOURCE_KINDS } from '../../../src/sources/registry.ts'
import { describeSource } from '../../contracts/source.ts'
import { sheetData, workbook } from '../../support/workbook.ts'

/** Everything that its parts hold, unpacked. */
function unpacked(content: Buffer): string {
  const texts: string[] = []
  for (let at = 0; content.readUInt32LE(at) === 0x04034b50;) {
    const packed = content.readUInt32LE(at + 18)
    const from = at + 30 + content.readUInt16LE(at + 26) + content.readUInt16LE(at + 28)
    texts.push(inflateRawSync(content.subarray(from, from + packed)).toString())
    at = from + packed
  }
  return texts.join('\n')
}

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
  plain: unpacked,
})
