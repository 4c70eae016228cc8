// Sends the fields of an update, and makes sure that those which were to be emptied are empty: services differ in what
// they take for "nothing". What a service empties with neither form is named, and never taken for emptied.
import { isBlank } from '../../core/words/blank.ts'
import type { Contact } from '../../core/mapping/contact.ts'
import { emptiedFields, emptyValues } from '../../core/change/nothing.ts'
import type { HandEdit, HandEditRules } from '../../core/change/others/hand-edits.ts'
import type { CallResult } from '../../core/ports.ts'
import { isStopped, type RunContext } from '../context.ts'
import { mergedFields } from '../hand-edits.ts'

/** A change without some of its fields. */
export const without = (fields: Contact, names: readonly string[]): Contact =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => !names.includes(field)))

/** Of fields that were to be emptied. */
interface Left {
  /** Those that the service does not empty. */
  readonly stubborn: readonly string[]
  /** What a user has written into one since. */
  readonly edits: readonly HandEdit[]
}

const NOTHING_LEFT: Left = { stubborn: [], edits: [] }

export interface FieldsSent extends Left {
  readonly result: CallResult<true>
}

interface Update {
  readonly contactId: number
  readonly fields: Contact
  /** What was pushed last. */
  readonly known: Contact
  /** Where edits by hand are respected. */
  readonly rules: HandEditRules | undefined
}

async function stillFilled(
  { contactId, fields, rules }: Update,
  names: readonly string[],
  context: RunContext,
): Promise<Left> {
  if (names.length === 0) return NOTHING_LEFT
  const actual = await context.session.contactById(contactId, names)
  if (actual.kind !== 'ok') return NOTHING_LEFT
  const filled = names.filter((field) => !isBlank(actual.value.fields[field]))
  if (rules === undefined) return { stubborn: filled, edits: [] }
  const others = Object.keys(fields).filter((field) => !filled.includes(field))
  const { send, edits } = await mergedFields(without(fields, others), { shown: actual.value, rules }, context)
  return { stubborn: Object.keys(send), edits }
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
  if (second.kind !== 'refused') return { result: second, ...NOTHING_LEFT }
  if (Object.keys(others).length === 0) return { result: refused, ...NOTHING_LEFT }
  const rest = await put(others)
  return rest.kind === 'refused'
    ? { result: refused, ...NOTHING_LEFT }
    : { result: rest, stubborn: emptied, edits: [] }
}

/**
 * After an update that was taken: what it left is tried in the other form, once, unless the look shows that a user has written
 * something else meanwhile.
 */
async function leftFilled(update: Update, { put, emptying }: How, context: RunContext): Promise<Left> {
  const left = await stillFilled(update, emptiedFields(update.fields), context)
  if (left.stubborn.length === 0 || isStopped(context)) return left
  await put(emptying(left.stubborn, 'second'))
  const { stubborn, edits } = await stillFilled(update, left.stubborn, context)
  return { stubborn, edits: [...left.edits, ...edits] }
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
  if (emptied.length === 0) return { result: first, ...NOTHING_LEFT }
  const sent =
    first.kind === 'refused' && !isStopped(context)
      ? await sentAfterRefusal(first, update, how)
      : { result: first, ...NOTHING_LEFT }
  if (sent.result.kind !== 'ok') return sent
  const { stubborn, edits } = sent.stubborn.length > 0 ? sent : await leftFilled(update, how, context)
  if (stubborn.length > 0 && !isStopped(context))
    context.log.warn('field not cleared by the service', {
      contact_id: contactId,
      fields: stubborn.join(', '),
    })
  return { ...sent, stubborn, edits }
}
