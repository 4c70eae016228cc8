// The options of each pipeline's source in the form that its kind gives them. The schema has checked them one
// by one before; the kind's own schema may still have something to say about them together.
import { resolve } from 'node:path'
import { issueProblems } from '../issues.ts'
import { PARSING } from '../parse.ts'
import type { ConfigProblem } from '../text/problem.ts'
import { ownOptions, pathOptions, type SourceKinds } from '../../core/settings/source-settings.ts'
import { isRemote } from '../../core/words/network/remote-folder.ts'
import { isMapping, type Path, type Tree, valueAt } from '../text/tree.ts'

export interface SourceOptions {
  readonly options: Readonly<Record<string, unknown>>
  /** Those that only say where the source is. */
  readonly paths: readonly string[]
  /** Its records are asked for: all options but `sparse` say what is fetched. */
  readonly isPulled?: boolean
}

interface Context {
  readonly tree: Tree
  readonly kinds: SourceKinds
  /** What relative paths are relative to. */
  readonly folder: string
}

function withAbsolutePaths(
  options: Readonly<Record<string, unknown>>,
  paths: readonly string[],
  folder: string,
): Record<string, unknown> {
  const resolved = paths.flatMap((name) => {
    const path = options[name]
    return typeof path === 'string' && !isRemote(path) ? [[name, resolve(folder, path)] as const] : []
  })
  return { ...options, ...Object.fromEntries(resolved) }
}

/** `written` is a source that the schema has found in order. */
function optionsOf(
  written: unknown,
  at: Path,
  { tree, kinds, folder }: Context,
): SourceOptions | ConfigProblem[] {
  const source = isMapping(written) ? written : {}
  const kind = kinds[String(source['type'])]
  if (kind === undefined) return { options: {}, paths: [] }
  const paths = pathOptions(kind)
  const parsed = kind.schema.safeParse(withAbsolutePaths(ownOptions(source), paths, folder), PARSING)
  const { isPulled = false } = kind
  if (parsed.success) return { options: isMapping(parsed.data) ? parsed.data : {}, paths, isPulled }
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: [...at, ...issue.path] }))
  return issueProblems(issues, { tree, schema: kind.schema })
}

/** Options by the pipeline's name, or what is wrong with them. */
export function sourceOptions(
  written: unknown,
  context: Context,
): { options: ReadonlyMap<string, SourceOptions>; problems: readonly ConfigProblem[] } {
  const pipelines = valueAt(written, ['pipelines'])
  const options = new Map<string, SourceOptions>()
  const problems: ConfigProblem[] = []
  for (const name of isMapping(pipelines) ? Object.keys(pipelines) : []) {
    const path = ['pipelines', name, 'source']
    const found = optionsOf(valueAt(written, path), path, context)
    if (Array.isArray(found)) problems.push(...found)
    else options.set(name, found)
  }
  return { options, problems }
}
