// What an assistant may see of an answer: numbers, states, names of pipelines, fields and terms, files and times. Every
// other text is a value of a person until its key is in the list below, so that a new key of a command is hidden by default.
// A hidden value has a name for the time of the session, the same wherever it comes, by which it can be asked for again.
import { harmless } from '../../core/words/harmless.ts'

/** Keys whose texts say nothing about a person. */
const OPEN = new Set([
  ...[
    'about',
    'action',
    'add',
    'code',
    'condition',
    'config_hash',
    'field',
    'file',
    'files',
    'guard',
    'hash',
  ],
  ...[
    'kind',
    'lack',
    'method',
    'name',
    'outcome',
    'outcomes',
    'path',
    'pipeline',
    'pipelines',
    'remove',
    'rule',
    'run_id',
  ],
  ...[
    'schedule',
    'settings',
    'severity',
    'sha256',
    'status',
    'term',
    'text',
    'unknown',
    'unread',
    'next',
    'oldest',
  ],
  ...['orphans', 'problems', 'by', 'code', 'began', 'version', 'mode', 'ended_reason', 'notes', 'cause'],
  // What a rehearsal compares, what a guard judged.
  ...['before', 'after', 'threshold', 'holds', 'account'],
  // What workers of one state do, and which pipelines none of them may run.
  ...['active', 'labels', 'rest', 'unassigned'],
])
/** Times: `at`, `held_at`, `last_success`. */
const TIME = /^(.*_)?at$|^since$|^until$|^last_success$|^next_run$/
/** Keys of which numbers, too, belong to a person. */
const VALUES = new Set(['value', 'from', 'to', 'known', 'actual', 'sent', 'service', 'record'])
/** Sentences of the program that may quote a value. */
const SENTENCES = new Set(['reason', 'why', 'note', 'hint', 'error', 'warnings', 'message'])
/** What only a check of the chain needs; it repeats the values. */
const LEFT_OUT = new Set(['entry', 'personal', 'salt', 'prev', 'tokens', 'person', 'values'])

const QUOTED = /"(?:[^"\\]|\\.)*"|“[^”]*”|'[^']*'/gu
/** Another record, as reasons name it: `belongs to key K1 of this pipeline`. */
const OTHER_KEY = /(?<=\bkey ).+?(?= (?:of this pipeline|has been carried out)\b|, is in doubt\b)/gu
/** Why a person corrected a value, in their own words. */
const OWN_WORDS = /(?<=\bset by correction \d+ \(.* UTC: ).*(?=\) to )/gu
const ADDRESS = /[^\s@"'<>]+@[^\s@"'<>]+/gu
const LONG_NUMBER = /\+?\d[\d ()/-]{4,}\d/gu
const WORD = /[^\s,;:.()]+/gu
/** Countries of fewer contacts would be those of persons, who are named by the changes of the same plan. */
const FEWEST_OF_COUNTRY = 5
/** Shorter ones would also be found in words of the sentence: they are looked for only where they were asked for. */
const SHORTEST_FOUND = 3
/** The search for addresses takes the square of the length: an argument of a megabyte, quoted back, would take hours. */
const LONGEST_SENTENCE = 4000

function largeCountries(counts: Record<string, unknown>): Record<string, unknown> {
  const isLarge = ([, count]: [string, unknown]) => Number(count) >= FEWEST_OF_COUNTRY
  const small = Object.entries(counts).filter((entry) => !isLarge(entry))
  const others = small.reduce((sum, [, count]) => sum + Number(count), 0)
  const large = Object.fromEntries(Object.entries(counts).filter(isLarge))
  return small.length === 0 ? large : { ...large, others }
}

export interface Masking {
  /** The answer as it may be seen. */
  shown(answer: unknown): unknown
  /** A sentence, of an error say. `asked`: values that stand for hidden names of the call. */
  sentence(text: string, asked?: ReadonlySet<string>): string
  /** The value that a name stands for, or the text itself. */
  meant(text: string): string
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Without what only the chain needs. */
function plainly(value: unknown): unknown {
  if (typeof value === 'string') return harmless(value)
  if (Array.isArray(value)) return value.map(plainly)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      LEFT_OUT.has(key) ? [] : [[harmless(key), plainly(inner)]],
    ),
  )
}

/** Nothing is hidden. */
export const openMasking = (): Masking => ({ shown: plainly, sentence: harmless, meant: (text) => text })

/** Entries of the sync log about a term: its name and description belong to no person. */
const isAboutTerm = ({ action }: Record<string, unknown>): boolean =>
  action === 'create_term' || action === 'update_term'

export function hidingMasking(): Masking {
  const names = new Map<string, string>()
  const values = new Map<string, string>()

  function hidden(value: unknown): string {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const name = names.get(text) ?? `hidden-${names.size + 1}`
    names.set(text, name)
    values.set(name, text)
    return name
  }

  function sentence(text: string, asked: ReadonlySet<string> = new Set()): string {
    if (text.length > LONGEST_SENTENCE) return `… (${text.length} characters)`
    // The longest first: a shorter one may be a part of it, and would leave the rest.
    const known = [...names.keys()]
      .filter((value) => value.length >= SHORTEST_FOUND)
      .sort((one, other) => other.length - one.length)
    const patterns = [OWN_WORDS, QUOTED, OTHER_KEY, ADDRESS, LONG_NUMBER]
    const unquoted = patterns.reduce((rest, pattern) => rest.replaceAll(pattern, '…'), text)
    const unnamed = known.reduce((rest, value) => rest.replaceAll(value, '…'), unquoted)
    return harmless(unnamed.replaceAll(WORD, (word) => (asked.has(word) ? '…' : word)))
  }

  function masked(key: string, value: unknown, isValue: boolean): unknown {
    if (value === null || value === '' || typeof value === 'boolean') return value
    if (Array.isArray(value)) return value.map((one) => masked(key, one, isValue))
    if (isRecord(value)) return object(key === 'by_country' ? largeCountries(value) : value, isValue)
    if (isValue) return hidden(value)
    if (typeof value !== 'string') return value
    if (SENTENCES.has(key)) return sentence(value)
    return OPEN.has(key) || TIME.test(key) ? harmless(value) : hidden(value)
  }

  function object(value: Record<string, unknown>, isValue: boolean): Record<string, unknown> {
    const entries = Object.entries(value).filter(([key]) => !LEFT_OUT.has(key))
    // Sentences last: they may quote what stands beside them.
    const ordered = [
      ...entries.filter(([key]) => !SENTENCES.has(key)),
      ...entries.filter(([key]) => SENTENCES.has(key)),
    ]
    return Object.fromEntries(
      ordered.map(([key, inner]) => {
        if (key === 'fields' && isAboutTerm(value)) return [key, plainly(inner)]
        // `source: { file, line }` is a place, `source: "..."` what a source says. The note of an entry of the sync log is
        // what a person wrote, or the evidence of a consent; any other is a sentence of the program.
        const isOwnText = (key === 'source' && !isRecord(inner)) || (key === 'note' && 'seq' in value)
        const isOne = isValue || VALUES.has(key) || isOwnText
        return [harmless(key), masked(key, inner, isPlace(inner) ? false : isOne)]
      }),
    )
  }

  const shown = (answer: unknown): unknown => masked('', answer, false)
  return { shown, sentence, meant: (text) => values.get(text) ?? text }
}

/** `record: { file, line }` of an explanation. */
function isPlace(value: unknown): boolean {
  return (
    isRecord(value) && Object.keys(value).every((key) => key === 'file' || key === 'line' || key === 'sha256')
  )
}
