// What a decision is taken with: the state as its owner has it, who decided, and the way to end it. It is the same whether the
// command has the state itself or a daemon takes the decision for it.
import type { AuditEntry } from '../../core/log/audit.ts'
import type { planEntry } from '../../core/log/other-entries.ts'
import type { Effect } from '../../core/decision.ts'
import type { ServiceListener } from '../../core/log/events/service-event.ts'
import type { DecidedBy } from '../../core/words/decided-by.ts'
import type { Settings } from '../../core/settings.ts'
import type { OwnedState } from '../../store/state-store.ts'

type About = Parameters<typeof planEntry>[1]

export interface Desk {
  readonly settings: Settings
  readonly state: OwnedState
  /** Its end: that of the command or of the daemon. */
  readonly signal: AbortSignal
  /** Of the process that takes it: its requests to the service count as those of runs do. */
  readonly onService?: ServiceListener | undefined
  readonly decided: DecidedBy
  /** Its number in the state; undefined where it is not written down. */
  readonly decision: number | undefined
  /** What an entry about it has in common; null: of no pipeline. */
  about(pipeline: string | null): About
  /** Throws Unconfirmed with the facts where the person who decides has not seen them. */
  ask(facts: unknown): void
  /** A sentence for the person who waits. */
  tell(text: string): void
  /** Effects and entries, in one transaction with the end of the decision. */
  conclude(effects: readonly Effect[], entries: readonly AuditEntry[]): Promise<void>
}

/** What a person has to confirm before the decision is taken. */
export class Unconfirmed extends Error {
  readonly facts: unknown

  constructor(facts: unknown) {
    super('not confirmed yet')
    this.name = 'Unconfirmed'
    this.facts = facts
  }
}
