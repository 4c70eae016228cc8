// mail_status: what a key without the permission must not lose, and what no run may do to a person who has withdrawn.
import type { PipelineSettings } from '../../src/core/settings.ts'
import type { StateStore } from '../../src/core/state-store.ts'
import { type Claims, pipelineOf } from './claims.ts'
import { type Erasure, mayBeErased } from './erasing.ts'
import { expectedOf, readingOf, type Wanted } from './expected.ts'
import type { Effect, Ledger, RequestEntry } from './ledger.ts'
import { personIn } from './people.ts'
import type { SimulatedContact } from './simulated-contacts.ts'
import type { SimulatedService } from './simulated-service.ts'
import type { SimulatedSource } from './simulated-source.ts'

const STATUS = 'mail_status'
/** What a contact has whose status was never set. */
const UNKNOWN_STATUS = 3

export interface Consents {
  readonly ledger: Ledger
  readonly service: SimulatedService
  readonly claims: Claims
  readonly pipelines: readonly PipelineSettings[]
  readonly sources: ReadonlyMap<string, SimulatedSource>
  readonly violated: (oracle: string, text: string) => void
}

type Violated = Consents['violated']

/** The records that wait for something: what is to be made of them is open. */
export interface Waiting {
  /** `<pipeline> <key>` */
  readonly keys: ReadonlySet<string>
  /** Creates with an unknown outcome. */
  readonly doubts: readonly {
    readonly pipeline: string
    readonly mail: unknown
    readonly familyName: unknown
  }[]
}

export async function waitingRecords(
  pipelines: readonly PipelineSettings[],
  state: Pick<StateStore, 'openDoubts' | 'held'>,
): Promise<Waiting> {
  const keys = new Set<string>()
  const doubts: { pipeline: string; mail: unknown; familyName: unknown }[] = []
  for (const { name } of pipelines) {
    for (const { key, fields } of await state.openDoubts(name)) {
      keys.add(`${name} ${key}`)
      doubts.push({ pipeline: name, mail: fields['mail'], familyName: fields['family_name'] })
    }
    for await (const { key } of state.held([name])) keys.add(`${name} ${key}`)
  }
  return { keys, doubts }
}

export const hasStatus = ({ map }: PipelineSettings): boolean => map[STATUS] !== undefined

const isWithdrawn = (status: unknown): boolean => status === 1 || status === 2

const statusOf = ({ fields }: SimulatedContact): unknown => fields.get(STATUS)?.value

/** A field that others have emptied, or put back to what a source says, shows nothing of them. */
function isFilledByOthers({ fields }: SimulatedContact, field: string): boolean {
  const cell = fields.get(field)
  return cell?.by === 'foreign' && cell.value !== '' && personIn(cell.value) === undefined
}

/** Whether any export said 1 or 2 of one of those whom the contact stands for. */
const wasEverWithdrawn = (contact: number, { claims, pipelines, sources }: Consents): boolean =>
  pipelines.some((pipeline) =>
    (sources.get(pipeline.name)?.opened ?? []).some((file) =>
      [...readingOf(file, pipeline).wanted.values()].some(
        ({ stamp, status }) => isWithdrawn(status) && claims.stampsOf(contact).includes(stamp),
      ),
    ),
  )

/** When the contact, or what is below it, was last looked at before this request. */
const lookedAt = (path: string, before: RequestEntry | undefined, { ledger }: Consents): number | undefined =>
  ledger.requests.findLast(
    (one) =>
      one.method === 'GET' &&
      one.path === path &&
      one.life === before?.life &&
      one.number < before.number &&
      one.appliedAt !== undefined,
  )?.appliedAt

/**
 * A create whose 1 or 2 was not taken is taken back: one of our own that shows neither that status nor anything that others
 * had put there when it was looked at. Its terms are a request of their own, before that of its fields.
 */
