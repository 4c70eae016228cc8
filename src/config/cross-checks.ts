// Faults between keys that are valid each on its own. It works on the written values, so that
// these problems are reported together with those of the schema; what has another form is left to the schema.
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { FULL_ADDRESS_FIELDS } from '../core/mapping/contact.ts'
import type { SourceKinds } from '../core/settings/source-settings.ts'
import { suggestion } from '../core/words/nearest.ts'
import { remoteProblems } from './remote-checks.ts'
import type { ConfigProblem } from './text/problem.ts'
import { isMapping, type Path, pathText, problemAt, type Tree, valueAt } from './text/tree.ts'

type Pipeline = Record<string, unknown>

function mapsAll(map: Record<string, unknown>, fields: readonly string[]): boolean {
  return fields.every((field) => map[field] !== undefined && map[field] !== null)
}

/** A contact needs a mail or a full address (interface, 4.2); without a key, the mail is the key. */
function identityProblems(tree: Tree, path: Path, pipeline: Pipeline): ConfigProblem[] {
  const map = pipeline['map']
  if (!isMapping(map) || mapsAll(map, ['mail'])) return []
  if (!mapsAll(map, FULL_ADDRESS_FIELDS)) {
    const message = 'cannot make a contact'
    const hint = `map mail, or all of ${FULL_ADDRESS_FIELDS.join(', ')}`
    return [problemAt(tree, [...path, 'map'], { message, hint, at: 'key' })]
  }
  if (pipeline['key'] !== undefined) return []
  const hint =
    'without it the mapped mail is the key, and mail is not mapped; name the column with the stable identity'
  return [problemAt(tree, [...path, 'key'], { message: 'is missing', hint })]
}

/** A field that is not mapped is blank in every record: all of them would be skipped. */
function skipProblems(tree: Tree, path: Path, pipeline: Pipeline): ConfigProblem[] {
  const { map, skip_without: written } = pipeline
  if (!isMapping(map) || written === undefined) return []
  const { custom_fields: custom, ...standard } = map
  const customNames = isMapping(custom) ? Object.keys(custom).map((name) => `custom_fields.${name}`) : []
  const mapped = [...Object.keys(standard).filter((field) => standard[field] !== null), ...customNames]
  return [written].flat().flatMap((field: unknown, index) => {
    if (typeof field !== 'string' || field === '' || mapped.includes(field)) return []
    const at = [...path, 'skip_without', ...(Array.isArray(written) ? [index] : [])]
    return [problemAt(tree, at, { message: 'names no mapped field', hint: suggestion(field, mapped) })]
  })
}

/** What `writes` never does must not be asked for beside it. */
function writesProblems(tree: Tree, path: Path, pipeline: Pipeline): ConfigProblem[] {
  const { writes, map, on_missing: onMissing = 'keep', duplicate_check_method: check } = pipeline
  if (writes !== 'create' && writes !== 'update') return []
  const problem = (key: string, message: string, hint: string): ConfigProblem =>
    problemAt(tree, [...path, key], { message, hint })
  const isDoubtful = writes === 'create' ? onMissing !== 'keep' : onMissing === 'delete'
  const kept = writes === 'create' ? 'keep' : 'keep or remove_terms'
  const needsMail = isMapping(map) && !mapsAll(map, ['mail']) && !isMapping(pipeline['key'])
  return [
    ...(needsMail
      ? [problem('writes', `is ${writes}, which looks up contacts by e-mail address`, 'map mail')]
      : []),
    ...(isDoubtful
      ? [
          problem(
            'on_missing',
            `cannot be combined with writes: ${writes}`,
            `such a pipeline ${writes === 'create' ? 'never changes existing contacts' : 'deletes no contact that it did not create'}; set on_missing: ${kept}, or writes: all`,
          ),
        ]
      : []),
    ...(writes === 'create' && check === 'auto'
      ? [
          problem(
            'duplicate_check_method',
            'cannot be combined with writes: create',
            'auto may merge a new contact into one with another e-mail address, and so change it; set email or none',
          ),
        ]
      : []),
  ]
}

