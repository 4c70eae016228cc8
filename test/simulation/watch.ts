// What must never happen, judged at the moment in which it happens at the service: a contact duplicated, two people mixed up,
// something taken away that was not to be taken away.
import type { PipelineSettings } from '../../src/core/settings.ts'
import { type Claims, pipelineOf } from './claims.ts'
import { hasStatus, isTakenBack } from './consent.ts'
import { readingOf } from './expected.ts'
import { isKnownUndone } from './faults.ts'
import { type HandTerms, termsLookedAt } from './hand-terms.ts'
import type { Effect, Ledger, RequestEntry } from './ledger.ts'
import { personIn } from './people.ts'
import { FIELD_COLUMNS, MARKER_FIELD, STAMP_FIELD } from './setup.ts'
import type { SimulatedContact } from './simulated-contacts.ts'
import type { SimulatedService } from './simulated-service.ts'
import type { SimulatedSource } from './simulated-source.ts'
import { isUndoneCreate, isUndoneTerm, type UndoneRun } from './undoing.ts'

export interface Watched {
  readonly ledger: Ledger
  readonly service: SimulatedService
  readonly claims: Claims
  readonly pipelines: readonly PipelineSettings[]
  readonly sources: ReadonlyMap<string, SimulatedSource>
  /** Pipelines of which a person has let deletes go although rows were there whose key cannot be read. */
  readonly overruled: ReadonlySet<string>
  readonly undoneRuns: readonly UndoneRun[]
  readonly handTerms: Pick<HandTerms, 'isReleased'>
  readonly violated: (oracle: string, text: string) => void
}

const MAPPED = new Set<string>([
  ...Object.keys(FIELD_COLUMNS),
  ...Object.values(STAMP_FIELD),
  MARKER_FIELD,
  'mail_status',
])

/** Carried out long after its sender gave up: no answer to it can have counted, and it cannot be cancelled. */
const isLate = (request: RequestEntry | undefined): boolean => request?.fault === 'late'

/** Faults that leave open whether the request was, or will be, carried out. */
const isUnanswered = (fault: string | undefined): boolean => fault !== undefined && !isKnownUndone(fault)

