// Reads what callers send: JSON bodies, ids, pages, methods; and refuses what the interface does not know.
import { z } from 'zod'
import { isObject, type Methods } from './contacts.ts'
import type { Fields } from './contact-rules.ts'
import { Failure } from './failure.ts'

/** A path segment of digits is an id, anything else a name or a mail. */
export const isId = (segment: string): boolean => /^\d+$/.test(segment)

export function idOf(segment: string): number {
  const id = Number(segment)
  if (!isId(segment) || !Number.isSafeInteger(id) || id === 0) throw new Failure(404, 'there is no such id')
  return id
}

const methodsSchema = z.object({
  duplicate_check_method: z.enum(['auto', 'email', 'none']).default('auto'),
  duplicate_merge_method: z.enum(['update_add', 'update', 'add']).default('update_add'),
})

export function methodsOf(body: Fields): Methods {
  const parsed = methodsSchema.safeParse(body)
  if (!parsed.success) {
    const names = parsed.error.issues.map(({ path }) => path.join('.')).join(', ')
    throw new Failure(422, `${names} has a value that is not allowed`)
  }
  return { check: parsed.data.duplicate_check_method, merge: parsed.data.duplicate_merge_method }
}

export function objectBody(body: unknown): Fields {
  if (isObject(body)) return body
  throw new Failure(422, 'the body must be an object')
}

/** An array, or an object whose values are the members (interface, 4.2: not shown which). */
export function membersOf(value: unknown): readonly unknown[] {
  const members = isObject(value) ? Object.values(value) : value
  if (!Array.isArray(members) || members.length === 0)
    throw new Failure(422, 'contacts must hold at least one contact')
  return members
}

export function idsBody(body: unknown): number[] {
  const parsed = z.array(z.int().positive()).safeParse(body)
  if (!parsed.success) throw new Failure(422, 'the body must be a list of term ids')
  return parsed.data
}

const LARGEST_PAGE = 500

function count(text: string | undefined, fallback: number, name: string): number {
  if (text === undefined) return fallback
  if (!/^\d+$/.test(text)) throw new Failure(400, `${name} must be a whole number`)
  return Number(text)
}

/** `limit` and `offset` (interface, 8). */
export function pageOf(query: Readonly<Record<string, string>>): { offset: number; limit: number } {
  const limit = count(query['limit'], LARGEST_PAGE, 'limit')
  if (limit > LARGEST_PAGE) throw new Failure(400, `limit must not be larger than ${LARGEST_PAGE}`)
  return { limit, offset: count(query['offset'], 0, 'offset') }
}

const termSchema = z.strictObject({ name: z.string(), description: z.string().optional() })

export function newTerm(body: unknown): { name: string; description: string } {
  const parsed = termSchema.safeParse(body)
  if (!parsed.success) throw new Failure(422, 'a term needs a name, and may have a description, both texts')
  return { name: parsed.data.name, description: parsed.data.description ?? '' }
}

export function termChanges(body: unknown): { name?: string; description?: string } {
  const parsed = termSchema.partial().safeParse(body)
  if (!parsed.success) throw new Failure(422, 'name and description must be texts')
  const { name, description } = parsed.data
  return { ...(name === undefined ? {} : { name }), ...(description === undefined ? {} : { description }) }
}

export const fieldNames = (query: string | undefined): string[] =>
  (query ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'id')
