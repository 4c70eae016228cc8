import { createSource, SOURCE_KINDS } from '../../../src/sources/registry.ts'
import { describeSource } from '../../contracts/source.ts'

const escaped = (value: string): string =>
  value
    .replaceAll(/[\\,;]/g, '\\$&')
    .replaceAll('\r', '=0D')
    .replaceAll('\n', '=0A')

/** Lines of a card; a value with line breaks as quoted-printable, which keeps both kinds of them. */
const property = (name: string, value: string): string =>
  /[\r\n]/.test(value)
    ? `${name};ENCODING=QUOTED-PRINTABLE:${escaped(value)}\n`
    : `${name}:${escaped(value)}\n`

const text = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows
    .map(
      (row) =>
        `BEGIN:VCARD\nVERSION:3.0\n${row.map((value, index) => property(columns[index] ?? '', value)).join('')}END:VCARD\n`,
    )
    .join('')

describeSource('vcard', {
  ending: '.vcf',
  create: (options, clock) =>
    createSource(
      { type: 'vcard', null_values: [], ...SOURCE_KINDS['vcard']!.schema.parse(options) },
      { clock },
    ),
  columns: ['UID', 'FN', 'EMAIL'],
  text,
  lineOf: (index) => index * 6 + 1,
  damagedAtEnd: (columns, rows) => text(columns, rows).replace(/END:VCARD\n$/, ''),
  droppable: '.rejects.csv',
})
