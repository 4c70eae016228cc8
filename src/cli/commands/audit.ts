// `audit list`, `show` and `run`: the sync log, read beside a running daemon.
import { openStateForReading } from '../../app.ts'
import type { LoggedEntry } from '../../core/audit-chain.ts'
import type { AuditEntry, AuditOutcome } from '../../core/audit.ts'
import { SyncError } from '../../core/errors.ts'
import { everyEntry, exportLine } from '../../core/log-lines.ts'
import { controlTotals, runAccount } from '../../core/run-account.ts'
import type { LogFilter, LoggedPerson } from '../../core/sync-log.ts'
import type { RunRecord, StateStore } from '../../core/state.ts'
import { moment, number, plural } from '../format.ts'
import { type CommonOptions, type Io, print, printError, printJson } from '../io.ts'
import { entryLine, entryParagraph } from '../log-text.ts'
import { commandSettings } from '../settings.ts'

export interface FilterOptions extends CommonOptions {
  readonly run?: string
  readonly pipeline?: string
  readonly contact?: string
  readonly field?: string
  readonly term?: string
  readonly outcome?: AuditOutcome
  readonly action?: AuditEntry['action']
  readonly since?: number
  readonly until?: number
}

const FILTERS = [
  'run',
  'pipeline',
  'contact',
  'field',
  'term',
  'outcome',
  'action',
  'since',
  'until',
] as const

export const logFilter = (options: FilterOptions): LogFilter =>
  Object.fromEntries(FILTERS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])))

/** Throws USAGE where there is no state yet. */
export async function withLog<T>(
  io: Io,
  options: CommonOptions,
  work: (state: StateStore, path: string) => Promise<T>,
): Promise<T> {
  const { path } = (await commandSettings(io, options)).state
  const state = openStateForReading(path)
  if (state === undefined)
    throw new SyncError('USAGE', `there is no state ${path} yet`, { hint: 'The first run makes it.' })
  try {
    return await work(state, path)
  } finally {
    await state.close()
  }
}

/** Whoever is meant. Throws USAGE where the log knows nobody of that name. */
export async function peopleNamed(state: StateStore, contact: string): Promise<readonly LoggedPerson[]> {
  const people = await state.people(contact)
  if (people.length > 0) return people
  throw new SyncError('USAGE', `the sync log knows no contact ${contact}`, {
    hint: 'Name a key, a mail address or a contact id; key:, mail: or id: before it says which it is. Who was erased is not found any more.',
  })
}

interface ListOptions extends FilterOptions {
  readonly limit?: number
  readonly before?: number
}

const SHOWN = 100
const SHOWN_JSON = 10_000

export async function list(io: Io, options: ListOptions): Promise<number> {
  const { limit = options.json === true ? SHOWN_JSON : SHOWN, before } = options
  return withLog(io, options, async (state) => {
    const range = {
      order: 'newest',
      limit: limit + 1,
      ...(before === undefined ? {} : { from: before }),
    } as const
    const found = await state.logPage(logFilter(options), range)
    const entries = found.slice(0, limit)
    const next = found.length > limit ? (entries.at(-1)?.seq ?? null) : null
    if (options.json === true) {
      printJson(io, { entries: entries.map(exportLine), next })
      return 0
    }
    for (const entry of entries) print(io, entryLine(entry))
    if (entries.length === 0) printError(io, 'no entry fits')
    if (next !== null) printError(io, `there are older ones: --before ${next}`)
    return 0
  })
}

const personJson = ({ keys, contactIds, mails, tokens }: LoggedPerson) => ({
  keys,
  contact_ids: contactIds,
  mails,
  tokens,
})

function personText({ keys, contactIds, mails }: LoggedPerson): string {
  const ids = contactIds.map((id) => `contact ${id}`)
  const names = keys.map(({ pipeline, key }) => `${pipeline} ${key}`)
  return [...ids, ...names, ...mails].join(', ')
}

