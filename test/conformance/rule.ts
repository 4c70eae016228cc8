// One rule of the interface, and how it is seen whether a service keeps it.
import type { Api } from './api.ts'

export interface Rule {
  readonly id: string
  /** Of the interface. */
  readonly section: string
  /** What the interface says; for what it leaves open, the question. */
  readonly says: string
  /** Resolves where the rule holds: with a text on what was seen, where the interface leaves it open. Throws a Violation otherwise. */
  check(api: Api): Promise<unknown>
}
