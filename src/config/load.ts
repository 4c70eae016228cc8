// The configuration file -> checked settings, or every problem in it at once, each with its place.
// The caller passes the kinds of sources: the configuration imports no other folder.
import { dirname, resolve } from 'node:path'
import { saidOnce, withoutNulls } from './blocks.ts'
import { buildSettings } from './build.ts'
import { crossProblems } from './cross-checks.ts'
import { environmentProblems } from './text/environment.ts'
import { mergeLayers } from './layers.ts'
import { parseTree } from './parse.ts'
import { type ConfigProblem, inOrder, sentenceParts } from './text/problem.ts'
import { type ReadFile, readSmallFile, readText } from './text/read-text.ts'
import { configSchema, type OutsideChecks, type Settings } from '../core/settings.ts'
import { readAlertSecrets } from './alert-secrets.ts'
import { readSecrets } from './secrets.ts'
import { withProfile } from './service-profile.ts'
import { readUserTokens } from './user-secrets.ts'
import { readSourceSecrets } from './source-secrets.ts'
import { sourceOptions } from './schema/source-options.ts'
import type { SourceKinds } from '../core/source-settings.ts'
import type { Environment } from './text/substitute.ts'
import type { Tree } from './text/tree.ts'
import { readYaml } from './text/yaml-tree.ts'

export { type ConfigProblem, problemText } from './text/problem.ts'
export type { SourceKinds } from '../core/source-settings.ts'

export interface LoadOptions extends OutsideChecks {
  readonly file: string
  readonly env: Environment
  readonly kinds: SourceKinds
  /** Where presets lie, one YAML file each. */
  readonly presetFolder: string
  /** For commands that send no request and show nothing to others: secrets may be missing, and are not used. */
  readonly withoutSecrets?: boolean
  /** For tests; must reject as node:fs does. */
  readonly readFile?: ReadFile
}

export type Loaded =
  | { readonly ok: true; readonly settings: Settings; readonly warnings: readonly ConfigProblem[] }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] }

const HOW_TO_MAKE_ONE = 'copy config/contact-sync.example.yaml, or name another file with --config'

async function readConfig(
  options: LoadOptions,
): Promise<{ tree?: Tree; problems: readonly ConfigProblem[] }> {
  const { file, env } = options
  const whole = { file, line: 1, column: 1, path: '' }
  const read = await readText(file, options.readFile ?? readSmallFile)
  if ('problem' in read) {
    const { message, hint } = sentenceParts(read.problem)
    return { problems: [{ ...whole, message, hint: read.missing ? HOW_TO_MAKE_ONE : hint }] }
  }
  const { tree, problems } = readYaml(read.text, { file, env })
  if (tree?.value === null) return { problems: [{ ...whole, message: 'is empty', hint: HOW_TO_MAKE_ONE }] }
  return tree === undefined ? { problems } : { tree, problems }
}

interface Checks {
  readonly tree: Tree
  readonly folder: string
  readonly kinds: SourceKinds
  readonly incomplete: readonly string[]
  readonly schemaProblems: readonly ConfigProblem[]
}

/** What the schema says, and what is wrong besides; nothing twice, and nothing that a preset or block may have held. */
function allProblems({ tree, folder, kinds, incomplete, schemaProblems }: Checks): ConfigProblem[] {
  const isIn = ({ path }: ConfigProblem, pipeline: string) => path.startsWith(`pipelines.${pipeline}.`)
  return [
    ...schemaProblems.filter(
      (problem) => problem.message !== 'is missing' || !incomplete.some((name) => isIn(problem, name)),
    ),
    ...crossProblems(tree, folder, kinds).filter(
      (problem) => !incomplete.some((name) => isIn(problem, name)),
    ),
  ]
}

const SECRET =
  /^(service\.api_key|server\.(metrics_)?token|server\.users\[\d+\]\.token|alerts\[\d+\]\.(secret|mail\.password)|pipelines\.[^.]+\.source\.(auth\..*|password))(_file)?$/

const isAboutSecret = ({ path }: ConfigProblem): boolean => SECRET.test(path)

/**
 * Reads, merges presets and blocks, checks. Nothing is thrown for what a file may hold, and no message holds a secret.
 * Warnings are for what works and should be otherwise.
 */
export async function loadSettings(options: LoadOptions): Promise<Loaded> {
  const { file, env, kinds, presetFolder, readFile = readSmallFile } = options
  const refused = (problems: readonly ConfigProblem[]) =>
    ({ ok: false, problems: inOrder(problems, file) }) as const
  const read = await readConfig(options)
  if (read.tree === undefined) return refused(read.problems)
  const absolute = resolve(file)
  const folder = dirname(absolute)
  const merged = await mergeLayers(read.tree, { presetFolder, readFile, env })
  const { incomplete, problems: layerProblems } = merged
  const profiled = await withProfile(withoutNulls(merged.tree), { file: absolute, readFile, env })
  const { tree } = profiled
  const parsed = parseTree(tree, configSchema(kinds, options))
  const secrets = await readSecrets(tree, { readFile, folder })
  const ofUsers = await readUserTokens(tree, { readFile, folder }, secrets)
  const ofAlerts = await readAlertSecrets(tree, { readFile, folder })
  const ofSources = await readSourceSecrets(tree, kinds, { readFile, folder })
  const sources = parsed.ok ? sourceOptions(parsed.written, { tree, kinds, folder }) : undefined
  const isUnused = options.withoutSecrets === true ? isAboutSecret : () => false
  const schemaProblems = parsed.ok ? (sources?.problems ?? []) : parsed.problems
  const problems = [
    ...read.problems,
    ...layerProblems,
    ...profiled.problems,
    ...environmentProblems(tree, env),
    ...saidOnce(allProblems({ tree, folder, kinds, incomplete, schemaProblems })),
    ...secrets.problems,
    ...ofUsers.problems,
    ...ofAlerts.problems,
    ...ofSources.problems,
  ].filter((problem) => !isUnused(problem))
  if (!parsed.ok || sources === undefined || problems.length > 0) return refused(problems)
  const settings = buildSettings(
    {
      values: parsed.values,
      secrets,
      ofUsers: ofUsers.values,
      ofAlerts: ofAlerts.values,
      ofSources: ofSources.values,
      sources: sources.options,
    },
    absolute,
  )
  const warnings = [
    ...profiled.warnings,
    ...secrets.warnings,
    ...ofUsers.warnings,
    ...ofAlerts.warnings,
    ...ofSources.warnings,
  ].filter((problem) => !isUnused(problem))
  return { ok: true, settings, warnings: inOrder(warnings, file) }
}
