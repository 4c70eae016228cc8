// The members of an invented club, day after day for a year: people come, leave, move, marry, change numbers and tariffs.
// Seeded, so that every run sees the same year. Each day is the full export of that day, as rows of text.
import { type Seeded, seeded } from '../support/seeded.ts'

export const COLUMNS = [
  'Nr',
  'Anrede',
  'Vorname',
  'Nachname',
  'E-Mail',
  'Telefon',
  'Straße',
  'PLZ',
  'Ort',
  'Land',
  'Geburtstag',
  'Firma',
  'Status',
  'Gruppen',
  'Beitrag',
  'Gutschein',
] as const

export type Column = (typeof COLUMNS)[number]
export type Row = Record<Column, string>

const FIRST = (
  'Anna Bernd Clara Dieter Eva Frank Greta Hans Ida Jörg Karin Lukas Maria Nils Olga Paul Rita Sven Tina Uwe Vera ' +
  'Walter Yvonne Zoe Jürgen Käthe Björn Ömer Anja Bastian'
).split(' ')
const LAST = (
  'Ahrens Bauer Conrad Dietz Ebert Fischer Graf Hahn Imhof Jansen Koch Lang Maier Neumann Otto Peters Quandt Richter ' +
  'Schäfer Thoma Ulrich Vogel Wagner Zander Müller Böhm Krüger Jäger Schröder Groß'
).split(' ')
const STREETS =
  'Hauptstraße Gartenweg Bahnhofstraße Am Markt|Lindenallee|Schulstraße|Bergweg|Ringstraße|Mühlgasse'.split(
    /[ |](?=[A-Z])/,
  )
const PLACES = [
  ['10115', 'Berlin'],
  ['20095', 'Hamburg'],
  ['80331', 'München'],
  ['50667', 'Köln'],
  ['01067', 'Dresden'],
  ['04109', 'Leipzig'],
  ['90402', 'Nürnberg'],
  ['28195', 'Bremen'],
] as const
const GROUPS = ['Chor', 'Turnen', 'Rudern', 'Vorstand', 'Jugend']

const two = (number: number): string => String(number).padStart(2, '0')
/** 1.234,50 */
const euros = (cents: number): string => {
  const whole = String(Math.floor(cents / 100)).replace(/\B(?=(\d{3})+$)/g, '.')
  return `${whole},${two(cents % 100)}`
}

const phone = ({ between }: Seeded): string => `0${between(30, 89)} ${between(2_000_000, 8_999_999)}`

function move(row: Row, chance: Seeded): void {
  const [code, city] = chance.pick(PLACES)
  Object.assign(row, {
    PLZ: code,
    Ort: city,
    Straße: `${chance.pick(STREETS)} ${chance.between(1, 120)}`,
  })
}

function member(number: number, chance: Seeded): Row {
  const woman = chance.next() < 0.5
  const [first, last] = [chance.pick(FIRST), chance.pick(LAST)]
  const row: Row = {
    Nr: String(10_000 + number),
    Anrede: woman ? 'Frau' : 'Herr',
    Vorname: first,
    Nachname: last,
    'E-Mail': `m${number}@post.example`,
    Telefon: chance.next() < 0.85 ? phone(chance) : '',
    Straße: '',
    PLZ: '',
    Ort: '',
    Land: chance.next() < 0.95 ? 'Deutschland' : chance.pick(['Österreich', 'Schweiz']),
    Geburtstag: `${two(chance.between(1, 28))}.${two(chance.between(1, 12))}.${chance.between(1940, 2004)}`,
    Firma: chance.next() < 0.2 ? `${chance.pick(LAST)} GmbH` : '',
    Status: chance.pick(['aktiv', 'aktiv', 'aktiv', 'passiv', 'ruhend']),
    Gruppen: [...new Set([chance.pick(GROUPS), chance.pick(GROUPS)])].join(','),
    Beitrag: euros(chance.pick([1250, 2500, 5000, 123_450])),
    Gutschein: '',
  }
  move(row, chance)
  return row
}

/** What one day does to one member. */
function live(row: Row, chance: Seeded): void {
  const dice = chance.next()
  if (dice < 0.004) row.Telefon = phone(chance)
  else if (dice < 0.007) move(row, chance)
  else if (dice < 0.008) row.Nachname = chance.pick(LAST)
  else if (dice < 0.012) row.Status = chance.pick(['aktiv', 'passiv', 'ruhend'])
  else if (dice < 0.015) row.Gruppen = chance.pick(GROUPS)
  else if (dice < 0.0155) row['E-Mail'] = row['E-Mail'].replace('@', '.neu@')
  else if (dice < 0.016) row.Firma = ''
}

export interface Year {
  /** The export of the day that begins; the first one is day 0. */
  next(): readonly Row[]
}

/** Everyday life, with a fair that brings many at once, a change of tariffs, vouchers in December and summer holidays. */
export function year(size: number, seed: number): Year {
  const chance = seeded(seed)
  let number = size
  let day = -1
  let rows = Array.from({ length: size }, (_, index) => member(index, chance))
  const join = (count: number): void => {
    for (let turn = 0; turn < count; turn += 1) rows.push(member(number++, chance))
  }
  return {
    next() {
      day += 1
      if (day === 0) return rows
      rows = rows.map((row) => ({ ...row })).filter(() => chance.next() > 0.001)
      for (const row of rows) live(row, chance)
      // A fair on day 120; nobody at the office in August.
      join(day === 120 ? Math.ceil(size * 0.07) : day >= 210 && day < 240 ? 0 : chance.between(0, 2))
      // Those who were resting are members of another kind from the first of April on.
      if (day === 90) for (const row of rows) if (row.Status === 'ruhend') row.Status = 'passiv'
      for (const row of rows)
        row.Gutschein = day >= 334 && chance.next() < 0.6 ? `W${chance.between(1000, 9999)}` : ''
      // One day in five the exporter writes its rows in another order.
      if (chance.next() < 0.2) rows.reverse()
      return rows
    },
  }
}
