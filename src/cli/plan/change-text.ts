// One change of a plan as text, and a group of changes that do the same with one of them as an example.
import type { FieldChange } from '../../core/change/diff.ts'
import type { ChangeGroup } from '../../core/change/plan/plan.ts'
import { changePlace, type PlannedChange } from '../../core/change/plan/planned-change.ts'
import { number } from '../../core/words/format.ts'
import { shownValue } from '../format.ts'
import { shellWord } from '../completion/shell-word.ts'
import type { Terminal } from '../terminal.ts'

type Paint = Terminal['paint']

const SIGNS = { create: '+', update: '~', delete: '-' } as const
const COLOURS = { create: 'green', update: 'yellow', delete: 'red' } as const

const plain: Paint = (_, text) => text

/** The first of a list, and how many more there are. */
export function firstOf(items: readonly string[], most: number): string {
  const rest = items.length - most
  return rest > 0 ? `${items.slice(0, most).join(', ')} and ${number(rest)} more` : items.join(', ')
}

const termNames = ({ terms }: PlannedChange): readonly string[] => [
  ...terms.add.map((name) => `+${name}`),
  ...terms.remove.map((name) => `-${name}`),
]

/** One change, field by field. */
export function changeText(change: PlannedChange, paint: Paint = plain): readonly string[] {
  const { action, key, contact_id: id, fields, withheld = {}, kept_edits: edits = {} } = change
  const contact = id === null ? '' : ` (contact ${id})`
  const lines = Object.entries(fields).map(([field, { from, to }]) =>
    action === 'create'
      ? `      ${field}: ${shownValue(to)}`
      : `      ${field}: ${shownValue(from)} -> ${shownValue(to)}`,
  )
  const stays =
    (why: string) =>
    ([field, { from, to }]: [string, FieldChange]): string =>
      `      ${field}: ${shownValue(from)} -> ${shownValue(to)} (${why})`
  const kept = [
    ...Object.entries(withheld).map(stays('withheld by update_method')),
    ...Object.entries(edits).map(stays('edited at the service, stays')),
  ]
  const named = termNames(change)
  const tags = named.length === 0 ? [] : [`      terms: ${named.join(', ')}`]
  const place = changePlace(change)
  const head = `  ${SIGNS[action]} ${action} ${key}${contact}  [${place}]`
  return [paint(COLOURS[action], head), ...lines, ...kept, ...tags]
}

const MOST_NAMES = 5
/** Of an example that stands for others. */
const MOST_EXAMPLE_LINES = 8

/** What the changes of a group have in common. */
export function groupHead({ count, isSame, example }: ChangeGroup, paint: Paint = plain): string {
  const { action, fields, withheld = {}, kept_edits: edits = {} } = example
  const names = [
    ...Object.keys(fields),
    ...Object.keys(withheld).map((field) => `${field} (withheld)`),
    ...Object.keys(edits).map((field) => `${field} (edited at the service, stays)`),
    ...termNames(example),
  ]
  const what = {
    create: `${number(count)} new contacts`,
    update: `${number(count)} updates of ${firstOf(names, MOST_NAMES)}`,
    delete: `${number(count)} deletes`,
  }
  const which = action === 'update' && isSame ? 'all equal to the first' : 'the first'
  return paint(COLOURS[action], `  ${SIGNS[action]} ${what[action]}; ${which}:`)
}

/** Of a value that stands for others. */
const MOST_EXAMPLE_CHARACTERS = 200

function exampleText(change: PlannedChange, paint: Paint): readonly string[] {
  const [head = '', ...values] = changeText(change, paint)
  const cut = values.map((line) =>
    line.length > MOST_EXAMPLE_CHARACTERS ? `${line.slice(0, MOST_EXAMPLE_CHARACTERS)}...` : line,
  )
  const rest = cut.length - MOST_EXAMPLE_LINES
  // One line more would take as much room as the line that says so.
  if (rest <= 1) return [head, ...cut]
  const further = `      and ${number(rest)} more (--key ${shellWord(change.key)} shows them)`
  return [head, ...cut.slice(0, MOST_EXAMPLE_LINES), further]
}

/** A group with its example, or a change that is the only one of its kind. */
export function groupText(group: ChangeGroup, paint: Paint): readonly string[] {
  const example = exampleText(group.example, paint)
  return group.count === 1 ? example : [groupHead(group, paint), ...example.map((line) => `  ${line}`)]
}
