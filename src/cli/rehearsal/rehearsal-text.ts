// What another configuration would change, as text: what is dangerous first, then outcomes, fields and terms in numbers.
import type { PipelineRehearsal, RehearsalStatus } from '../../app/run/rehearsal.ts'
import { number, plural } from '../../core/words/format.ts'
import type { Terminal } from '../terminal.ts'

type Paint = Terminal['paint']

const UNCOMPARED: Readonly<Record<Exclude<RehearsalStatus, 'compared'>, string>> = {
  no_files: 'not compared: there are no processed files',
  new: 'new: there are no processed files of it to compare',
  removed: 'not in the new configuration: its contacts stay, and nothing is sent for it',
}

/** Of the whole of a pipeline, for text and Markdown alike. */
export function rehearsalHead({ status, files, records, differing }: PipelineRehearsal): string {
  if (status !== 'compared') return UNCOMPARED[status]
  const verb = differing === 1 ? 'differs' : 'differ'
  const differ = differing === 0 ? 'none differs' : `${number(differing)} ${verb}`
  return `${plural(records, 'record')} of ${plural(files.length, 'processed file')}: ${differ}`
}

export const KEYS_CHANGED =
  'A new key is a new contact: unless duplicate_check_method finds the old one by its e-mail address, contacts would be created a second time, and a full export would treat the old ones as missing.'

const OUTCOMES: Readonly<Record<string, string>> = {
  mapped: 'mapped',
  skipped: 'skipped',
  missing: 'no record of its own',
}
/** Any other is the code of a reject. */
export const rehearsedText = (outcome: string): string => OUTCOMES[outcome] ?? `rejected ${outcome}`

const MOVE_WORDS = {
  set: 'set',
  changed: 'changed',
  emptied: 'emptied',
  no_longer_sent: 'no longer sent',
} as const

const countsText = (counts: Readonly<Record<string, number>>, words: Readonly<Record<string, string>>) =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${number(count)} ${words[kind] ?? kind}`)
    .join(', ')

/** At most so many of the largest are named. */
const MOST = 20
const fewOf = (lines: readonly string[], what: string): readonly string[] =>
  lines.length <= MOST
    ? lines
    : [...lines.slice(0, MOST), `  and ${number(lines.length - MOST)} more ${what}; --json has all of them`]

const unreadLines = ({ unread }: PipelineRehearsal, paint: Paint): readonly string[] =>
  unread.map(({ file, before, after }) => {
    const text = `  ${file}: ${before ?? 'read'} before, ${after ?? 'read'} after`
    return before === null ? paint('red', text) : text
  })

/** What is left to look at by hand. */
export function rehearsalNotes({ unknownFields, settings }: PipelineRehearsal): readonly string[] {
  return [
    ...(unknownFields.length === 0
      ? []
      : [`not compared: the custom fields ${unknownFields.join(', ')}, which no run has seen`]),
    ...(settings.length === 0
      ? []
      : [`other settings change, which no record shows: ${settings.join(', ')}`]),
  ]
}

function fieldLines({ byField }: PipelineRehearsal): readonly string[] {
  const lines = Object.entries(byField).map(
    ([field, moves]) => `  ${field}: ${countsText(moves, MOVE_WORDS)}`,
  )
  return fewOf(lines, 'fields')
}

function termLines({ byTerm }: PipelineRehearsal): readonly string[] {
  const words = { add: 'more with it', remove: 'fewer with it' }
  const lines = Object.entries(byTerm).map(([term, counts]) => `  term ${term}: ${countsText(counts, words)}`)
  return fewOf(lines, 'terms')
}

export function rehearsalText(rehearsal: PipelineRehearsal, paint: Paint): readonly string[] {
  const { pipeline, records, keysChanged, outcomes } = rehearsal
  const keys = `  KEYS CHANGE for ${number(keysChanged)} of ${plural(records, 'record')}. ${KEYS_CHANGED}`
  return [
    `${pipeline}: ${rehearsalHead(rehearsal)}`,
    ...(keysChanged === 0 ? [] : [paint('red', keys)]),
    ...unreadLines(rehearsal, paint),
    ...outcomes.map(
      ({ before, after, records: count }) =>
        `  ${plural(count, 'record')}: ${rehearsedText(before)} -> ${rehearsedText(after)}`,
    ),
    ...fieldLines(rehearsal),
    ...termLines(rehearsal),
    ...rehearsalNotes(rehearsal).map((line) => `  ${line}`),
  ]
}