/** A household is resolved here, and not by the service: its checks use the mail alone. */
function householdProblems(tree: Tree, path: Path, pipeline: Pipeline): ConfigProblem[] {
  const fields = valueAt(pipeline, ['key', 'fields'])
  const { map, duplicate_check_method: check, update_via: via } = pipeline
  if (!Array.isArray(fields)) return []
  const at: Path = [...path, 'key', 'fields']
  const unmapped = fields.flatMap((field: unknown, index) =>
    typeof field === 'string' && field !== 'mail_status' && isMapping(map) && !mapsAll(map, [field])
      ? [problemAt(tree, [...at, index], { message: 'names no mapped field', hint: `map ${field}` })]
      : [],
  )
  const noMail = {
    message: 'lacks mail',
    hint: 'contacts are looked up by e-mail address; name mail among the fields',
  }
  const merging = {
    message: 'cannot be combined with key: { fields: [...] }',
    hint: `${String(check)} may merge two persons with one e-mail address; leave it out: such contacts are looked up first and then created with none`,
  }
  const inBulk = {
    message: 'cannot be combined with key: { fields: [...] }',
    hint: 'a bulk call identifies contacts by e-mail address only; set update_via: id',
  }
  return [
    ...(fields.includes('mail') ? [] : [problemAt(tree, at, noMail)]),
    ...unmapped,
    ...(check === 'email' || check === 'auto'
      ? [problemAt(tree, [...path, 'duplicate_check_method'], merging)]
      : []),
    ...(via === 'bulk' ? [problemAt(tree, [...path, 'update_via'], inBulk)] : []),
  ]
}

/** A bulk call tells contacts by their mail, which is what check `email` goes by. */
function bulkProblems(tree: Tree, path: Path, pipeline: Pipeline): ConfigProblem[] {
  const check = pipeline['duplicate_check_method'] ?? 'email'
  const isHousehold = isMapping(pipeline['key'])
  if (pipeline['update_via'] !== 'bulk' || check === 'email' || isHousehold) return []
  const message = 'needs duplicate_check_method: email'
  const hint =
    'a bulk call identifies contacts by e-mail address only; set update_via: id, or the check to email'
  return [problemAt(tree, [...path, 'update_via'], { message, hint })]
}

/** Whether an edit was made follows from the contact itself, which a bulk call does not read. */
function handEditProblems(tree: Tree, path: Path, pipeline: Pipeline): ConfigProblem[] {
  const { map, hand_edits: all, update_via: via } = pipeline
  if (via !== 'bulk') return []
  const custom = isMapping(map) && isMapping(map['custom_fields']) ? map['custom_fields'] : {}
  const fields = [...Object.values(isMapping(map) ? map : {}), ...Object.values(custom)]
  const rules = [all, ...fields.map((field) => (isMapping(field) ? field['hand_edits'] : undefined))]
  const rule = rules.find((one) => one === 'keep' || one === 'ask')
  if (rule === undefined) return []
  const message = `cannot be combined with hand_edits: ${rule}`
  const hint = 'each contact is read before it is written; set update_via: id'
  return [problemAt(tree, [...path, 'update_via'], { message, hint })]
}

/** A pipeline owns what it maps; and a whole list of terms would take those of the others away. */
function ownerProblems(tree: Tree, path: Path, pipeline: Pipeline): ConfigProblem[] {
  const { map, owns } = pipeline
  const others = valueAt(tree.value, ['pipelines'])
  const isUsed =
    isMapping(others) && Object.values(others).some((one) => isMapping(one) && one['owns'] !== undefined)
  const policy = valueAt(pipeline, ['terms', 'policy'])
  const unmapped = (Array.isArray(owns) ? owns : []).flatMap((field: unknown, index) =>
    typeof field === 'string' && isMapping(map) && !mapsAll(map, [field])
      ? [
          problemAt(tree, [...path, 'owns', index], {
            message: 'names no mapped field',
            hint: `map ${field}`,
          }),
        ]
      : [],
  )
  const whole = {
    message: 'cannot be replace where pipelines share contacts (owns)',
    hint: "it would remove the terms of the other pipelines; set managed, which removes only the pipeline's own",
  }
  return [
    ...unmapped,
    ...(isUsed && policy === 'replace' ? [problemAt(tree, [...path, 'terms', 'policy'], whole)] : []),
  ]
}

/** Only a source that holds everything can tell what has gone. */
function missingProblems(tree: Tree, path: Path, pipeline: Pipeline): ConfigProblem[] {
  const onMissing = pipeline['on_missing'] ?? 'keep'
  if (onMissing === 'keep' || pipeline['mode'] === 'full') return []
  const message = 'needs mode: full'
  const hint =
    'a file with only some records says nothing about the others; set on_missing: keep, or mode: full if every file has all records'
  return [problemAt(tree, [...path, 'on_missing'], { message, hint })]
}

