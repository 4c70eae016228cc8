// A refusal, as the sandbox answers it.

export type FailureStatus = 400 | 401 | 404 | 405 | 409 | 413 | 415 | 422 | 429

export class Failure extends Error {
  readonly status: FailureStatus

  constructor(status: FailureStatus, message: string) {
    super(message)
    this.name = 'Failure'
    this.status = status
  }
}
