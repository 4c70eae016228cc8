// Which service a state belongs to. The ids in a state mean contacts of one service; at another one the same ids are
// strangers, who would be overwritten and deleted. Pure: who asks the service and who remembers is decided elsewhere.
import { isBlank } from './words/blank.ts'
import type { Contact } from './mapping/contact.ts'
import { SyncError } from './words/errors.ts'
import { shownAs } from './change/lookup/likeness.ts'
import type { ServiceContact } from './ports.ts'

/** So many known links are read at most before a state is bound to an address. */
export const SAMPLE_SIZE = 5

/** What of a state is of use at one service alone. */
export interface Tie {
  /** Of the service that the state belongs to; undefined: it was never bound. */
  readonly address: string | undefined
  readonly hasLinks: boolean
  /** Operations in doubt, or on their way when the last process ended. */
  readonly inDoubt: number
}

export interface LinkedContact {
  readonly contactId: number
  readonly known: Contact
}

/** An address in the one form in which addresses are compared: scheme, host, port and path, without a dot at the end of the host. */
export function serviceAddress(baseUrl: string): string {
  const url = new URL(baseUrl)
  url.hostname = url.hostname.replace(/\.+$/, '')
  return url.href.replace(/\/+$/, '')
}

const isTied = ({ hasLinks, inDoubt }: Tie): boolean => hasLinks || inDoubt > 0

/** Whether the state may be used at this address without another look. Nothing ties a state without links and doubts. */
const isBoundElsewhere = (tie: Tie, baseUrl: string): boolean =>
  tie.address !== undefined && tie.address !== serviceAddress(baseUrl) && isTied(tie)

const DOUBT_FIRST =
  'Nothing was sent. Settle what is in doubt first: under the old address by contact-sync run, or by contact-sync doubts resolve. Then, if it is the same service under a new address: contact-sync state rebind --yes. If it is another service: give it its own state (another state.path).'

/** Throws OTHER_SERVICE where the state belongs to another address. */
export function assertSameService(tie: Tie, { path, baseUrl }: { path: string; baseUrl: string }): void {
  if (!isBoundElsewhere(tie, baseUrl)) return
  throw new SyncError(
    'OTHER_SERVICE',
    `the state ${path} belongs to the service ${tie.address ?? ''}, but service.base_url is ${serviceAddress(baseUrl)}`,
    tie.inDoubt > 0 ? { hint: DOUBT_FIRST } : {},
  )
}

/** Throws OTHER_SERVICE where an operation in doubt would be looked up at an address to which it was never sent. */
export function assertNothingInDoubt({ inDoubt }: Tie, path: string): void {
  if (inDoubt === 0) return
  throw new SyncError(
    'OTHER_SERVICE',
    `the state ${path} cannot be bound to another address: ${inDoubt} ${inDoubt === 1 ? 'operation is' : 'operations are'} in doubt, and can be looked up only where ${inDoubt === 1 ? 'it was' : 'they were'} sent`,
    { hint: DOUBT_FIRST },
  )
}

/**
 * Whether the service shows of a contact what was sent to it: its mail, or, because others may change a mail, more than half
 * of its values. Undefined: the service has no contact of that id.
 */
export function showsWhatWasSent(known: Contact, shown: ServiceContact | undefined): boolean {
  if (shown === undefined) return false
  const sent = Object.keys(known).filter((field) => !isBlank(known[field]))
  const same = shownAs(known, shown).filter((field) => sent.includes(field))
  return sent.length === 0 || same.includes('mail') || same.length * 2 > sent.length
}

/** Throws OTHER_SERVICE where most of the known contacts are not what was sent. `shown`: as many as were read. */
export function assertShown(
  sample: readonly { readonly link: LinkedContact; readonly shown: ServiceContact | undefined }[],
  { path, baseUrl }: { path: string; baseUrl: string },
): void {
  const wrong = sample.filter(({ link, shown }) => !showsWhatWasSent(link.known, shown)).length
  if (wrong * 2 <= sample.length) return
  throw new SyncError(
    'OTHER_SERVICE',
    `${wrong} of ${sample.length} contacts that the state ${path} knows are not at the service ${serviceAddress(baseUrl)}, or do not show what was sent to them: it is another service`,
    { hint: 'Nothing was sent. Give it its own state (another state.path), or correct service.base_url.' },
  )
}
