// The configuration in force, with all defaults, in the words of the file. Secrets never come this far.
import type { ShownSetting } from '../../core/settings.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import { table } from '../html/table.ts'

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

export function configurationPage(settings: readonly ShownSetting[]): PageParts {
  const chapters = Object.groupBy(settings, chapterOf)
  const body = html`<p>The configuration in force, defaults included. Secrets are not shown.</p>
    ${Object.entries(chapters).map(([name, rows]) => chapter([name, rows ?? []]))}`
  return { title: 'Configuration', place: '/configuration', body }
}
