// What a column of a vCard source means: `FN`, `N.family`, `EMAIL`, `EMAIL#2`, `TEL;TYPE=CELL`, `ADR;TYPE=HOME.street`.
// Pure: a column in, a function from properties to a text out.
import { nearestText } from '../../core/mapping/columns.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Property } from './properties.ts'

/** Undefined where the card has no such property. Throws BadLine where it cannot be read. */
export type CardColumn = (properties: readonly Property[]) => string | undefined

const N = ['family', 'given', 'additional', 'prefix', 'suffix']
const ADR = ['pobox', 'extended', 'street', 'city', 'state', 'code', 'country']
const PARTS: Readonly<Record<string, readonly string[]>> = { N, ADR, ORG: ['name', 'unit'] }

const NAMES = [
  ...['FN', 'N', 'NICKNAME', 'BDAY', 'ANNIVERSARY', 'GENDER', 'ADR', 'LABEL', 'TEL', 'EMAIL', 'IMPP', 'LANG'],
  ...['TZ', 'GEO', 'TITLE', 'ROLE', 'ORG', 'MEMBER', 'RELATED', 'CATEGORIES', 'NOTE', 'PRODID', 'REV', 'UID'],
  ...['URL', 'VERSION', 'KIND', 'CLASS', 'MAILER', 'NAME', 'SOURCE', 'SORT-STRING', 'CALURI', 'CALADRURI'],
  ...['FBURL', 'XML', 'CLIENTPIDMAP'],
]

const KNOWN = [
  ...NAMES.filter((name) => !Object.hasOwn(PARTS, name)),
  ...Object.entries(PARTS).flatMap(([name, parts]) => parts.map((part) => `${name}.${part}`)),
]

interface Path {
  readonly name: string
  readonly types: readonly string[]
  readonly part: string | undefined
  /** From 1 on. */
  readonly number: number
}

/** Undefined for what is no column of a vCard. */
function pathOf(column: string): Path | undefined {
  const match = /^\s*([\w-]+)((?:;TYPE=[^;#.]+|#[1-9]\d{0,3}|\.[a-z]+)*)\s*$/i.exec(column)
  if (match === null) return undefined
  const [, name = '', rest = ''] = match
  const all = (pattern: RegExp): string[] => [...rest.matchAll(pattern)].map(([, text = '']) => text)
  const types = all(/;TYPE=([^;#.]+)/gi).flatMap((list) =>
    list.split(',').map((type) => type.trim().toLowerCase()),
  )
  const parts = all(/\.([a-z]+)/gi)
  const numbers = all(/#(\d+)/g)
  if (parts.length > 1 || numbers.length > 1) return undefined
  const path = {
    name: name.toUpperCase(),
    types,
    part: parts[0]?.toLowerCase(),
    number: Number(numbers[0] ?? 1),
  }
  return isPossible(path) ? path : undefined
}

function isPossible({ name, part }: Path): boolean {
  if (!NAMES.includes(name) && !name.startsWith('X-')) return false
  const parts = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined
  if (part === undefined) return parts === undefined || name === 'ORG'
  return parts?.includes(part) === true
}

/** `19800210` and midnights as the day; a day without a year keeps its two dashes. */
const dateText = (text: string): string =>
  text
    .trim()
    .replace(/^(\d{4})(\d{2})(\d{2})(?=$|T)/, '$1-$2-$3')
    .replace(/^--(\d{2})(\d{2})$/, '--$1-$2')
    .replace(
      /^(\d{4}-\d{2}-\d{2}T\d{2})(\d{2})(\d{2})?(?=$|Z|[+-])/,
      (_, hours, minutes, seconds = '00') => `${hours}:${minutes}:${seconds}`,
    )
    .replace(/^(\d{4}-\d{2}-\d{2})T00:?00(?::?00(?:\.0+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/, '$1')

function textOf({ name, parts, fault }: Property, part: string | undefined): string {
  if (fault !== undefined) throw fault
  const names = Object.hasOwn(PARTS, name) ? (PARTS[name] ?? []) : []
  if (name === 'ORG' && part === 'unit')
    return parts
      .slice(1)
      .map(([unit = '']) => unit)
      .filter((unit) => unit.trim() !== '')
      .join(', ')
  const values = parts[part === undefined ? 0 : names.indexOf(part)] ?? []
  if (name === 'N')
    return values
      .map((value) => value.trim())
      .filter((value) => value !== '')
      .join(' ')
  const text = values.join(',')
  if (name === 'BDAY' || name === 'ANNIVERSARY') return dateText(text)
  if (name === 'TEL') return text.replace(/^tel:/i, '')
  return name === 'EMAIL' ? text.replace(/^mailto:/i, '') : text
}

/** Throws INPUT_COLUMN_MISSING for a column that no vCard can have. */
export function cardColumn(column: string): CardColumn {
  const path = pathOf(column)
  if (path === undefined)
    throw new SyncError(
      'INPUT_COLUMN_MISSING',
      `column "${column}" is no property of a vCard${nearestText(column, KNOWN)}`,
      {
        hint: 'Columns are FN, N.family, EMAIL, EMAIL#2, TEL;TYPE=CELL, ADR;TYPE=HOME.street and their like.',
      },
    )
  const { name, types, part, number } = path
  return (properties) =>
    properties
      .filter((one) => one.name === name && types.every((type) => one.types.includes(type)))
      .map((one) => textOf(one, part))
      .filter((text) => text.trim() !== '')[number - 1]
}
