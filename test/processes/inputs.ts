// The exports that disturbed runs are fed with: records that come, change, get and lose terms, and rows that are rejected.

export interface Export {
  readonly name: string
  readonly text: string
  /** Lines whose record is rejected. */
  readonly rejectedLines: readonly number[]
}

const HEADER = 'no,mail,first,last,phone,tags'

interface Person {
  readonly number: number
  readonly phone: string
  readonly tags: readonly string[]
}

const row = ({ number, phone, tags }: Person): string =>
  `K${number},person${number}@example.com,Vorname${number},Nachname${number},${phone},"${tags.join(';')}"`

function exported(name: string, people: readonly Person[], spoiled: readonly string[]): Export {
  const middle = Math.floor(people.length / 2)
  const rows = [...people.slice(0, middle).map(row), ...spoiled, ...people.slice(middle).map(row)]
  return {
    name,
    text: [HEADER, ...rows, ''].join('\n'),
    rejectedLines: spoiled.map((_, index) => middle + 2 + index),
  }
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

/** `count` people for the first time; two rows have a mail that is none. */
export function firstExport(count: number): Export {
  const people = numbers(count).map((number) => ({
    number,
    phone: `030 ${number}`,
    tags: ['Kunde', `Gruppe ${number % 4}`],
  }))
  const spoiled = ['X1,no mail at all,Vorname,Nachname,030 1,Kunde', 'X2,two@ats@example.com,V,N,030 2,Kunde']
  return exported('first.csv', people, spoiled)
}

/** The same people later: every third has another phone, every second has other terms; a few are new. */
const later = (count: number): Person[] =>
  numbers(count + Math.ceil(count / 8)).map((number) => ({
    number,
    phone: number % 3 === 0 ? `040 ${number}` : `030 ${number}`,
    tags: ['Kunde', `Gruppe ${(number % 2 === 0 ? number + 1 : number) % 4}`],
  }))

export function secondExport(count: number): Export {
  const people = later(count)
  return exported('second.csv', people, ['X3,no mail either,Vorname,Nachname,030 3,Kunde'])
}

/** Every fourth of them has gone, and the others are as they were. */
export function thirdExport(count: number): Export {
  return exported(
    'third.csv',
    later(count).filter(({ number }) => number % 4 !== 3),
    [],
  )
}
