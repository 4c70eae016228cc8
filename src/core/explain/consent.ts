// What is known of the consent of one record: what its row says and proves, since when it was withdrawn, what an earlier
// contact of the address had, and what is missing for a raise. Pure.
import { type EvidenceLack, evidenceText, lackOf } from '../change/consents/evidence.ts'
import { isWithdrawn } from '../change/permission.ts'
import type { FieldValue } from '../mapping/contact.ts'
import { isConsent } from '../mapping/values/consent.ts'
import { momentText } from '../words/format.ts'
import type { TracedRecord } from './trace.ts'

export interface ConsentFacts {
  /** `require_evidence`. */
  readonly isRequired: boolean
  /** Of the evidence. */
  readonly columns: readonly string[]
  /** `allow_consent_raise`. */
  readonly mayRaise: boolean
  /** When a 1 or 2 of contact or address was first seen, in milliseconds since the epoch. */
  readonly withdrawnAt: number | undefined
  /** The 1 or 2 of an earlier contact of the address, which was deleted. */
  readonly former: number | undefined
  readonly now: number
  /** UTC where it is undefined. */
  readonly zone: string | undefined
}

/** In the form in which it is printed. */
export interface ExplainedConsent {
  /** `require_evidence`. */
  readonly required: boolean
  /** What the row says; null where it says nothing, or cannot be read again. */
  readonly says: FieldValue | null
  /** The row that was last sent from; null where none is known. */
  readonly file: string | null
  readonly line: number | null
  /** What the row has of evidence. */
  readonly evidence: string | null
  /** The evidence with which the present status was sent. */
  readonly proof: string | null
  /** What the evidence lacks for a raise to what the row says. */
  readonly lack: EvidenceLack | null
  /** ISO 8601, UTC. */
  readonly withdrawn_at: string | null
  readonly former_status: number | null
  /** What it needs to be raised to what the row says; null where nothing is missing. */
  readonly hint: string | null
}

/** The row that was last sent from, and what the state and the sync log have of the status. */
export interface ConsentRow {
  readonly traced: TracedRecord | undefined
  readonly file: string | null
  readonly line: number | null
  readonly known: FieldValue | null
  readonly proof: string | undefined
}

const quoted = (columns: readonly string[]): string =>
  columns.map((column) => JSON.stringify(column)).join(', ')

function hintFor(lack: EvidenceLack | undefined, facts: ConsentFacts, known: FieldValue | null) {
  const { columns, withdrawnAt = 0, mayRaise } = facts
  const isOff = isWithdrawn(Number(known)) && !mayRaise
  const off = isOff ? ['allow_consent_raise is off: a 1 or 2 is never raised'] : []
  const needs: Readonly<Record<EvidenceLack, string>> = {
    missing: `fill ${quoted(columns)} of the row in the source, with a day that can be read, and export it again`,
    future: 'the day of its evidence has not come yet: every run looks at it again until then',
    earlier: `a consent of a later day than ${momentText(withdrawnAt).slice(0, 10)} is needed: ask the person, and export the row with the new evidence`,
  }
  const all = [...(lack === undefined ? [] : [needs[lack]]), ...off]
  return all.length === 0 ? null : all.join('; ')
}

export function explainedConsent(facts: ConsentFacts, row: ConsentRow): ExplainedConsent {
  const { traced, file, line, known, proof } = row
  const { isRequired, withdrawnAt, former } = facts
  const says = traced?.fields.get('mail_status')?.value ?? null
  const isRaise = isConsent(says) && says !== known
  const lack = isRaise && isRequired ? lackOf(traced?.evidence, facts) : undefined
  return {
    required: isRequired,
    says,
    file,
    line,
    evidence: traced?.evidence === undefined ? null : evidenceText(traced.evidence),
    proof: proof ?? null,
    lack: lack ?? null,
    withdrawn_at: withdrawnAt === undefined ? null : new Date(withdrawnAt).toISOString(),
    former_status: former ?? null,
    hint: isRaise ? hintFor(lack, facts, known) : null,
  }
}

/** As sentences. */
export function consentLines(consent: ExplainedConsent): readonly string[] {
  const { required, says, file, line, evidence, proof, hint } = consent
  const { withdrawn_at: since, former_status: former } = consent
  const of = says === null ? 'no mail_status' : `mail_status ${JSON.stringify(says)}`
  const row = file === null || line === null ? undefined : `${file}:${line}`
  return [
    ...(row === undefined
      ? []
      : [`the row ${row} has ${of} and ${evidence === null ? 'no evidence' : `the evidence: ${evidence}`}`]),
    ...(proof === null ? [] : [`the present status was sent with this evidence: ${proof}`]),
    ...(since === null
      ? []
      : [
          `a 1 or 2 was first seen ${momentText(Date.parse(since))}${required ? '; only evidence of a later day counts' : ''}`,
        ]),
    ...(former === null
      ? []
      : [`the address had mail_status ${former} when an earlier contact of it was deleted`]),
    ...(hint === null ? [] : [`not raised to ${JSON.stringify(says)}: ${hint}`]),
  ]
}
