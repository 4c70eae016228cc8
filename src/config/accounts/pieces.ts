// A configuration in several files of one folder, one for each client, say: every `*.yaml` is a piece. The root file has what holds
// for all; the others bring services and pipelines, and can do no more than the root file allows.
import { basename, relative, resolve } from 'node:path'
import { isRemote } from '../../core/words/network/remote-folder.ts'
import type { ConfigProblem } from '../text/problem.ts'
import { realPath } from '../text/real-path.ts'
import {
  isMapping,
  type Path,
  pathKey,
  pathText,
  type Place,
  problemAt,
  type Tree,
  valueAt,
} from '../text/tree.ts'

/** The name of the root file. */
export const ROOT = 'contact-sync.yaml'

export interface Piece {
  readonly file: string
  /** Presets and blocks are merged. */
  readonly tree: Tree
}

/** A piece that is not in use, and why. */
export interface BrokenPiece {
  readonly file: string
  readonly problems: readonly ConfigProblem[]
}

type Values = Readonly<Record<string, unknown>>

/** What a piece may bring. */
const OWN = ['service', 'accounts', 'blocks', 'pipelines']

/** The account of a `service` at the top of a piece. */
const accountOf = ({ file }: Piece): string => basename(file, '.yaml')

const mappingAt = (tree: Tree, path: Path): Values => {
  const value = valueAt(tree.value, path)
  return isMapping(value) ? value : {}
}

/** Accounts by name; that of a service at the top bears the name of the file. */
function accountsOf(piece: Piece): Values {
  const service = valueAt(piece.tree.value, ['service'])
  const written = mappingAt(piece.tree, ['accounts'])
  return service === undefined ? written : { ...written, [accountOf(piece)]: { service } }
}

function pipelinesOf(piece: Piece): Values {
  const pipelines = mappingAt(piece.tree, ['pipelines'])
  if (valueAt(piece.tree.value, ['service']) === undefined) return pipelines
  const named = Object.entries(pipelines).map(([name, pipeline]): [string, unknown] => [
    name,
    isMapping(pipeline) ? { account: accountOf(piece), ...pipeline } : pipeline,
  ])
  return Object.fromEntries(named)
}

function placesOf(piece: Piece): [string, Place][] {
  const at = pathKey(['accounts', accountOf(piece)])
  return [...piece.tree.places].flatMap(([key, place]): [string, Place][] => {
    if (key !== 'service' && !key.startsWith(pathKey(['service', ''])))
      return key === '' ? [] : [[key, place]]
    const moved: [string, Place] = [`${at}\u0000${key}`, place]
    return key === 'service' ? [[at, place], moved] : [moved]
  })
}

/** The problem with the path that stands in the piece, where it is one of its own `service`. */
export function asInPiece(problem: ConfigProblem, piece: Piece): ConfigProblem {
  const above = `${pathText(['accounts', accountOf(piece)])}.`
  const isOwn = problem.file === piece.file && problem.path.startsWith(`${above}service`)
  return isOwn && valueAt(piece.tree.value, ['service']) !== undefined
    ? { ...problem, path: problem.path.slice(above.length) }
    : problem
}

/** All pieces as one tree. */
export function combinedTree(root: Piece | undefined, pieces: readonly Piece[]): Tree {
  const { accounts: _, pipelines: __, ...common } = root === undefined ? {} : (root.tree.value as Values)
  const own = root === undefined ? {} : mappingAt(root.tree, ['accounts'])
  const accounts = Object.assign({ ...own }, ...pieces.map(accountsOf)) as Values
  const pipelines = Object.assign(
    root === undefined ? {} : { ...mappingAt(root.tree, ['pipelines']) },
    ...pieces.map(pipelinesOf),
  ) as Values
  return {
    value: { ...common, ...(Object.keys(accounts).length > 0 ? { accounts } : {}), pipelines },
    // The root file's places go first where both have a key, such as `pipelines` itself.
    places: new Map([...pieces.flatMap(placesOf), ...(root?.tree.places ?? [])]),
  }
}

/** Names that two pieces have: the later one may not. */
export function sharedNames(pieces: readonly Piece[]): readonly ConfigProblem[] {
  const seen = new Map<string, string>()
  return pieces.flatMap((piece) => {
    const { file, tree } = piece
    const names: readonly (readonly [Path, string])[] = [
      ...Object.keys(mappingAt(tree, ['accounts'])).map(
        (name) => [['accounts', name], `account ${name}`] as const,
      ),
      ...Object.keys(mappingAt(tree, ['pipelines'])).map(
        (name) => [['pipelines', name], `pipeline ${name}`] as const,
      ),
    ]
    return names.flatMap(([at, name]) => {
      const other = seen.get(name)
      if (other === undefined) {
        seen.set(name, file)
        return []
      }
      const what = {
        message: `is also in ${basename(other)}`,
        hint: 'give it another name',
        at: 'key',
      } as const
      return [problemAt(tree, at, what)]
    })
  })
}

const isOutside = (path: string, folder: string): boolean =>
  /^\.\.(?:\/|$)/.test(relative(realPath(folder), realPath(resolve(folder, path))))

const PATH_KEYS = /^(?:folder|path|profile|known_hosts|.*_file)$/

/** Every text that names a file or a folder, outside of mappings. */
function pathsIn(value: unknown, at: Path): readonly (readonly [Path, string])[] {
  if (!isMapping(value)) return []
  return Object.entries(value).flatMap(([key, inner]): readonly (readonly [Path, string])[] => {
    const here = [...at, key]
    if (typeof inner !== 'string') return pathsIn(inner, here)
    if (key === 'url' && inner.startsWith('sqlite:')) return [[here, inner.slice('sqlite:'.length)]]
    return PATH_KEYS.test(key) && !isRemote(inner) ? [[here, inner]] : []
  })
}

/** What a piece has that belongs into the root file, or needs its leave. */
export function pieceProblems({ tree }: Piece, folder: string, allowed: readonly unknown[]): ConfigProblem[] {
  const foreign = Object.keys(isMapping(tree.value) ? tree.value : {}).filter((key) => !OWN.includes(key))
  const leave = (what: string): string => `say allow: [${what}] in ${ROOT}, or leave it out`
  const pipelines = Object.entries(mappingAt(tree, ['pipelines']))
  const programs = pipelines.flatMap(([name, pipeline]) => {
    const at = ['pipelines', name, 'source', 'type']
    const type = valueAt(pipeline, ['source', 'type'])
    if ((type !== 'module' && type !== 'singer') || allowed.includes(type)) return []
    return [problemAt(tree, at, { message: 'runs a program, and may not in this file', hint: leave(type) })]
  })
  const paths = [
    ...pathsIn(valueAt(tree.value, ['service']), ['service']),
    ...pathsIn(valueAt(tree.value, ['accounts']), ['accounts']),
    ...pipelines.flatMap(([name, pipeline]) =>
      pathsIn(valueAt(pipeline, ['source']), ['pipelines', name, 'source']),
    ),
  ].filter(([, path]) => !allowed.includes('outside_paths') && isOutside(path, folder))
  return [
    ...foreign.map((key) =>
      problemAt(tree, [key], {
        message: 'belongs into the root file',
        hint: `write it in ${ROOT}, where it holds for all; other files have ${OWN.join(', ')}`,
        at: 'key',
      }),
    ),
    ...programs,
    ...paths.map(([at]) =>
      problemAt(tree, at, { message: 'is outside of the folder of this file', hint: leave('outside_paths') }),
    ),
  ]
}
