// Entries of the sync log for display: one line in a list, a paragraph in a history.
import { placeText } from '../core/change/own-inputs.ts'
import type { LoggedEntry } from '../core/log/audit-chain.ts'
import { momentText, plural } from '../core/words/format.ts'
import { shownValue } from './format.ts'

const time = (at: string): string => momentText(Date.parse(at))

function subject({ key, contact_id: id, person, values }: LoggedEntry): string {
  if (values === 'erased')
    return person === null ? '(values erased)' : `person ${person.slice(0, 8)}… (values erased)`
  const parts = [...(key === null ? [] : [key]), ...(id === null ? [] : [`contact ${id}`])]
  return parts.length === 0 ? 'all' : parts.join(', ')
}

function changes({ fields, terms, field_names: names, values }: LoggedEntry): readonly string[] {
  if (values === 'erased') return names
  return [
    ...Object.entries(fields).map(
      ([name, { from, to }]) => `${name} ${shownValue(from)} -> ${shownValue(to)}`,
    ),
    ...terms.add.map((name) => `+ ${name}`),
    ...terms.remove.map((name) => `- ${name}`),
  ]
}

/** A record of several rows stands on the lines of all of them. */
function place({ source }: LoggedEntry): string {
  return source === null ? '' : placeText(source)
}

/** Who decided it, and why; nothing where the program did it as configured. */
const decidedText = ({ by, role, note }: LoggedEntry): readonly string[] => {
  const who = by === undefined ? [] : [`by ${by}${role === undefined ? '' : ` (${role})`}`]
  return [...who, ...(note === undefined ? [] : [`note: ${note}`])]
}

/** One line. */
export function entryLine(entry: LoggedEntry): string {
  const { seq, at, pipeline, action, outcome, reason } = entry
  const head = `#${seq} ${time(at)} ${pipeline ?? 'all'}: ${subject(entry)}: ${action} ${outcome}`
  const rest = [changes(entry).join(', '), reason ?? '', ...decidedText(entry), place(entry)].filter(
    (text) => text !== '',
  )
  return [head, ...rest].join('; ')
}

function answer({ request }: LoggedEntry): string {
  if (request === null) return 'no request'
  const said = request.status === undefined ? 'no answer' : `answered ${request.status}`
  const tries = request.attempts > 1 ? ` at the ${request.attempts}. attempt` : ''
  return `${request.method} ${request.path}, ${said}${tries}`
}

/** Several lines, for one contact's life. */
export function entryParagraph(entry: LoggedEntry): readonly string[] {
  const { seq, at, pipeline, key, action, outcome, reason, run_id: run, config_hash: hash } = entry
  const from = place(entry)
  return [
    `${time(at)}  ${pipeline ?? 'all'}${key === null ? '' : ` ${key}`}: ${action} ${outcome}  (#${seq})`,
    ...(entry.values === 'erased' ? ['    its values were erased'] : []),
    ...changes(entry).map((change) => `    ${change}`),
    ...(reason === null ? [] : [`    ${reason}`]),
    ...decidedText(entry).map((text) => `    ${text}`),
    `    ${[...(from === '' ? [] : [from]), answer(entry)].join('; ')}`,
    `    run ${run}${hash === '' ? '' : `, configuration ${hash.slice(0, 12)}`}`,
  ]
}

/** What the log has come to, for the end of a run and of a check. */
export const headText = ({ entries, hash }: { entries: number; hash: string }): string =>
  `sync log: ${plural(entries, 'entry', 'entries')}, head ${hash}`
