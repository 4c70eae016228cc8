// One guess of a proposal: a column, the field that it is for, the rule that would make it, and how sure that is.
import type { ContactField } from '../mapping/contact.ts'

/** A field's mapping as the configuration has it. */
export type ProposedRule = Readonly<Record<string, unknown>>

export interface ProposedEntry {
  readonly column: string
  /** Null: the column is left out. */
  readonly field: ContactField | 'key' | 'terms' | null
  /** Null where there is none to write, as for a column that a preset maps. */
  readonly rule: ProposedRule | null
  /** From 0 to 1. */
  readonly confidence: number
  readonly why: string
  /** What an operator is asked where it is not sure, in place of whether the guess is right. */
  readonly choices?: readonly ProposedChoice[]
  /** What this column is a part of: its columns are asked about in one question, because one answer holds for all of them. */
  readonly together?: string
}

/** One of several rules, and what it would mean. */
export interface ProposedChoice {
  readonly answer: string
  readonly means: string
  /** Null: the column is left out. */
  readonly rule: ProposedRule | null
}

/** A guess of at least this is taken without a question. */
export const SURE = 0.9
/** Below this no question is asked: the guess is most likely wrong. */
export const WORTH_ASKING = 0.4

export const isSure = ({ field, confidence }: ProposedEntry): boolean => field !== null && confidence >= SURE

/** A column for whose meaning the contact has no place left. */
export const leftOver = (column: string, why: string): ProposedEntry => ({
  column,
  field: null,
  rule: null,
  confidence: 0,
  why,
})
