// What must hold when all is quiet: every good row is at the service once, with what it says, or waits for a reason that is
// one. Read from the ledger, the files and the lists that people see.
import type { Operation } from '../../src/core/change/operation.ts'
import type { PipelineSettings } from '../../src/core/settings.ts'
import type { StateStore } from '../../src/core/state-store.ts'
import type { Claims } from './claims.ts'
import { checkStatus } from './consent.ts'
import { correctedValue, type Corrected } from './correcting.ts'
import { type Erasure, mayBeErased } from './erasing.ts'
import { type Expected, expectedOf, type Wanted } from './expected.ts'
import type { Effect, Ledger } from './ledger.ts'
import { personIn } from './people.ts'
import type { SimulatedContact } from './simulated-contacts.ts'
import type { SimulatedService } from './simulated-service.ts'
import type { SimulatedSource } from './simulated-source.ts'

export interface Final {
  readonly ledger: Ledger
  readonly service: SimulatedService
  readonly claims: Claims
  readonly pipelines: readonly PipelineSettings[]
  readonly sources: ReadonlyMap<string, SimulatedSource>
  readonly state: StateStore
  readonly now: () => number
  /** Pipelines whose last export came when nothing went wrong: what failed to be deleted before is found again by it. */
  readonly mended: ReadonlySet<string>
  readonly erasures: readonly Erasure[]
  readonly corrections: readonly Corrected[]
  readonly violated: (oracle: string, text: string) => void
}

/** What waits, by key. */
interface Waiting {
  readonly held: ReadonlyMap<string, Operation>
  readonly doubts: ReadonlyMap<string, Operation>
  readonly rejected: ReadonlyMap<string, string>
  /** Runs whose held changes are no longer those that a person could have looked at: newer exports took some over. */
  readonly unreleasable: ReadonlySet<string>
}

async function waitingOf(state: StateStore, { name }: PipelineSettings): Promise<Waiting> {
  const held = new Map<string, Operation>()
  const rejected = new Map<string, string>()
  for await (const one of state.held([name])) held.set(one.key, one)
  for await (const one of state.rejects([name])) rejected.set(one.key ?? '', one.reason)
  const doubts = new Map((await state.openDoubts(name)).map((one) => [one.key, one]))
  const plans = await state.heldPlans([name])
  const unreleasable = new Set(plans.filter(({ left, number }) => left !== number).map(({ runId }) => runId))
  return { held, doubts, rejected, unreleasable }
}

interface Place {
  readonly final: Final
  readonly pipeline: PipelineSettings
  readonly expected: Expected
  readonly waiting: Waiting
}

/** Mails that two records of the pipeline have had. */
function isMailShared(one: Wanted, expected: Expected): boolean {
  const mails = (expected.ever.get(one.key) ?? [one]).map(({ mail }) => mail).filter((mail) => mail !== '')
  return [...expected.ever].some(
    ([key, versions]) => key !== one.key && versions.some(({ mail }) => mails.includes(mail)),
  )
}

/** Others made a contact with one of the record's mails, or gave it such a mail. */
function isMailTaken(one: Wanted, { expected, final }: Place): boolean {
  const mails = (expected.ever.get(one.key) ?? [one]).map(({ mail }) => mail)
  const claimed = final.claims.of(one.stamp).map(({ contact }) => contact)
  return [...final.service.contacts.all.values()].some(
    (contact) =>
      !claimed.includes(contact.id) && mails.some((mail) => contact.fields.get('mail')?.value === mail),
  )
}

/** One of its own, or one that was linked by its mail: a key that may not set mail_status writes nothing more to that. */
function wasDeleted(one: Wanted, { expected, final }: Place): boolean {
  const { claims, service } = final
  if (claims.of(one.stamp).some(({ contact }) => service.contacts.live(contact) === undefined)) return true
  const mails = (expected.ever.get(one.key) ?? [one]).map(({ mail }) => mail)
  return (
    one.status !== undefined &&
    [...service.contacts.all.values()].some(
      ({ deleted, fields }) =>
        deleted !== undefined && mails.some((mail) => fields.get('mail')?.value === mail),
    )
  )
}

/** Whether the record's contact is blocked or unsubscribed at the service, and its source says otherwise. */
const isWithdrawnThere = ({ stamp, status = 0 }: Wanted, { final }: Place): boolean =>
  status > 2 &&
  final.claims
    .live(stamp)
    .some((id) => Number(final.service.contacts.live(id)?.fields.get('mail_status')?.value) < 3)