export function isTakenBack(effect: Effect, consents: Consents): boolean {
  const contact = consents.service.contacts.all.get(effect.contact)
  if (contact === undefined || contact.madeBy !== 'connector') return false
  // The status may be that of an earlier contact of its address.
  const isWanted =
    wasEverWithdrawn(contact.id, consents) || formerStatuses(contact, consents.service).length > 0
  if (!isWanted) return false
  const path = `/contact/${contact.id}`
  const request = consents.ledger.requests[effect.request - 1]
  const seen = lookedAt(path, request, consents)
  const termsSeen = lookedAt(`${path}/terms`, request, consents)
  if (seen === undefined || termsSeen === undefined) return false
  const isSetSince = consents.ledger.effects.some(
    ({ contact: id, who, at, fields }) =>
      id === contact.id && who === 'foreign' && at >= seen && fields[STATUS] !== undefined,
  )
  if (isWithdrawn(statusOf(contact)) && !isSetSince) return false
  const strange = consents.ledger.effects.filter(
    ({ contact: id, who, at, fields, term, kind }) =>
      id === contact.id &&
      who === 'foreign' &&
      (kind === 'term_on'
        ? at < termsSeen && contact.terms.get(term) === 'foreign'
        : at < seen && Object.keys(fields).some((field) => isFilledByOthers(contact, field))),
  )
  return strange.length === 0
}

/** No withdrawn consent is raised unless a pipeline says so; what others do after our read is unknown. */
export function watchRaises(consents: Consents): void {
  const { ledger, claims, pipelines, violated } = consents
  ledger.watch((effect) => {
    const change = effect.fields[STATUS]
    if (effect.who !== 'connector' || change === undefined) return
    if (!isWithdrawn(change.before) || isWithdrawn(change.after)) return
    const request = ledger.requests[effect.request - 1]
    const names = claims.stampsOf(effect.contact).map(pipelineOf)
    const mayRaise = pipelines.some(
      ({ name, allow_consent_raise: allowConsentRaise }) => allowConsentRaise && names.includes(name),
    )
    if (mayRaise || request?.fault === 'late') return
    const seen = lookedAt(`/contact/${effect.contact}`, request, consents)
    const withdrawn = ledger.effects.findLast(
      ({ number, contact, fields }) =>
        number < effect.number && contact === effect.contact && fields[STATUS] !== undefined,
    )
    if (seen !== undefined && withdrawn !== undefined && withdrawn.at >= seen) return
    violated(
      'consent',
      `contact ${effect.contact} was raised from ${String(change.before)} to ${String(change.after)}`,
    )
  })
}

/** When all is quiet and the key lacks the permission: of whom the source says 1 or 2, no contact of ours stays without it. */
export function checkNobodyIsRaised(
  consents: Consents & { readonly erasures: readonly Erasure[] },
  { keys: waiting, doubts }: Waiting,
): void {
  const { claims, erasures, ledger, pipelines, service, sources, violated } = consents
  // Touched by others, or named by another pipeline, it is theirs as well.
  const isOfOthers = (id: number): boolean =>
    claims.stampsOf(id).length > 1 ||
    ledger.effects.some(({ contact, who }) => contact === id && who === 'foreign')
  for (const pipeline of pipelines.filter(hasStatus)) {
    const source = sources.get(pipeline.name)
    if (source === undefined) continue
    const withdrawn = [...expectedOf(source, pipeline).candidates].flatMap(([key, [one, other]]) =>
      one !== undefined && other === undefined && isWithdrawn(one.status) ? [{ key, one }] : [],
    )
    const made = withdrawn
      .filter(
        ({ key, one }) =>
          !waiting.has(`${pipeline.name} ${key}`) && !mayBeErased(one, pipeline.name, { claims, erasures }),
      )
      .flatMap(({ one }) => claims.of(one.stamp).map((claim) => ({ ...claim, one })))
    const raised = made.filter(({ contact: id, effect, one }) => {
      const contact = service.contacts.live(id)
      if (!isKnownAsNew(effect, one.mail, pipeline, ledger)) return false
      // A create of another pipeline may have been merged into it, by its mail or, where one of the two has none, by its
      // name: it stays until that is known.
      const mayBeIt = ({ mail, familyName }: Waiting['doubts'][number]): boolean =>
        mail === undefined || one.mail === ''
          ? contact?.fields.get('family_name')?.value === familyName
          : mail === one.mail
      if (doubts.some((doubt) => doubt.pipeline !== pipeline.name && mayBeIt(doubt))) return false
      const isBare = contact !== undefined && statusOf(contact) === UNKNOWN_STATUS && !isOfOthers(id)
      // Made while the source said otherwise, or kept because it said so since, it is there by right.
      return isBare && effect.kind === 'create' && wasAlwaysWithdrawn(one.stamp, pipeline, source)
    })
    for (const { contact, one } of raised)
      violated('consent', `${one.stamp}: ${one.status} in the source, and ${contact} was made without it`)
  }
}

