// The secrets of sources: tokens and passwords of the systems that contacts are fetched from. Each may stand in a file.
import type { SourceKinds } from '../../core/settings/source-settings.ts'
import { optionalSecret, type SecretOptions } from './secrets.ts'
import type { ConfigProblem } from '../text/problem.ts'
import type { Environment } from '../text/substitute.ts'
import {
  isMaskable,
  maybeSecretName,
  type NamedSecret,
  secretsInText,
} from '../../core/words/secrets/secret-name.ts'
import { isMapping, type Path, pathKey, pathOfKey, problemAt, type Tree, valueAt } from '../text/tree.ts'

/** One secret, and where it stands in the options of its source. */
export interface SourceSecret {
  readonly path: readonly string[]
  readonly value: string
}

export interface SourceSecrets {
  /** By the pipeline's name. */
  readonly values: ReadonlyMap<string, readonly SourceSecret[]>
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly ConfigProblem[]
}

const fileOf = (path: readonly string[]): Path => [...path.slice(0, -1), `${path.at(-1) ?? ''}_file`]

/** With problems, what is given must not be used. */
export async function readSourceSecrets(
  tree: Tree,
  kinds: SourceKinds,
  options: SecretOptions,
): Promise<SourceSecrets> {
  const pipelines = valueAt(tree.value, ['pipelines'])
  const values = new Map<string, SourceSecret[]>()
  const problems: ConfigProblem[] = []
  const warnings: ConfigProblem[] = []
  for (const name of isMapping(pipelines) ? Object.keys(pipelines) : []) {
    const source: Path = ['pipelines', name, 'source']
    const type = valueAt(tree.value, [...source, 'type'])
    const kind = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined
    for (const path of kind?.secrets ?? []) {
      const [literal, file] = [
        [...source, ...path],
        [...source, ...fileOf(path)],
      ]
      if (valueAt(tree.value, literal) === undefined && valueAt(tree.value, file) === undefined) continue
      const found = await optionalSecret(
        tree,
        { literal, file, variable: 'SOURCE_SECRET', use: 'text' },
        options,
      )
      problems.push(...found.problems)
      warnings.push(...found.warnings)
      values.set(name, [...(values.get(name) ?? []), { path, value: found.value }])
    }
  }
  return { values, problems, warnings }
}

function withValue(options: unknown, [name = '', ...rest]: readonly string[], value: string): unknown {
  const own = isMapping(options) ? options : {}
  return { ...own, [name]: rest.length === 0 ? value : withValue(own[name], rest, value) }
}

export interface FreeFormSecrets {
  /** As pages and reports write them: `pipelines.shop.source.options.dsn`. */
  readonly paths: readonly string[]
  readonly values: readonly string[]
}

/** The secrets that are written in one value of a free form, by the names around it: those of options, and of an argument before it. */
function writtenSecrets(tree: Tree, path: Path, form: Path): readonly NamedSecret[] {
  const value = valueAt(tree.value, path)
  if (typeof value !== 'string') return []
  const last = path.at(-1)
  const before = typeof last === 'number' ? valueAt(tree.value, [...path.slice(0, -1), last - 1]) : undefined
  const argument = typeof before === 'string' ? /^--?([\w-]+)$/.exec(before)?.[1] : undefined
  const names = [...path.slice(form.length), argument].filter((step) => typeof step === 'string')
  const name = names.find(maybeSecretName)
  return name === undefined ? secretsInText(value) : [{ name, value }]
}

/** Where a source's options are free, what comes from the environment is taken for a secret, and what is named like one. */
export function freeFormSecrets(tree: Tree, kinds: SourceKinds, env: Environment): FreeFormSecrets {
  const pipelines = valueAt(tree.value, ['pipelines'])
  const forms = Object.keys(isMapping(pipelines) ? pipelines : {}).flatMap((name) => {
    const source: Path = ['pipelines', name, 'source']
    const type = valueAt(tree.value, [...source, 'type'])
    const kind = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined
    return (kind?.freeForm ?? []).map((path): Path => [...source, ...path])
  })
  const found = [...tree.places].flatMap(([key, { variables }]) => {
    const form = forms.find((one) => key.startsWith(`${pathKey(one)}\u0000`))
    if (form === undefined) return []
    const path = pathOfKey(tree, key)
    const ofEnvironment = variables.map((variable) => ({ name: '', value: env[variable] ?? '' }))
    const secrets = variables.length > 0 ? ofEnvironment : writtenSecrets(tree, path, form)
    return secrets.length === 0 ? [] : [{ path, secrets }]
  })
  const values = found.flatMap(({ secrets }) => secrets.filter(isMaskable).map(({ value }) => value))
  return {
    // Reports count the items of a list from 1.
    paths: found.map(({ path }) =>
      path.map((step) => (typeof step === 'number' ? step + 1 : String(step))).join('.'),
    ),
    values: [...new Set(values)],
  }
}

/** The options with their secrets in place, wherever they came from. */
export const withSecrets = (
  options: Readonly<Record<string, unknown>>,
  secrets: readonly SourceSecret[],
): Readonly<Record<string, unknown>> =>
  secrets.reduce<Readonly<Record<string, unknown>>>(
    (filled, { path, value }) => withValue(filled, path, value) as Readonly<Record<string, unknown>>,
    options,
  )

const STATE_URL: Path = ['state', 'url']

/** The address of the server with the state, where its password stands in the file itself. */
export function stateUrlWarnings(tree: Tree): readonly ConfigProblem[] {
  const url = valueAt(tree.value, STATE_URL)
  const [variable] = tree.places.get(pathKey(STATE_URL))?.variables ?? []
  if (variable !== undefined || secretsInUrl(url).length === 0) return []
  const message = 'holds a password in plain text'
  return [problemAt(tree, STATE_URL, { message, hint: 'take it from the environment: "${DATABASE_URL}"' })]
}

/** More than elsewhere: keys of functions and of shared links. */
const SECRET_PARAMETER = /key|pass|sig|auth|^code$/i

/** A user's name is shorter than a token in its place. */
const SHORTEST_TOKEN = 16

/** The secret parts of an address: a password, or the value of a parameter that looks like a key. */
export function secretsInUrl(address: unknown): readonly string[] {
  if (typeof address !== 'string' || !URL.canParse(address)) return []
  const { password, username, protocol, searchParams } = new URL(address)
  const isToken = /^https?:$/.test(protocol) && password === '' && username.length >= SHORTEST_TOKEN
  const keys = [...searchParams].flatMap(([name, value]) =>
    maybeSecretName(name) || SECRET_PARAMETER.test(name) ? [value] : [],
  )
  return [decodeURIComponent(password), password, ...(isToken ? [username] : []), ...keys].filter(
    (secret) => secret.length > 3,
  )
}
