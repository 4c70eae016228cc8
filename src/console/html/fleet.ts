// The workers with a state at a server, as the overview shows them.
import type { LiveView } from '../data.ts'
import { html, type Html } from './markup.ts'
import { moment, note, nothing } from './parts.ts'
import { table } from './table.ts'

const REST = {
  none: [],
  asked: ['waits until no run is active'],
  given: ['lets no run begin: another worker waits'],
} as const

/** Who works with the state, where several processes do. */
export function fleetPart({ fleet, now }: LiveView): Html {
  if (fleet === undefined) return nothing
  const missing =
    fleet.unassigned.length === 0
      ? nothing
      : note(
          'bad',
          html`<p>
            No worker may run ${fleet.unassigned.join(', ')}: none has a label of <code>on</code>, or the
            configuration of all others is another one.
          </p>`,
        )
  return html`<h2 id="workers">Workers</h2>
    ${missing}
    ${table({
      caption: 'Processes with this state',
      rows: fleet.workers,
      empty: 'None.',
      columns: [
        { title: 'Worker', kind: 'head', cell: ({ name }) => html`${name}` },
        {
          title: 'Machine',
          kind: 'short',
          cell: ({ machine, pid }) => html`${machine}, process ${String(pid)}`,
        },
        { title: 'Since', kind: 'short', cell: ({ since }) => moment(since, now) },
        { title: 'Labels', kind: 'short', cell: ({ labels }) => html`${labels.join(', ')}` },
        { title: 'Pipelines', cell: ({ pipelines }) => html`${pipelines.join(', ')}` },
        {
          title: 'Active',

          cell: ({ active, rest }) => html`${[...active, ...REST[rest]].join(', ')}`,
        },
      ],
    })}`
}
