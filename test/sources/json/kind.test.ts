import { createSource, SOURCE_KINDS } from '../../../src/sources/registry.ts'
import { describeSource } from '../../contracts/source.ts'

const objects = (columns: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  rows.map((row) => JSON.stringify(Object.fromEntries(columns.map((name, index) => [name, row[index]]))))

describeSource('json, a list', {
  ending: '.json',
  create: (options, clock) =>
    createSource(
      { type: 'json', null_values: [], ...SOURCE_KINDS['json']!.schema.parse(options) },
      { clock },
    ),
  text: (columns, rows) => `[\n${objects(columns, rows).join(',\n')}\n]\n`,
  lineOf: (index) => index + 2,
  damagedAtEnd: (columns, rows) => `[\n${objects(columns, rows).join(',\n')},\n`,
  droppable: '.rejects.jsonl',
})

describeSource('json, lines', {
  ending: '.jsonl',
  create: (options, clock) =>
    createSource(
      { type: 'json', null_values: [], ...SOURCE_KINDS['json']!.schema.parse(options) },
      { clock },
    ),
  text: (columns, rows) => objects(columns, rows).join('\n'),
  lineOf: (index) => index + 1,
  damagedAtEnd: (columns, rows) => `${objects(columns, rows).join('\n')}\n{"id": "9", `,
  droppable: '.rejects.csv',
})

describeSource('json, inside an object', {
  ending: '.json',
  create: (options, clock) => {
    const checked = SOURCE_KINDS['json']!.schema.parse({ ...options, records: 'data.contacts' })
    return createSource({ type: 'json', null_values: [], ...checked }, { clock })
  },
  text: (columns, rows) =>
    `{"count": [1], "data": {"other": [{"id": "x"}], "contacts": [\n${objects(columns, rows).join(',\n')}\n]}, "next": null}`,
  lineOf: (index) => index + 2,
  damagedAtEnd: (columns, rows) => `{"data": {"contacts": [\n${objects(columns, rows).join(',\n')}\n]}`,
  droppable: '.rejects.jsonl',
})
