// Finds the columns that no record of a file has: a misspelt one would otherwise read as blank in all of them.
// A place in a list, or inside something that is null, may be empty in every record and still be meant.
import { nearestText } from '../../core/mapping/columns.ts'
import { SyncError } from '../../core/words/errors.ts'
import { isObject, member, pathSteps, type JsonObject } from './values.ts'

export interface AbsenceWatch {
  note(record: JsonObject): void
  /** Throws INPUT_COLUMN_MISSING where records were seen, and none of them had the column. */
  assertNone(name: string): void
}

/** Among more names no misspelling is searched for. */
const MOST_NAMES = 200

interface Wanted {
  readonly column: string
  readonly path: readonly string[]
  /** What stands beside the place where the column would be. */
  readonly beside: Set<string>
}

/** `columns`: whose absence counts. */
export function watchAbsence(columns: readonly string[]): AbsenceWatch {
  let wanted = columns.flatMap((column): Wanted[] => {
    const steps = pathSteps(column)
    const path = steps.flatMap((step) => (step.kind === 'name' ? [step.name] : []))
    return path.length === steps.length ? [{ column, path, beside: new Set() }] : []
  })
  let isAnySeen = false
  return {
    note(record) {
      isAnySeen = true
      if (wanted.length > 0) wanted = wanted.filter((one) => isAbsent(record, one))
    },
    assertNone(name) {
      if (!isAnySeen || wanted.length === 0) return
      const said = wanted.map(
        ({ column, beside }) => `column "${column}" is in no record${nearestText(column, [...beside])}`,
      )
      throw new SyncError('INPUT_COLUMN_MISSING', `${name}: ${said.join('; ')}`, {
        hint: 'Correct the column in the mapping; or set source.sparse to true if records omit blank values.',
      })
    },
  }
}

function isAbsent(record: JsonObject, { column, path, beside }: Wanted): boolean {
  if (Object.hasOwn(record, column)) return false
  let value: unknown = record
  for (const [depth, name] of path.entries()) {
    if (value === null) return false
    if (!isObject(value)) return true
    const found = member(value, name)
    if (found === undefined) {
      for (const key of Object.keys(value).slice(0, MOST_NAMES - beside.size))
        beside.add([...path.slice(0, depth), key].join('.'))
      return true
    }
    value = found
  }
  return false
}
