// Whatever the program keeps is classified here: each table of its databases, and each file of src that writes to a disk.
// A new one fails until it is classified, and where it holds personal data, until `audit forget` covers it.
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openState } from '../../src/store/state-store.ts'

interface Kind {
  /** forgotten: audit forget removes or redacts it. none: no personal data. passing: removed with the operation it serves. */
  readonly holds: 'forgotten' | 'none' | 'passing'
  readonly why: string
}
const forgotten = (why: string): Kind => ({ holds: 'forgotten', why })
const none = (why: string): Kind => ({ holds: 'none', why })
const passing = (why: string): Kind => ({ holds: 'passing', why })

const TABLES: Readonly<Record<string, Kind>> = {
  withdrawal: none('keyed hashes of contacts and addresses, as those of address_status'),
  address_status: none(
    'keyed hashes of addresses, as tombstones: a withdrawn consent outlives the data of its person',
  ),
  accepted: forgotten('the name of a file may name a person: redacted'),
  alert: none('conditions of pipelines'),
  alert_message: forgotten('redacted'),
  approval: forgotten('by key'),
  approval_need: none('numbers'),
  audit: none('entries without values; names are tokens'),
  configuration: none('settings without secrets'),
  brake: none('terms and counts'),
  brake_ask: forgotten('by key'),
  brake_grant: none('counts'),
  correction: forgotten('by key'),
  custom_field: none('definitions'),
  daily_request: none('counts'),
  decision: passing('removed in the transaction that concludes it, which then empties the WAL'),
  delete_count: none('counts'),
  run_figure: none('counts and durations of runs'),
  drift_past: none('counts by field and term'),
  drift_round: forgotten('by key'),
  dropped: forgotten('by key'),
  erased_seen: forgotten('by contact, where it is erased at the service or a record has it'),
  due: none('times of schedules'),
  fingerprint: forgotten('by link'),
  hand_edit: forgotten('by key'),
  hold: forgotten('reasons are redacted'),
  household: forgotten('by key'),
  input: forgotten('names and headers are redacted'),
  link: forgotten('by key'),
  log_hour: none('numbers of entries'),
  log_tag: forgotten('the ranges of terms are cut by untag'),
  log_total: none('counts'),
  log_word: none('words of filters; terms are keyed hashes'),
  meta: none('settings, digests of inputs, positions of sources, which the certificate names'),
  operation: forgotten('by key and mail'),
  opt_out: forgotten('by contact, key and mail'),
  owner: none('a process id'),
  passed: forgotten('by key'),
  person_alias: forgotten('removed with the person'),
  person_key: forgotten('the secret is dropped; what stays is a token'),
  pipeline_pause: forgotten('reasons of operators are redacted'),
  read_log: forgotten('ids of contacts are set to NULL'),
  reject: forgotten('by key, mail and values'),
  run: forgotten('errors lose their quotes, names of refused files are redacted'),
  sealed: forgotten('boxes are set to NULL'),
  sent_values: forgotten('by contact'),
  settled_block: forgotten('digests in which the person took part, by pipeline'),
  settled_version: none('a version of each pipeline'),
  status_seen: forgotten('by contact'),
  tombstone: none('keyed hashes, by which an erased person is recognised'),
  unsettled_link: passing('numbers of links, until the next reading'),
}

/** Beside the state: the shared window, the tokens of sources, the lease of a state at a server. */
const TABLES_BESIDE: Readonly<Record<string, Kind>> = {
  worker: none('processes that work with a state at a server'),
  pipeline_lease: none('names of pipelines'),
  turn: passing('digests of addresses, and ids of contacts, while something is sent to them'),
  ask: passing('what a command asks of a worker, removed with its answer'),
  answer: passing('the answer, removed when it was read'),
  slot: none('times of requests'),
  slot_first: none('times of requests'),
  slot_slowed: none('times of requests'),
  console_session: none('who is signed in, sealed under the id of the session'),
  console_search: forgotten('forgetTexts'),
  console_form: forgotten('forgetTexts'),
  slot_hour: none('numbers of requests'),
  asker: none('processes'),
  clock: none('an offset'),
  cooling: none('times of requests'),
  hour: none('counts of requests'),
  slowed: none('times'),
  token: none('sealed tokens of sources'),
}

const ASKED = none('an export that an operator asked for; the certificate names such files as out of reach')

