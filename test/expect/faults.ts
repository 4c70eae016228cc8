// What goes wrong with exports: sixty faults, each put into the ordinary export of a day.
import iconv from 'iconv-lite'
import { type Column, COLUMNS, type Row, year } from './members.ts'
import { csv, lines } from './world.ts'

type Rows = readonly Row[]
type Export = string | Buffer
type Fault = readonly [name: string, (rows: Rows) => Export]

const table = (rows: Rows): string[][] => rows.map((row) => COLUMNS.map((column) => row[column]))

/** Each row under another header, or with other values. */
const written = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  lines([header, ...rows])

const each =
  (change: (row: Row, index: number, rows: Rows) => Partial<Row>) =>
  (rows: Rows): string =>
    csv(rows.map((row, index) => ({ ...row, ...change(row, index, rows) })))

const of = (column: Column, change: (value: string, index: number) => string) =>
  each((row, index) => ({ [column]: change(row[column], index) }))

const renamed =
  (...names: readonly (readonly [Column, string])[]) =>
  (rows: Rows): string => {
    const header = COLUMNS.map((column) => names.find(([old]) => old === column)?.[1] ?? column)
    return written(header, table(rows))
  }

const without =
  (...gone: readonly Column[]) =>
  (rows: Rows): string => {
    const kept = COLUMNS.filter((column) => !gone.includes(column))
    return written(
      kept,
      rows.map((row) => kept.map((column) => row[column])),
    )
  }

const swapped = (left: Column, right: Column, isMeant: (index: number) => boolean = () => true) =>
  each((row, index) => (isMeant(index) ? { [left]: row[right], [right]: row[left] } : {}))

/** Values stand so many columns further to the right, from this column on. */
const shifted =
  (from: number, by: number, isMeant: (index: number) => boolean = () => true) =>
  (rows: Rows): string =>
    written(
      COLUMNS,
      table(rows).map((values, index) => {
        if (!isMeant(index)) return values
        const end = values.slice(from)
        const turned =
          by > 0 ? [...end.slice(-by), ...end.slice(0, -by)] : [...end.slice(-by), ...end.slice(0, -by)]
        return [...values.slice(0, from), ...turned]
      }),
    )

/** Values of one column came loose from their rows: sorted by themselves, as in a spreadsheet. */
const loose =
  (column: Column) =>
  (rows: Rows): string => {
    const values = rows.map((row) => row[column]).sort()
    return csv(rows.map((row, index) => ({ ...row, [column]: values[index] ?? '' })))
  }

const part =
  (from: number, to: number) =>
  (rows: Rows): string =>
    csv(rows.slice(Math.floor(rows.length * from), Math.floor(rows.length * to)))

const otherClub = (rows: Rows): Rows =>
  year(rows.length, 99)
    .next()
    .map((row, index) => ({ ...row, Nr: String(50_000 + index), 'E-Mail': `other${index}@post.example` }))

const dateParts = (value: string): string[] => value.split('.')

const RENAMED: readonly Fault[] = [
  ['a column is renamed', renamed(['Telefon', 'Telefonnummer'])],
  ['the mail is renamed', renamed(['E-Mail', 'Mailadresse'])],
  ['the key is renamed', renamed(['Nr', 'Mitgliedsnummer'])],
  ['the name is renamed', renamed(['Nachname', 'Name'])],
  ['two headers are swapped', renamed(['Vorname', 'Nachname'], ['Nachname', 'Vorname'])],
  ['headers are translated', renamed(['Vorname', 'First name'], ['Nachname', 'Last name'], ['Ort', 'City'])],
  ['umlauts of the header are lost', renamed(['Straße', 'Strasse'])],
  ['a column is gone', without('Telefon')],
  ['three columns are gone', without('Straße', 'PLZ', 'Ort')],
  ['the key is gone', without('Nr')],
  ['the groups are gone', without('Gruppen')],
  ['the header is gone', (rows) => written(table(rows)[0] ?? [], table(rows).slice(1))],
]

