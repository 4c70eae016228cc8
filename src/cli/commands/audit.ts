// `audit list`, `show` and `run`: the sync log, read beside a running daemon.
import { EXIT } from '../../core/words/exit-codes.ts'
import type { LoggedEntry } from '../../core/log/audit-chain.ts'
import type { AuditEntry, AuditOutcome } from '../../core/log/audit.ts'
import { SyncError } from '../../core/words/errors.ts'
import { everyEntry, exportLine } from '../../core/log/log-lines.ts'
import { type ControlTotal, controlTotals, type LogAccount, runAccount } from '../../core/log/run-account.ts'
import type { LogFilter, LoggedPerson, RunTotal } from '../../core/log/sync-log.ts'
import type { RunRecord } from '../../core/state.ts'
import type { StateStore } from '../../core/state-store.ts'
import { type Counts, OUTCOMES } from '../../core/outcome/summary.ts'
import { momentText, number, plural } from '../../core/words/format.ts'
import { type CommonOptions, type Io, print, printError, printJson } from '../io.ts'
import { entryLine, entryParagraph } from '../log-text.ts'
import { peopleNamed, withLog } from '../with-log.ts'

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

interface ListOptions extends FilterOptions {
  readonly limit?: number
  readonly before?: number
}

const SHOWN = 100
const SHOWN_JSON = 10_000

export async function listEntries(io: Io, options: ListOptions): Promise<number> {
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
    if (entries.length === 0) printError(io, 'no entry matches')
    if (next !== null) printError(io, `older entries: --before ${next}`)
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

interface ShowOptions extends CommonOptions {
  /** Milliseconds since the epoch. */
  readonly asOf?: number
}

export async function showEntry(io: Io, options: ShowOptions, [contact = '']: string[]): Promise<number> {
  return withLog(io, options, async (state) => {
    const { asOf } = options
    if (asOf !== undefined) {
      const { showAsOf } = await import('./audit-compare.ts')
      const people = (await peopleNamed(state, contact)).map((person) => ({
        person,
        json: personJson(person),
        text: personText(person),
      }))
      return showAsOf(io, { ...options, asOf }, { state, people })
    }
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
      printError(io, `${lives.length} contacts match; the prefix key:, mail: or id: narrows it down`)
    for (const { person, entries } of lives) {
      print(io, personText(person))
      for (const entry of entries) print(io, entryParagraph(entry))
    }
    return 0
  })
}

function runText(id: string, run: RunRecord | undefined): string {
  if (run === undefined)
    return `run ${id}: not in the list of runs: a decision, which has no counts, or a run that has expired (keep.runs) or whose pipeline was dropped`
  const ended = run.endedAt === undefined ? 'not ended' : `ended ${momentText(run.endedAt)}`
  return `run ${id} of ${run.pipeline}: ${run.status ?? 'no result'}, began ${momentText(run.startedAt)}, ${ended}`
}

function balanceText(counts: Counts | undefined): string {
  if (counts === undefined)
    return '  its counts are unknown: it was killed, is still active, or is not listed'
  const outcomes = OUTCOMES.map((name) => `${number(counts[name])} ${name.replace('_', ' ')}`)
  return `  ${number(counts.read)} read = ${outcomes.join(' + ')}`
}

function totalText({ what, run, log, agrees }: ControlTotal): string {
  return `  ${what.replace('_', ' ')}: ${run ?? '?'} counted, ${log} in the log${agrees ? '' : ': DOES NOT ADD UP'}`
}

function verdictText(counts: Counts | undefined, totals: readonly ControlTotal[]): string {
  if (!totals.every(({ agrees }) => agrees))
    return '  CONTROL TOTALS DO NOT ADD UP: see contact-sync audit verify'
  return counts === undefined ? '  without counts there are no control totals' : '  control totals add up'
}

const isWorthSaying = ({ run = 0, log, isExact, agrees }: ControlTotal): boolean =>
  log > 0 || (isExact && run > 0) || !agrees

interface Account {
  readonly id: string
  readonly run: Awaited<ReturnType<StateStore['run']>>
  readonly account: LogAccount
  readonly totals: readonly ControlTotal[]
}

const iso = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString())

const accountJson = ({ id, run, account, totals }: Account, actions: readonly RunTotal[]) => ({
  run_id: id,
  pipeline: run?.pipeline ?? null,
  status: run?.status ?? null,
  started_at: iso(run?.startedAt),
  ended_at: iso(run?.endedAt),
  counts: run?.counts ?? null,
  requests: run?.requests ?? null,
  entries: account.entries,
  actions,
  totals: totals.map(({ what, run: counted, log, agrees }) => ({ what, run: counted ?? null, log, agrees })),
  adds_up: totals.every(({ agrees }) => agrees),
})

async function printAccount(io: Io, { id, run, account, totals }: Account, state: StateStore): Promise<void> {
  print(io, runText(id, run))
  print(io, balanceText(run?.counts))
  if (run?.requests !== undefined)
    print(io, `  ${plural(run.requests, 'request')} to the service, retries included`)
  print(io, `  the log has ${plural(account.entries, 'entry', 'entries')} of it`)
  for (const total of totals.filter(isWorthSaying)) print(io, totalText(total))
  print(io, verdictText(run?.counts, totals))
  for await (const entry of everyEntry(state, { run: id })) print(io, entryLine(entry))
}

/** Ends with 1 where the log does not tell of everything that the run counted. */
export async function runAudit(io: Io, options: CommonOptions, [id = '']: string[]): Promise<number> {
  return withLog(io, options, async (state) => {
    const run = await state.run(id)
    const account = await runAccount(state.entriesOfRun(id))
    if (run === undefined && account.entries === 0)
      throw new SyncError('USAGE', `neither the state nor the sync log knows a run ${id}`, {
        hint: 'contact-sync audit list names the run of every change.',
      })
    const said = { id, run, account, totals: controlTotals(run?.counts, account) }
    if (options.json === true) printJson(io, accountJson(said, await state.runTotals(id)))
    else await printAccount(io, said, state)
    return said.totals.every(({ agrees }) => agrees) ? EXIT.done : EXIT.fault
  })
}
