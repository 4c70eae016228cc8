// A person's contacts at the service, deleted or emptied before anything else of them is erased, and read again: the certificate
// says what was seen, not what was sent.
import { UNKNOWN_STATUS } from '../../core/change/permission.ts'
import { erasureEntry } from '../../core/log/other-entries.ts'
import { CONTACT_FIELD_NAMES } from '../../core/mapping/contact.ts'
import { customFieldKeyOf } from '../../core/mapping/custom-fields.ts'
import type { CallResult, RequestTrace, ServiceContact, ServiceSession } from '../../core/ports.ts'
import { SyncError } from '../../core/words/errors.ts'
import { createService } from '../../service/service.ts'
import { systemClock as clock, systemRandom as random } from '../../system.ts'
import { wholeContact } from '../../sync/reads/whole-contact.ts'
import type { Desk } from '../run/desk.ts'
import { sharedWindow } from '../run/service/rate-window.ts'
import { bindAtFirstUse } from '../run/service/service-binding.ts'

/** delete: the contact. blank: every field that may be emptied, and all terms; the contact stays. */
export const AT_SERVICE = ['delete', 'blank'] as const
export type AtService = (typeof AT_SERVICE)[number]

/** What was seen of a contact after it. */
export interface SeenAtService {
  readonly contactId: number
  readonly did: AtService
  /** It was not there any more before or after it. */
  readonly isGone: boolean
  /** What it still shows: fields, and terms as `term NAME`. */
  readonly left: readonly string[]
}

/** A status says how the person may be written to, and stays: emptied, a restriction would be lost. */
const STAYS = ['mail_status']
type Failed = Exclude<CallResult<unknown>, { kind: 'ok' }>

const failure = (contactId: number, what: string, { summary }: Failed): SyncError =>
  new SyncError('SERVICE_UNREACHABLE', `contact ${contactId} could not be ${what}: ${summary}`, {
    hint: 'Nothing was erased yet. Run the command again, or without --at-service.',
  })

const EMPTY: readonly unknown[] = ['', null, undefined, false, 0, '0']

const filled = ({ fields }: ServiceContact): readonly string[] =>
  Object.keys(fields).filter(
    (name) => name !== 'id' && !STAYS.includes(name) && !EMPTY.includes(fields[name]),
  )

/** Fields that still show a value; undefined where the contact is gone. */
async function filledOf(
  session: ServiceSession,
  contactId: number,
  names: readonly string[],
): Promise<readonly string[] | undefined> {
  const result = await wholeContact(session, contactId, names)
  if (result.kind === 'absent') return undefined
  if (result.kind !== 'ok') throw failure(contactId, 'read', result)
  return filled(result.value)
}

/** All fields at once; where that is refused one by one, so that one that must stay keeps no other. */
async function empty(
  session: ServiceSession,
  contactId: number,
  { names, value }: { names: readonly string[]; value: '' | null },
): Promise<RequestTrace> {
  const all = await session.updateContact(contactId, Object.fromEntries(names.map((name) => [name, value])))
  if (all.kind === 'ok' || all.kind === 'absent') return all.request
  if (all.kind !== 'refused') throw failure(contactId, 'emptied', all)
  for (const name of names) {
    const one = await session.updateContact(contactId, { [name]: value })
    if (one.kind !== 'ok' && one.kind !== 'refused' && one.kind !== 'absent')
      throw failure(contactId, 'emptied', one)
  }
  return all.request
}

async function termsOf(session: ServiceSession, contactId: number) {
  const terms = await session.contactTerms(contactId)
  if (terms.kind === 'absent') return []
  if (terms.kind !== 'ok') throw failure(contactId, 'read', terms)
  return terms.value
}

async function withoutTerms(session: ServiceSession, contactId: number): Promise<readonly string[]> {
  const terms = await termsOf(session, contactId)
  if (terms.length === 0) return []
  const ids = terms.map(({ id }) => id)
  const removed = await session.removeContactTerms(contactId, ids)
  if (removed.kind !== 'ok' && removed.kind !== 'refused') throw failure(contactId, 'emptied', removed)
  return (await termsOf(session, contactId)).map(({ name }) => `term ${name}`)
}

