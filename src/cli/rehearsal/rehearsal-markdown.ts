// The same for a pull request: numbers only. It has no value, no key and no file name. A term's name may be
// personal data, if a mapping makes terms of the wrong column: it is named only where the configuration gives it or enough
// records have it.
import type { PipelineRehearsal } from '../../app/run/rehearsal.ts'
import { number, plural } from '../../core/words/format.ts'
import { largestRows, markdownName, type MarkdownRow, markdownTable, termRows } from '../plan/markdown.ts'
import { KEYS_CHANGED, rehearsalHead, rehearsalNotes, rehearsedText } from './rehearsal-text.ts'

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
    ...markdownTable(['term', 'more records', 'fewer records'], termRows(rehearsal, rehearsal.ownTerms)),
    ...rehearsalNotes(rehearsal).map((line) => `\n${markdownName(line)}`),
    '',
  ]
}

export const rehearsalsMarkdown = (rehearsals: readonly PipelineRehearsal[]): string =>
  ['## contact-sync rehearse', '', ...rehearsals.flatMap(pipelineLines)].join('\n')
