// One of several numbered pairs of columns, chosen by its label: `Phone 2 - Type` says what `Phone 2 - Value` is.
import type { PickRule } from '../mapping-schema.ts'

/** The columns of one number; no label where the input has none for it. */
export interface PickPair {
  readonly label: string | undefined
  readonly value: string
}

const folded = (name: string): string => name.trim().normalize('NFC').toLowerCase()

const escaped = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')

/** The number that stands for `*` in a name of this form. */
function numberIn(name: string, form: string): number | undefined {
  const [before = '', after = ''] = folded(form).split('*')
  const [, digits] =
    new RegExp(`^${escaped(before)}(\\d{1,4})${escaped(after)}$`, 'u').exec(folded(name)) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** The pairs among these column names, by their numbers; without a label only where any will do. */
export function pickPairs({ label, value, of }: PickRule, names: Iterable<string>): readonly PickPair[] {
  const all = [...names]
  const labels = label.map((form) => new Map(all.map((name) => [numberIn(name, form), name])))
  return all
    .flatMap((name) => {
      const number = numberIn(name, value)
      return number === undefined ? [] : [{ number, name }]
    })
    .sort((left, right) => left.number - right.number)
    .map(({ number, name }) => ({
      label: labels.map((byNumber) => byNumber.get(number)).find((found) => found !== undefined),
      value: name,
    }))
    .filter((pair) => pair.label !== undefined || of.includes('*'))
}

/** How many numbers a source without a header is asked for. */
const MOST = 9

/** Every column that the rule could name, for a source without a header. */
export const pickColumns = ({ label, value }: PickRule): readonly string[] =>
  Array.from({ length: MOST }, (_, index) =>
    [...label, value].map((form) => form.replace('*', String(index + 1))),
  ).flat()

/** Work Fax, workFax and work-fax are one label; an asterisk in front marks Google's first choice. */
const labelKey = (label: string): string =>
  folded(label)
    .replace(/^\*\s+/u, '')
    .replace(/[\s_-]+/gu, '')

/** Whether a label fits a form in which `*` stands for any text, none included. */
function labelTest(form: string): (key: string) => boolean {
  const key = folded(form).replace(/[\s_-]+/gu, '')
  if (!key.includes('*')) return (label) => label === key
  const pattern = new RegExp(`^${key.split(/\*+/).map(escaped).join('.*')}$`, 'su')
  return (label) => pattern.test(label)
}

/** The value whose label comes first in `of`, and among those of one label the first that is not blank. */
export function compilePick(
  rule: PickRule,
  pairs: readonly PickPair[],
): (cell: (column: string) => string) => string {
  const wanted = rule.of.map(labelTest)
  const excepted = rule.except.map(labelTest)
  return (cell) => {
    const filled = pairs
      .map(({ label, value }) => ({
        key: label === undefined ? '' : labelKey(cell(label)),
        text: cell(value),
      }))
      .filter(({ key, text }) => text !== '' && !excepted.some((fits) => fits(key)))
    for (const fits of wanted) {
      const found = filled.find(({ key }) => fits(key))
      if (found !== undefined) return found.text
    }
    return ''
  }
}