/**
 * After a status was seen taken, those of the same run go without a look-up: what was made of them, should the key lose the
 * permission meanwhile, may have been there before.
 */
function isKnownAsNew(
  { request }: Effect,
  mail: string,
  { duplicate_check_method: check }: PipelineSettings,
  { requests, looks, effects }: Ledger,
): boolean {
  if (check === 'none') return true
  const path = `/contact/${mail}`
  const create = requests[request - 1]
  const lookedUp = requests.findLast(
    (one) => one.method === 'GET' && one.path === path && one.life === create?.life && one.number < request,
  )
  if (lookedUp === undefined) return false
  // Others had set it at a contact that was just made with it, so it seemed to be taken of us.
  const isMisled = looks.some(
    (look) =>
      look.by === 'foreign' &&
      isWithdrawn(look.status) &&
      look.request > lookedUp.number &&
      look.request < request &&
      requests[look.request - 1]?.life === create?.life &&
      effects.some(
        ({ kind, who, contact }) => kind === 'create' && who === 'connector' && contact === look.contact,
      ),
  )
  return !isMisled
}

/** Every export that was worked on said 1 or 2 of this contact. */
function wasAlwaysWithdrawn(stamp: string, pipeline: PipelineSettings, source: SimulatedSource): boolean {
  const said = source.opened.flatMap((file) =>
    [...readingOf(file, pipeline).wanted.values()].filter((wanted) => wanted.stamp === stamp),
  )
  return said.length > 0 && said.every(({ status }) => isWithdrawn(status))
}

interface Entry {
  readonly seq: number
  readonly contact_id: number | null
  readonly fields: Readonly<Record<string, { to: unknown }>>
  readonly outcome: string
}

/**
 * The sync log says of no contact that a mail_status is done which the service never had; each has had 3, as it was made. Others may
 * have set the one by which the key was seen to be allowed to: then it is not read back.
 */
export function checkStatusLog(entries: readonly Entry[], ledger: Ledger, violated: Violated): void {
  for (const { seq, contact_id: id, fields, outcome } of entries) {
    const to = fields[STATUS]?.to
    if (outcome !== 'done' || typeof to !== 'number' || to === UNKNOWN_STATUS || id === null) continue
    const isMisled = ledger.looks.some(
      ({ by, status }) => by === 'foreign' && isWithdrawn(status) === isWithdrawn(to),
    )
    if (isMisled) continue
    if (!ledger.effects.some(({ contact, fields: had }) => contact === id && had[STATUS]?.after === to))
      violated('consent', `entry ${seq} says that contact ${id} got mail_status ${to}, it never did`)
  }
}

/** What contacts of its mail had when they were deleted. */
const formerStatuses = ({ id, fields }: SimulatedContact, { contacts }: SimulatedService): number[] =>
  [...contacts.all.values()]
    .filter(({ id: other, deleted, fields: had }) => {
      const isSame = had.get('mail')?.value === fields.get('mail')?.value
      return other !== id && deleted !== undefined && isSame
    })
    .map((former) => Number(statusOf(former)))
    .filter(isWithdrawn)

/**
 * In the end, with the permission, all contacts show what the source says; what others have set since is theirs. An address that
 * had a 1 or 2 when its contact was deleted has it still, or the lower of both.
 */
export function checkStatus(
  contact: SimulatedContact,
  candidates: readonly Wanted[],
  { ledger, service, violated }: Pick<Consents, 'ledger' | 'service' | 'violated'>,
): void {
  const said = candidates.flatMap(({ status }) => (status === undefined ? [] : [status]))
  const former = formerStatuses(contact, service)
  const wanted = said.flatMap((one) => [
    one,
    ...former.map((status) => (isWithdrawn(one) ? Math.min(one, status) : status)),
  ])
  const [any] = candidates
  if (any === undefined || wanted.length === 0) return
  const last = ledger.effects.findLast(
    ({ contact: id, fields }) => id === contact.id && fields[STATUS] !== undefined,
  )
  const isLate = last !== undefined && ledger.requests[last.request - 1]?.fault === 'late'
  if (isLate || last?.who === 'foreign' || wanted.some((one) => one === statusOf(contact))) return
  violated(
    'consent',
    `${any.stamp}: contact ${contact.id} has mail_status ${String(statusOf(contact))}, wanted is ${wanted.join(' or ')}`,
  )
}
