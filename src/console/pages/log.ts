// The sync log: entries as a list, as one person's history, and a single one with its place in the chain.
import type { LoggedEntry } from '../../core/log/audit-chain.ts'
import { undoneRun } from '../../core/log/audit.ts'
import type { LoggedPerson } from '../../core/log/sync-log.ts'
import { CONTACT_FIELD_NAMES } from '../../core/mapping/contact.ts'
import type { Page } from '../../core/views.ts'
import { changeList } from '../html/changes.ts'
import { filterForm, personForm } from '../html/filter.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import {
  badge,
  configurationHash,
  facts,
  hashText,
  moment,
  none,
  nothing,
  rowOrInput,
  spoken,
  statusBadge,
  undoBadge,
} from '../html/parts.ts'
import { address, pager, table } from '../html/table.ts'

/** What the filter offers. */
export const ACTIONS = [
  'create',
  'update',
  'terms',
  'delete',
  'link',
  'create_term',
  'update_term',
  'hold',
  'release',
  'approve',
  'accept',
  'retry',
  'reload',
  'rebuild',
  'rebind',
  'rename',
  'drop',
  'forget_order',
  'erase',
  'readmit',
  'expire',
  'brake',
  'correct',
  'end_correction',
  'drop_changes',
  'pause',
  'resume',
  'run',
  'undo',
  'configure',
] as const satisfies readonly LoggedEntry['action'][]

export const OUTCOMES_LOGGED = [
  'done',
  'unchanged',
  'rejected',
  'failed',
  'in_doubt',
  'held',
] as const satisfies readonly LoggedEntry['outcome'][]

export interface LogParts {
  readonly pipelines: readonly string[]
  readonly query: LogQuery
  readonly from: string | undefined
  readonly entries: Page<LoggedEntry>
}

const when = ({ at }: LoggedEntry): Html => moment(Date.parse(at))

/** What was done, how it ended, and whether it reverts something. */
function actionOf(entry: LoggedEntry): Html {
  const undone = undoneRun(entry)
  const sign = entry.action === 'undo' ? html`<span aria-hidden="true">↺</span> ` : nothing
  return html`${sign}<strong>${spoken(entry.action)}</strong> ${statusBadge(entry.outcome)}
    ${undone === undefined ? nothing : undoBadge(undone)}`
}

const erased = badge('calm', 'erased')

function source({ source: from, run_id: run }: LoggedEntry): Html {
  if (from === null) return nothing
  return html`<a href="/runs/${run}">${rowOrInput(from)}</a>`
}

function who(entry: LoggedEntry): Html {
  if (entry.values === 'erased' && entry.person !== null) return erased
  const contact =
    entry.contact_id === null
      ? nothing
      : html`<a href="/contacts/${entry.contact_id}">contact ${entry.contact_id}</a>`
  return html`${entry.key === null ? nothing : html`${said(entry.key)}<br />`}${contact}`
}

/** Who decided it, and why. */
function decided({ by, role, note }: LoggedEntry): Html {
  const who =
    by === undefined ? nothing : html`<div>by ${said(by)}${role === undefined ? '' : ` (${role})`}</div>`
  return html`${who}${note === undefined ? nothing : html`<div>${said(note)}</div>`}`
}

function what(entry: LoggedEntry): Html {
  const reason = entry.reason === null ? nothing : html`<div>${said(entry.reason)}</div>`
  if (entry.values === 'erased' && entry.field_names.length > 0)
    return html`${erased} <span class="quiet">of ${entry.field_names.join(', ')}</span>${decided(entry)}`
  const configuration =
    entry.action === 'configure' ? html`<div>${configurationHash(entry.config_hash, true)}</div>` : nothing
  return html`${changeList(entry)}${reason}${configuration}${decided(entry)}`
}

export const entryTable = (rows: readonly LoggedEntry[]): Html =>
  table({
    caption: 'Entries of the sync log',
    rows,
    empty: 'The sync log has no such entry.',
    columns: [
      { title: 'Entry', kind: 'head', cell: (entry) => html`<a href="/log/${entry.seq}">${entry.seq}</a>` },
      { title: 'When', cell: when },
      { title: 'Action', cell: actionOf },
      { title: 'Whom', cell: who },
      { title: 'What', cell: what },
      { title: 'From', cell: source },
    ],
  })

function proof(entry: LoggedEntry): Html {
  const { request, seq, run_id: run } = entry
  const answered =
    request === null
      ? nothing
      : html` · ${request.method} ${request.path} answered
        ${request.status ?? 'nothing'}${request.attempts > 1 ? ` after ${request.attempts} attempts` : ''}`
  const from = source(entry)
  return html`<p class="proof">
    ${entry.source === null ? html`Run <a href="/runs/${run}">${run}</a>` : html`From ${from}`}${answered} ·
    <a href="/log/${seq}">entry ${seq}</a>
  </p>`
}