/** Whether what is held is held for a reason that the ledger or the files bear out. */
function isHeldRightly(one: Wanted, operation: Operation, place: Place): boolean {
  const reason = operation.reason ?? ''
  const isOfOthers = (): boolean => isMailShared(one, place.expected) || isMailTaken(one, place)
  // What is held for its mail once it is released is planned, and judged, with every export.
  if (operation.guard !== undefined) return place.waiting.unreleasable.has(operation.runId) || isOfOthers()
  if (reason.includes('deleted at the service')) return wasDeleted(one, place)
  if (reason.startsWith('mail_status: the contact is')) return isWithdrawnThere(one, place)
  if (
    /contacts with this e-mail address|same e-mail address as|e-mail address belongs to|is in doubt|merged|another key/.test(
      reason,
    )
  )
    return isOfOthers()
  return false
}

const lastWrite = (contact: number, field: string, effects: readonly Effect[]): Effect | undefined =>
  effects.findLast(
    (one) => one.contact === contact && one.who === 'connector' && Object.hasOwn(one.fields, field),
  )

/** O1: what the row says is what was last written; what others wrote since is theirs. */
function checkFields(contact: SimulatedContact, key: string, place: Place): void {
  const { pipeline, expected, final } = place
  const candidates = expected.candidates.get(key) ?? []
  const [any] = candidates
  if (any === undefined || pipeline.update_method !== 'update_add') return
  const isKept = (field: string): boolean =>
    pipeline.hand_edits === 'keep' && contact.fields.get(field)?.by === 'foreign'
  for (const field of Object.keys(any.fields).filter((one) => !isKept(one))) {
    const effect = lastWrite(contact.id, field, final.ledger.effects)
    const after = effect?.fields[field]?.after
    // A contact of others that was linked by its mail has that already.
    const had = effect === undefined ? contact.fields.get(field)?.value : undefined
    const written = typeof after === 'string' ? after : ''
    const said = candidates.flatMap((one) => (one.fields[field] === undefined ? [] : [one.fields[field]]))
    const { must, may } = correctedValue({ pipeline, key, field }, final)
    const wanted = must === undefined ? [...said, ...may] : [must]
    const isLate = effect !== undefined && final.ledger.requests[effect.request - 1]?.fault === 'late'
    if (wanted.length === 0 || isLate || wanted.includes(written) || wanted.some((one) => one === had))
      continue
    final.violated(
      'O1',
      `${any.stamp}: ${field} of contact ${contact.id} was last written as "${written}", wanted is "${wanted.join('" or "')}"`,
    )
  }
}

/** With two pipelines on one contact the last to write wins; in either case it is the same person. */
const isAlone = (contact: number, { final }: Place): boolean => final.claims.stampsOf(contact).length === 1

function checkTerms(contact: SimulatedContact, key: string, place: Place): void {
  const { pipeline, expected, final } = place
  const { ledger, service } = final
  const candidates = expected.candidates.get(key) ?? []
  const [wanted] = candidates
  if (wanted === undefined || candidates.length > 1 || pipeline.terms.assign.length === 0) return
  const nameOf = (term: number): string => service.terms.get(term)?.name ?? ''
  const about = ledger.effects.filter((one) => one.contact === contact.id && one.term !== 0)
  if (about.some(({ request }) => ledger.requests[request - 1]?.fault === 'late')) return
  const last = (name: string): Effect | undefined => about.findLast(({ term }) => nameOf(term) === name)
  const missing = wanted.terms.filter((name) => {
    const has = [...contact.terms.keys()].some((term) => nameOf(term) === name)
    return !has && last(name)?.who !== 'foreign'
  })
  if (missing.length > 0)
    final.violated('terms', `${wanted.stamp}: contact ${contact.id} lacks ${missing.join(', ')}`)
  if (pipeline.terms.policy === 'add') return
  const ever = new Set((expected.ever.get(key) ?? []).flatMap(({ terms }) => terms))
  // A term of a user that is kept is in the list that is sent, and comes back where it was taken away since the look.
  const isKept = (name: string): boolean =>
    pipeline.hand_edits === 'keep' &&
    about.some(({ who, term }) => who === 'foreign' && nameOf(term) === name)
  const left = [...contact.terms].filter(
    ([term, by]) =>
      by === 'connector' &&
      !wanted.terms.includes(nameOf(term)) &&
      (ever.has(nameOf(term)) || (pipeline.terms.policy === 'replace' && !isKept(nameOf(term)))),
  )
  if (left.length > 0)
    final.violated(
      'terms',
      `${wanted.stamp}: contact ${contact.id} still has ${left.map(([term]) => nameOf(term)).join(', ')}`,
    )
}

/** Whether the service does not take this person at all. */
const isRefused = (stamp: string, { service }: Final): boolean => service.refuses.has(personIn(stamp) ?? -1)

