// The steps that rules report of a value: each with its input and its result. There is no listener while records are synced;
// `explain` does, and goes the same way through the same code.
import type { FieldValue } from '../contact.ts'

/** One rule of the mapping, with what it was given and what it made of it. */
export interface RuleStep {
  /** As the configuration writes it: `column "Tel"`, `transform: trim`, `phone: DE`. */
  readonly rule: string
  /** A rule that reads several columns was given all of them. */
  readonly from: FieldValue | Readonly<Record<string, string>> | null
  /** Null where it made nothing. */
  readonly to: FieldValue | null
  /** The columns that it read. */
  readonly columns?: readonly string[]
}

/** Told of each step of a value, in order. */
export type Note = (step: RuleStep) => void

/** What a rule made, after it was told. */
export function noted<Made extends FieldValue>(
  note: Note | undefined,
  rule: string,
  from: RuleStep['from'],
  to: Made,
): Made {
  note?.({ rule, from, to })
  return to
}

/** The same for implicit steps that rarely do anything: reported only where they did. */
export function notedChange<Made extends FieldValue>(
  note: Note | undefined,
  rule: string,
  from: string,
  to: Made,
): Made {
  if (note !== undefined && from !== to) note({ rule, from, to })
  return to
}

/** Options as they stand in the configuration: `{ find: "x", with: "y" }`, "DE". */
export const ruleText = (name: string, options?: unknown): string =>
  options === undefined || options === true ? name : `${name}: ${JSON.stringify(options)}`
