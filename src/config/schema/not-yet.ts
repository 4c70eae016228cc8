// What the configuration can say already although the work behind it is not built yet. Using it is an
// error, never silence: a guard that is written down and does not guard is worse than none.
// To make something available, take its line out of the table.
import type { ConfigProblem } from '../text/problem.ts'
import { isMapping, type Path, placeOf, problemAt, type Tree } from '../text/tree.ts'

interface NotYet {
  /** `*` stands for any one step. */
  readonly path: string
  /** What it would do: "not available in this version yet: ...". */
  readonly would: string
  readonly meanwhile: string
  /** Values that ask for nothing. Absence always does. */
  readonly harmless: readonly unknown[]
}

/** Everything that is not available, in the order of the contract. */
export const NOT_YET: readonly NotYet[] = [
  {
    path: 'pipelines.*.map.*.date',
    would: 'reading dates of other forms',
    meanwhile:
      'have the exporter write 1980-12-31, or rearrange the parts with the transform replace and a pattern',
    harmless: [],
  },
  {
    path: 'pipelines.*.map.*.country',
    would: 'turning country names into codes',
    meanwhile: 'list the names in a lookup',
    harmless: [false],
  },
  {
    path: 'pipelines.*.map.*.phone',
    would: 'turning phone numbers into E.164',
    meanwhile: 'leave it out; the number is sent as it is',
    harmless: [],
  },
  {
    path: 'pipelines.*.map.*.expression',
    would: 'computing a value with CEL',
    meanwhile: 'use template, columns or transform',
    harmless: [],
  },
]

function matches(
  value: unknown,
  steps: readonly string[],
  path: Path = [],
): { path: Path; value: unknown }[] {
  const [step, ...rest] = steps
  if (step === undefined) return [{ path, value }]
  if (!isMapping(value)) return []
  const names = step === '*' ? Object.keys(value) : Object.hasOwn(value, step) ? [step] : []
  return names.flatMap((name) => matches(value[name], rest, [...path, name]))
}

const sameForm = (value: unknown): string => JSON.stringify(value).replaceAll(' ', '')

const FIELD = 'pipelines.*.map.*.'

/** The places that an entry speaks of: custom fields are mapped like others, one step further down. */
function placesOf({ path }: NotYet, value: unknown): { path: Path; value: unknown }[] {
  const found = matches(value, path.split('.'))
  if (!path.startsWith(FIELD)) return found
  const custom = path.replace(FIELD, 'pipelines.*.map.custom_fields.*.')
  return [...found.filter((place) => place.path[3] !== 'custom_fields'), ...matches(value, custom.split('.'))]
}

/** A problem for each use of what is not available yet. */
export function notYetProblems(tree: Tree): ConfigProblem[] {
  return NOT_YET.flatMap((entry) =>
    placesOf(entry, tree.value)
      .filter(({ path }) => placeOf(tree, path)?.broken !== true)
      .filter(({ value }) => value !== null && !entry.harmless.map(sameForm).includes(sameForm(value)))
      .map(({ path }) =>
        problemAt(tree, path, {
          message: `is not available in this version yet (${entry.would})`,
          hint: `meanwhile: ${entry.meanwhile}`,
          at: 'key',
        }),
      ),
  )
}
