// Whether the key may set mail_status (interface, 2.3: only with special permissions). A service without the permission
// ignores the field silently, so it is known only from reading back. Kept in the state over runs.

/** blocked and unsubscribed (interface, 3): what a contact, or the law, has asked for. */
const WITHDRAWN: readonly (number | undefined)[] = [1, 2]

/** The status of a contact for which none was ever set (interface, 2.3). */
export const UNKNOWN_STATUS = 3

export const isWithdrawn = (status: number | undefined): boolean => WITHDRAWN.includes(status)

export type StatusPermission = 'known' | 'refused' | 'unknown'

/** Part of the state (see state.ts). */
export interface PermissionStore {
  statusPermission(): Promise<StatusPermission>
  /**
   * What reading back has shown. When a run sees the permission for the first time, records whose mail_status was not taken
   * are compared again the next time they are read.
   */
  noteStatusPermission(permission: Exclude<StatusPermission, 'unknown'>): Promise<void>
}
