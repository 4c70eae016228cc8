// Habits as they are typed (`--habit NAME[=VALUE]`), and their help.
import { SyncError } from '../core/words/errors.ts'
import { suggestion } from '../core/words/nearest.ts'
import { type Habit, type Habits, HABITS } from './habits.ts'

/** `idsAsText` is typed ids-as-text. */
export const typedName = (name: string): string =>
  name.replace(/[A-Z]|\d+/g, (part) => `-${part.toLowerCase()}`)

const BY_TYPED_NAME: ReadonlyMap<string, readonly [string, Habit<unknown>]> = new Map(
  Object.entries(HABITS).map(([name, habit]) => [typedName(name), [name, habit]]),
)

const USAGE_HINT = 'All habits with their values: contact-sync sandbox --help'

/** Nothing is near to a number that is none. */
const nearestValue = (value: string, values: readonly string[]): string =>
  values.some((known) => /[A-Z]/.test(known)) ? '' : `; ${suggestion(value, values)}`

function habitOf(text: string): [string, unknown] {
  const [typed = '', ...rest] = text.split('=')
  const [name, habit] = BY_TYPED_NAME.get(typed) ?? []
  if (name === undefined || habit === undefined) {
    throw new SyncError(
      'USAGE',
      `there is no habit "${typed}"; ${suggestion(typed, [...BY_TYPED_NAME.keys()])}`,
      {
        hint: USAGE_HINT,
      },
    )
  }
  // A switch is switched on by its name alone.
  const value = rest.length === 0 ? 'true' : rest.join('=')
  const parsed = habit.parse(value)
  if (parsed !== undefined) return [name, parsed]
  const given =
    rest.length === 0 ? 'needs a value' : `cannot be "${value}"${nearestValue(value, habit.values)}`
  throw new SyncError('USAGE', `the habit ${typed} ${given}`, {
    hint: `Allowed: ${habit.values.join(', ')}. ${habit.help}`,
  })
}

/** Throws USAGE for a habit or a value that there is not, with the nearest that there is. A later one counts. */
export function habitsOf(texts: readonly string[]): Partial<Habits> {
  return Object.fromEntries(texts.map(habitOf))
}

export interface HabitFacts {
  /** As it is typed. */
  readonly value: string
  readonly values: readonly string[]
  readonly help: string
}

const typedValue = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'perMs' in value && 'requests' in value
    ? `${String(value.requests)}/${String(value.perMs)}ms`
    : String(value)

/** Every habit by its typed name, with the value in force. */
export const habitFacts = (habits: Habits): Readonly<Record<string, HabitFacts>> =>
  Object.fromEntries(
    [...BY_TYPED_NAME].map(([typed, [name, { values, help }]]) => [
      typed,
      { value: typedValue(habits[name as keyof Habits]), values, help },
    ]),
  )

/** For the command's help: each habit with its values, the default first. */
export function habitsHelp(): string {
  const rows = [...BY_TYPED_NAME].map(
    ([typed, [, { values, help }]]) => `  ${typed}=${values.join('|')}\n      ${help}`,
  )
  return [
    'Habits (--habit NAME=VALUE; a switch needs no value). They stand for what services do where the interface',
    'leaves it open. The first value is the default, which is the interface as it is written.',
    ...rows,
  ].join('\n')
}
