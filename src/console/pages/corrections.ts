// Values that were set right for a record: which hold, which have ended, and why.
import type { Correction } from '../../core/change/others/correction.ts'
import type { CorrectionFilter, Page } from '../../core/views.ts'
import { filterForm } from '../html/filter.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import { askButton } from '../html/ask.ts'
import { badge, command, fieldValue, moment, nothing } from '../html/parts.ts'
import { type Column, pager, table } from '../html/table.ts'

export const CORRECTION_STATES = ['holds', 'ended'] as const

export interface Corrections {
  readonly pipelines: readonly string[]
  readonly pipeline: string | undefined
  readonly state: CorrectionFilter['state']
  readonly from: string | undefined
  readonly corrections: Page<Correction>
  readonly now: number
  /** Whether the user may drop them. */
  readonly mayDecide: boolean
}

/** The columns as the row has them, where they are known; else the value that was sent. */
function source({ raw, was, file, line }: Correction): Html {
  const text = raw === undefined ? fieldValue(was) : fieldValue(Object.values(raw).join(' '))
  const place =
    file === undefined ? nothing : html`<br /><span class="quiet">${said(file)}:${line ?? '?'}</span>`
  return html`${text}${place}`
}

function standing({ isPending, ended }: Correction, now: number): Html {
  if (ended !== undefined)
    return html`${badge('calm', 'ended')} ${moment(ended.at, now)}<br />${said(ended.why)}`
  return isPending ? badge('busy', 'not sent yet') : badge('good', 'holds')
}

const made = ({ at, by, note }: Correction, now: number): Html =>
  html`${said(by)}, ${moment(at, now)}${note === undefined ? nothing : html`<br />${said(note)}`}`

const DROP: Column<Correction> = {
  title: 'Decide',
  cell: ({ id, ended, key, field }) =>
    ended === undefined
      ? askButton('corrections drop', { id: String(id) }, 'Drop …', `${field} of ${key}`)
      : nothing,
}

const columns = (now: number): readonly Column<Correction>[] => [
  { title: 'Record', kind: 'head', cell: ({ pipeline, key }) => html`${pipeline}: ${said(key)}` },
  { title: 'Field', kind: 'name', cell: ({ field }) => said(field) },
  { title: 'Set to', cell: ({ value }) => fieldValue(value) },
  { title: 'The source says', cell: source },
  { title: 'By', cell: (one) => made(one, now) },
  { title: 'State', cell: (one) => standing(one, now) },
]

export function correctionsPage(parts: Corrections): PageParts {
  const { pipelines, pipeline, state, from, corrections, now, mayDecide } = parts
  const filters = filterForm('/corrections', [
    { name: 'pipeline', label: 'Pipeline', all: 'all', choices: pipelines, chosen: pipeline },
    { name: 'state', label: 'State', all: 'all', choices: CORRECTION_STATES, chosen: state },
  ])
  const list = table({
    caption: 'Corrections',
    rows: corrections.rows,
    empty: 'There is no such correction.',
    columns: [...columns(now), ...(mayDecide ? [DROP] : [])],
  })
  const body = html`<p>
      A correction stands in place of what the source says, until the source says something new or it is
      dropped. The owner of the source gets them as a file:
      ${command('contact-sync corrections export FILE')}${mayDecide ? nothing : html` ${command('contact-sync corrections drop ID')}`}
    </p>
    ${filters}${list}${pager('/corrections', { pipeline, state }, { from, next: corrections.next, more: 'Older corrections' })}`
  return { title: 'Corrections', place: '/rejects', body, trail: [['/rejects', 'Rejects']] }
}
