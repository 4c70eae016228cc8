// The conditions that alerts are sent for.

/**
 * Each with the conditions that include it: a receiver of failed runs is also notified of the service that fails them.
 * `event`: its end is not reported.
 */
export const CONDITIONS = {
  failed: { under: [], event: false },
  held: { under: [], event: false },
  rejects: { under: [], event: false },
  in_doubt: { under: [], event: false },
  nothing_arrived: { under: [], event: false },
  key_refused: { under: ['failed'], event: false },
  unreachable: { under: ['failed'], event: false },
  daily_limit: { under: ['failed'], event: false },
  file_refused: { under: ['rejects'], event: true },
  reload_refused: { under: ['failed'], event: false },
  overdue: { under: [], event: false },
  drift: { under: [], event: true },
  drift_share: { under: [], event: false },
  erased_seen: { under: [], event: false },
  hand_over: { under: [], event: false },
} as const satisfies Record<string, { under: readonly string[]; event: boolean }>

/** A fetch that failed. */
export const isNotFetched = (code: unknown): boolean => String(code).startsWith('SOURCE_')

const NOT_OPENED: readonly unknown[] = ['INPUT_FOLDER_MISSING', 'INPUT_NOT_A_FILE', 'INPUT_UNREADABLE']

/** What stays where it is, or is not there. */
export const isNotOpened = (code: unknown): boolean => NOT_OPENED.includes(code)

export type ConditionName = keyof typeof CONDITIONS
export const CONDITION_NAMES = Object.keys(CONDITIONS) as readonly ConditionName[]

/** A condition that holds; `pipeline` is blank where it is about none alone. */
export interface Condition {
  readonly name: ConditionName
  readonly pipeline: string
  /** What it says in numbers; no secret, and no personal data beyond the name of a file. */
  readonly numbers: Readonly<Record<string, string | number>>
  /** When it happened, for events that do not last: a repeated event is reported again. */
  readonly at?: number
}

/** What a condition is known by. */
export type ConditionKey = Pick<Condition, 'name' | 'pipeline'>
