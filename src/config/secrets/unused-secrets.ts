// Secrets that a command does not use: they may be missing or wrong. Machines that test a changed configuration have none, and
// some set the variables of missing ones to nothing.
import type { SourceKinds } from '../../core/settings/source-settings.ts'
import { isMapping, type Path, pathKey, pathOfKey, pathText, type Tree, valueAt } from '../text/tree.ts'

/** `all_but_sources`: for a command that sends nothing to the service, and still fetches from sources. */
export type UnusedSecrets = 'all' | 'all_but_sources'

export interface Unused {
  /** What is said at one of these places does not count. */
  readonly has: (path: string) => boolean
  /** The tree with a text in every one of these places that has none: the schema asks for one. */
  readonly withStandIns: (tree: Tree) => Tree
}

/** Accepted wherever a secret may stand, the address of a webhook included; never used. */
const STAND_IN = 'https://not-set.invalid/'

const ACCOUNTS: Path = ['accounts']
const API_KEY: Path = ['service', 'api_key']
const fileOf = (path: Path): Path => [...path.slice(0, -1), `${String(path.at(-1))}_file`]

const namesAt = (tree: Tree, path: Path): readonly string[] => {
  const value = valueAt(tree.value, path)
  return isMapping(value) ? Object.keys(value) : []
}

const itemsAt = (tree: Tree, path: Path): readonly number[] => {
  const value = valueAt(tree.value, path)
  return Array.isArray(value) ? [...value.keys()] : []
}

/** A variable that is not set, or set to nothing. */
const isUnset = (tree: Tree, path: Path): boolean => {
  const place = tree.places.get(pathKey(path))
  return place !== undefined && (place.broken || (place.substituted && valueAt(tree.value, path) === ''))
}

function ownSecrets(tree: Tree): readonly Path[] {
  const alerts = itemsAt(tree, ['alerts'])
  const secrets: Path[] = [
    API_KEY,
    ...namesAt(tree, ACCOUNTS).map((name) => [...ACCOUNTS, name, ...API_KEY]),
    ['server', 'token'],
    ['server', 'metrics_token'],
    ...itemsAt(tree, ['server', 'users']).map((place) => ['server', 'users', place, 'token']),
    ...alerts.flatMap((place) => [
      ['alerts', place, 'secret'],
      ['alerts', place, 'mail', 'password'],
    ]),
  ]
  // A wrong address is a mistake whether it is used or not.
  const webhooks = alerts.map((place) => ['alerts', place, 'webhook']).filter((path) => isUnset(tree, path))
  return [...secrets.flatMap((path) => [path, fileOf(path)]), ...webhooks]
}

function sourceSecrets(tree: Tree, kinds: SourceKinds): readonly Path[] {
  const unset = [...tree.places].filter(([, { broken }]) => broken)
  return namesAt(tree, ['pipelines']).flatMap((name) => {
    const source: Path = ['pipelines', name, 'source']
    const type = valueAt(tree.value, [...source, 'type'])
    const kind = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined
    const free = (kind?.freeForm ?? []).map((path) => `${pathKey([...source, ...path])}\u0000`)
    return [
      ...(kind?.secrets ?? []).flatMap((path) => [
        [...source, ...path],
        [...source, ...fileOf(path)],
      ]),
      // Where the options are free, what comes from the environment is taken for a secret.
      ...unset
        .filter(([key]) => free.some((prefix) => key.startsWith(prefix)))
        .map(([key]) => pathOfKey(tree, key)),
    ]
  })
}

function withText(value: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return typeof value === 'string' && value.trim() !== '' ? value : STAND_IN
  if (Array.isArray(value))
    return value.map((item: unknown, at) => (at === step ? withText(item, rest) : item))
  const name = String(step)
  if (!isMapping(value) || !Object.hasOwn(value, name)) return value
  return { ...value, [name]: withText(value[name], rest) }
}

export function unusedSecrets(
  tree: Tree,
  { kinds, withoutSecrets }: { readonly kinds: SourceKinds; readonly withoutSecrets?: UnusedSecrets },
): Unused {
  if (withoutSecrets === undefined) return { has: () => false, withStandIns: (same) => same }
  const paths = [...ownSecrets(tree), ...(withoutSecrets === 'all' ? sourceSecrets(tree, kinds) : [])]
  const texts = new Set(paths.map(pathText))
  return {
    has: (path) => texts.has(path),
    withStandIns: (own) => ({ ...own, value: paths.reduce(withText, own.value) }),
  }
}
