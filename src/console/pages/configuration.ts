// The configuration in force, with all defaults, in the words of the file, and those that were in force before, each with
// what it changed. Secrets never come this far.
import {
  type ConfigurationView,
  type KeptConfiguration,
  settingChanges,
} from '../../core/log/configuration-store.ts'
import type { ShownSetting } from '../../core/settings.ts'
import type { Page } from '../../core/views.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import { facts, hashText, moment, none, nothing } from '../html/parts.ts'
import { pager, table } from '../html/table.ts'
import { shortHash } from '../html/text.ts'

/** `service`, `server` ..., and each pipeline separately. */
function chapterOf({ path }: ShownSetting): string {
  const [first = '', name = ''] = path.split('.')
  return first === 'pipelines' ? `${first}.${name}` : first
}

function chapter([name, settings]: readonly [string, readonly ShownSetting[]]): Html {
  const shown = (path: string): string => path.slice(name.length + 1) || name
  return html`<h2>${name.replace('.', ': ')}</h2>
    ${table({
      caption: `Settings of ${name}`,
      rows: settings,
      empty: '',
      columns: [
        { title: 'Setting', kind: 'head', cell: ({ path }) => html`<code>${shown(path)}</code>` },
        { title: 'Value', cell: ({ value }) => said(value) },
      ],
    })}`
}

const chapters = (settings: readonly ShownSetting[]): Html[] =>
  Object.entries(Object.groupBy(settings, chapterOf)).map(([name, rows]) => chapter([name, rows ?? []]))

const configurationLink = (hash: string): Html => html`<a href="/configuration/${hash}">${hashText(hash)}</a>`

interface Configurations {
  readonly settings: readonly ShownSetting[]
  readonly former: Page<Pick<KeptConfiguration, 'hash' | 'at'>>
  readonly from: string | undefined
}

export function configurationPage({ settings, former, from }: Configurations): PageParts {
  const body = html`<p>
      The configuration in force, defaults included. Secrets are not shown.
      <a href="#former">Those that were in force</a>
    </p>
    ${chapters(settings)}
    <h2 id="former">In force at some time</h2>
    ${table({
      caption: 'Configurations that were in force, newest first',
      rows: former.rows,
      empty: 'None is kept yet: a configuration is kept when the first run is made under it.',
      columns: [
        { title: 'First in force', kind: 'head', cell: ({ at }) => moment(at) },
        { title: 'Configuration', cell: ({ hash }) => configurationLink(hash) },
      ],
    })}
    ${pager('/configuration', {}, { from, next: former.next, more: 'Older ones' })}`
  return { title: 'Configuration', place: '/configuration', body }
}

type Change = ReturnType<typeof settingChanges>[number]

/** A line that is only in one of the two is one that was removed, or added. */
const changeTable = (changes: readonly Change[]): Html =>
  table({
    caption: 'Settings that it changed',
    rows: changes,
    empty: 'No setting differs: only the hash of a pipeline, which contact-sync computes.',
    columns: [
      { title: 'Setting', kind: 'head', cell: ({ path }) => html`<code>${path}</code>` },
      {
        title: 'Before',
        cell: ({ from }) =>
          from === undefined
            ? html`<span class="nought">not set</span>`
            : html`<del class="from"><span aria-hidden="true">− </span>${said(from)}</del>`,
      },
      {
        title: 'After',
        cell: ({ to }) =>
          to === undefined
            ? html`<span class="nought">removed</span>`
            : html`<ins class="to"><span aria-hidden="true">+ </span>${said(to)}</ins>`,
      },
    ],
  })

function changed({ kept, before }: ConfigurationView): Html {
  if (before === undefined)
    return none('It is the first one that was kept, so there is none to compare it with.')
  return html`<p>
      Compared with the configuration that came into force before it, ${configurationLink(before.hash)} of
      ${moment(before.at)}:
    </p>
    ${changeTable(settingChanges(before.settings, kept.settings))}`
}

export function formerConfigurationPage(view: ConfigurationView): PageParts {
  const { hash, at, pipelines, settings } = view.kept
  const also =
    view.also.length === 0
      ? nothing
      : html`<p>
          The same hash belongs to a pipeline of later configurations, too:
          ${view.also.map((one) => html`${configurationLink(one)} `)}
        </p>`
  const body = html`${also}
    ${facts([
      ['First in force', moment(at)],
      ['Hash', hashText(hash)],
      ...Object.entries(pipelines).map(([name, own]) => [`Pipeline ${name}`, hashText(own)] as const),
    ])}
    <h2>What it changed</h2>
    ${changed(view)} ${chapters(settings)}`
  return {
    title: `Configuration ${shortHash(hash)}`,
    place: '/configuration',
    trail: [['/configuration', 'Configuration']],
    body,
  }
}