interface Emptied extends SeenAtService {
  readonly request: RequestTrace
}

async function blanked(
  session: ServiceSession,
  contactId: number,
  names: readonly string[],
): Promise<Emptied | undefined> {
  let request: RequestTrace | undefined
  // Services differ in what empties a field: an empty text, or null.
  for (const value of ['', null] as const) {
    const full = await filledOf(session, contactId, names)
    if (full === undefined) return undefined
    if (full.length > 0) request = await empty(session, contactId, { names: full, value })
  }
  const terms = await withoutTerms(session, contactId)
  const last = await wholeContact(session, contactId, names)
  if (last.kind === 'absent') return undefined
  if (last.kind !== 'ok') throw failure(contactId, 'read', last)
  const left = [...filled(last.value), ...terms]
  return { contactId, did: 'blank', isGone: false, left, request: request ?? last.request }
}

/** Throws SERVICE_UNREACHABLE where it was not deleted, or whether it was is unknown. */
async function deletedOf(session: ServiceSession, contactId: number): Promise<Emptied> {
  const result = await session.deleteContact(contactId)
  if (result.kind !== 'ok' && result.kind !== 'absent') throw failure(contactId, 'deleted', result)
  const after = await session.contactById(contactId, ['id'])
  const isGone = after.kind === 'absent'
  if (!isGone && after.kind !== 'ok') throw failure(contactId, 'read after it was deleted', after)
  return { contactId, did: 'delete', isGone, left: isGone ? [] : ['the contact'], request: result.request }
}

/** A consent that was withdrawn stays withdrawn for the address, should the person be admitted again. */
async function noteStatusOf(contactId: number, session: ServiceSession, { state }: Desk): Promise<void> {
  const shown = await session.contactById(contactId, ['mail', 'mail_status'])
  if (shown.kind === 'absent') return
  if (shown.kind !== 'ok') throw failure(contactId, 'read', shown)
  const { mail, mail_status: status } = shown.value.fields
  if (typeof mail !== 'string' || mail === '') return
  await state.noteFormerStatus({ mail, status: Number(status ?? UNKNOWN_STATUS), at: clock.now() })
}

async function fieldNames(session: ServiceSession, desk: Desk): Promise<readonly string[]> {
  const definitions = await session.customFields()
  if (definitions.kind === 'absent') return CONTACT_FIELD_NAMES
  if (definitions.kind !== 'ok')
    throw new SyncError('SERVICE_UNREACHABLE', `the custom fields cannot be read: ${definitions.summary}`)
  const own = definitions.value.map((one) => customFieldKeyOf(one, desk.settings.service.custom_field_key))
  return [...CONTACT_FIELD_NAMES, ...own]
}

/**
 * One after the other, each entered into the sync log. Throws SERVICE_UNREACHABLE at the first that cannot be done; nothing has
 * been erased then.
 */
export async function eraseAtService(
  desk: Desk,
  { did, contactIds, pipeline }: { did: AtService; contactIds: readonly number[]; pipeline: string | null },
): Promise<readonly SeenAtService[]> {
  const { settings, state, signal } = desk
  const service = createService(settings.service, {
    clock,
    random,
    onEvent: desk.onService,
    ...sharedWindow(settings, undefined, state),
  })
  const session = service.session({ signal })
  const seen: SeenAtService[] = []
  try {
    await bindAtFirstUse(settings, state.binding, session)
    const names = did === 'blank' ? await fieldNames(session, desk) : []
    for (const contactId of contactIds) {
      await noteStatusOf(contactId, session, desk)
      const done =
        did === 'delete' ? await deletedOf(session, contactId) : await blanked(session, contactId, names)
      if (done === undefined) {
        seen.push({ contactId, did, isGone: true, left: [] })
        continue
      }
      const { request, ...one } = done
      seen.push(one)
      const isDone = one.left.length === 0
      const about = { ...desk.about(pipeline), at: clock.now() }
      await state.note(erasureEntry({ contactId, did, isDone, request }, about))
    }
    return seen
  } finally {
    await service.close()
  }
}
