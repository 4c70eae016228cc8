// The same for a pull request: numbers alone. No value, no key and no file's name stands in it. A term's name may be
// somebody's, where a mapping makes terms of the wrong column: it is named only where the configuration gives it or enough
// records have it.
import type { PipelineRehearsal } from '../../app/run/rehearsal.ts'
import { number, plural } from '../../core/words/format.ts'
import { largestRows, markdownName, type MarkdownRow, markdownTable } from '../plan/markdown.ts'
import { KEYS_CHANGED, rehearsalHead, rehearsalNotes, rehearsedText } from './rehearsal-text.ts'

/** A term that fewer records gain or lose is not named. */
const LEAST_RECORDS = 5

function termRows({ byTerm, ownTerms }: PipelineRehearsal): readonly MarkdownRow[] {
  const terms = Object.entries(byTerm)
  const isNamed = ([name, { add, remove }]: (typeof terms)[number]): boolean =>
    ownTerms.includes(name) || add + remove >= LEAST_RECORDS
  const others = terms.filter((term) => !isNamed(term))
  const named = terms
    .filter(isNamed)
    .map(([name, { add, remove }]): MarkdownRow => [markdownName(name), add, remove])
  if (others.length === 0) return largestRows(named)
  const sum = (of: 'add' | 'remove'): number => others.reduce((total, [, counts]) => total + counts[of], 0)
  return [
    ...largestRows(named),
    [`${plural(others.length, 'rare term')}, not named`, sum('add'), sum('remove')],
  ]
}

function unreadLines({ unread }: PipelineRehearsal): readonly string[] {
  const pairs = unread.map(({ before, after }) => `${before ?? 'read'} before, ${after ?? 'read'} after`)
  return [...Map.groupBy(pairs, (pair) => pair)].map(
    ([pair, of]) => `- ${plural(of.length, 'file')}: ${markdownName(pair)}`,
  )
}

function pipelineLines(rehearsal: PipelineRehearsal): readonly string[] {
  const { pipeline, records, keysChanged, outcomes, byField } = rehearsal
  const unread = unreadLines(rehearsal)
  const changes = outcomes.map(({ before, after, records: count }): MarkdownRow => [
    rehearsedText(before),
    markdownName(rehearsedText(after)),
    count,
  ])
  const fields = Object.entries(byField).map(
    ([field, { set, changed, emptied, no_longer_sent: left }]): MarkdownRow => [
      ...[markdownName(field), set, changed, emptied, left],
    ],
  )
  return [
    `### ${markdownName(pipeline)}`,
    '',
    rehearsalHead(rehearsal),
    ...(keysChanged === 0
      ? []
      : ['', `**Keys change for ${number(keysChanged)} of ${plural(records, 'record')}.** ${KEYS_CHANGED}`]),
    ...(unread.length === 0 ? [] : ['', ...unread]),
    ...markdownTable(['before', 'after', 'records'], largestRows(changes)),
    ...markdownTable(['field', 'set', 'changed', 'emptied', 'no longer sent'], largestRows(fields)),
    ...markdownTable(['term', 'more records', 'fewer records'], termRows(rehearsal)),
    ...rehearsalNotes(rehearsal).map((line) => `\n${markdownName(line)}`),
    '',
  ]
}

export const rehearsalsMarkdown = (rehearsals: readonly PipelineRehearsal[]): string =>
  ['## contact-sync rehearse', '', ...rehearsals.flatMap(pipelineLines)].join('\n')
