// What comes over the wire, read tolerantly: services of this shape differ in how they write ids, lists,
// successes and errors. Strict where a misreading could give one person another's contact.
import { z } from 'zod'

/** A safe positive integer, as a number or in digits. */
const id = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
  .refine((value) => Number.isSafeInteger(value) && value > 0)

const record = z.record(z.string(), z.unknown())

/** An array, or an object whose keys are numbers. */
function listItems(body: unknown): readonly unknown[] | undefined {
  if (Array.isArray(body)) return body as unknown[]
  const parsed = record.safeParse(body)
  if (!parsed.success || !Object.keys(parsed.data).every((key) => /^\d+$/.test(key))) return undefined
  return Object.values(parsed.data)
}

const LONGEST_MESSAGE = 300

function errorTexts(body: unknown): string[] {
  const parsed = record.safeParse(body)
  if (!parsed.success) return []
  const { message, error, errors } = parsed.data
  const list = Array.isArray(errors) ? errors : []
  const items = list.map((item) => (typeof item === 'string' ? item : errorTexts(item).join(' ')))
  return [message, error, ...items].filter((text): text is string => typeof text === 'string' && text !== '')
}

/** What the service says is wrong, from wherever it says it; undefined where it says nothing. */
export function errorMessage(body: unknown): string | undefined {
  const [...texts] = new Set(errorTexts(body))
  return texts.length === 0 ? undefined : texts.join('; ').slice(0, LONGEST_MESSAGE)
}

/** A truthy `error` in an answer that claims success is a refusal. */
export function claimsError(body: unknown): boolean {
  const parsed = record.safeParse(body)
  return parsed.success && Boolean(parsed.data['error'])
}

/** A reader gives the value of an answer, or undefined for an answer that is not the interface's. */
export type Reader<T> = (body: unknown) => T | undefined

/** `{"id": 7}` (interface, 4.2, create contact). */
export const readCreated: Reader<number> = (body) => z.object({ id }).safeParse(body).data?.id

/** Members of a bulk answer; one that cannot be read is left out, and so counts as missing (interface, 4.2). */
export const readMembers: Reader<readonly { id: number; email: string }[]> = (body) => {
  const member = z.object({ id, email: z.string() })
  return listItems(body)?.flatMap((item) => member.safeParse(item).data ?? [])
}

/** `{"success": "true"}`, also `true` and `1` (interface, 4). */
export const readSuccess: Reader<true> = (body) => {
  const success = record.safeParse(body).data?.['success']
  return success === true || success === 'true' || success === 1 || success === '1' ? true : undefined
}

const contact = record.transform(({ id: given, ...fields }, context) => {
  const parsed = id.safeParse(given)
  if (parsed.success) return { id: parsed.data, fields }
  context.addIssue({ code: 'custom', message: 'no id' })
  return z.NEVER
})

export const readContact: Reader<{ id: number; fields: Record<string, unknown> }> = (body) =>
  contact.safeParse(body).data

/** Every contact must be readable: one that is passed over could be the duplicate that matters. */
export const readContacts: Reader<readonly { id: number; fields: Record<string, unknown> }[]> = (body) => {
  const items = listItems(body)
  const contacts = items?.map((item) => contact.safeParse(item).data)
  return contacts?.every((item) => item !== undefined) === true ? contacts : undefined
}

export const readList: Reader<readonly unknown[]> = listItems
