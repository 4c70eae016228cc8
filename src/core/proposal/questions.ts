// What an operator is asked where a guess is not sure, and what becomes of the answers.
import { isSure, leftOver, type ProposedEntry, SURE, WORTH_ASKING } from './entry.ts'
import type { Proposal } from './proposal.ts'
import type { Samples } from './samples.ts'

export interface InitQuestion {
  readonly column: string
  readonly question: string
  /** Three values of the column. */
  readonly values: readonly string[]
  readonly answers: readonly { readonly answer: string; readonly means: string }[]
  /** The answer that changes nothing. */
  readonly standard: string
}

const SHOWN_VALUES = 3

const fieldText = (entries: readonly ProposedEntry[]): string =>
  entries.flatMap(({ field }) => field ?? []).join(' and ')

/** What is asked about the guesses of one column; undefined where there is nothing to ask. */
function questionOf(
  column: string,
  entries: readonly ProposedEntry[],
  values: readonly string[],
): InitQuestion | undefined {
  const unsure = entries.filter(
    (entry) => entry.field !== null && !isSure(entry) && entry.confidence >= WORTH_ASKING,
  )
  const choosing = entries.find(({ choices }) => choices !== undefined)
  const [first] = choosing === undefined ? unsure : [choosing]
  if (first === undefined) return undefined
  const base = { column, values: values.slice(0, SHOWN_VALUES) }
  const isMapped = isSure(first)
  if (first.choices !== undefined) {
    const none = isMapped ? 'the text goes unchanged' : 'the column is left out'
    return {
      ...base,
      question: `${String(first.field)}: ${first.why}. Which is right?`,
      answers: [
        ...first.choices.map(({ answer, means }) => ({ answer, means })),
        { answer: 'none', means: none },
      ],
      standard: 'none',
    }
  }
  const as =
    first.together ?? (first.field === 'key' ? 'the key that tells records apart' : fieldText(unsure))
  // What belongs together is shown with its columns: the values are those of the first.
  const parts = first.together === undefined ? '' : ` (${unsure.map((one) => `"${one.column}"`).join(', ')})`
  return {
    ...base,
    question: `${first.why}. Is it ${as}${parts}?`,
    answers: [
      { answer: 'y', means: `it is ${as}` },
      {
        answer: 'n',
        means: first.field === 'key' ? 'the e-mail address is the key' : 'the column is left out',
      },
    ],
    standard: 'n',
  }
}

/** Values to show, each once where there are few. */
function shownValues(name: string, { columns }: Samples): readonly string[] {
  const found = columns.find((column) => column.name === name)
  return found === undefined ? [] : [...(found.distinct?.keys() ?? found.values)]
}

/** The entries that one answer is about: those of the column, and those that belong together with them. */
const concerned = (entries: readonly ProposedEntry[], column: string): readonly ProposedEntry[] => {
  const groups = new Set(entries.flatMap((one) => (one.column === column ? (one.together ?? []) : [])))
  return entries.filter(
    (one) => one.column === column || (one.together !== undefined && groups.has(one.together)),
  )
}

/** In the order of the columns, one for each at most, and one for what belongs together. */
export function initQuestions({
  entries,
  samples,
}: Pick<Proposal, 'entries' | 'samples'>): readonly InitQuestion[] {
  const asked = new Set<string>()
  return [...new Set(entries.map(({ column }) => column))].flatMap((name) => {
    if (asked.has(name)) return []
    const about = concerned(entries, name)
    for (const { column } of about) asked.add(column)
    return questionOf(name, about, shownValues(name, samples)) ?? []
  })
}

function answeredEntry(entry: ProposedEntry, answer: string): ProposedEntry {
  const { choices, ...rest } = entry
  const chosen = choices?.find((choice) => choice.answer === answer)
  if (chosen !== undefined)
    return { ...rest, rule: chosen.rule, confidence: 1, why: `${entry.why}; answered: ${chosen.means}` }
  if (isSure(entry)) return rest
  if (answer === 'y') return { ...rest, confidence: 1, why: `${entry.why}; confirmed` }
  return leftOver(entry.column, `${entry.why}; answered: no`)
}

/** The proposal after one answer. */
export function answered(proposal: Proposal, { column }: InitQuestion, answer: string): Proposal {
  const about = new Set(concerned(proposal.entries, column))
  const entries = proposal.entries.map((entry) => (about.has(entry) ? answeredEntry(entry, answer) : entry))
  const isKey = proposal.key.column === column
  const key = isKey && proposal.key.confidence < SURE ? keyAfter(proposal, answer) : proposal.key
  return { ...proposal, entries, key }
}

const keyAfter = ({ key }: Proposal, answer: string): Proposal['key'] =>
  answer === 'y'
    ? { ...key, confidence: 1, why: `${key.why}; confirmed` }
    : { ...key, column: null, why: `${key.why}; the e-mail address is the key` }
