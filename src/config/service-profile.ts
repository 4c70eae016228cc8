// What `probe` has seen of the service, as `service.profile` names it: it takes the place of defaults. A setting that is written
// in the configuration goes first, and where the two disagree, or the service cannot do what a pipeline needs, a warning says so.
import { dirname, resolve } from 'node:path'
import { parseTree } from './parse.ts'
import { unmetNeeds } from './profile-needs.ts'
import type { ConfigProblem } from './text/problem.ts'
import { sentenceParts } from './text/problem.ts'
import { type Profile, profileSchema } from './schema/profile-schema.ts'
import { type ReadFile, readText } from './text/read-text.ts'
import type { Environment } from './text/substitute.ts'
import { isMapping, type Path, problemAt, type Tree, valueAt } from './text/tree.ts'
import { readYaml } from './text/yaml-tree.ts'

export interface Profiled {
  /** With what the profile says in the place of defaults. */
  readonly tree: Tree
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly ConfigProblem[]
}

const PROFILE: Path = ['service', 'profile']

/** A setting for which the profile has a value. */
interface Followed {
  readonly at: Path
  readonly value: string | number
  /** Whether a written value fits what the service does. */
  fits(written: unknown): boolean
}

/** The form that empties fields, where the other one does not. */
function clearingForm({ empty_clears: byText, null_clears: byNull }: Profile): string | undefined {
  if (byText === true && byNull === false) return 'empty_text'
  return byNull === true && byText === false ? 'null_value' : undefined
}

function followedBy(profile: Profile): Followed[] {
  const { bulk_container: container, bulk_max: most, custom_field_key: key } = profile
  const form = clearingForm(profile)
  const all: Followed[] = []
  if (container === 'array' || container === 'keyed')
    all.push({
      at: ['service', 'bulk', 'container'],
      value: container,
      fits: (written) => written === container,
    })
  // The default is no more than what any service is known to take; a larger limit is no reason to use it.
  if (typeof most === 'number')
    all.push({
      at: ['service', 'bulk', 'size'],
      value: Math.min(most, 50),
      fits: (written) => typeof written !== 'number' || written <= most,
    })
  if (form !== undefined)
    all.push({ at: ['service', 'clear_by'], value: form, fits: (written) => written === form })
  const { status_after_delete: memory } = profile
  if (memory === 'remembered' || memory === 'forgotten')
    all.push({
      at: ['service', 'status_after_delete'],
      value: memory,
      fits: (written) => written === memory,
    })
  if (key !== undefined && key !== 'unknown')
    all.push({ at: ['service', 'custom_field_key'], value: key, fits: (written) => written === key })
  return all
}

/** The value with another one at the path, whose parents are made where they are missing. */
function withValue(value: unknown, [step, ...rest]: Path, set: unknown): unknown {
  if (step === undefined) return set
  const here = isMapping(value) ? value : {}
  return { ...here, [step]: withValue(here[String(step)], rest, set) }
}

const said = (tree: Tree, at: Path, message: string, hint: string): ConfigProblem =>
  problemAt(tree, at, { message, hint })

/** Reads the profile, where one is named. Problems are in its lines, and in that of `service.profile`. */
export async function withProfile(
  tree: Tree,
  { file, readFile, env }: { file: string; readFile: ReadFile; env: Environment },
): Promise<Profiled> {
  const named = valueAt(tree.value, PROFILE)
  const refused = (problems: readonly ConfigProblem[]): Profiled => ({ tree, problems, warnings: [] })
  if (typeof named !== 'string' || named === '') return refused([])
  const place = resolve(dirname(file), named)
  const read = await readText(place, readFile)
  if ('problem' in read) {
    const { message, hint } = sentenceParts(read.problem)
    return refused([said(tree, PROFILE, `names ${place}, which ${message}`, hint)])
  }
  const yaml = readYaml(read.text, { file: place, env })
  if (yaml.tree === undefined || yaml.problems.length > 0) return refused(yaml.problems)
  const parsed = parseTree(yaml.tree, profileSchema)
  if (!parsed.ok) return refused(parsed.problems)
  let { value } = tree
  const warnings: ConfigProblem[] = []
  for (const { at, value: seen, fits } of followedBy(parsed.values)) {
    const written = valueAt(tree.value, at)
    if (written === undefined) value = withValue(value, at, seen)
    else if (!fits(written))
      warnings.push(
        said(
          tree,
          at,
          `is ${JSON.stringify(written)}, and service.profile has ${JSON.stringify(seen)}`,
          'the configuration goes first; remove this line to follow the profile, or probe again',
        ),
      )
  }
  return {
    tree: { ...tree, value },
    problems: [],
    warnings: [...warnings, ...unmetNeeds(tree, parsed.values)],
  }
}
