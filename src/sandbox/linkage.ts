// `duplicate_check_method: auto`: whether two contacts are one person, by probabilistic record linkage (Fellegi and
// Sunter). Each field speaks for or against with the logarithm of how much likelier its agreement is among
// contacts of one person (m) than among strangers (u); a field that one of them lacks says nothing.
import { mailKey } from '../core/contact.ts'
import type { Fields } from './contact-rules.ts'
import { jaroWinkler } from './similarity.ts'

export interface Person {
  readonly first: string
  readonly family: string
  readonly mail: string
  readonly street: string
  readonly city: string
  readonly postalCode: string
  readonly phone: string
  /** Year, month and day, eight digits. */
  readonly born: string
}

/** Weights in bits; above it two contacts are taken for one person. Fixed before anything was measured. */
export const THRESHOLD = 9

const plain = (value: unknown): string =>
  (typeof value === 'string' ? value : '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** The last digits: country codes and leading noughts come and go. */
const lastDigits = (value: unknown): string =>
  typeof value === 'string' ? value.replace(/\D/g, '').slice(-8) : ''

export function personOf(fields: Fields): Person {
  const mail = fields['mail']
  const born = fields['date_of_birth']
  return {
    first: plain(fields['first_name']),
    family: plain(fields['family_name']),
    mail: typeof mail === 'string' ? mailKey(mail) : '',
    street: plain(fields['ba_street']).replace(/\bstr(asse)?\b|strasse\b/g, 'str'),
    city: plain(fields['ba_city']),
    postalCode: plain(fields['ba_postal_code']),
    phone: lastDigits(fields['phone']),
    born: typeof born === 'string' ? born.slice(0, 10).replaceAll('-', '') : '',
  }
}

interface Level {
  readonly from: number
  readonly weight: number
}

const bits = (m: number, u: number): number => Math.log2(m / u)

/** Levels of agreement, best first; the last one is disagreement. */
const NAME: readonly Level[] = [
  { from: 1, weight: bits(0.75, 0.01) },
  { from: 0.92, weight: bits(0.12, 0.005) },
  { from: 0.82, weight: bits(0.06, 0.02) },
  { from: 0, weight: bits(0.07, 0.96) },
]
const FAMILY: readonly Level[] = [
  { from: 1, weight: bits(0.75, 0.005) },
  { from: 0.92, weight: bits(0.12, 0.003) },
  { from: 0.82, weight: bits(0.06, 0.02) },
  { from: 0, weight: bits(0.07, 0.97) },
]
const STREET: readonly Level[] = [
  { from: 1, weight: bits(0.6, 0.002) },
  { from: 0.9, weight: bits(0.2, 0.01) },
  { from: 0, weight: bits(0.2, 0.98) },
]
const CITY: readonly Level[] = [
  { from: 1, weight: bits(0.7, 0.03) },
  { from: 0.88, weight: bits(0.15, 0.01) },
  { from: 0, weight: bits(0.15, 0.96) },
]
const MAIL: readonly Level[] = [
  { from: 1, weight: bits(0.75, 0.0002) },
  { from: 0.94, weight: bits(0.15, 0.001) },
  { from: 0, weight: bits(0.1, 0.998) },
]

function levelWeight(levels: readonly Level[], alike: number): number {
  return levels.find(({ from }) => alike >= from)?.weight ?? 0
}

function compared(levels: readonly Level[], left: string, right: string): number {
  return left === '' || right === '' ? 0 : levelWeight(levels, jaroWinkler(left, right))
}

/** Digits that differ, two of them swapped counting as one slip. */
function digitSlips(left: string, right: string): number {
  const differing = Array.from({ length: left.length }, (_, index) => index).filter(
    (index) => left[index] !== right[index],
  )
  const [first, second] = differing
  const isSwap =
    differing.length === 2 &&
    first !== undefined &&
    second !== undefined &&
    left[first] === right[second] &&
    left[second] === right[first]
  return isSwap ? 1 : differing.length
}

function bornWeight(left: string, right: string): number {
  if (left.length !== 8 || right.length !== 8) return 0
  if (left === right) return bits(0.8, 0.0003)
  // Day and month in the other order is the slip of a program, not of a person.
  if (
    left.slice(0, 4) === right.slice(0, 4) &&
    left.slice(4, 6) === right.slice(6) &&
    left.slice(6) === right.slice(4, 6)
  )
    return bits(0.05, 0.0005)
  const slips = digitSlips(left, right)
  if (slips === 1) return bits(0.08, 0.004)
  return slips === 2 ? bits(0.03, 0.03) : bits(0.04, 0.96)
}

function digitsWeight(left: string, right: string, shortest: number): number {
  if (left.length < shortest || right.length < shortest) return 0
  if (left === right) return bits(0.7, 0.004)
  return left.length === right.length && digitSlips(left, right) === 1 ? bits(0.12, 0.005) : bits(0.18, 0.99)
}

/** First and family name, also in the other order. */
function nameWeight(left: Person, right: Person): number {
  const straight = compared(NAME, left.first, right.first) + compared(FAMILY, left.family, right.family)
  if (left.first === '' || left.family === '' || right.first === '' || right.family === '') return straight
  const crossed = compared(NAME, left.first, right.family) + compared(NAME, left.family, right.first) - 2
  return Math.max(straight, crossed)
}

/** Street, city and postal code say much the same thing, and a household shares them all: together they weigh so much at most. */
const MOST_FOR_AN_ADDRESS = 9

function addressWeight(left: Person, right: Person): number {
  const sum =
    compared(STREET, left.street, right.street) +
    compared(CITY, left.city, right.city) +
    digitsWeight(left.postalCode, right.postalCode, 3)
  return Math.min(MOST_FOR_AN_ADDRESS, sum)
}

/** The evidence in bits; symmetric. */
export function linkageWeight(left: Person, right: Person): number {
  return (
    nameWeight(left, right) +
    compared(MAIL, left.mail, right.mail) +
    addressWeight(left, right) +
    digitsWeight(left.phone, right.phone, 6) +
    bornWeight(left.born, right.born)
  )
}

/** Keys under which candidates are found: two contacts that share none are not compared. */
export function blockingKeys(person: Person): string[] {
  const { first, family, mail, street, postalCode, phone, born } = person
  const keys = [
    mail === '' ? '' : `m${mail}`,
    mail.includes('@') ? `l${mail.slice(0, mail.indexOf('@'))}` : '',
    phone.length < 6 ? '' : `p${phone}`,
    born.length !== 8 ? '' : `b${born}`,
    family === '' || first === ''
      ? ''
      : `n${[first, family]
          .sort()
          .map((name) => name.slice(0, 4))
          .join(' ')}`,
    family === '' || postalCode === '' ? '' : `f${family.slice(0, 3)} ${postalCode}`,
    first === '' || postalCode === '' ? '' : `g${first.slice(0, 3)} ${postalCode}`,
    street === '' || postalCode === '' ? '' : `s${street.slice(0, 6)} ${postalCode}`,
    street === '' || first === '' ? '' : `t${street.slice(0, 8)} ${first.slice(0, 2)}`,
  ]
  return [...new Set(keys.filter((key) => key !== ''))]
}
