// What `probe` has seen of the service, as `service.profile` names it: it takes the place of defaults. A setting that is written
// in the configuration goes first, and where the two disagree, or the service cannot do what a pipeline needs, a warning says so.
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { parseTree } from './parse.ts'
import type { ConfigProblem } from './text/problem.ts'
import { sentenceParts } from './text/problem.ts'
import { type ReadFile, readText } from './text/read-text.ts'
import type { Environment } from './text/substitute.ts'
import { isMapping, type Path, problemAt, type Tree, valueAt } from './text/tree.ts'
import { readYaml } from './text/yaml-tree.ts'

const unknown = z.literal('unknown')
const one = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  z.enum([...values, 'unknown']).optional()
const count = z.union([z.int().min(1), unknown]).optional()
const yesNo = z.union([z.boolean(), unknown]).optional()
const merge = one('as_documented', 'other')

/** The keys of the profile; those that are left out count as unknown. */
const profileSchema = z.strictObject({
  bulk_container: one('array', 'keyed', 'both'),
  bulk_max: count,
  page_cap: count,
  empty_clears: yesNo,
  null_clears: yesNo,
  auto: one('probable', 'mail', 'none'),
  mail_lookup: one('exact', 'inexact'),
  mail_status_permission: yesNo,
  status_after_delete: one('forgotten', 'remembered'),
  merge: z.strictObject({ update_add: merge, update: merge, add: merge }).optional(),
  term_names: one('case', 'folded'),
  custom_field_key: z.string().optional(),
  rate_headers: z.string().optional(),
})

type Profile = z.output<typeof profileSchema>

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

function followedBy({
  bulk_container: container,
  bulk_max: most,
  custom_field_key: key,
}: Profile): Followed[] {
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

/** Of each pipeline: what it needs and the service does not do. */
function impossible(tree: Tree, profile: Profile): ConfigProblem[] {
  const pipelines = valueAt(tree.value, ['pipelines'])
  if (!isMapping(pipelines)) return []
  const cannotClear = profile.empty_clears === false && profile.null_clears === false
  return Object.entries(pipelines).flatMap(([name, pipeline]) => {
    if (!isMapping(pipeline)) return []
    const at: Path = ['pipelines', name]
    const { map, blank, duplicate_check_method: check } = pipeline
    const setsStatus = isMapping(map) && map['mail_status'] !== undefined && map['mail_status'] !== null
    return [
      ...(setsStatus && profile.mail_status_permission === false
        ? [
            said(
              tree,
              [...at, 'map', 'mail_status'],
              'cannot be set with this key, by service.profile',
              'records whose source says 1 or 2 are not created; give the key the permission, and probe again',
            ),
          ]
        : []),
      ...(blank === 'clear' && cannotClear
        ? [
            said(
              tree,
              [...at, 'blank'],
              'is clear, and the service empties no field, by service.profile',
              'values stay at the service; set blank: keep',
            ),
          ]
        : []),
      ...(check === 'auto' && profile.auto === 'none'
        ? [
            said(
              tree,
              [...at, 'duplicate_check_method'],
              'is auto, and the service searches nothing then, by service.profile',
              'set email, or contacts that exist are created again',
            ),
          ]
        : []),
    ]
  })
}

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
    warnings: [...warnings, ...impossible(tree, parsed.values)],
  }
}