export function watchEffects(watched: Watched): void {
  const { ledger, service, claims, pipelines, sources, overruled, handTerms, violated } = watched
  const requestOf = (effect: Effect): RequestEntry | undefined => ledger.requests[effect.request - 1]
  const concerned = (contact: number): PipelineSettings[] => {
    const names = claims.stampsOf(contact).map(pipelineOf)
    return pipelines.filter(({ name }) => names.includes(name))
  }

  /** A bulk call cannot tell that a contact is gone: its update makes a new one, and its record is held from then on. */
  function isUpdateOfDeleted({ fields }: Effect): boolean {
    const mail = fields['mail']?.after
    const isBulk = pipelines.some(({ update_via: updateVia }) => updateVia === 'bulk')
    return (
      isBulk &&
      [...service.contacts.all.values()].some(
        ({ deleted, fields: had }) => deleted !== undefined && had.get('mail')?.value === mail,
      )
    )
  }

  /** O1: no contact is duplicated. */
  function created(effect: Effect): void {
    const { stamp, contact, number } = effect
    if (stamp === undefined && isUpdateOfDeleted(effect)) return
    if (stamp === undefined) return violated('O2', `contact ${contact} was made of nobody's row`)
    const others = claims.own(stamp).filter((id) => id !== contact)
    if (others.length > 0)
      violated('O1', `${stamp} is doubled: contact ${contact} beside ${others.join(', ')} (effect ${number})`)
  }

  const mailsOf = (person: number | undefined): { mail: string; pipeline: string }[] =>
    pipelines.flatMap((pipeline) =>
      (sources.get(pipeline.name)?.opened ?? [])
        .flatMap((file) => [...readingOf(file, pipeline).wanted.values()])
        .filter(({ stamp }) => personIn(stamp) === person)
        .map(({ mail }) => ({ mail, pipeline: pipeline.name })),
    )

  /** By its address a contact of others is linked, or reached by an update in a bulk call, before it is known whose it is. */
  const hasHadMail = (person: number | undefined, contact: SimulatedContact | undefined): boolean =>
    mailsOf(person).some(({ mail }) => mail !== '' && mail === contact?.fields.get('mail')?.value)

  /** Two sources that say of one address whose it is, each of somebody else: by it both are one contact. */
  function isSameAddress(one: number | undefined, other: number | undefined): boolean {
    const others = mailsOf(other)
    return mailsOf(one).some(
      ({ mail, pipeline }) =>
        mail !== '' && others.some((had) => had.mail === mail && had.pipeline !== pipeline),
    )
  }

  /** O2: no contact gets the values of another. A mail alone may pass from one to another. */
  function wrote(effect: Effect): void {
    const contact = service.contacts.all.get(effect.contact)
    const named = Object.entries(effect.fields).filter(([field]) => field !== 'mail')
    const strangers = named
      .map(([, { after }]) => personIn(after))
      .filter((person) => person !== undefined && person !== contact?.person)
      .filter((person) => contact?.person !== undefined || !hasHadMail(person, contact))
      .filter((person) => !isSameAddress(person, contact?.person))
    if (strangers.length > 0)
      violated(
        'O2',
        `${effect.kind} brought person ${strangers.join(', ')} into contact ${effect.contact} of person ${contact?.person ?? 'nobody'}`,
      )
    const unmapped = named.filter(([field]) => !MAPPED.has(field))
    if (unmapped.length > 0)
      violated('O3', `${unmapped.map(([field]) => field).join(', ')} is nobody's to write`)
  }

  /** Others gave it after we had looked and before our own request came: the program could not know. */
  function isRace(contact: number, term: number): boolean {
    const path = `/contact/${contact}/terms`
    const given = ledger.effects.findLast(
      (one) => one.kind === 'term_on' && one.contact === contact && one.term === term,
    )
    const ours = ledger.requests.find(
      (one) =>
        one.path === path &&
        one.method !== 'GET' &&
        one.method !== 'DELETE' &&
        one.sentAt >= (given?.at ?? 0) - 1000,
    )
    return ours !== undefined && Array.isArray(ours.body) && ours.body.includes(term)
  }

  /**
   * Others gave it after a request of ours that was to give it had ended without a clear answer: whether it came from us,
   * late, or from them, it is unknown.
   */
  function isUnclear(contact: number, term: number): boolean {
    const given = ledger.effects.findLast(
      (one) => one.kind === 'term_on' && one.contact === contact && one.term === term,
    )
    return ledger.requests.some(
      ({ path, method, sentAt, body, fault, number }) =>
        path === `/contact/${contact}/terms` &&
        (method === 'PUT' || method === 'POST') &&
        sentAt <= (given?.at ?? 0) &&
        Array.isArray(body) &&
        body.includes(term) &&
        isUnanswered(fault) &&
        !ledger.effects.some((one) => one.request === number),
    )
  }

  /**
   * Others gave it after an earlier life had noted that it gives it, and had died before it noted how that ended; and before
   * its contact was looked at again. Whether that request left is unknown.
   */
  function isCutOff(effect: Effect): boolean {
    const { contact, term } = effect
    const path = `/contact/${contact}/terms`
    const given = ledger.effects.findLast(
      (one) => one.kind === 'term_on' && one.contact === contact && one.term === term,
    )
    const wasSeen = (since: number): boolean =>
      ledger.requests.some(
        ({ method, path: asked, appliedAt = 0, isAnswered }) =>
          method === 'GET' &&
          asked === path &&
          isAnswered &&
          appliedAt > since &&
          appliedAt < (given?.at ?? 0),
      )
    return ledger.announced.some(
      (one) =>
        one.contact === contact &&
        one.life !== requestOf(effect)?.life &&
        one.gives.includes(service.terms.get(term)?.name ?? '') &&
        one.at <= (given?.at ?? 0) &&
        !wasSeen(one.at),
    )
  }

  /** Others gave it after the terms were looked at: a list that is set as a whole takes it away. */
  function isUnseen({ contact, term, request }: Effect): boolean {
    const given = ledger.effects.findLast(
      (one) => one.kind === 'term_on' && one.contact === contact && one.term === term,
    )
    const look = termsLookedAt(request, ledger)
    return given !== undefined && look !== undefined && given.at >= look
  }

  /** O3: terms go only where the policy says so. */
  function tookTerm(effect: Effect): void {
    const contact = service.contacts.all.get(effect.contact)
    const who = concerned(effect.contact)
    const isList = ({ terms }: PipelineSettings): boolean => terms.policy === 'replace'
    if (contact === undefined || who.some((one) => isList(one) && one.hand_edits === 'overwrite')) return
    if (isUndoneTerm(effect.contact, watched)) return
    const name = service.terms.get(effect.term)?.name ?? ''
    const mayTake = who.some(
      ({ terms, on_missing: onMissing }) => terms.policy !== 'add' || onMissing === 'remove_terms',
    )
    if (!mayTake) return violated('O3', `${name} was removed from ${effect.contact}, and no policy says so`)
    // What we gave once is ours to take, even if others took it and gave it again meanwhile.
    const wasOurs = ledger.effects.some(
      (one) =>
        one.who === 'connector' &&
        one.kind === 'term_on' &&
        one.contact === effect.contact &&
        one.term === effect.term,
    )
    const isNobodys =
      isRace(effect.contact, effect.term) ||
      isUnclear(effect.contact, effect.term) ||
      isCutOff(effect) ||
      isUnseen(effect) ||
      handTerms.isReleased(effect.contact, effect.term)
    if (contact.terms.get(effect.term) === 'foreign' && !wasOurs && !isNobodys)
      violated('O3', `${name} was removed from ${effect.contact}, and others had given it`)
  }

  /** Whether the newest export that this pipeline has looked at lacks the record. */
  function hasGone(stamp: string): boolean {
    const pipeline = pipelines.find(({ name }) => name === pipelineOf(stamp))
    if (pipeline === undefined || pipeline.mode !== 'full') return false
    // An empty export says nothing: what the one before it lacked goes all the same. It must not count as a second one
    // that lacks somebody, where two are asked for and no person has let it go.
    const { guards, on_missing: onMissing } = pipeline
    const isEmptyPassedOver =
      overruled.has(pipeline.name) || onMissing !== 'delete' || guards.deletes_missing_in < 2
    const file = sources
      .get(pipeline.name)
      ?.opened.findLast(
        ({ cutAfter, rows, input }) =>
          cutAfter === undefined && input.isPart !== true && !(isEmptyPassedOver && rows.length === 0),
      )
    if (file === undefined || file.rows.length === 0) return false
    const { wanted, unidentified } = readingOf(file, pipeline)
    if ([...wanted.values()].some((one) => one.stamp === stamp)) return false
    const isNamed = file.rows.some((row) => row.includes(stamp))
    return !isNamed || (unidentified > 0 && overruled.has(pipeline.name))
  }

  /** Found by its mail, it is linked before anything that names its record is written to it: a 1 or 2 goes before that. */
  function linkedByMail(contact: number): readonly string[] {
    const mail = service.contacts.all.get(contact)?.fields.get('mail')?.value
    const wanted = pipelines
      .filter(hasStatus)
      .flatMap((pipeline) =>
        (sources.get(pipeline.name)?.opened ?? []).flatMap((file) => [
          ...readingOf(file, pipeline).wanted.values(),
        ]),
      )
    return [...new Set(wanted.filter((one) => one.mail === mail).map(({ stamp }) => stamp))]
  }

  /** O3: a contact goes only when its record has gone from every source that names it. */
  function deleted(effect: Effect): void {
    if (isTakenBack(effect, watched)) return
    if (isUndoneCreate(effect, watched)) return
    const claimed = claims.stampsOf(effect.contact)
    const stamps = claimed.length > 0 ? claimed : linkedByMail(effect.contact)
    // A record may be linked by a look-up and never written: its policy holds as well.
    const names = [...claimed, ...linkedByMail(effect.contact)].map(pipelineOf)
    const who = pipelines.filter(({ name }) => names.includes(name))
    if (!who.some(({ on_missing: onMissing }) => onMissing === 'delete'))
      return violated('O3', `contact ${effect.contact} was deleted, and no policy says so`)
    const named = stamps.filter((stamp) => {
      const of = pipelines.find(({ name }) => name === pipelineOf(stamp))
      return of?.on_missing === 'delete' ? !hasGone(stamp) : of?.mode !== 'full' || !hasGone(stamp)
    })
    if (named.length > 0)
      violated('O3', `contact ${effect.contact} was deleted, and ${named.join(', ')} is still named`)
  }

  ledger.watch((effect) => {
    if (effect.who !== 'connector') return
    switch (effect.kind) {
      case 'create':
        created(effect)
        // What an update made bears no stamp, by which its person would be known.
        return isUpdateOfDeleted(effect) && effect.stamp === undefined ? undefined : wrote(effect)
      case 'merge':
      case 'write':
        return wrote(effect)
      case 'term_off':
        return isLate(requestOf(effect)) ? undefined : tookTerm(effect)
      case 'delete':
        return isLate(requestOf(effect)) ? undefined : deleted(effect)
      case 'term_on':
      case 'make_term':
      case 'describe_term':
    }
  })
}
