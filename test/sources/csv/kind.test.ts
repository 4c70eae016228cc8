import { gunzipSync, gzipSync } from 'node:zlib'
import { createSource, SOURCE_KINDS } from '../../../src/sources/registry.ts'
import { describeSource } from '../../contracts/source.ts'

const cell = (value: string): string =>
  /[",;|\t\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
const text = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [columns, ...rows].map((row) => `${row.map(cell).join(',')}\n`).join('')

describeSource('csv', {
  ending: '.csv',
  create: (options, clock) =>
    createSource({ type: 'csv', null_values: [], ...SOURCE_KINDS['csv']!.schema.parse(options) }, { clock }),
  text,
  lineOf: (index) => index + 2,
  damagedAtEnd: (columns, rows) => `${text(columns, rows)}9,"never closed,\n`,
  droppable: '.rejects.csv',
})

describeSource('csv, packed', {
  ending: '.csv.gz',
  create: (options, clock) =>
    createSource({ type: 'csv', null_values: [], ...SOURCE_KINDS['csv']!.schema.parse(options) }, { clock }),
  text: (columns, rows) => gzipSync(text(columns, rows)),
  lineOf: (index) => index + 2,
  damagedAtEnd: (columns, rows) => gzipSync(`${text(columns, rows)}9,"never closed,\n`),
  droppable: '.rejects.csv',
  plain: (content) => gunzipSync(content).toString(),
})
