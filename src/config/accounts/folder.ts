// A folder as the configuration: each piece is checked with the root file alone first, then all that are in order together. A piece
// that is broken is left out, and named; a root file that is broken leaves nothing to run.
import { readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { mergeLayers } from '../layers.ts'
import { type Loaded, type LoadOptions, loadTree, type Whole } from '../load-tree.ts'
import { readConfig } from '../read-config.ts'
import { type ConfigProblem, inOrder } from '../text/problem.ts'
import { readSmallFile } from '../text/read-text.ts'
import { isMapping, valueAt } from '../text/tree.ts'
import { configSchema } from '../../core/settings.ts'
import {
  asInPiece,
  type BrokenPiece,
  combinedTree,
  type Piece,
  pieceProblems,
  ROOT,
  sharedNames,
} from './pieces.ts'

interface ReadPiece extends Piece {
  readonly incomplete: readonly string[]
  readonly problems: readonly ConfigProblem[]
}

/** `blocks`: those of the root file, which every piece may use. */
async function readPiece(options: LoadOptions, blocks?: unknown): Promise<ReadPiece | BrokenPiece> {
  const { file, env, presetFolder, readFile = readSmallFile } = options
  const { tree, problems } = await readConfig(options)
  if (tree === undefined) return { file, problems }
  if (!isMapping(tree.value)) {
    const place = { file, line: 1, column: 1, path: '' }
    return {
      file,
      problems: [...problems, { ...place, message: 'has no keys', hint: 'write a mapping of keys' }],
    }
  }
  const own = tree.value['blocks']
  const all = { ...(isMapping(blocks) ? blocks : {}), ...(isMapping(own) ? own : {}) }
  const value = Object.keys(all).length === 0 ? tree.value : { ...tree.value, blocks: all }
  const merged = await mergeLayers({ ...tree, value }, { presetFolder, readFile, env })
  return { ...merged, file, problems: [...problems, ...merged.problems] }
}

const isRead = (piece: ReadPiece | BrokenPiece): piece is ReadPiece => 'tree' in piece

interface Checking {
  readonly options: LoadOptions
  readonly schema: Whole['schema']
  readonly root: ReadPiece | undefined
}

/** The root file with these pieces. */
async function checked(pieces: readonly ReadPiece[], { options, schema, root }: Checking): Promise<Loaded> {
  const all = [...(root === undefined ? [] : [root]), ...pieces]
  const allowed = root === undefined ? undefined : valueAt(root.tree.value, ['allow'])
  const problems = [
    ...all.flatMap((one) => one.problems),
    ...sharedNames(all),
    ...pieces.flatMap((one) =>
      pieceProblems(one, dirname(options.file), Array.isArray(allowed) ? allowed : []),
    ),
  ]
  const loaded = await loadTree(combinedTree(root, pieces), {
    options,
    schema,
    problems,
    incomplete: all.flatMap((one) => one.incomplete),
  })
  const inPiece = (problem: ConfigProblem): ConfigProblem =>
    pieces.reduce((one, piece) => asInPiece(one, piece), problem)
  return loaded.ok
    ? { ...loaded, warnings: loaded.warnings.map(inPiece) }
    : { ...loaded, problems: loaded.problems.map(inPiece) }
}

/** Without the pieces that do not fit together: of two, the one that comes later. */
async function together(
  pieces: readonly ReadPiece[],
  broken: readonly BrokenPiece[],
  checking: Checking,
): Promise<Loaded> {
  const loaded = await checked(pieces, checking)
  if (loaded.ok) return { ...loaded, broken }
  const named = pieces.filter(({ file }) => loaded.problems.some((problem) => problem.file === file))
  const ofThese = named.map(({ file }) => ({
    file,
    problems: loaded.problems.filter((problem) => problem.file === file),
  }))
  const all = [...broken, ...ofThese]
  const others = pieces.filter((piece) => !named.includes(piece))
  if (named.length > 0 && others.length > 0) return together(others, all, checking)
  return { ok: false, problems: [...loaded.problems, ...broken.flatMap(({ problems }) => problems)] }
}

const hasPipelines = (piece: ReadPiece | undefined): boolean =>
  piece !== undefined && isMapping(valueAt(piece.tree.value, ['pipelines']))

/** `options.file`: the folder. */
export async function loadFolder(given: LoadOptions): Promise<Loaded> {
  const folder = resolve(given.file)
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml') && !name.startsWith('.'))
    .sort()
  const options = { ...given, file: join(folder, ROOT) }
  const refused = (problems: readonly ConfigProblem[]): Loaded => ({
    ok: false,
    problems: inOrder(problems, options.file),
  })
  if (names.length === 0) {
    const place = { file: folder, line: 1, column: 1, path: '' }
    return refused([{ ...place, message: 'holds no configuration', hint: `write ${ROOT} into it` }])
  }
  const found = names.includes(ROOT) ? await readPiece(options) : undefined
  if (found !== undefined && !isRead(found)) return refused(found.problems)
  const checking = { options, root: found, schema: configSchema(given.kinds, { ...given, mayBeEmpty: true }) }
  const isOfRoot = ({ file }: ConfigProblem): boolean => file === options.file
  if (hasPipelines(found)) {
    const alone = await checked([], checking)
    if (!alone.ok) return alone
  }
  const blocks = found === undefined ? undefined : valueAt(found.tree.value, ['blocks'])
  const pieces: ReadPiece[] = []
  const broken: BrokenPiece[] = []
  for (const name of names.filter((one) => one !== ROOT)) {
    const piece = await readPiece({ ...options, file: join(folder, name) }, blocks)
    const alone = isRead(piece) ? await checked([piece], checking) : piece
    if ('ok' in alone && !alone.ok && alone.problems.every(isOfRoot)) return alone
    if (isRead(piece) && 'ok' in alone && alone.ok) pieces.push(piece)
    else broken.push({ file: piece.file, problems: 'problems' in alone ? alone.problems : [] })
  }
  if (pieces.length === 0 && !hasPipelines(found)) return refused(broken.flatMap(({ problems }) => problems))
  return together(pieces, broken, checking)
}
