// Evidence of a consent: what a record must say before its contact is raised to a mail_status of 4 or 7
// (`require_evidence`). Pure.
//
// the record's evidence            | 1 or 2 first seen | may be raised
// a column of it is blank, or odd  | any               | no: missing
// of a day that has not come yet   | any               | no: future
// not of a later day than that     | on a day          | no: earlier
// otherwise                        | any               | yes
import type { Contact } from '../../mapping/contact.ts'
import { type ConsentEvidence, isConsent } from '../../mapping/values/consent.ts'

export type EvidenceLack = 'missing' | 'future' | 'earlier'

/** Where days begin for the source: the time zone of the pipeline. */
const dayOf = (ms: number, zone: string | undefined): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone ?? 'UTC', dateStyle: 'short' }).format(ms)

/** A day that has begun somewhere has come. */
const EASTERNMOST_MS = 14 * 3_600_000

interface Asked {
  readonly withdrawnAt: number | undefined
  readonly now: number
  /** UTC where it is undefined. */
  readonly zone?: string | undefined
}

/** `withdrawnAt`: when a 1 or 2 was first seen, in milliseconds since the epoch. Undefined where it may be raised. */
export function lackOf(
  evidence: ConsentEvidence | undefined,
  { withdrawnAt, now, zone }: Asked,
): EvidenceLack | undefined {
  if (evidence === undefined) return 'missing'
  if (evidence.at > dayOf(now + EASTERNMOST_MS, undefined)) return 'future'
  return withdrawnAt !== undefined && evidence.at <= dayOf(withdrawnAt, zone) ? 'earlier' : undefined
}

const LACKS: Readonly<Record<EvidenceLack, string>> = {
  missing: 'the record has no evidence of a consent (require_evidence)',
  future: 'the evidence of its consent is of a day that has not come yet',
  earlier: 'the evidence of its consent is not later than the day on which a 1 or 2 was first seen',
}

export const lackText = (lack: EvidenceLack): string => LACKS[lack]

/** As an entry of the sync log has it: `consent of 2026-05-01, newsletter form: "Yes, write to me"`. */
export function evidenceText({ at, source, text }: ConsentEvidence): string {
  const where = source === undefined ? '' : `, ${source}`
  return `consent of ${at}${where}${text === undefined ? '' : `: "${text}"`}`
}

/** The contact without the consent that it may not be raised to. */
export function withoutConsent({ mail_status: status, ...others }: Contact): Contact {
  return isConsent(status) || status === undefined ? others : { ...others, mail_status: status }
}

/** Part of the state: when a 1 or 2 of a contact, or of its address, was first seen since it had another status. */
export interface WithdrawalStore {
  /**
   * What a contact is seen to have. Blank mail: not known. Another status ends the withdrawal of the contact; that of its
   * address may be another contact's.
   */
  noteWithdrawal(seen: {
    readonly contactId: number
    readonly mail: string
    readonly isWithdrawn: boolean
    readonly at: number
  }): Promise<void>
  /** It was raised: the withdrawal of contact and address has ended. */
  endWithdrawal(of: { readonly contactId: number; readonly mails: readonly string[] }): Promise<void>
  /** In the order given; the latest of contact and address. A withdrawal that has ended counts, too. */
  withdrawnAt(
    whom: readonly { readonly contactId: number | undefined; readonly mails: readonly string[] }[],
  ): Promise<readonly (number | undefined)[]>
}
