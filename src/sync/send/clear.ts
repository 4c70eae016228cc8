// Sends the fields of an update, and makes sure that those which were to be emptied are empty: services differ in what
// they take for "nothing". What a service empties with neither form is named, and never taken for emptied.
import { isBlank } from '../../core/words/blank.ts'
import type { Contact } from '../../core/mapping/contact.ts'
import { emptiedFields, emptyValues } from '../../core/change/nothing.ts'
import type { CallResult } from '../../core/ports.ts'
import { isStopped, type RunContext } from '../context.ts'

/** A change without some of its fields. */
export const without = (fields: Contact, names: readonly string[]): Contact =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => !names.includes(field)))

async function stillFilled(
  contactId: number,
  fields: readonly string[],
  context: RunContext,
): Promise<readonly string[]> {
  if (fields.length === 0) return []
  const actual = await context.session.contactById(contactId, fields)
  return actual.kind === 'ok' ? fields.filter((field) => !isBlank(actual.value.fields[field])) : []
}

export interface FieldsSent {
  readonly result: CallResult<true>
  /** Fields that the service does not empty. */
  readonly stubborn: readonly string[]
}

interface Update {
  readonly contactId: number
  readonly fields: Contact
  /** What was pushed last. */
  readonly known: Contact
}

/** The fields as the body that empties them. */
type Emptying = (fields: readonly string[], which: 'first' | 'second') => ReturnType<typeof emptyValues>

type Put = (body: Parameters<RunContext['session']['updateContact']>[1]) => Promise<CallResult<true>>

interface How {
  readonly put: Put
  readonly emptying: Emptying
}

/** Where a body with empty fields was refused: the other form, then the other fields alone. */
async function sentAfterRefusal(
  refused: CallResult<true>,
  { fields }: Update,
  { put, emptying }: How,
): Promise<FieldsSent> {
  const emptied = emptiedFields(fields)
  const others = without(fields, emptied)
  const second = await put({ ...others, ...emptying(emptied, 'second') })
  if (second.kind !== 'refused') return { result: second, stubborn: [] }
  if (Object.keys(others).length === 0) return { result: refused, stubborn: [] }
  const rest = await put(others)
  return rest.kind === 'refused' ? { result: refused, stubborn: [] } : { result: rest, stubborn: emptied }
}

/** After an update that was taken: what it left is tried in the other form, once. */
async function leftFilled(
  { contactId, fields }: Update,
  { put, emptying }: How,
  context: RunContext,
): Promise<readonly string[]> {
  const left = await stillFilled(contactId, emptiedFields(fields), context)
  if (left.length === 0 || isStopped(context)) return left
  await put(emptying(left, 'second'))
  return stillFilled(contactId, left, context)
}

/** PUT of the fields; those to be emptied are read back. */
export async function sendFields(update: Update, context: RunContext): Promise<FieldsSent> {
  const { contactId, fields, known } = update
  const put: Put = async (body) => await context.session.updateContact(contactId, body)
  const emptying: Emptying = (names, which) =>
    emptyValues(names, known, { which, clearBy: context.service.clear_by })
  const how = { put, emptying }
  const emptied = emptiedFields(fields)
  const first = await put({ ...fields, ...emptying(emptied, 'first') })
  if (emptied.length === 0) return { result: first, stubborn: [] }
  const sent =
    first.kind === 'refused' && !isStopped(context)
      ? await sentAfterRefusal(first, update, how)
      : { result: first, stubborn: [] }
  if (sent.result.kind !== 'ok') return sent
  const stubborn = sent.stubborn.length > 0 ? sent.stubborn : await leftFilled(update, how, context)
  if (stubborn.length > 0 && !isStopped(context))
    context.log.warn('field not cleared by the service', {
      contact_id: contactId,
      fields: stubborn.join(', '),
    })
  return { ...sent, stubborn }
}