export async function show(io: Io, options: CommonOptions, [contact = '']: string[]): Promise<number> {
  return withLog(io, options, async (state) => {
    const lives: { person: LoggedPerson; entries: LoggedEntry[] }[] = []
    for (const person of await peopleNamed(state, contact)) {
      const entries: LoggedEntry[] = []
      for await (const entry of everyEntry(state, { person: person.person })) entries.push(entry)
      lives.push({ person, entries })
    }
    if (options.json === true) {
      const people = lives.map(({ person, entries }) => ({
        ...personJson(person),
        entries: entries.map(exportLine),
      }))
      printJson(io, { people })
      return 0
    }
    if (lives.length > 1)
      printError(
        io,
        `${lives.length} people may be meant; key:, mail: or id: before the name narrows it down`,
      )
    for (const { person, entries } of lives) {
      print(io, personText(person))
      for (const entry of entries) print(io, entryParagraph(entry))
    }
    return 0
  })
}

function runText(run: RunRecord): string {
  const ended = run.endedAt === undefined ? 'not ended' : `ended ${moment(run.endedAt)}`
  return `run ${run.id} of ${run.pipeline}: ${run.status ?? 'no result'}, began ${moment(run.startedAt)}, ${ended}`
}

function balanceText({ counts }: RunRecord): string {
  if (counts === undefined) return '  it never came to count: it was killed, or goes on'
  const { read, created, updated, unchanged, skipped, rejected, failed, held, in_doubt: doubt } = counts
  const sum = created + updated + unchanged + skipped + rejected + failed + held + doubt
  return `  ${number(read)} read = ${created} created + ${updated} updated + ${unchanged} unchanged + ${skipped} skipped + ${rejected} rejected + ${failed} failed + ${held} held + ${doubt} in doubt${sum === read ? '' : `: these are ${sum}`}`
}

/** Ends with 1 where the log does not tell of everything that the run counted. */
export async function runAudit(
  io: Io,
  options: CommonOptions & { readonly entries?: boolean },
  [id = '']: string[],
): Promise<number> {
  return withLog(io, options, async (state) => {
    const run = await state.run(id)
    if (run === undefined)
      throw new SyncError('USAGE', `the state knows no run ${id}`, {
        hint: 'contact-sync audit list names the run of every change.',
      })
    const account = await runAccount(state.entriesOfRun(id))
    const totals = controlTotals(run.counts, account)
    const adds = totals.every(({ agrees }) => agrees)
    if (options.json === true) {
      const { pipeline, status = null, counts = null, startedAt, endedAt } = run
      const ended = endedAt === undefined ? null : new Date(endedAt).toISOString()
      const began = { started_at: new Date(startedAt).toISOString(), ended_at: ended }
      const log = totals.map(({ what, run: counted, log: told, agrees }) => ({
        what,
        run: counted ?? null,
        log: told,
        agrees,
      }))
      const actions = await state.runTotals(id)
      printJson(io, {
        run_id: id,
        pipeline,
        status,
        ...began,
        counts,
        entries: account.entries,
        actions,
        totals: log,
        adds_up: adds,
      })
      return adds ? 0 : 1
    }
    print(io, runText(run))
    print(io, balanceText(run))
    print(
      io,
      `  the log has ${plural(account.entries, 'entry', 'entries')} of it, over ${plural(account.requests, 'request')}`,
    )
    for (const { what, run: counted, log, isExact, agrees } of totals)
      if (log > 0 || (isExact && (counted ?? 0) > 0) || !agrees)
        print(
          io,
          `  ${what.replace('_', ' ')}: ${counted ?? '?'} counted, ${log} in the log${agrees ? '' : ': DOES NOT ADD UP'}`,
        )
    print(
      io,
      adds ? '  control totals add up' : '  CONTROL TOTALS DO NOT ADD UP: see contact-sync audit verify',
    )
    for await (const entry of everyEntry(state, { run: id })) print(io, entryLine(entry))
    return adds ? 0 : 1
  })
}
