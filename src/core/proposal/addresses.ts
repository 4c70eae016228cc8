// Columns of postal addresses. An export may have several addresses, at work and at home: one is taken, and never a street of
// one with the city of another.
import type { ContactField } from '../mapping/contact.ts'
import type { ColumnReading } from './column-reading.ts'
import { leftOver, type ProposedEntry, type ProposedRule } from './entry.ts'
import { byRank, decidingQualifier } from './rank.ts'
import type { Meaning } from './words/meaning.ts'

const FIELDS: Readonly<Partial<Record<Meaning, ContactField>>> = {
  street: 'ba_street',
  street2: 'ba_street2',
  city: 'ba_city',
  postal_code: 'ba_postal_code',
  state: 'ba_state',
  country: 'ba_country',
}

const PREFERRED = ['plain', 'billing', 'work', 'home', 'second', 'shipping']

const isSecond = (qualifier: string): boolean => qualifier === 'second'

/** "Home Street 2" is the second line of the street at home, and "Other Street" the street of another address. */
function asSecondLine(reading: ColumnReading): ColumnReading {
  const { header, meaning } = reading
  const others = header.qualifiers.filter((one) => !isSecond(one))
  const isLine = header.qualifiers.length > 1 && header.qualifiers.some(isSecond)
  if (meaning !== 'street' || !isLine) return reading
  const qualifiers = others.length > 0 ? others : header.qualifiers.slice(1)
  return { ...reading, meaning: 'street2', header: { ...header, qualifiers } }
}

const groupOf = (reading: ColumnReading): string => {
  const qualifier = decidingQualifier(reading)
  return qualifier === undefined || qualifier === 'main' ? 'plain' : qualifier
}

const filledIn = (readings: readonly ColumnReading[]): number =>
  readings.reduce((sum, { column }) => sum + column.filled, 0)

/** What a street with line breaks, or a country in words, needs. */
function ruleFor({ column, meaning }: ColumnReading): ProposedRule {
  const base = { column: column.name }
  const isBroken = column.values.some((value) => /[\r\n]|\s{2}/u.test(value))
  if (meaning === 'country') return { ...base, country: true }
  return meaning === 'street' && isBroken ? { ...base, transform: 'collapse_spaces' } : base
}

interface Group {
  readonly name: string
  readonly readings: readonly ColumnReading[]
  readonly filled: number
}

function groupsOf(readings: readonly ColumnReading[]): readonly Group[] {
  return PREFERRED.map((name) => {
    const own = readings.filter((reading) => groupOf(reading) === name)
    return { name, readings: own, filled: filledIn(own) }
  }).filter((group) => group.readings.length > 0)
}

/** The address to take, and whether another one could be meant as well. */
function chosenGroup(groups: readonly Group[]): { group: Group; isOpen: boolean } | undefined {
  const most = Math.max(0, ...groups.map(({ filled }) => filled))
  const [first] = groups
  const group = groups.find(({ filled }) => filled >= 0.8 * most) ?? first
  if (group === undefined) return undefined
  const rivals = groups.filter((other) => other !== group && other.filled >= 0.5 * most && most > 0)
  return { group, isOpen: rivals.length > 0 && PREFERRED.indexOf(group.name) > 1 }
}

export function addressEntries(
  readings: readonly ColumnReading[],
  taken: ReadonlySet<string>,
): readonly ProposedEntry[] {
  const all = readings
    .filter(({ meaning }) => meaning !== undefined && FIELDS[meaning] !== undefined)
    .map(asSecondLine)
  // What a preset leaves out of an address may be of another one.
  if ([...taken].some((field) => field.startsWith('ba_')))
    return all.map(({ column }) => leftOver(column.name, 'the preset takes the address from other columns'))
  // A state or country alone belongs to whatever address there is.
  const groups = groupsOf(all)
  const chosen = chosenGroup(groups)
  if (chosen === undefined) return []
  const { group, isOpen } = chosen
  const plain = groups.find(({ name }) => name === 'plain')?.readings ?? []
  const lent = plain.filter(
    ({ meaning, column }) =>
      column.filled > 0 && group.name !== 'plain' && !group.readings.some((own) => own.meaning === meaning),
  )
  const own = byRank([...group.readings, ...(plain.some(({ meaning }) => meaning === 'street') ? [] : lent)])
  const used = new Set(taken)
  return byRank(all).flatMap((reading): ProposedEntry[] => {
    const { column, meaning, confidence, why } = reading
    const field = meaning && FIELDS[meaning]
    if (field === undefined) return []
    if (!own.includes(reading) || used.has(field))
      return [leftOver(column.name, `${why}; the address is taken from other columns`)]
    used.add(field)
    const doubt = isOpen ? '; the export has another address as well' : ''
    const rule = ruleFor(reading)
    return [
      {
        column: column.name,
        field,
        rule,
        confidence: isOpen ? Math.min(confidence, 0.8) : confidence,
        why: `${why}${doubt}`,
        ...(isOpen ? { together: 'the address' } : {}),
      },
    ]
  })
}
