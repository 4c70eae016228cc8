// What one service does where the interface leaves it open, as `probe` has seen it. Pure: from what was sent and read back
// to the profile; a value that was not seen for certain is `unknown`, never a guess.
import type { CustomFieldDefinition } from './ports.ts'
import { isBlank } from './words/blank.ts'

export const UNKNOWN = 'unknown'
export type Seen<Value> = Value | typeof UNKNOWN

export interface ServiceProfile {
  readonly bulk_container: Seen<'array' | 'keyed' | 'both'>
  readonly bulk_max: Seen<number>
  readonly page_cap: Seen<number>
  readonly empty_clears: Seen<boolean>
  readonly null_clears: Seen<boolean>
  readonly auto: Seen<'probable' | 'mail' | 'none'>
  readonly mail_lookup: Seen<'exact' | 'inexact'>
  readonly mail_status_permission: Seen<boolean>
  readonly status_after_delete: Seen<'forgotten' | 'remembered'>
  readonly merge: Readonly<Record<ProbedMerge, Seen<'as_documented' | 'other'>>>
  readonly term_names: Seen<'case' | 'folded'>
  readonly custom_field_key: string
  readonly rate_headers: string
}

export type ProbedMerge = 'update_add' | 'update' | 'add'
export type ProbedFields = Readonly<Record<string, unknown>>

export interface ProbedContact {
  readonly id: number
  readonly fields: ProbedFields
}

/** What `probe` asks of the service; undefined where no usable answer came. */
export interface ProbeCalls {
  readonly counts: { readonly requests: number }
  /** The names of the headers of all answers, in lower case. */
  readonly headers: ReadonlySet<string>
  /** The first page throws where the service cannot be used. */
  termIds(offset: number): Promise<readonly number[] | undefined>
  definitions(offset: number): Promise<readonly CustomFieldDefinition[] | undefined>
  createTerm(name: string): Promise<number | undefined>
  termNamed(name: string): Promise<number | undefined>
  byMail(mail: string, fields: readonly string[]): Promise<readonly ProbedContact[] | undefined>
  byId(id: number, fields: readonly string[]): Promise<ProbedFields | undefined>
  create(contact: ProbedFields, check: string, merge?: ProbedMerge): Promise<number | undefined>
  /** Whether contacts were made; undefined where it is not known. */
  createMany(contacts: readonly ProbedFields[], container: 'array' | 'keyed'): Promise<boolean | undefined>
  update(id: number, fields: ProbedFields): Promise<boolean | undefined>
  /** Whether there is no such contact any more. */
  remove(id: number): Promise<boolean>
}

export const NOTHING_SEEN: ServiceProfile = {
  bulk_container: UNKNOWN,
  bulk_max: UNKNOWN,
  page_cap: UNKNOWN,
  empty_clears: UNKNOWN,
  null_clears: UNKNOWN,
  auto: UNKNOWN,
  mail_lookup: UNKNOWN,
  mail_status_permission: UNKNOWN,
  status_after_delete: UNKNOWN,
  merge: { update_add: UNKNOWN, update: UNKNOWN, add: UNKNOWN },
  term_names: UNKNOWN,
  custom_field_key: UNKNOWN,
  rate_headers: UNKNOWN,
}

/** The longest page that the interface allows to ask for. */
const LONGEST_PAGE = 500

/** Two pages of one list, asked for with the longest limit, the second from the end of the first. */
export function pageCapSeen(
  first: readonly number[] | undefined,
  second: readonly number[] | undefined,
): ServiceProfile['page_cap'] {
  if (first === undefined || first.length === 0) return UNKNOWN
  if (first.length >= LONGEST_PAGE) return LONGEST_PAGE
  // The same entries again: the service ignores the offset, and the length of its lists is not known.
  const isFurther = second !== undefined && second.length > 0 && !second.some((id) => first.includes(id))
  return isFurther ? first.length : UNKNOWN
}

/** Whether a field that had a value lost it; `before` and `after` as they were read. */
export function clearingSeen(
  field: string,
  before: ProbedFields | undefined,
  after: ProbedFields | undefined,
): Seen<boolean> {
  if (before === undefined || after === undefined || isBlank(before[field])) return UNKNOWN
  return isBlank(after[field])
}

/** How a container was answered: whether contacts of it were made, undefined where no answer came. */
export function containerSeen(
  array: boolean | undefined,
  keyed: boolean | undefined,
): ServiceProfile['bulk_container'] {
  if (array === true && keyed === true) return 'both'
  if (array === true && keyed === false) return 'array'
  return array === false && keyed === true ? 'keyed' : UNKNOWN
}

/** A contact before a merge, what was sent, and the contact after it. `added` had no value before. */
interface MergeSeen {
  readonly before: ProbedFields | undefined
  readonly sent: ProbedFields
  readonly after: ProbedFields | undefined
  readonly present: string
  readonly added: string
}

const TO_DO: Readonly<Record<ProbedMerge, { readonly overwrites: boolean; readonly adds: boolean }>> = {
  update_add: { overwrites: true, adds: true },
  update: { overwrites: true, adds: false },
  add: { overwrites: false, adds: true },
}

export function mergeSeen(
  method: ProbedMerge,
  { before, sent, after, present, added }: MergeSeen,
): Seen<'as_documented' | 'other'> {
  if (before === undefined || after === undefined) return UNKNOWN
  if (isBlank(before[present]) || before[present] === sent[present] || !isBlank(before[added])) return UNKNOWN
  const { overwrites, adds } = TO_DO[method]
  const isPresentRight = after[present] === (overwrites ? sent[present] : before[present])
  const isAddedRight = adds ? after[added] === sent[added] : isBlank(after[added])
  return isPresentRight && isAddedRight ? 'as_documented' : 'other'
}

const FAMILIES = ['x-rate-limit', 'x-ratelimit', 'ratelimit']

/** The names of all headers of all answers, in lower case. */
export function rateHeadersSeen(names: ReadonlySet<string>): string {
  const family = FAMILIES.find((one) => [...names].some((name) => name.startsWith(`${one}-`)))
  return family ?? (names.has('retry-after') ? 'retry-after' : 'none')
}

/** A name of a term without case, accents and blanks: what a service may take for the same (`term_names: folded`). */
export const normalisedTerm = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[\p{M}\s]/gu, '')
    .toLowerCase()

/** The largest size that was accepted, by halving what is open; `accepts` undefined: no answer, so it is not known. */
export async function largestAccepted(
  limits: { readonly accepted: number; readonly most: number },
  accepts: (size: number) => Promise<boolean | undefined>,
): Promise<number | undefined> {
  const whole = await accepts(limits.most)
  if (whole === undefined) return undefined
  if (whole) return limits.most
  let { accepted, most: refused } = limits
  while (refused - accepted > 1) {
    const size = Math.floor((accepted + refused) / 2)
    const isAccepted = await accepts(size)
    if (isAccepted === undefined) return undefined
    if (isAccepted) accepted = size
    else refused = size
  }
  return accepted
}
