// What an operator dropped of the held changes: which record, in which form. The same form is not planned again; another form
// of the record, or its absence, ends that.
import { hash } from 'node:crypto'
import type { Dropped } from '../../decision.ts'
import type { Contact } from '../../mapping/contact.ts'
import type { TermPlan } from '../../mapping/terms.ts'
import type { Operation } from '../operation.ts'

export interface DroppedStore {
  /** The form in which each of these records was dropped; undefined for one that was not. */
  droppedForms(pipeline: string, keys: readonly string[]): Promise<readonly (string | undefined)[]>
}

/** The form of a change: the contact as its record wants it, whatever the order of the fields, and what it means for terms. */
export function printOfForm(contact: Contact, terms: TermPlan | undefined): string {
  const fields = Object.entries(contact).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const plan = terms === undefined ? null : [terms.add.toSorted(), terms.remove.toSorted()]
  return hash('sha256', JSON.stringify([fields, plan]), 'hex').slice(0, 32)
}

/** What is noted of a held change that is dropped. Of one that puts a run back nothing: no file asks for it again. */
export const droppedOf = ({ id, pipeline, key, cause, undoes, desired, terms }: Operation): Dropped => ({
  operation: id,
  pipeline,
  key,
  cause,
  print: undoes === undefined ? printOfForm(desired, terms) : undefined,
})
