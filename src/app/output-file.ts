// The file that an operator names for what a command writes: never one of those that contact-sync itself works with, which
// would be replaced.
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { realPath } from '../config/text/real-path.ts'
import type { Settings } from '../core/settings.ts'
import { SyncError } from '../core/words/errors.ts'

/** What SQLite and contact-sync keep under the name of the state. */
const BESIDE_STATE = /^(\.(lock|sock|mark|window|tokens|before-schema-\d+))?(-(wal|shm|journal))?$/
const LOG_FILE = /^contact-sync-\d{4}-\d{2}-\d{2}\.log$/

/** A folder of pieces is as many files. */
function configurationFiles(configuration: string): readonly string[] {
  if (statSync(configuration, { throwIfNoEntry: false })?.isDirectory() !== true) return [configuration]
  return readdirSync(configuration)
    .filter((name) => extname(name) === '.yaml')
    .map((name) => join(configuration, name))
}

function ownFile(
  path: string,
  { state, log }: Settings,
  configurations: readonly string[],
): string | undefined {
  const file = realPath(path)
  const place = realPath(state.path)
  if (file.startsWith(place) && BESIDE_STATE.test(file.slice(place.length)))
    return file === place ? 'the state' : 'a part of the state'
  if (configurations.flatMap(configurationFiles).some((one) => realPath(one) === file))
    return 'the configuration'
  const isLog =
    log.folder !== undefined && dirname(file) === realPath(log.folder) && LOG_FILE.test(basename(file))
  return isLog ? 'a log file' : undefined
}

export interface OutputOf {
  readonly cwd: string
  readonly settings: Settings
  /** The files or folders of configuration that the command reads. */
  readonly configurations: readonly string[]
  /** Whether standard output holds the JSON document of the command, and nothing else. */
  readonly json: boolean | undefined
}

/** What `-` means where a file is named. */
const STDOUT = '/dev/stdout'
const NAMES_OF_STDOUT = [STDOUT, '/dev/fd/1', '/proc/self/fd/1']

/**
 * The path of the file that is called so; relative names lie in `cwd`. Throws USAGE where it is one of our own files, or
 * standard output that holds something else.
 */
export function outputFile(name: string, { cwd, settings, configurations, json }: OutputOf): string {
  const path = name === '-' ? STDOUT : resolve(cwd, name)
  if (json === true && NAMES_OF_STDOUT.includes(path))
    throw new SyncError('USAGE', 'with --json standard output holds one JSON document, and no file as well', {
      hint: 'Name another file, or leave --json out.',
    })
  const own = ownFile(path, settings, configurations)
  if (own === undefined) return path
  throw new SyncError('USAGE', `${path} is ${own} of contact-sync and is not replaced`, {
    hint: 'Name another file.',
  })
}
