// From sample files to a proposed mapping: each column with the field it is most likely for, how sure that is, and why.
// Pure. Nothing is written here, and no question is asked (questions.ts).
import { foldedColumn } from '../mapping/columns.ts'
import type { ContactField } from '../mapping/contact.ts'
import { addressEntries } from './addresses.ts'
import { type ColumnReading, meaningText, readColumn } from './column-reading.ts'
import { birthdayEntry } from './dates.ts'
import { isSure, leftOver, type ProposedEntry } from './entry.ts'
import { type ProposedExpect, proposedExpect } from './expected.ts'
import { headerLanguages } from './header.ts'
import { type ProposedKey, proposedKey } from './keys.ts'
import { mailEntries } from './mails.ts'
import { nameEntries } from './names.ts'
import { phoneEntries } from './phones.ts'
import { byRank } from './rank.ts'
import type { SampleFile, Samples } from './samples.ts'
import { titleEntries } from './titles.ts'
import type { HeaderLanguage, Meaning } from './words/meaning.ts'

/** How the samples are written. */
export interface SampleForm {
  readonly type: 'csv' | 'json' | 'excel' | 'vcard'
  readonly sheet?: string | undefined
  /** Where the list of records is in JSON. */
  readonly records?: string | undefined
  readonly encoding: string
  readonly delimiter: string
  /** The character around values. */
  readonly quote: string
  /** Lines before the header. */
  readonly skipLines: number
  /** Some rows have more or fewer values than the header, and most show how they are meant. */
  readonly isRagged: boolean
  /** How many samples end without a line break. */
  readonly unended: number
}

/** A preset that fits, with what it maps. */
export interface KnownExport {
  readonly preset: string
  readonly confidence: number
  readonly why: string
  /** The columns that its fields read. */
  readonly fields: ReadonlyMap<ContactField, readonly string[]>
  readonly key: readonly string[] | undefined
  readonly rejectsDuplicates: boolean
  /** Columns that are never proposed for its exports. */
  readonly leavesOut: readonly string[]
  /** What it says of how a file is written. */
  readonly form: { readonly encoding: string; readonly delimiter: string }
}

export interface Proposal {
  readonly known: KnownExport | undefined
  readonly form: SampleForm
  readonly files: readonly Pick<SampleFile, 'name' | 'records'>[]
  readonly languages: readonly HeaderLanguage[]
  readonly key: ProposedKey
  readonly entries: readonly ProposedEntry[]
  readonly samples: Samples
  readonly fileDate: string
  readonly expect: ProposedExpect | undefined
}

interface Given {
  readonly samples: Samples
  readonly form: SampleForm
  /** 2026-11-22 */
  readonly fileDate: string
  readonly known: KnownExport | undefined
}

/** Fields of which each needs nothing but its column. */
const PLAIN: readonly (readonly [Meaning, ContactField])[] = [
  ['company', 'company'],
  ['job_title', 'job_title'],
  ['skype', 'skype'],
  ['fb', 'fb'],
  ['twitter', 'twitter'],
]

const isByTitle = ({ header }: ColumnReading): boolean => header.meaning === 'title'

function plainEntries(
  readings: readonly ColumnReading[],
  taken: ReadonlySet<string>,
): readonly ProposedEntry[] {
  return PLAIN.flatMap(([meaning, field]) => {
    const ranked = byRank(readings.filter((one) => one.meaning === meaning))
    // "Title" is the position only where no other column is.
    const [best, ...others] = ranked.toSorted(
      (one, other) => Number(isByTitle(one)) - Number(isByTitle(other)),
    )
    if (best === undefined) return []
    const { column, confidence, why } = best
    const left = others.map((other) =>
      leftOver(other.column.name, `"${column.name}" has ${meaningText(meaning)}`),
    )
    return taken.has(field)
      ? left
      : [{ column: column.name, field, rule: { column: column.name }, confidence, why }, ...left]
  })
}

function birthdayEntries(
  readings: readonly ColumnReading[],
  taken: ReadonlySet<string>,
  fileDate: string,
): readonly ProposedEntry[] {
  const [best] = byRank(readings.filter(({ meaning }) => meaning === 'birthday'))
  return best === undefined || taken.has('date_of_birth') ? [] : [birthdayEntry(best, fileDate)]
}

/** What stands between several tags. */
function tagSplit(values: readonly string[]): string | undefined {
  const counted = [' ::: ', ';', ',', '|'].map((split) => ({
    split,
    count: values.filter((value) => value.includes(split)).length,
  }))
  const best = counted.reduce((most, one) => (one.count > most.count ? one : most))
  return best.count === 0 ? undefined : best.split
}

const termEntries = (readings: readonly ColumnReading[]): readonly ProposedEntry[] =>
  readings
    .filter(({ meaning }) => meaning === 'tags')
    .map(({ column, confidence, why }) => {
      const split = tagSplit(column.values)
      const rule = { column: column.name, ...(split === undefined ? {} : { split }) }
      return {
        column: column.name,
        field: 'terms',
        rule,
        confidence,
        why: `${why}; each would become a term of the service`,
      }
    })

/** What the preset maps, as far as the samples have it. */
function knownEntries(known: KnownExport | undefined, samples: Samples): readonly ProposedEntry[] {
  if (known === undefined) return []
  const names = new Map(samples.columns.map(({ name }) => [foldedColumn(name), name]))
  return [...known.fields].flatMap(([field, columns]) =>
    columns.flatMap((column) => {
      const name = names.get(foldedColumn(column))
      if (name === undefined) return []
      return [
        {
          column: name,
          field,
          rule: null,
          confidence: known.confidence,
          why: `the preset ${known.preset} maps it`,
        },
      ]
    }),
  )
}