/** An incremental file may hold any number of records. */
function expectProblems(tree: Tree, path: Path, pipeline: Pipeline): ConfigProblem[] {
  const [columns, change]: [Path, Path] = [
    [...path, 'expect', 'columns'],
    [...path, 'expect', 'records', 'change'],
  ]
  const isSet = (at: Path): boolean => valueAt(tree.value, at) !== undefined
  const hint =
    'the number of records of an incremental file says nothing; set least, or mode: full if every file has all records'
  const noHeader = {
    message: 'is for files with a header',
    hint: 'a JSON file has none; set blank or values',
  }
  return [
    ...(isSet(change) && pipeline['mode'] !== 'full'
      ? [problemAt(tree, change, { message: 'needs mode: full', hint })]
      : []),
    ...(isSet(columns) && valueAt(pipeline, ['source', 'type']) === 'json'
      ? [problemAt(tree, columns, noHeader)]
      : []),
  ]
}

/** A column that no field is made of changes no contact: a rule about it has no effect. */
function unmappedProblems(tree: Tree, path: Path, pipeline: Pipeline): ConfigProblem[] {
  const values = valueAt(pipeline, ['expect', 'values'])
  if (!isMapping(values)) return []
  const map = JSON.stringify(pipeline['map'] ?? {}).toLowerCase()
  const isNamed = (column: string): boolean =>
    map.includes(JSON.stringify(column.trim().toLowerCase()).slice(1, -1))
  const hint = 'name a column that a field is made of, or give the list of its values'
  return Object.entries(values).flatMap(([column, wanted]) =>
    isMapping(wanted) && !isNamed(column)
      ? [
          problemAt(tree, [...path, 'expect', 'values', column, 'change'], {
            message: 'watches nothing: no field is made of this column',
            hint,
          }),
        ]
      : [],
  )
}

/** What tells a folder from every other: links lead to the same one. Its path, where there is none yet. */
function folderIdentity(path: string): string {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return path
  }
}

const patterns = (files: unknown): unknown => (Array.isArray(files) ? files.toSorted() : [files ?? null])

/** Two pipelines that take the same files would each get some of them, by chance. `folder`: what relative paths are relative to. */
export function sharedFolderProblems(tree: Tree, folder: string): ConfigProblem[] {
  const pipelines = valueAt(tree.value, ['pipelines'])
  const paths = isMapping(pipelines) ? Object.keys(pipelines).map((name) => ['pipelines', name]) : []
  const first = new Map<string, Path>()
  return paths.flatMap((path) => {
    const source = valueAt(tree.value, [...path, 'source'])
    if (!isMapping(source) || typeof source['folder'] !== 'string' || source['folder'] === '') return []
    const taken = JSON.stringify([
      folderIdentity(resolve(folder, source['folder'])),
      patterns(source['files']),
    ])
    const other = first.get(taken)
    if (other === undefined) {
      first.set(taken, path)
      return []
    }
    const message = `reads the same files as ${pathText(other)}`
    const hint = 'give each pipeline a folder of its own, or another pattern in files'
    return [problemAt(tree, [...path, 'source', 'folder'], { message, hint })]
  })
}

/** An alert about a pipeline that is not there would never come. */
function alertProblems(tree: Tree, names: readonly string[]): ConfigProblem[] {
  const alerts = valueAt(tree.value, ['alerts'])
  if (!Array.isArray(alerts)) return []
  return alerts.flatMap((_, place) => {
    const named = valueAt(tree.value, ['alerts', place, 'pipelines'])
    if (!Array.isArray(named)) return []
    return named.flatMap((name, index) => {
      if (typeof name !== 'string' || name === '' || names.includes(name)) return []
      const what = { message: 'names no pipeline of this configuration', hint: suggestion(name, names) }
      return [problemAt(tree, ['alerts', place, 'pipelines', index], what)]
    })
  })
}

