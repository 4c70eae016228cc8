// A consent: which statuses say that a person has agreed to something, and what a record says about that.

export interface ConsentEvidence {
  /** The day on which it was given: 2026-05-01. */
  readonly at: string
  /** Where: a form, a fair. Undefined where no column is named for it. */
  readonly source?: string
  /** The words that the person agreed to. Undefined where no column is named for it. */
  readonly text?: string
}

const CONSENTS: readonly unknown[] = [4, 7]

/** Whether the status says that its person has agreed to something (interface, 2.3). */
export const isConsent = (status: unknown): boolean => CONSENTS.includes(status)
