// A refusal: what is wrong, and what it is about, since habits answer refusals of different kinds differently.

export type FailureStatus = 400 | 401 | 404 | 405 | 409 | 413 | 415 | 422 | 429

/** contact: a contact that breaks a rule. unknown-contact: one that there is not. */
export type FailureKind = 'key' | 'contact' | 'unknown-contact' | 'other'

export class Failure extends Error {
  readonly status: FailureStatus
  readonly kind: FailureKind

  constructor(status: FailureStatus, message: string, kind: FailureKind = 'other') {
    super(message)
    this.name = 'Failure'
    this.status = status
    this.kind = kind
  }
}

export const unknownContact = (): Failure => new Failure(404, 'there is no such contact', 'unknown-contact')
