// A folder with a configuration, a state and a drop folder of its own, and the program run in it.
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { measured, type Report } from '../measure.ts'
import { FIELDS } from '../people-file.ts'
import { MAIN, SOURCE_MAIN } from '../../support/cli.ts'

const RUN_ARGS = ['run', '--config', 'config.yaml'] as const
export const RUN = [MAIN, ...RUN_ARGS] as const
/** The next run settles what a killed one left in doubt, or says that it has to wait. */
const AFTER_A_KILL = [0, 3]

export interface Place {
  readonly folder: string
  drop(file: string): Promise<void>
  run(): Promise<Report>
  /** Leaves a CPU profile in a folder. */
  profiledRun(into: string): Promise<Report>
  runAfterKill(): Promise<Report>
  remove(): Promise<void>
}

export interface PlaceOptions {
  /** Allowed in a second. */
  readonly requests?: number
  readonly bulkSize?: number
  readonly updateVia?: 'id' | 'bulk'
}

const configuration = (url: string, { requests, bulkSize, updateVia }: Required<PlaceOptions>): string => `
service:
  base_url: ${url}
  api_key: sandbox-key
  rate_limit: { requests: ${requests}, per: 1s, concurrency: 4 }
  bulk: { size: ${bulkSize} }
state: { path: state/contact-sync.db }
pipelines:
  bench:
    source: { type: csv, folder: inbox, settle: 0s }
    key: no
    update_via: ${updateVia}
    map: { ${FIELDS.map((field) => `${field}: ${field}`).join(', ')} }
`

/** `among`: the folder of all places. */
export async function newPlace(among: string, url: string, options: PlaceOptions = {}): Promise<Place> {
  const folder = await mkdtemp(join(among, 'place-'))
  await mkdir(join(folder, 'inbox'))
  const all = { requests: 100_000, bulkSize: 100, updateVia: 'id', ...options } as const
  await writeFile(join(folder, 'config.yaml'), configuration(url, all))
  return {
    folder,
    drop: (file) => copyFile(file, join(folder, 'inbox', 'people.csv')),
    run: () => measured(folder, RUN),
    // From the source, a file for each module: a profile tells them apart.
    profiledRun: (into) =>
      measured(folder, [SOURCE_MAIN, ...RUN_ARGS], { flags: ['--cpu-prof', `--cpu-prof-dir=${into}`] }),
    runAfterKill: () => measured(folder, RUN, { codes: AFTER_A_KILL }),
    remove: () => rm(folder, { recursive: true }),
  }
}