const WRITERS: Readonly<Record<string, Kind>> = {
  'app/contract/stage.ts': none('invented people in a temporary folder'),
  'app/audit-files.ts': ASKED,
  'app/export-file.ts': ASKED,
  'app/hand-over-places.ts': none('public parts of entries, which identify no person'),
  'app/decisions/desk-server.ts': none('an empty folder for a socket'),
  'app/init/trying.ts': passing('copies of samples, removed with the trial'),
  'app/temporary-folder.ts': passing(
    'what a plan fetches and an init copies; what a killed one left goes with the next',
  ),
  'app/people/pipelines.ts': none('renames the folder of a pipeline, writes nothing into it'),
  'app/run/opt-out-files.ts': forgotten('eraseOptOuts'),
  'app/witnessing.ts': none('heads of the sync log: numbers and digests'),
  'cli/commands/demo.ts': none('invented people'),
  'cli/commands/probe.ts': none('what a service does'),
  'cli/commands/sandbox.ts': none('a sandbox, which is no part of a state'),
  'cli/commands/support-bundle.ts': none('known data only: no values of records'),
  'cli/init/init.ts': none('a configuration'),
  'cli/plan/plan-files.ts': ASKED,
  'log/daily-file.ts': forgotten('eraseInLogs'),
  'log/erase.ts': forgotten('eraseInLogs itself'),
  'sources/corrections-file.ts': ASKED,
  'sources/folder/archive.ts': forgotten('eraseRecords'),
  'sources/folder/erasing.ts': forgotten('eraseRecords itself'),
  'sources/folder/place.ts': forgotten('archived files: eraseRecords'),
  'sources/folder/taking.ts': passing('the input on its way to the archive'),
  'sources/pull/spool.ts': passing(
    'inputs of the next run, archived with it; what a killed fetch leaves: eraseRecords',
  ),
  'sources/rejects.ts': forgotten('eraseRecords'),
  'sources/remote/claims.ts': passing('claims on inputs, removed when these are archived'),
  'sources/remote/copies.ts': passing('copies of inputs, removed with the run'),
  'sources/remote/drop-folder.ts': forgotten('eraseRecords'),
  'sources/remote/put-away.ts': forgotten('eraseRecords'),
  'sources/remote/s3/requests.ts': forgotten('eraseRecords'),
  'sources/singer/fetcher.ts': passing(
    'the state of a tap, removed with the fetch; of a killed one: eraseRecords',
  ),
  'store/file/backup.ts': none('a copy of the state, which the certificate names'),
  'store/file/database.ts': forgotten('copies from before an upgrade are removed'),
  'store/file/durable.ts': none('writes what its caller gives it: heads, facts'),
  'store/file/lock.ts': none('a process id, in a table of the lock file'),
  'store/moving/move.ts': none('puts the former state aside, which the certificate names'),
  'store/state-store.ts': none('an empty folder for the mark'),
  'store/tokens.ts': none('sealed tokens of sources'),
  'store/window/shared-window.ts': none('times and counts of requests'),
}

async function tablesOfState(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'personal-data-'))
  try {
    const path = join(folder, 'state.db')
    await openState(path, { pid: 1, since: 0, thorough: false }).close()
    const db = new Database(path, { readonly: true })
    const names = db
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      )
      .pluck()
      .all()
    db.close()
    return names
  } finally {
    await rm(folder, { recursive: true })
  }
}

const SRC = new URL('../../src/', import.meta.url).pathname
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(SRC, name), 'utf8') }))

const WRITING =
  /\b(?:writeFile|createWriteStream|appendFile|copyFile|cp|rename|link|mkdir|mkdtemp)(?:Sync)?\b/
const OPENING = /\bopen(?:Sync)?\([^)\n]*'(?:w|a|r\+)/

function writes(text: string): boolean {
  const imported = [...text.matchAll(/import \{([^}]*)\} from 'node:fs(?:\/promises)?'/g)].map(
    ([, names = '']) => names,
  )
  return imported.length > 0 ? WRITING.test(imported.join(',')) || OPENING.test(text) : false
}

describe('what holds personal data', () => {
  it('classifies every table of the state', async () => {
    expect(await tablesOfState()).toEqual(Object.keys(TABLES).sort())
  })

  it('classifies every table of the databases beside the state', () => {
    const beside = sources.filter(({ name }) => /^store\/(?:tokens|window\/|postgres\/)/.test(name))
    const names = beside.flatMap(({ text }) =>
      [...text.matchAll(/CREATE TABLE IF NOT EXISTS (?:@\.)?(\w+)/g)].map(([, name = '']) => name),
    )
    expect([...new Set(names)].sort()).toEqual(Object.keys(TABLES_BESIDE).sort())
  })

  it('finds no table that is made elsewhere', () => {
    const makers = sources
      .filter(({ text }) => /CREATE (?:VIRTUAL )?TABLE /.test(text))
      .map(({ name }) => name)
    const known =
      /^(?:store\/file\/(?:schema|lock\.ts|facts\.ts)|store\/postgres\/|store\/tokens|store\/window\/|sandbox\/)/
    expect(makers.filter((name) => !known.test(name)).sort()).toEqual([])
  })

  it('classifies every file of src that writes to a disk', () => {
    const writing = sources.filter(({ text }) => writes(text)).map(({ name }) => name)
    expect(writing.sort()).toEqual(Object.keys(WRITERS).sort())
  })

  it('names each table of persons in the SQL of forget', () => {
    const sql = ['store/log/forget.ts', 'store/log/audit-names.ts', 'store/log/audit-tags.ts']
      .map((name) => readFileSync(join(SRC, name), 'utf8'))
      .join('\n')
    const uncovered = Object.entries(TABLES).filter(
      ([table, { holds }]) => holds === 'forgotten' && !new RegExp(`\\b${table}\\b`).test(sql),
    )
    expect(uncovered).toEqual([])
  })
})
