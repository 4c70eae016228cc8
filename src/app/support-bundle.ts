// The archive for support. It contains what support needs, and nothing else: versions, the configuration
// without secrets, numbers of the state, its tables, and the operational log of the last days. No record, no mail, no name.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { effectiveSettings } from '../config/effective.ts'
import { SOURCE_KINDS } from '../sources/registry.ts'
import { errorFacts } from '../core/words/error-facts.ts'
import { logExcerpt } from '../core/log/log-excerpt.ts'
import { createRedaction } from '../core/words/secrets/redact.ts'
import type { Settings } from '../core/settings.ts'
import { databaseFacts, sqliteVersion } from '../store/file/facts.ts'
import { stateInfo } from '../store/info.ts'
import { openToRead } from '../store/reading.ts'
import { machineFacts, systemClock as clock } from '../system.ts'
import type { AccountConfiguration } from './run/configuration.ts'

export interface BundleEntry {
  readonly name: string
  /** What it is, to decide about sending it. */
  readonly about: string
  readonly text: string
}

const RUNS = 200
const LOG_DAYS = 7
/** Of one day, the newest of it. */
const LOG_BYTES = 5_000_000

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

/** E-mail addresses get into conditions, lookups and receivers of alerts. */
const withoutMails = (text: string): string =>
  text.replaceAll(/[^\s"'<>=,;:(){}[\]]+@[^\s"'<>=,;:(){}[\]]+/g, '[mail]')

/** A part that is not available is named by its code, and keeps nothing else out of the bundle. */
async function orFacts(work: () => unknown): Promise<string> {
  try {
    return json((await work()) ?? { not_to_be_had: 'there is none yet' })
  } catch (error) {
    return json({ not_to_be_had: errorFacts(error) })
  }
}

/** Who may use the console is a person, too. */
const USER = /^server\.users\.\d+\.name$/

/** Lookups and descriptions hold words of the source: how many they are is enough. */
const WORDS = /^(.+\.(?:lookup|descriptions))\../

function configurationText(configuration: AccountConfiguration): string {
  if (!configuration.ok) return configuration.problems.map((line) => `${line}\n`).join('')
  const counted = new Map<string, number>()
  const rows = effectiveSettings(configuration.settings, SOURCE_KINDS).flatMap(({ path, value }) => {
    const table = WORDS.exec(path)?.[1]
    if (table === undefined) return [`${path}: ${USER.test(path) ? '(not shown)' : value}\n`]
    counted.set(table, (counted.get(table) ?? 0) + 1)
    return []
  })
  const tables = [...counted].map(([path, entries]) => `${path}: ${entries} entries\n`)
  return [...configuration.warnings.map((line) => `# warning: ${line}\n`), ...rows, ...tables].join('')
}

/** Sizes and rights of the state's files: who may not write is often all there is to it. */
function filesBeside({ path }: Settings['state']): readonly unknown[] {
  const own = basename(path)
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(own))
  return names.map((name) => {
    const { size, mode, mtimeMs } = statSync(join(dirname(path), name))
    return { name, bytes: size, mode: (mode & 0o7777).toString(8), changed: new Date(mtimeMs).toISOString() }
  })
}

function tail(file: string): string {
  const content = readFileSync(file)
  return content.subarray(Math.max(0, content.length - LOG_BYTES)).toString('utf8')
}

function logEntries({ log }: Settings): BundleEntry[] {
  const { folder } = log
  if (folder === undefined) return []
  const names = readdirSync(folder).filter((name) => /^contact-sync-\d{4}-\d\d-\d\d\.log$/.test(name))
  return names
    .sort()
    .slice(-LOG_DAYS)
    .map((name) => {
      const lines = tail(join(folder, name))
        .split('\n')
        .flatMap((line) => logExcerpt(line) ?? [])
      const about = `the operational log of the day, ${lines.length} lines, without names of files and ids of contacts`
      return { name: `logs/${name}`, about, text: lines.map((line) => `${line}\n`).join('') }
    })
}

async function stateEntries(settings: Settings): Promise<BundleEntry[]> {
  const facts = await orFacts(() => databaseFacts(openToRead(settings.state), { runs: RUNS }))
  const {
    schema = [],
    runs = [],
    server,
    ...rest
  } = JSON.parse(facts) as {
    schema?: readonly string[]
    runs?: readonly unknown[]
    server?: string
  }
  const heading = server === undefined ? '' : `-- ${server}\n`
  return [
    {
      name: 'state.json',
      about: 'size, integrity and counts of the state',
      text: await orFacts(() => stateInfo(settings.state, clock.now())),
    },
    {
      name: 'state-files.json',
      about: "sizes and permissions of the state's files",
      text: await orFacts(() => filesBeside(settings.state)),
    },
    {
      name: 'schema.sql',
      about: 'the tables of the state, without their content',
      text: schema.length > 0 ? `${heading}${schema.join(';\n')};\n` : json(rest),
    },
    {
      name: 'runs.json',
      about: `the last ${RUNS} runs in numbers, without the reasons that may quote a file`,
      text: json(runs),
    },
  ]
}

const readme = (entries: readonly BundleEntry[]): string =>
  [
    'A support bundle of contact-sync. It contains no secret and no personal data:',
    '',
    ...entries.map(({ name, about }) => `  ${name}: ${about}`),
    '',
  ].join('\n')

/** Everything that goes into the bundle, each a text. Also where configuration or state are broken. */
export async function supportBundle(
  configuration: AccountConfiguration,
  version: string,
): Promise<readonly BundleEntry[]> {
  const settings = configuration.ok ? configuration.settings : undefined
  const versions = { contact_sync: version, sqlite: sqliteVersion(), ...machineFacts() }
  const ofLog = settings === undefined ? '[]' : await orFacts(() => logEntries(settings))
  const logs: unknown = JSON.parse(ofLog)
  const found: BundleEntry[] = [
    { name: 'versions.json', about: 'contact-sync, Node, SQLite, system', text: json(versions) },
    {
      name: 'configuration.txt',
      about: configuration.ok
        ? 'the effective configuration, without secrets'
        : 'the problems of the configuration',
      text: configurationText(configuration),
    },
    ...(settings === undefined ? [] : await stateEntries(settings)),
    ...(Array.isArray(logs)
      ? (logs as BundleEntry[])
      : [{ name: 'logs.json', about: 'the reason why there is no log', text: ofLog }]),
  ]
  const mask = createRedaction(settings?.secrets ?? [])
  const entries = found.map((entry) => ({ ...entry, text: withoutMails(mask(entry.text)) }))
  return [{ name: 'README.txt', about: 'this list', text: readme(entries) }, ...entries]
}
