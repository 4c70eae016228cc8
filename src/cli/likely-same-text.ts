// Persons who are probably in a source under two keys, as lines of a summary or of a plan.
import type { InputReport } from '../core/outcome/summary.ts'
import { number, plural } from '../core/words/format.ts'

const SHOWN = 3

export function likelySameLines(files: readonly InputReport[]): readonly string[] {
  return files.flatMap(({ file, likely_same: found }) => {
    if (found === undefined) return []
    const { pairs, complete, examples } = found
    const atLeast = complete ? '' : 'at least '
    const named = examples
      .slice(0, SHOWN)
      .map(({ keys = [], lines: [before, line], contact_id: id, evidence }) => {
        const [one, other] = keys.map((key) => `${key} `)
        const first = before === null ? `contact ${id ?? '?'}` : `[${file}:${before}]`
        return `    ${one ?? ''}${first} and ${other ?? ''}[${file}:${line}]: same ${evidence.join(', ')}`
      })
    const more = pairs - named.length
    return [
      `  ${atLeast}${plural(pairs, 'pair')} of records ${pairs === 1 ? 'is' : 'are'} probably one person under two keys (nothing is merged or held):`,
      ...named,
      ...(more > 0 ? [`    and ${number(more)} more; --json names up to 20`] : []),
    ]
  })
}
