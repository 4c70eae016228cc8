// The names of the months in the languages of the mapping, long and short, alone and in a date (Polish has two forms).
import { Info } from 'luxon'
import { foldedSpellings, foldedWords } from '../folded-words.ts'

const LOCALES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt']

/** What exporters write beside the forms of Unicode. */
const ALSO: readonly (readonly [string, number])[] = [
  ['jaenner', 1],
  ['janner', 1],
  ['jan', 1],
  ['feber', 2],
  ['feb', 2],
  ['fev', 2],
  ['mar', 3],
  ['mrz', 3],
  ['maerz', 3],
  ['apr', 4],
  ['avr', 4],
  ['jun', 6],
  ['jul', 7],
  ['aug', 8],
  ['sep', 9],
  ['sept', 9],
  ['setiembre', 9],
  ['oct', 10],
  ['okt', 10],
  ['nov', 11],
  ['dec', 12],
  ['dez', 12],
]

function monthNumbers(): ReadonlyMap<string, number> {
  const found = new Map<string, Set<number>>()
  const add = (name: string, month: number) =>
    foldedSpellings(name).forEach((form) => found.set(form, (found.get(form) ?? new Set()).add(month)))
  for (const locale of LOCALES)
    for (const length of ['long', 'short'] as const)
      for (const names of [Info.months(length, { locale }), Info.monthsFormat(length, { locale })])
        names.forEach((name, index) => add(name, index + 1))
  ALSO.forEach(([name, month]) => add(name, month))
  // A name that means two months in two languages means none.
  return new Map(
    [...found].flatMap(([name, [month, ...others]]) =>
      month === undefined || others.length > 0 ? [] : [[name, month]],
    ),
  )
}

const NUMBERS = monthNumbers()

/** 1 to 12; undefined for what is no month's name. */
export const monthNumber = (name: string): number | undefined => NUMBERS.get(foldedWords(name))
