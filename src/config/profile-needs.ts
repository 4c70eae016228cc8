// What pipelines need and the service does not do, by what `probe` has seen of it (`service.profile`): said by `check`, and by
// every other command, before the first record is read. Nothing here changes what a run does.
import { normalisedTerm } from '../core/service-profile.ts'
import type { ConfigProblem } from './text/problem.ts'
import { isMapping, type Path, problemAt, type Tree, valueAt } from './text/tree.ts'
import type { Profile } from './schema/profile-schema.ts'

/** A pipeline as it is written. */
interface Written {
  readonly at: Path
  readonly keys: Readonly<Record<string, unknown>>
}

interface Need {
  /** Within the pipeline. */
  readonly at: Path
  readonly message: string
  readonly hint: string
}

type Method = 'update_add' | 'update' | 'add'

const isSet = (keys: Readonly<Record<string, unknown>>, field: string): boolean =>
  isMapping(keys['map']) && keys['map'][field] !== undefined && keys['map'][field] !== null

function keepsHandEdits({ map, hand_edits: edits }: Readonly<Record<string, unknown>>): boolean {
  const fields = isMapping(map) ? Object.values(map) : []
  return [edits, ...fields.map((field) => (isMapping(field) ? field['hand_edits'] : undefined))].some(
    (said) => said === 'keep' || said === 'ask',
  )
}

const byProfile = 'by service.profile'

function needsOfStatus({ keys }: Written, profile: Profile): Need[] {
  if (!isSet(keys, 'mail_status') || profile.mail_status_permission !== false) return []
  return [
    {
      at: ['map', 'mail_status'],
      message: `cannot be set with this key, ${byProfile}`,
      hint: 'records whose source says 1 or 2 are not created; give the key the permission, and probe again',
    },
  ]
}

function needsOfBlanks({ keys }: Written, profile: Profile): Need[] {
  if (keys['blank'] !== 'clear' || profile.empty_clears !== false || profile.null_clears !== false) return []
  return [
    {
      at: ['blank'],
      message: `is clear, and the service empties no field, ${byProfile}`,
      hint: 'values stay at the service; set blank: keep',
    },
  ]
}

function needsOfCheck({ keys }: Written, profile: Profile): Need[] {
  const { duplicate_check_method: check } = keys
  if (check !== 'auto' || profile.auto !== 'none') return []
  return [
    {
      at: ['duplicate_check_method'],
      message: `is auto, and the service searches nothing then, ${byProfile}`,
      hint: 'set email, or contacts that exist are created again',
    },
  ]
}

/** Merge methods that requests of the pipeline carry, each with the key that says so. */
function methodsOf(keys: Readonly<Record<string, unknown>>): [string, Method][] {
  const { duplicate_merge_method: merge = 'update_add', duplicate_check_method: check } = keys
  const { update_method: update = merge, update_via: via } = keys
  const isHousehold = isMapping(keys['key'])
  return [
    ...(check === 'none' || isHousehold ? [] : [['duplicate_merge_method', merge] as [string, Method]]),
    ...(via === 'bulk' ? [['update_method', update] as [string, Method]] : []),
  ]
}

function needsOfMerge({ keys }: Written, { merge = {} }: Profile): Need[] {
  if (keepsHandEdits(keys)) {
    if (merge.add !== 'other') return []
    return [
      {
        at: ['hand_edits'],
        message: `needs the merge method add, which the service does not follow, ${byProfile}`,
        hint: 'a create that is merged into a contact may overwrite what was edited there; set writes: update, or merge such contacts by hand',
      },
    ]
  }
  return methodsOf(keys)
    .filter(([, method]) => merge[method] === 'other')
    .map(([key, method]) => ({
      at: [key],
      message: `is ${method}, which the service does not follow, ${byProfile}`,
      hint: 'contacts that exist may get or lose other values than it says; choose a method that is as_documented in the profile',
    }))
}

function termsOf(keys: Readonly<Record<string, unknown>>): readonly string[] {
  const assign = valueAt(keys, ['terms', 'assign'])
  const names = Array.isArray(assign)
    ? assign.map((entry: unknown) => (isMapping(entry) ? entry['name'] : undefined))
    : []
  return names.filter((name): name is string => typeof name === 'string')
}

/** Names of terms, of all pipelines, that the service takes for one. */
function needsOfTerms(pipelines: readonly Written[], profile: Profile): [Path, Need][] {
  if (profile.term_names !== 'folded') return []
  const first = new Map<string, string>()
  const needs: [Path, Need][] = []
  for (const { at, keys } of pipelines)
    for (const name of termsOf(keys)) {
      const folded = normalisedTerm(name)
      const other = first.get(folded) ?? name
      first.set(folded, other)
      const isOther =
        other.normalize('NFC').trim().toLowerCase() !== name.normalize('NFC').trim().toLowerCase()
      if (!isOther) continue
      needs.push([
        at,
        {
          at: ['terms', 'assign'],
          message: `names ${JSON.stringify(name)} and ${JSON.stringify(other)} may be one term at the service, ${byProfile}`,
          hint: 'it does not tell accents or spaces apart; give one of them another name',
        },
      ])
    }
  return needs
}

/** Of each pipeline: what it needs and the service does not do. */
export function unmetNeeds(tree: Tree, profile: Profile): ConfigProblem[] {
  const pipelines = valueAt(tree.value, ['pipelines'])
  if (!isMapping(pipelines)) return []
  const written = Object.entries(pipelines).flatMap(([name, keys]): Written[] =>
    isMapping(keys) ? [{ at: ['pipelines', name], keys }] : [],
  )
  const needs = written.flatMap((one) =>
    [needsOfStatus, needsOfBlanks, needsOfCheck, needsOfMerge].flatMap((needsOf) =>
      needsOf(one, profile).map((need) => [one.at, need] as const),
    ),
  )
  return [...needs, ...needsOfTerms(written, profile)].map(([at, need]) =>
    problemAt(tree, [...at, ...need.at], { message: need.message, hint: need.hint }),
  )
}
