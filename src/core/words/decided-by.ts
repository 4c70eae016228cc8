// Who decided something, and why.
import type { UserRole } from './user-roles.ts'

export interface DecidedBy {
  /** A user of `server.users`, or the user of the system. */
  readonly by: string
  /** Of a user who has shown their token; absent for the user of the system. */
  readonly role?: UserRole | undefined
  readonly note?: string | undefined
}
