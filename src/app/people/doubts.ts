// Decisions of a person about operations in doubt: how they ended. Part of the composition. They are entered into the sync log.
import { linkEntry } from '../../core/log/other-entries.ts'
import { NOT_DONE_REASON } from '../../core/change/lookup/doubt.ts'
import { mailKey } from '../../core/mapping/contact.ts'
import { householdRule } from '../../core/mapping/values/household.ts'
import { SyncError } from '../../core/words/errors.ts'
import { shownContact } from '../../core/change/lookup/likeness.ts'
import type { Operation, Settled, Settlement } from '../../core/change/operation.ts'
import type { ServiceContact } from '../../core/ports.ts'
import { REBUILD_GUARD } from '../../core/change/lookup/rebuild.ts'
import type { Settings } from '../../core/settings.ts'
import { isSurelyNew } from '../../sync/send/send-unsubscribed.ts'
import { bySettings } from '../../sync/send/settle.ts'
import { askService } from '../run/service/checking.ts'
import type { Desk } from '../run/desk.ts'

const namesOf = (settings: Settings): readonly string[] => settings.pipelines.map(({ name }) => name)

export type ResolvedDoubt =
  { readonly done: true; readonly contactId: number | undefined } | { readonly done: false }

async function findDoubt(id: number, desk: Desk): Promise<Operation> {
  const { settings, state } = desk
  for (const pipeline of namesOf(settings)) {
    // What a crash left on its way is in doubt, too.
    await state.reopen(pipeline, desk.about(pipeline).at)
    const found = (await state.leftOpen('in_doubt', pipeline)).find((operation) => operation.id === id)
    if (found !== undefined) return found
  }
  throw new SyncError('USAGE', `no operation ${id} is in doubt`, { hint: 'See contact-sync doubts list.' })
}

/** Throws USAGE where the service has no such contact: a mistyped number would link a record to none. */
async function contactAt(contactId: number, fields: readonly string[], desk: Desk): Promise<ServiceContact> {
  const seen = await askService(desk.settings, (reads) => reads.contactById(contactId, fields), desk)
  if (seen.kind === 'ok') return seen.value
  if (seen.kind === 'absent') throw new SyncError('USAGE', `the service has no contact ${contactId}`)
  throw new SyncError('SERVICE_UNREACHABLE', `the contact cannot be read: ${seen.summary}`)
}

function idOf({ contactId }: ResolvedDoubt & { done: true }): number {
  if (contactId !== undefined) return contactId
  throw new SyncError('USAGE', 'a create that is done needs --contact-id N, the contact that was created')
}

/**
 * Throws USAGE where the contact is that of another record, and the service cannot have merged the two: a mistyped number would
 * end the doubt, and the next file would create the contact again.
 */
async function assertNotMistyped(
  { key, mailKey = '', pipeline, ...operation }: Operation,
  contactId: number,
  { settings, state }: Desk,
): Promise<void> {
  const own = settings.pipelines.find(({ name }) => name === pipeline)
  if (own === undefined || !isSurelyNew(operation, { pipeline: own })) return
  const [kept] = await state.keptResolutions(pipeline, householdRule(own), [{ key, mailKey, contactId }])
  if (kept?.isAnothers !== true) return
  throw new SyncError('USAGE', `contact ${contactId} belongs to another record of ${pipeline}`, {
    hint: `The service merges no contacts here, so it cannot be that of ${key}. It is still in doubt: name the contact that was created for it, or use --as not-done.`,
  })
}

const BY_A_PERSON = 'resolved as done by an operator'

/** The contact was made at some earlier time: what it shows now is what is known of it. */
async function linkByWord(operation: Operation, contactId: number, desk: Desk): Promise<Settlement['kind']> {
  const { id, desired, key, pipeline, source } = operation
  const shown = await contactAt(contactId, Object.keys(desired), desk)
  const entry = linkEntry(
    { key, contactId, reason: BY_A_PERSON, request: undefined, source },
    desk.about(pipeline),
  )
  const known = shownContact(desired, shown)
  const isLinked = await desk.state.linkFound({ pipeline, key, contactId, known, operationIds: [id], entry })
  return isLinked ? 'done' : 'held'
}

/** One whose request may have left has brought its values; any other is linked, and everything is still to be sent. */
async function settledBy(
  operation: Operation,
  verdict: ResolvedDoubt,
  desk: Desk,
): Promise<Omit<Settled, 'operation' | 'request'>> {
  if (!verdict.done) return { settlement: { kind: 'failed', reason: NOT_DONE_REASON } }
  const reason = BY_A_PERSON
  if (operation.kind === 'delete')
    return { settlement: { kind: 'done', contactId: operation.contactId, reason } }
  const contactId = idOf(verdict)
  const shown = await contactAt(contactId, ['mail'], desk)
  if (operation.sent > 0) return { settlement: { kind: 'done', contactId, reason, adopted: true } }
  const { mail } = shown.fields
  const hasItsMail = typeof mail === 'string' && mailKey(mail) === operation.mailKey
  return {
    settlement: { kind: 'settled', contactId, reason },
    sent: {},
    ...(hasItsMail ? {} : { withheld: ['mail'] }),
  }
}

export interface Resolved {
  readonly id: number
  readonly pipeline: string
  readonly key: string
  /** held: the contact belongs to another record already. */
  readonly outcome: Settlement['kind']
}

/**
 * Ends an operation in doubt by a person's word; no run of its pipeline is active. What was not done is tried again by the next
 * run. Throws USAGE where there is none, or the service has no such contact.
 */
export async function resolveDoubt(
  desk: Desk,
  { id, verdict }: { id: number; verdict: ResolvedDoubt },
): Promise<Resolved> {
  const { settings, state } = desk
  const operation = await findDoubt(id, desk)
  const { pipeline, key } = operation
  if (operation.guard === REBUILD_GUARD && verdict.done)
    return { id, pipeline, key, outcome: await linkByWord(operation, idOf(verdict), desk) }
  if (verdict.done && operation.kind === 'create') await assertNotMistyped(operation, idOf(verdict), desk)
  const settled = { operation, request: undefined, ...(await settledBy(operation, verdict, desk)) }
  const own = settings.pipelines.find(({ name }) => name === pipeline)
  const all = own === undefined ? [settled] : bySettings([settled], { pipeline: own })
  const [taken = settled.settlement] = await state.settleBatch(all, desk.about(pipeline))
  return { id, pipeline, key, outcome: taken.kind === 'settled' ? 'done' : taken.kind }
}
