// Who is told of what: each receiver of alerts with the conditions that it was notified of and the messages that it has not
// accepted yet.
import type { ReceiverStanding } from '../../core/alerts/alert-store.ts'
import type { PendingMessage, RaisedAlert } from '../../core/alerts/alert-changes.ts'
import { askButton } from '../html/ask.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import { badge, command, count, moment, nothing, none, spoken } from '../html/parts.ts'
import { type Column, table } from '../html/table.ts'

interface Alerts {
  readonly now: number
  readonly receivers: readonly ReceiverStanding[]
  /** Whether the user may send a test message. */
  readonly mayDecide: boolean
}

/** Of a condition that is about no pipeline alone. */
const pipelineColumn: Column<{ readonly pipeline: string }> = {
  title: 'Pipeline',
  kind: 'name',
  cell: ({ pipeline }) => (pipeline === '' ? html`<span class="quiet">all</span>` : html`${pipeline}`),
}

const raisedTable = (raised: readonly RaisedAlert[], now: number): Html =>
  table<RaisedAlert>({
    caption: 'Open alerts',
    rows: raised,
    empty: 'No open alerts.',
    columns: [
      { title: 'Condition', kind: 'head', cell: ({ name }) => html`${spoken(name)}` },
      pipelineColumn,
      { title: 'Since', cell: ({ since }) => moment(since, now) },
    ],
  })

const pendingTable = (pending: readonly PendingMessage[]): Html =>
  pending.length === 0
    ? nothing
    : html`<h3>Not delivered yet</h3>
        ${table<PendingMessage>({
          caption: 'Messages that the receiver has not accepted yet',
          rows: pending,
          empty: '',
          columns: [
            { title: 'Condition', kind: 'head', cell: ({ name }) => html`${spoken(name)}` },
            pipelineColumn,
            {
              title: 'Message',
              cell: ({ event }) => (event === 'raised' ? badge('warn', 'begins') : badge('good', 'is over')),
            },
            { title: 'Tried', kind: 'number', cell: ({ attempts }) => count(attempts) },
          ],
        })}`

const receiverBlock = ({ receiver, raised, pending }: ReceiverStanding, now: number): Html =>
  html`<h2>${said(receiver)}</h2>
    ${raisedTable(
      raised.filter(({ told }) => told),
      now,
    )}
    ${pendingTable(pending)}`

export function alertsPage({ now, receivers, mayDecide }: Alerts): PageParts {
  const test = mayDecide
    ? askButton('alerts test', {}, 'Send a test message …')
    : html`To send each of them a test message: ${command('contact-sync alerts test')}`
  const body =
    receivers.length === 0
      ? none(
          'No alerts are configured: failures are shown here and in the log only. See "Alerts" in config/README.md.',
        )
      : html`<p>${test}</p>
          ${receivers.map((one) => receiverBlock(one, now))}`
  return { title: 'Alerts', place: '/', trail: [['/', 'Overview']], body }
}