const SWAPPED: readonly Fault[] = [
  ['first and last names are swapped', swapped('Vorname', 'Nachname')],
  ['they are swapped in every fifth row', swapped('Vorname', 'Nachname', (index) => index % 5 === 0)],
  ['street and city are swapped', swapped('Straße', 'Ort')],
  ['phone and postal code are swapped', swapped('Telefon', 'PLZ')],
  ['mail and phone are swapped', swapped('E-Mail', 'Telefon')],
  ['salutation and first name are swapped', swapped('Anrede', 'Vorname')],
  ['status and groups are swapped', swapped('Status', 'Gruppen')],
  ['company and last name are swapped', swapped('Firma', 'Nachname')],
  ['number and mail are swapped', swapped('Nr', 'E-Mail')],
  ['everything is shifted by one', shifted(1, 1)],
  ['the address is shifted by one', shifted(6, 1)],
  ['everything is shifted to the left', shifted(2, -1)],
  ['every fourth row is shifted', shifted(2, 1, (index) => index % 4 === 0)],
  ['the second half is shifted', shifted(4, 1, (index) => index > 100)],
]

const EMPTIED: readonly Fault[] = [
  ['the mails are empty', of('E-Mail', () => '')],
  ['the phones are empty', of('Telefon', () => '')],
  ['the last names are empty', of('Nachname', () => '')],
  ['the cities are empty in every third row', of('Ort', (value, index) => (index % 3 === 0 ? '' : value))],
  ['the birthdays are empty', of('Geburtstag', () => '')],
  ['the numbers are empty', of('Nr', () => '')],
  ['the first names are masked', of('Vorname', () => '***')],
  ['the phones say n/a', of('Telefon', () => 'n/a')],
  ['the last names say NULL', of('Nachname', () => 'NULL')],
  ['everybody has one mail', of('E-Mail', () => 'info@club.example')],
]

const REWRITTEN: readonly Fault[] = [
  [
    'another decimal sign',
    of('Beitrag', (value) => value.replace(/[.,]/g, (sign) => (sign === '.' ? ',' : '.'))),
  ],
  ['amounts in cents', of('Beitrag', (value) => value.replace(/[.,]/g, ''))],
  [
    'the month before the day',
    of('Geburtstag', (value) =>
      dateParts(value).with(0, dateParts(value)[1]!).with(1, dateParts(value)[0]!).join('.'),
    ),
  ],
  ['dates with slashes', of('Geburtstag', (value) => value.replaceAll('.', '/'))],
  ['years of two digits', of('Geburtstag', (value) => value.replace(/\.(\d\d)(\d\d)$/, '.$2'))],
  [
    'birthdays a day too early',
    of('Geburtstag', (value) =>
      value.replace(/^\d\d/, (day) => String(Math.max(1, Number(day) - 1)).padStart(2, '0')),
    ),
  ],
  ['zeros before postal codes are lost', of('PLZ', (value) => value.replace(/^0/, ''))],
  ['phones that lack their last digit', of('Telefon', (value) => value.slice(0, -1))],
  ['phones like 4,93E+09', of('Telefon', (value) => (value === '' ? '' : '4,93E+09'))],
  [
    'other words for the status',
    of('Status', (value) => ({ aktiv: 'active', passiv: 'passive' })[value] ?? value),
  ],
  ['numbers for the salutation', of('Anrede', (value) => (value === 'Frau' ? '2' : '1'))],
  ['numbers of members with a letter before them', of('Nr', (value) => `M${value}`)],
  ['UTF-8 read as Windows-1252', (rows) => Buffer.from(iconv.decode(Buffer.from(csv(rows)), 'windows-1252'))],
  ['umlauts that became question marks', (rows) => csv(rows).replace(/[äöüÄÖÜßéè]/g, '?')],
]

const MIXED: readonly Fault[] = [
  ['half the file', part(0, 0.5)],
  ['four fifths of the file', part(0, 0.8)],
  ['the first ten rows', part(0, 0.05)],
  ['the header alone', () => csv([])],
  ['the file twice', (rows) => csv([...rows, ...rows])],
  [
    'the header once more in the middle',
    (rows) => written(COLUMNS, [...table(rows).slice(0, 50), [...COLUMNS], ...table(rows).slice(50)]),
  ],
  ['the file of another club', (rows) => csv(otherClub(rows))],
  ['half of another club', (rows) => csv([...rows.slice(0, 100), ...otherClub(rows).slice(100)])],
  ['the phones sorted by themselves', loose('Telefon')],
  ['the last names sorted by themselves', loose('Nachname')],
]

export const FAULTS: readonly Fault[] = [...RENAMED, ...SWAPPED, ...EMPTIED, ...REWRITTEN, ...MIXED]
