// Contacts that others unsubscribe or block while the program works: no one is raised without evidence of a later day than
// the one on which that was first seen, and the source is told of each status that a look has shown.
import type { PipelineSettings } from '../../src/core/settings.ts'
import { type Claims, pipelineOf } from './claims.ts'
import { readingOf, type Wanted } from './expected.ts'
import type { Effect, Ledger, Look } from './ledger.ts'
import { personIn } from './people.ts'
import type { SimulatedSource } from './simulated-source.ts'

const STATUS = 'mail_status'

export interface WithdrawalsAt {
  readonly ledger: Ledger
  readonly claims: Claims
  readonly pipelines: readonly PipelineSettings[]
  readonly sources: ReadonlyMap<string, SimulatedSource>
  /** The files of the outbox; undefined where there is none. */
  readonly outbox: ReadonlyMap<string, string> | undefined
  readonly violated: (oracle: string, text: string) => void
}

export interface Withdrawals {
  /** The runs that sent the requests after this one have ended; `isSure`: all that they were answered has been worked on. */
  ended(after: number, isSure: boolean): void
}

const isWithdrawn = (status: number): boolean => status === 1 || status === 2

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** A day that has begun somewhere has come. */
const EASTERNMOST_MS = 14 * 3_600_000

const isProven = ({ map }: PipelineSettings): boolean => map[STATUS]?.require_evidence === true

/** When a 1 or 2 of the contact may have been seen first since a look has surely shown another status. */
function firstSeen(looks: readonly Look[], isSure: (look: Look) => boolean): number | undefined {
  let first: number | undefined
  for (const look of looks)
    if (isWithdrawn(look.status)) first ??= look.at
    else if (isSure(look)) first = undefined
  return first
}

/** Rows of the outbox: of whom, by the mail or the key; and what. */
function rowsOf(outbox: ReadonlyMap<string, string>): { mail: string; person: number; status: number }[] {
  return [...outbox.values()].flatMap((text) =>
    text
      .split('\n')
      .slice(1, -1)
      .map((line) => {
        const [mail = '', status, , , key = ''] = JSON.parse(`[${line}]`) as string[]
        const person = /^[AB]\d+$/.test(key) ? Number(key.slice(1)) : (personIn(mail) ?? -1)
        return { mail: mail.toLowerCase(), person, status: Number(status) }
      }),
  )
}

export function watchWithdrawals(at: WithdrawalsAt): Withdrawals {
  const { ledger, claims, pipelines, sources, outbox, violated } = at
  const unsure = new Set<number>()
  const isHeard = ({ request }: Look): boolean => ledger.requests[request - 1]?.isAnswered === true
  /** By contact: what the program may have seen last; 0 stands for any that is no 1 or 2. */
  const seen = new Map<number, ReadonlySet<number>>()
  /** By contact and status: how often the source is to be told. */
  const due = new Map<string, { readonly look: Look; readonly count: number }>()

  const versions = (contact: number): Wanted[] =>
    pipelines.flatMap((pipeline) =>
      [...(sources.get(pipeline.name)?.opened ?? []), ...(sources.get(pipeline.name)?.waiting.values() ?? [])]
        .flatMap((file) => [...readingOf(file, pipeline).wanted.values()])
        .filter(({ stamp }) => claims.stampsOf(contact).includes(stamp)),
    )

  function judgeRaise({ contact, request: number, at: now, fields }: Effect): void {
    const to = Number(fields[STATUS]?.after)
    const request = ledger.requests[number - 1]
    const names = claims.stampsOf(contact).map(pipelineOf)
    const who = pipelines.filter(({ name, map }) => names.includes(name) && map[STATUS] !== undefined)
    if (request?.fault === 'late' || who.length === 0 || !who.every(isProven)) return
    const first = firstSeen(
      ledger.looks.filter((look) => look.contact === contact && look.request < number),
      (look) => look.isWhole && isHeard(look) && !unsure.has(look.request),
    )
    const isShown = versions(contact).some(
      ({ status, consented }) =>
        status === to &&
        consented !== '' &&
        consented <= dayOf(now + EASTERNMOST_MS) &&
        (first === undefined || consented > dayOf(first)),
    )
    if (isShown) return
    const since = first === undefined ? 'no withdrawal was seen' : `1 or 2 was seen on ${dayOf(first)}`
    violated('evidence', `contact ${contact} was raised to ${to} without evidence of it (${since})`)
  }

  ledger.watch((effect) => {
    const status = effect.fields[STATUS]
    if (effect.who !== 'connector' || status === undefined || status.before === status.after) return
    if (status.after === 4 || status.after === 7) judgeRaise(effect)
  })

  /** A record of that mail said it. */
  const isSaid = (mail: string, status: number): boolean =>
    pipelines.some((pipeline) =>
      (sources.get(pipeline.name)?.opened ?? []).some(({ rows }) =>
        rows.some((row) => row[1]?.toLowerCase() === mail && row.includes(String(status))),
      ),
    )

  /** A status that a record of theirs asked for is not told to the source. */
  const isAsked = ({ contact, mail, status }: Look): boolean =>
    versions(contact).some((one) => one.status === status) || isSaid(mail, status)

  function note(look: Look, isSure: boolean): void {
    const { contact, status, by } = look
    const form = isWithdrawn(status) ? status : 0
    const before = seen.get(contact) ?? new Set([0])
    seen.set(contact, isSure ? new Set([form]) : new Set([...before, form]))
    if (!isSure || form === 0 || by !== 'foreign' || isAsked(look)) return
    const name = `${contact} ${status}`
    const count = (due.get(name)?.count ?? 0) + (before.has(form) ? 0 : 1)
    // What a run that broke off may have seen before is told as well, once.
    due.set(name, { look, count: Math.max(1, count) })
  }

  function checkOutbox(): void {
    const rows = rowsOf(outbox ?? new Map())
    for (const { look, count } of due.values()) {
      const { contact, mail, status } = look
      const persons = claims.stampsOf(contact).map(personIn)
      const told = rows.filter(
        (row) => row.status === status && (row.mail === mail || persons.includes(row.person)),
      ).length
      if (told < count)
        violated('outbox', `${status} of contact ${contact} was seen ${count} times, and told ${told} times`)
    }
    for (const { status, mail, person } of rows) {
      const sets = ledger.effects.filter(
        ({ who, fields }) => who === 'foreign' && fields[STATUS]?.after === status,
      ).length
      const told = rows.filter(
        (row) => row.status === status && row.mail === mail && row.person === person,
      ).length
      if (told > sets && !isSaid(mail, status))
        violated('outbox', `${status} of ${mail} was told ${told} times, and set ${sets} times`)
    }
  }

  return {
    ended(after, isSure) {
      if (!isSure)
        for (let number = after + 1; number <= ledger.requests.length; number += 1) unsure.add(number)
      if (outbox === undefined) return
      for (const look of ledger.looks)
        if (look.request > after && isHeard(look)) note(look, isSure && look.isWhole)
      if (isSure) checkOutbox()
    },
  }
}