/** A rule about a pipeline that is not there applies to nothing; one that asks for more approvers than there are never ends. */
function approvalProblems(
  tree: Tree,
  names: readonly string[],
  who: readonly string[] | undefined,
): ConfigProblem[] {
  const rules = valueAt(tree.value, ['approvals'])
  const users = valueAt(tree.value, ['server', 'users'])
  const approvers = (Array.isArray(users) ? users : []).filter(
    (user) => isMapping(user) && user['role'] === 'approver' && (who?.includes(String(user['name'])) ?? true),
  ).length
  if (!Array.isArray(rules)) return []
  const own = Object.keys(valueAt(tree.value, ['pipelines']) ?? {})
  const where = who === undefined ? '' : ' for one of its accounts'
  return rules.flatMap((rule: unknown, place) => {
    const { pipelines, by = 1 } = isMapping(rule) ? rule : {}
    const named = (Array.isArray(pipelines) ? pipelines : []).map(String)
    const isOfOthers = named.length > 0 && named.every((name) => names.includes(name) && !own.includes(name))
    const unknown = (Array.isArray(pipelines) ? pipelines : []).flatMap((name: unknown, index) => {
      if (typeof name !== 'string' || name === '' || names.includes(name)) return []
      const what = { message: 'names no pipeline of this configuration', hint: suggestion(name, names) }
      return [problemAt(tree, ['approvals', place, 'pipelines', index], what)]
    })
    if (typeof by !== 'number' || by <= approvers || isOfOthers) return unknown
    const message = `needs ${by === 1 ? '1 approver' : `${by} different approvers`}, and server.users has ${approvers === 0 ? 'none' : approvers}${where}`
    const hint = 'give enough users the role approver; what waits for more could never be released'
    return [...unknown, problemAt(tree, ['approvals', place, 'by'], { message, hint })]
  })
}

/** One term has one brake, whichever pipeline gives it; and a whole list of terms would take it away while it waits. */
function brakeProblems(tree: Tree, paths: readonly Path[]): ConfigProblem[] {
  const first = new Map<string, { at: Path; form: string }>()
  return paths.flatMap((path) => {
    const at = [...path, 'guards', 'brake']
    const brake = valueAt(tree.value, at)
    if (!isMapping(brake) || !Array.isArray(brake['terms'])) return []
    const { terms, ...rule } = brake
    const form = JSON.stringify(Object.entries(rule).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    const whole = {
      message: 'cannot be replace where guards.brake gives a term',
      hint: 'set managed or add: replace would remove the term from contacts that wait for it',
    }
    const policy = [...path, 'terms', 'policy']
    return [
      ...(valueAt(tree.value, policy) === 'replace' ? [problemAt(tree, policy, whole)] : []),
      ...(terms as unknown[]).flatMap((term, index) => {
        if (typeof term !== 'string') return []
        const known = first.get(term.trim().toLowerCase())
        if (known === undefined) first.set(term.trim().toLowerCase(), { at, form })
        if (known === undefined || known.form === form) return []
        const message = `has another brake in ${pathText(known.at)}`
        return [problemAt(tree, [...at, 'terms', index], { message, hint: 'write the same numbers in both' })]
      }),
    ]
  })
}

/** Nothing lands without a fetch, and a fetch would trigger the next one. */
function fetchProblems(tree: Tree, path: Path, pipeline: Pipeline, kinds: SourceKinds): ConfigProblem[] {
  const type = valueAt(pipeline, ['source', 'type'])
  const kind = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined
  if (kind?.isPulled !== true || pipeline['watch'] !== true) return []
  const message = `does not go with source.type: ${String(type)}`
  const hint = 'nothing lands there by itself; set a schedule instead'
  return [problemAt(tree, [...path, 'watch'], { message, hint })]
}

export interface CrossChecks {
  readonly kinds: SourceKinds
  /** All of the file, those of other accounts among them. */
  readonly pipelines: readonly string[]
  /** Users who may decide; undefined: all of `server.users`. */
  readonly users: readonly string[] | undefined
}

export function crossProblems(tree: Tree, { kinds, pipelines: names, users }: CrossChecks): ConfigProblem[] {
  const pipelines = valueAt(tree.value, ['pipelines'])
  if (!isMapping(pipelines)) return []
  const paths = Object.keys(pipelines).map((name) => ['pipelines', name])
  const single = paths.flatMap((path) => {
    const pipeline = valueAt(tree.value, path)
    if (!isMapping(pipeline)) return []
    const finds = [
      identityProblems,
      skipProblems,
      writesProblems,
      householdProblems,
      bulkProblems,
      handEditProblems,
      ownerProblems,
      missingProblems,
      expectProblems,
      unmappedProblems,
      remoteProblems,
    ]
    const fetching = fetchProblems(tree, path, pipeline, kinds)
    return [...finds.flatMap((find) => find(tree, path, pipeline)), ...fetching]
  })
  return [
    ...single,
    ...alertProblems(tree, names),
    ...approvalProblems(tree, names, users),
    ...brakeProblems(tree, paths),
  ]
}
