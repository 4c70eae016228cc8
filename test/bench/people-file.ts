// The file that the benchmarks are measured with: people of 20 columns, some values quoted, some over two lines.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

/** The columns that the program and the plain scripts map, each to the field of its name. */
export const FIELDS = [
  'first_name',
  'family_name',
  'company',
  'job_title',
  'mail',
  'phone',
  'phone2',
  'fax',
  'ba_street',
  'ba_city',
  'ba_postal_code',
  'ba_state',
  'ba_country',
] as const

const EXTRA = Array.from({ length: 6 }, (_, index) => `extra${index + 1}`)

function valuesOf(row: number, version: number): string[] {
  return [
    `K${row}`,
    `Vorname${row % 997}`,
    `Nachname${row}`,
    row % 2 === 0 ? `"Muster ${row}, GmbH"` : `Muster ${row}`,
    version === 0 ? 'Einkauf' : `Einkauf ${version}`,
    `person${row}@example.com`,
    `+49 30 ${row}`,
    '',
    '',
    `Hauptstraße ${row % 200}`,
    'Berlin',
    String(10_000 + (row % 89_999)),
    'Berlin',
    'DE',
    row % 50 === 0 ? '"two\nlines"' : 'one line',
    'a',
    'b',
    'c',
    '',
    '',
  ]
}

/** `changed`: every so many rows have another job title; 0: all are as they were first. */
export async function writePeople(
  path: string,
  { rows, changed = 0, version = 1 }: { rows: number; changed?: number; version?: number },
): Promise<void> {
  const file = createWriteStream(path)
  file.write(`${['no', ...FIELDS, ...EXTRA].join(',')}\n`)
  for (let row = 0; row < rows; row += 1) {
    const isChanged = changed > 0 && row % changed === 0
    if (!file.write(`${valuesOf(row, isChanged ? version : 0).join(',')}\n`)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}
