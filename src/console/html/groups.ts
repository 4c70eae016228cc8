// What a list holds, by pipeline and kind, with the number of each: every group leads to the list of it alone.
import type { GroupView } from '../../core/views.ts'
import { number } from '../../core/words/format.ts'
import { html, type Html } from './markup.ts'
import { nothing, spoken } from './parts.ts'
import { address } from './table.ts'

interface Shown {
  readonly path: string
  /** How the kind is called in the address. */
  readonly parameter: 'kind' | 'code'
  readonly chosen: { readonly pipeline: string | undefined; readonly kind: string | undefined }
}

function groupLink({ pipeline, kind, count, isMore }: GroupView, { path, parameter, chosen }: Shown): Html {
  const current = chosen.pipeline === pipeline && chosen.kind === kind ? html` aria-current="true"` : nothing
  return html`<a class="chip" href="${address(path, { pipeline, [parameter]: kind })}" ${current}
    >${isMore ? 'more than ' : ''}${number(count)} ${spoken(kind)}</a
  > `
}

/** Nothing where there is only one group: the list says it all. */
export function groupList(groups: readonly GroupView[], shown: Shown): Html {
  if (groups.length < 2) return nothing
  const byPipeline = Object.entries(Object.groupBy(groups, ({ pipeline }) => pipeline))
  const all =
    shown.chosen.pipeline === undefined && shown.chosen.kind === undefined
      ? nothing
      : html`<p><a href="${shown.path}">All of them</a></p>`
  return html`<dl class="groups">
      ${byPipeline.map(
        ([pipeline, own]) =>
          html`<dt><a href="${address(shown.path, { pipeline })}">${pipeline}</a></dt>
            <dd>${own?.map((group) => groupLink(group, shown))}</dd>`,
      )}
    </dl>
    ${all}`
}