/** What the preset says is nothing that the person said. */
function leftByPreset(known: KnownExport | undefined, samples: Samples): readonly ProposedEntry[] {
  const names = new Set(known?.leavesOut.map(foldedColumn))
  return samples.columns
    .filter(({ name }) => names.has(foldedColumn(name)))
    .map(({ name }) => leftOver(name, `the preset ${known?.preset ?? ''} leaves it out`))
}

/** Fields of which two columns want to be the one are given to the first. */
function eachFieldOnce(entries: readonly ProposedEntry[]): readonly ProposedEntry[] {
  const seen = new Set<string>()
  return entries.map((entry) => {
    if (entry.field === null || entry.field === 'terms') return entry
    if (seen.has(entry.field)) return leftOver(entry.column, `${entry.field} is taken`)
    seen.add(entry.field)
    return entry
  })
}

function guessedEntries(
  readings: readonly ColumnReading[],
  taken: ReadonlySet<string>,
  { samples, fileDate }: Given,
) {
  const countries = byRank(readings.filter(({ meaning }) => meaning === 'country'))[0]
  const languages = headerLanguages(samples.columns.map(({ name }) => name))
  const byColumn = titleEntries(readings, taken)
  const titled = new Set([...taken, ...byColumn.flatMap(({ field }) => field ?? [])])
  return eachFieldOnce([
    ...mailEntries(readings, taken),
    ...byColumn,
    ...nameEntries(readings, titled, samples),
    ...plainEntries(readings, taken),
    ...phoneEntries(readings, taken, { languages, countries }),
    ...addressEntries(readings, taken),
    ...birthdayEntries(readings, taken, fileDate),
    ...termEntries(readings),
  ])
}

/** In the order of the columns; what no entry speaks of is left out, with the reason. */
function withEveryColumn(
  entries: readonly ProposedEntry[],
  readings: readonly ColumnReading[],
  samples: Samples,
): readonly ProposedEntry[] {
  const ordered = readings.flatMap(({ column, why }) => {
    const own = entries.filter((entry) => entry.column === column.name)
    return own.length > 0 ? own : [leftOver(column.name, why)]
  })
  return [...ordered, ...samples.doubled.map((name) => leftOver(name, 'the header has this name twice'))]
}

const columnsOf = ({ rule, column }: ProposedEntry): readonly string[] => {
  const several = rule?.['columns']
  return Array.isArray(several) ? (several as string[]) : [column]
}

export function buildProposal(given: Given): Proposal {
  const { samples, form, fileDate, known } = given
  const byPreset = knownEntries(known, samples)
  const left = leftByPreset(known, samples)
  const used = new Set([...byPreset, ...left].map(({ column }) => column))
  const readings = samples.columns.map((column) => readColumn(column, fileDate))
  const free = readings.filter(({ column }) => !used.has(column.name))
  const taken = new Set(byPreset.flatMap(({ field }) => field ?? []))
  const guessed = guessedEntries(free, taken, given)
  const mail = [...byPreset, ...guessed].find(({ field }) => field === 'mail')
  const [mailColumn] = mail === undefined ? [] : columnsOf(mail)
  const presetKey = presetKeyOf(known, samples)
  const key = presetKey ?? proposedKey(free, samples, mailColumn)
  const keyed = free.map((reading) =>
    reading.column.name === key.column ? { ...reading, why: key.why } : reading,
  )
  const entries = withEveryColumn(
    [...byPreset, ...left, ...keyEntry(key), ...guessed],
    known === undefined ? keyed : readings,
    samples,
  )
  const hasHeader = form.type === 'csv' || form.type === 'excel'
  const hasSteadyColumns = hasHeader && known?.preset !== 'google'
  return {
    known,
    form,
    files: samples.files.map(({ name, records }) => ({ name, records })),
    languages: headerLanguages(samples.columns.map(({ name }) => name)),
    key,
    entries,
    samples,
    fileDate,
    expect: proposedExpect(samples, entries, { fileDate, hasSteadyColumns }),
  }
}

/** The key of the preset, where the samples have it. */
function presetKeyOf(known: KnownExport | undefined, { columns }: Samples): ProposedKey | undefined {
  const [name] = known?.key ?? []
  const column = columns.find((one) => name !== undefined && foldedColumn(one.name) === foldedColumn(name))
  if (known === undefined || column === undefined) return undefined
  return {
    column: column.name,
    confidence: known.confidence,
    why: `the preset ${known.preset} takes it`,
    others: [],
  }
}

const keyEntry = (key: ProposedKey): readonly ProposedEntry[] =>
  key.column === null
    ? []
    : [{ column: key.column, field: 'key', rule: null, confidence: key.confidence, why: key.why }]

/** Fields that are mapped without a question. */
export const sureFields = ({ entries }: Pick<Proposal, 'entries'>): ReadonlySet<string> =>
  new Set(entries.filter(isSure).flatMap(({ field }) => field ?? []))

/** The columns that the mail is read from; none where it is not sure. */
export function mailColumns({ entries }: Pick<Proposal, 'entries'>): readonly string[] {
  return entries.filter((entry) => isSure(entry) && entry.field === 'mail').flatMap(columnsOf)
}