/** A pipeline that only creates may have left this person to a contact of others. */
const wasTried = (stamp: string, { ledger }: Final): boolean =>
  ledger.requests.some(({ method, body }) => method === 'POST' && JSON.stringify(body ?? '').includes(stamp))

/** Whether it may not be raised, for want of evidence: surely so without any, or once it was 1 or 2 anywhere. */
function isRaiseOpen(one: Wanted, contact: number, { pipeline, expected, final }: Place): boolean {
  const { status = 0, consented } = one
  const isProven = pipeline.map['mail_status']?.require_evidence === true
  if (!isProven || (status !== 4 && status !== 7)) return false
  const isFuture = consented > new Date(final.now()).toISOString().slice(0, 10)
  // Its contact had an earlier address when that was withdrawn elsewhere.
  const mails = (expected.ever.get(one.key) ?? [one]).map(({ mail }) => mail.toLowerCase())
  const wasWithdrawn = final.ledger.looks.some(
    (look) =>
      (look.contact === contact || mails.includes(look.mail)) && (look.status === 1 || look.status === 2),
  )
  return consented === '' || isFuture || wasWithdrawn
}

function checkWanted(key: string, one: Wanted, place: Place): void {
  const { final, waiting, expected } = place
  const { violated, claims, service } = final
  const held = waiting.held.get(key)
  const doubt = waiting.doubts.get(key)
  if (doubt !== undefined) return violated('O1', `${one.stamp} is still in doubt: ${doubt.reason ?? ''}`)
  if (held !== undefined) {
    if (!isHeldRightly(one, held, place)) violated('O1', `${one.stamp} is held: ${held.reason ?? ''}`)
    return
  }
  const rejected = waiting.rejected.get(key)
  if (isRefused(one.stamp, final)) {
    if (rejected === undefined && wasTried(one.stamp, final))
      violated('O1', `${one.stamp} was refused, and no reject says so`)
    return
  }
  const live = claims.own(one.stamp)
  if (live.length === 0 && wasDeleted(one, place)) return
  if (live.length !== 1) return violated('O1', `${one.stamp} is at the service ${live.length} times`)
  const contact = service.contacts.live(live[0] ?? 0)
  if (contact === undefined || !isAlone(contact.id, place)) return
  checkFields(contact, key, place)
  checkTerms(contact, key, place)
  // What was passed over, and is no 1 or 2, is looked at again when its record is next read.
  if (isRaiseOpen(one, contact.id, place)) return
  if (one.status === undefined || one.status < 3 || final.mended.has(place.pipeline.name))
    checkStatus(contact, expected.candidates.get(key) ?? [], final)
}

/** What a full export lacks is gone, once it was missing often enough since it was last worked on. */
function checkGone(place: Place): void {
  const { final, pipeline, expected, waiting } = place
  const { lastFull } = expected
  if (lastFull === undefined || pipeline.on_missing === 'keep' || !final.mended.has(pipeline.name)) return
  for (const [key, [first]] of expected.ever) {
    if (first === undefined || lastFull.wanted.has(key) || lastFull.bad.has(key) || waiting.held.has(key))
      continue
    if (mayBeErased(first, pipeline.name, final)) continue
    // Whoever has its mail now may be the same person under another key: that is looked at when the next export comes.
    if (isMailShared(first, expected)) continue
    for (const id of final.claims.live(first.stamp)) {
      const since =
        final.ledger.effects.findLast(({ who, contact }) => who === 'connector' && contact === id)?.at ?? 0
      if (expected.missingIn(key, since) >= pipeline.guards.deletes_missing_in)
        checkGoneContact(id, first, place)
    }
  }
}

function checkGoneContact(id: number, { stamp }: Wanted, place: Place): void {
  const { final, pipeline } = place
  if (!isAlone(id, place)) return
  if (pipeline.on_missing === 'delete')
    return final.violated('O3', `${stamp} has gone from the source, and contact ${id} is still there`)
  const left = [...(final.service.contacts.live(id)?.terms ?? [])].filter(([, by]) => by === 'connector')
  if (left.length > 0)
    final.violated('O3', `${stamp} has gone from the source, and contact ${id} still has its terms`)
}

/** Judges the end of it all. */
export async function checkFinals(final: Final): Promise<void> {
  for (const pipeline of final.pipelines) {
    const source = final.sources.get(pipeline.name)
    if (source === undefined) continue
    const expected = expectedOf(source, pipeline)
    const place: Place = { final, pipeline, expected, waiting: await waitingOf(final.state, pipeline) }
    for (const [key, [one]] of expected.candidates) {
      const isThere = expected.lastFull === undefined || expected.lastFull.wanted.has(key)
      if (one !== undefined && isThere && !mayBeErased(one, pipeline.name, final))
        checkWanted(key, one, place)
    }
    checkGone(place)
  }
}
