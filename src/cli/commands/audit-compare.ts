// `audit show --as-of` and `audit diff`: what a contact had at a moment, and what changed between the ends of two runs.
import type { LoggedEntry } from '../../core/log/audit-chain.ts'
import {
  changesTogether,
  type ContactAsOf,
  type ContactChange,
  contactsAsOf,
  isChangeLost,
} from '../../core/log/contact-history.ts'
import { everyEntry } from '../../core/log/log-lines.ts'
import type { LoggedPerson } from '../../core/log/sync-log.ts'
import type { StateStore } from '../../core/state-store.ts'
import { SyncError } from '../../core/words/errors.ts'
import { momentText, plural } from '../../core/words/format.ts'
import { shownValue } from '../format.ts'
import { type CommonOptions, type Io, print, printError, printJson } from '../io.ts'
import { withLog } from '../with-log.ts'

const asOfJson = ({ contactId, exists, fields, terms, unknown }: ContactAsOf) => ({
  contact_id: contactId,
  exists,
  fields,
  terms,
  unknown,
})

const lostText = (names: readonly string[]): string => `  values no longer kept: ${names.join(', ')}`

function asOfLines({ contactId, exists, fields, terms, unknown }: ContactAsOf): readonly string[] {
  if (!exists) return [`  contact ${contactId}: deleted before`]
  const lines = Object.entries(fields).map(
    ([name, { value, at, seq }]) =>
      `    ${name}: ${shownValue(value)}  (since ${momentText(Date.parse(at))}, #${seq})`,
  )
  return [
    `  contact ${contactId}:`,
    ...lines,
    ...(terms.length === 0 ? [] : [`    terms: ${terms.join(', ')}`]),
    ...(unknown.length === 0 ? [] : [`  ${lostText(unknown)}`]),
  ]
}

/** What each person's contacts had at the moment (milliseconds since the epoch). */
export async function showAsOf(
  io: Io,
  options: CommonOptions & { readonly asOf: number },
  {
    state,
    people,
  }: { state: StateStore; people: readonly { person: LoggedPerson; json: object; text: string }[] },
): Promise<number> {
  const { asOf, json } = options
  const found = await Promise.all(
    people.map(async ({ person: { person }, ...one }) => ({
      ...one,
      ...(await contactsAsOf(everyEntry(state, { person }), asOf)),
    })),
  )
  if (json === true) {
    const as_of = new Date(asOf).toISOString()
    printJson(io, {
      people: found.map(({ contacts, unknown, ...one }) => ({
        ...one.json,
        as_of,
        contacts: contacts.map(asOfJson),
        unknown,
      })),
    })
    return 0
  }
  for (const { text, contacts, unknown } of found) {
    print(io, `${text}, as of ${momentText(asOf)}`)
    if (contacts.length === 0)
      print(io, unknown.length === 0 ? '  nothing was sent before' : lostText(unknown))
    for (const contact of contacts) for (const line of asOfLines(contact)) print(io, line)
  }
  printError(io, 'by the sync log alone: changes that others made at the service are not in it')
  return 0
}

/** Decisions about what a run has left held: they carry its id, however long after its end they were made. */
const ABOUT_HELD: ReadonlySet<string> = new Set(['release', 'approve', 'drop_changes'])

/** The number of the last entry that a run made itself; of a decision about no run, that of the decision. */
async function lastOf(run: string, state: StateStore): Promise<number | undefined> {
  const [newest] = await state.logPage({ run }, { order: 'newest', limit: 1 })
  for (let from: number | undefined; ;) {
    const page = await state.logPage(
      { run },
      { order: 'newest', limit: 500, ...(from === undefined ? {} : { from }) },
    )
    const own = page.find(({ action }) => !ABOUT_HELD.has(action))
    if (own !== undefined || page.length === 0) return (own ?? newest)?.seq
    from = page.at(-1)?.seq
  }
}

/** The number of the last entry of a run. Throws USAGE where the log knows no such run. */
async function endOf(run: string, state: StateStore): Promise<number> {
  const last = await lastOf(run, state)
  if (last !== undefined) return last
  const known = await state.run(run)
  if (known === undefined)
    throw new SyncError('USAGE', `neither the state nor the sync log knows a run ${run}`, {
      hint: 'contact-sync audit list names the run of every change.',
    })
  const until = known.endedAt ?? known.startedAt
  const [before] = await state.logPage({ until }, { order: 'newest', limit: 1 })
  return before?.seq ?? 0
}

/** Entries behind the first number, up to the second. */
async function* between(state: StateStore, from: number, upTo: number): AsyncGenerator<LoggedEntry> {
  for (let last = from; ;) {
    const page = await state.logPage({}, { order: 'oldest', from: last, limit: 500 })
    for (const entry of page) {
      if (entry.seq > upTo) return
      yield entry
    }
    if (page.length === 0) return
    last = page.at(-1)?.seq ?? last
  }
}

const changeJson = ({ contactId, ...change }: ContactChange) => ({ contact_id: contactId, ...change })

function changeLines({
  pipeline,
  key,
  contactId,
  made,
  deleted,
  fields,
  terms,
}: ContactChange): readonly string[] {
  const what = [made ? 'created' : '', deleted ? 'deleted' : ''].filter((word) => word !== '').join(', ')
  return [
    `${pipeline ?? 'all'} ${key ?? ''} (contact ${contactId})${what === '' ? '' : `: ${what}`}`,
    ...Object.entries(fields).map(
      ([name, { from, to }]) => `    ${name}: ${shownValue(from)} -> ${shownValue(to)}`,
    ),
    ...terms.add.map((name) => `    + ${name}`),
    ...terms.remove.map((name) => `    - ${name}`),
  ]
}

/** What changed from the end of the one run to the end of the other, over all pipelines. */
export async function diffRuns(
  io: Io,
  options: CommonOptions,
  [one = '', other = '']: string[],
): Promise<number> {
  return withLog(io, options, async (state) => {
    const ends = [
      { run: one, seq: await endOf(one, state) },
      { run: other, seq: await endOf(other, state) },
    ].sort((a, b) => a.seq - b.seq)
    const [from = { run: one, seq: 0 }, to = from] = ends
    let withoutValues = 0
    async function* kept(): AsyncGenerator<LoggedEntry> {
      for await (const entry of between(state, from.seq, to.seq)) {
        if (isChangeLost(entry)) withoutValues += 1
        yield entry
      }
    }
    const changes = await changesTogether(kept())
    if (options.json === true) {
      const found = { changes: changes.map(changeJson), without_values: withoutValues }
      printJson(io, { from: from.run, to: to.run, ...found })
      return 0
    }
    print(
      io,
      `${plural(changes.length, 'contact')} changed from the end of ${from.run} to the end of ${to.run}`,
    )
    for (const change of changes) for (const line of changeLines(change)) print(io, line)
    if (withoutValues > 0)
      printError(io, `${plural(withoutValues, 'change')} left out: the values are no longer kept`)
    return 0
  })
}
