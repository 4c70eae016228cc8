// All that is configured, as one tree -> the settings of each account, or every problem at once.
import { dirname, resolve } from 'node:path'
import { type AccountTree, accountTrees } from './accounts/trees.ts'
import type { BrokenPiece } from './accounts/pieces.ts'
import { saidOnce, withoutNulls } from './blocks.ts'
import { buildSettings } from './build.ts'
import { type CrossChecks, crossProblems, sharedFolderProblems } from './cross-checks.ts'
import { environmentProblems } from './text/environment.ts'
import { parseTree } from './parse.ts'
import { type ConfigProblem, inOrder } from './text/problem.ts'
import { type ReadFile, readSmallFile } from './text/read-text.ts'
import type { configSchema, OutsideChecks, Settings } from '../core/settings.ts'
import { readAlertSecrets } from './secrets/alert-secrets.ts'
import { readSecrets } from './secrets/secrets.ts'
import { withProfile } from './service-profile.ts'
import { readUserTokens } from './secrets/user-secrets.ts'
import { unusedSecrets, type Unused, type UnusedSecrets } from './secrets/unused-secrets.ts'
import { freeFormSecrets, readSourceSecrets, stateUrlWarnings } from './secrets/source-secrets.ts'
import { sourceOptions } from './schema/source-options.ts'
import type { SourceKinds } from '../core/settings/source-settings.ts'
import type { Environment } from './text/substitute.ts'
import { isMapping, type Tree, valueAt } from './text/tree.ts'
import { OCCURS_TWICE } from './text/yaml-tree.ts'

export interface LoadOptions extends OutsideChecks {
  readonly file: string
  /** The option of the command line that names the file; `--config` where absent. */
  readonly namedBy?: string
  readonly env: Environment
  readonly kinds: SourceKinds
  /** Where presets lie, one YAML file each. */
  readonly presetFolder: string
  /** For commands that do not use them: these secrets may be missing. */
  readonly withoutSecrets?: UnusedSecrets
  /** For tests; must reject as node:fs does. */
  readonly readFile?: ReadFile
}

export type Loaded =
  | {
      readonly ok: true
      /** Of the first account; of the only one, in most files. */
      readonly settings: Settings
      readonly accounts: readonly [Settings, ...Settings[]]
      readonly warnings: readonly ConfigProblem[]
      /** Files of a folder that are not in use. */
      readonly broken: readonly BrokenPiece[]
    }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] }

interface Checks extends CrossChecks {
  readonly tree: Tree
  readonly incomplete: readonly string[]
  readonly schemaProblems: readonly ConfigProblem[]
}

const isIn = ({ path }: ConfigProblem, pipelines: readonly string[]): boolean =>
  pipelines.some((name) => path.startsWith(`pipelines.${name}.`))

/** What the schema says, and what is wrong besides; nothing that a preset or block may have held. */
function allProblems({ tree, incomplete, schemaProblems, ...checks }: Checks): ConfigProblem[] {
  return [
    ...schemaProblems.filter((problem) => problem.message !== 'is missing' || !isIn(problem, incomplete)),
    ...crossProblems(tree, checks).filter((problem) => !isIn(problem, incomplete)),
  ]
}

interface WholeFile {
  readonly options: LoadOptions
  readonly incomplete: readonly string[]
  /** Names of all pipelines. */
  readonly pipelines: readonly string[]
  readonly schema: ReturnType<typeof configSchema>
  readonly unused: Unused
}

interface LoadedAccount {
  /** Undefined with problems. */
  readonly settings: Settings | undefined
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly ConfigProblem[]
}

/** One account, as if it were alone in the file. */
async function loadAccount(
  { account, users, tree: given }: AccountTree,
  { options, incomplete, pipelines, schema, unused }: WholeFile,
): Promise<LoadedAccount> {
  const { file, env, kinds, readFile = readSmallFile } = options
  const absolute = resolve(file)
  const folder = dirname(absolute)
  const profiled = await withProfile(withoutNulls(given), { file: absolute, readFile, env })
  const { tree } = profiled
  const parsed = parseTree(tree, schema)
  const secrets = await readSecrets(tree, { readFile, folder })
  const ofUsers = await readUserTokens(tree, { readFile, folder }, secrets)
  const ofAlerts = await readAlertSecrets(tree, { readFile, folder })
  const ofSources = await readSourceSecrets(tree, kinds, { readFile, folder })
  const sources = parsed.ok ? sourceOptions(parsed.written, { tree, kinds, folder }) : undefined
  const schemaProblems = parsed.ok ? (sources?.problems ?? []) : parsed.problems
  const found = [profiled, secrets, ofUsers, ofAlerts, ofSources]
  const problems = [
    ...environmentProblems(tree, env),
    ...allProblems({ tree, kinds, pipelines, users, incomplete, schemaProblems }),
    ...found.flatMap((one) => one.problems),
  ].filter(({ path }) => !unused.has(path))
  const warnings = [...found.flatMap((one) => one.warnings), ...stateUrlWarnings(tree)].filter(
    ({ path }) => !unused.has(path),
  )
  if (!parsed.ok || sources === undefined || problems.length > 0)
    return { settings: undefined, problems, warnings }
  const checked = {
    values: parsed.values,
    secrets,
    ofUsers: ofUsers.values,
    ofAlerts: ofAlerts.values,
    ofSources: ofSources.values,
    ofFreeForms: freeFormSecrets(tree, kinds, env),
    sources: sources.options,
  }
  return { settings: buildSettings(checked, { file: absolute, account, users }), problems, warnings }
}

/** Without what a key that occurs twice may have in its second place, which is not read. */
function withoutUnread(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const doubled = problems.filter(({ message }) => message === OCCURS_TWICE).map(({ path }) => path)
  return problems.filter(
    ({ message, path }) => message !== 'is missing' || !doubled.some((one) => path.startsWith(`${one}.`)),
  )
}

export interface Whole {
  readonly options: LoadOptions
  readonly schema: ReturnType<typeof configSchema>
  /** Of the reading. */
  readonly problems: readonly ConfigProblem[]
  readonly incomplete: readonly string[]
}

/** A tree of all that is configured, with presets and blocks merged. */
export async function loadTree(
  written: Tree,
  { options, schema, incomplete, problems: found }: Whole,
): Promise<Loaded> {
  const { file } = options
  const unused = unusedSecrets(written, options)
  const whole = unused.withStandIns(written)
  const accounts = accountTrees(whole)
  const pipelines = valueAt(whole.value, ['pipelines'])
  const names = isMapping(pipelines) ? Object.keys(pipelines) : []
  const problems = [...found, ...accounts.problems].filter(({ path }) => !unused.has(path))
  const warnings = [...accounts.warnings]
  const loaded: Settings[] = []
  for (const tree of accounts.trees) {
    const one = await loadAccount(tree, { options, incomplete, pipelines: names, schema, unused })
    if (one.settings !== undefined) loaded.push(one.settings)
    problems.push(...one.problems.map((problem) => tree.inFile(problem)))
    warnings.push(...one.warnings.map((problem) => tree.inFile(problem)))
  }
  problems.push(
    ...sharedFolderProblems(whole, dirname(resolve(file))).filter((problem) => !isIn(problem, incomplete)),
  )
  const [settings, ...others] = loaded
  if (settings === undefined || problems.length > 0)
    return { ok: false, problems: inOrder(saidOnce(withoutUnread(problems)), file) }
  return {
    ok: true,
    settings,
    accounts: [settings, ...others],
    warnings: inOrder(warnings, file),
    broken: [],
  }
}