/** Entry after entry of one contact. */
export function life(entries: readonly LoggedEntry[], empty: string): Html {
  if (entries.length === 0) return none(empty)
  return html`<ol class="life">
    ${entries.map(
      (entry) =>
        html`<li>
          <p class="what">
            ${actionOf(entry)} <span>${when(entry)}</span>
            <span class="quiet">${entry.pipeline}</span>
          </p>
          ${what(entry)} ${proof(entry)}
        </li>`,
    )}
  </ol>`
}

/** As they stand in the address. */
export interface LogQuery {
  readonly run?: string | undefined
  readonly pipeline?: string | undefined
  readonly action?: string | undefined
  readonly outcome?: string | undefined
  readonly field?: string | undefined
  /** Days, the last one included: `2026-11-23`. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  /** A number of the state: no name, key or mail stands in an address. */
  readonly person?: string | undefined
}

const asQuery = (query: LogQuery): Readonly<Record<string, string | undefined>> => ({ ...query })

function filters({ pipelines, query }: LogParts): Html {
  const { run, pipeline, action, outcome, field, since, until, person } = query
  if (run !== undefined)
    return html`<p>Of run <a href="/runs/${run}">${run}</a>. <a href="/log">The whole log</a></p>`
  const ofPerson =
    person === undefined
      ? personForm('/log', asQuery(query))
      : html`<p>Of one person. <a href="${address('/log', { ...query, person: undefined })}">Of all</a></p>`
  return html`${filterForm(
    '/log',
    [
      { name: 'since', label: 'From', type: 'date', value: since },
      { name: 'until', label: 'To', type: 'date', value: until },
      { name: 'pipeline', label: 'Pipeline', all: 'all', choices: pipelines, chosen: pipeline },
      { name: 'action', label: 'Action', all: 'any', choices: ACTIONS, chosen: action },
      { name: 'outcome', label: 'Outcome', all: 'any', choices: OUTCOMES_LOGGED, chosen: outcome },
      { name: 'field', label: 'Field', type: 'text', value: field, hints: CONTACT_FIELD_NAMES },
    ],
    { person },
  )}
  ${ofPerson}`
}

export function logPage(parts: LogParts): PageParts {
  const { query, from, entries } = parts
  const body = html`<p><a href="/log/verification">Is it intact?</a> The state of its verification.</p>
    ${filters(parts)} ${entryTable(entries.rows)}
    ${pager('/log', asQuery(query), { from, next: entries.next, more: 'Older entries' })}`
  return { title: 'Sync log', place: '/log', body }
}

/** Several persons have what was asked for, or none has. */
export function logPersonsPage(query: LogQuery, persons: readonly LoggedPerson[]): PageParts {
  const rows = persons.map(
    ({ person, keys, mails, contactIds }) =>
      html`<li>
        <a href="${address('/log', { ...query, person: String(person) })}">Entries of this person</a>:
        ${[...mails, ...keys.map(({ pipeline, key }) => `${key} (${pipeline})`)].map((text) => html`${said(text)} `)}
        ${contactIds.map((id) => html`<a href="/contacts/${id}">contact ${id}</a> `)}
      </li>`,
  )
  const body =
    rows.length === 0
      ? html`${none('No entry is about a person with this e-mail address, key or id.')}
        ${personForm('/log', asQuery(query))}`
      : html`<ul>
          ${rows}
        </ul>`
  return { title: 'Sync log: persons', place: '/log', trail: [['/log', 'Sync log']], body }
}

/** `isConfigurationKept`: the state has the settings that it was made under. */
export function entryPage(entry: LoggedEntry, isConfigurationKept: boolean): PageParts {
  const { request } = entry
  const body = html`${entry.values === 'erased' ? html`<p>${erased} The person was erased; the entry itself stays.</p>` : nothing}
    ${facts([
      ['Action', actionOf(entry)],
      ['When', when(entry)],
      ['Pipeline', html`${entry.pipeline ?? 'all'}`],
      ['Run', html`<a href="/runs/${entry.run_id}">${entry.run_id}</a>`],
      ['Whom', who(entry)],
      ['File and line', source(entry)],
      ['SHA-256 of the file', entry.source?.sha256 === undefined ? nothing : hashText(entry.source.sha256)],
      [
        'Request',
        request === null ? html`<span class="quiet">none</span>` : html`${request.method} ${request.path}`,
      ],
      [
        'Answer',
        request === null ? nothing : html`${request.status ?? 'none'}, ${request.attempts} attempt(s)`,
      ],
      ['Configuration', configurationHash(entry.config_hash, isConfigurationKept)],
      ['Hash of the entry before', hashText(entry.prev)],
      ['Hash', hashText(entry.hash)],
    ])}
    <h2>What changed</h2>
    ${what(entry)}`
  return { title: `Entry ${entry.seq}`, place: '/log', trail: [['/log', 'Sync log']], body }
}
