// The sets of persons with duplicates, and the truth about them, that the duplicate check is measured with.
// They are not part of the project: SAMPLES_DIR names the folder that has them.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'

type Row = Readonly<Record<string, string>>

export interface LinkageRecord {
  /** Records of one person have it in common. */
  readonly person: string
  readonly fields: Readonly<Record<string, string>>
}

export interface LinkageSet {
  readonly name: string
  readonly file: string
  /** F1 below this fails the measurement. */
  readonly aim: number
  readonly recordOf: (row: Row) => LinkageRecord
}

const moment = (day: string): string => {
  const [, year = '', month = '', date = ''] = /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(day) ?? []
  return year === '' ? '' : `${year}-${month}-${date}T12:00:00+00:00`
}

const text = (row: Row, name: string): string => row[name] ?? ''

/** `rec-7-org`, `rec-7-dup-0`: the number is the person's. */
const fromFebrl = (row: Row): LinkageRecord => ({
  person: text(row, 'rec_id').split('-')[1] ?? '',
  fields: {
    first_name: text(row, 'given_name'),
    family_name: text(row, 'surname'),
    ba_street: `${text(row, 'street_number')} ${text(row, 'address_1')}`.trim(),
    ba_street2: text(row, 'address_2'),
    ba_city: text(row, 'suburb'),
    ba_postal_code: text(row, 'postcode'),
    date_of_birth: moment(text(row, 'date_of_birth')),
  },
})

const fromFake = (row: Row): LinkageRecord => ({
  person: text(row, 'cluster'),
  fields: {
    first_name: text(row, 'first_name'),
    family_name: text(row, 'surname'),
    mail: text(row, 'email'),
    ba_city: text(row, 'city'),
    date_of_birth: moment(text(row, 'dob')),
  },
})

export const LINKAGE_SETS: readonly LinkageSet[] = [
  { name: 'FEBRL 1', file: 'linkage/febrl/dataset1.csv', aim: 0.95, recordOf: fromFebrl },
  { name: 'FEBRL 3', file: 'linkage/febrl/dataset3.csv', aim: 0.95, recordOf: fromFebrl },
  { name: 'fake_1000', file: 'linkage/splink/fake_1000.csv', aim: 0.9, recordOf: fromFake },
]

/** Undefined where the folder does not have the set. */
export function readSet(folder: string, set: LinkageSet): LinkageRecord[] | undefined {
  const path = join(folder, set.file)
  if (!existsSync(path)) return undefined
  const rows: Row[] = parse(readFileSync(path), { columns: true, trim: true })
  return rows.map(set.recordOf)
}
