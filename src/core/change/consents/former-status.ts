// The mail_status of an address outlives its contact: who was blocked or unsubscribed when the contact was deleted is still so
// when a record of the address comes back, whether the service remembers it or not. Pure.
//
// former | record says | allow_consent_raise | goes with the create
// none   | any         | any                 | what the record says
// 1 or 2 | nothing     | any                 | the former
// 1 or 2 | 1 or 2      | any                 | the lower of both
// 1 or 2 | 3, 4 or 7   | no                  | the former
// 1 or 2 | 3, 4 or 7   | yes                 | what the record says
import { isWithdrawn } from '../permission.ts'

/** Part of the state: by the keyed hash of the address, so that it holds no address. */
export interface FormerStatusStore {
  /** What a contact had before it was deleted. A later status of the address takes the place of an earlier one. */
  noteFormerStatus(seen: {
    readonly mail: string
    readonly status: number
    readonly at: number
  }): Promise<void>
  /** In the order given: the last one of each address where that was 1 or 2. */
  formerStatuses(mails: readonly string[]): Promise<readonly (number | undefined)[]>
}

/** The mail_status that a create has, where no contact of the address is at the service. */
export function statusOfNew(
  said: number | undefined,
  former: number | undefined,
  { mayRaise }: { readonly mayRaise: boolean },
): number | undefined {
  if (former === undefined || said === undefined) return said ?? former
  if (isWithdrawn(said)) return Math.min(said, former)
  return mayRaise ? said : former
}
