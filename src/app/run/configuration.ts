// From the configuration file to checked settings: the checks that need other rooms are handed in here.
import { loadSettings, problemText } from '../../config/load.ts'
import type { UnusedSecrets } from '../../config/secrets/unused-secrets.ts'
import type { ReadFile } from '../../config/text/read-text.ts'
import { compileCondition } from '../../core/mapping/cel/condition.ts'
import type { Settings } from '../../core/settings.ts'
import { installed } from '../../installation.ts'
import { scheduleProblem } from '../../schedule/due-times.ts'
import { SOURCE_KINDS } from '../../sources/registry.ts'

/** Presets lie beside the code, in the source tree as in the built package. */
export const PRESET_FOLDER = installed('config/presets')

function conditionProblem(expression: string): string | undefined {
  const condition = compileCondition(expression)
  return 'problem' in condition
    ? `${condition.problem}; write CEL, as in record["Status"] != "deleted"`
    : undefined
}

interface Refused {
  readonly ok: false
  readonly problems: readonly string[]
}

interface Accepted {
  readonly ok: true
  readonly settings: Settings
  readonly warnings: readonly string[]
}

/** Of one account. */
export type AccountConfiguration = Accepted | Refused

/** A file of a folder that is not in use; every problem is one finished line. */
export interface BrokenFile {
  readonly file: string
  readonly problems: readonly string[]
}

/** `settings`: of the first account; of the only one, in most files. `broken`: only where the configuration is a folder. */
export type Configuration =
  | (Accepted & {
      readonly accounts: readonly [Settings, ...Settings[]]
      readonly broken: readonly BrokenFile[]
    })
  | Refused

/** For commands that need less than a run does. */
export interface Leniency {
  /** These secrets may be missing. */
  readonly withoutSecrets?: UnusedSecrets
  /** The option that names the file, where it is not `--config`. */
  readonly namedBy?: string
  /** Reads a configuration that is written nowhere yet. */
  readonly readFile?: ReadFile
}

/** Reads and checks the configuration; every problem is one finished line. */
export async function loadConfiguration(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  leniency: Leniency = {},
): Promise<Configuration> {
  const loaded = await loadSettings({
    ...leniency,
    file,
    env,
    kinds: SOURCE_KINDS,
    presetFolder: PRESET_FOLDER,
    checkSchedule: scheduleProblem,
    checkCondition: conditionProblem,
  })
  if (loaded.ok) {
    const broken = loaded.broken.map(({ file: name, problems }) => ({
      file: name,
      problems: problems.map(problemText),
    }))
    return { ...loaded, warnings: loaded.warnings.map(problemText), broken }
  }
  return { ok: false, problems: loaded.problems.map(problemText) }
}
