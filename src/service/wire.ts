// The bodies of the interface: strict in what is sent, tolerant in what is read (ids as text, lists as
// keyed objects, unknown fields). Nothing here throws; what is not the interface's reads as undefined.
import { z } from 'zod'
import type { Contact } from '../core/mapping/contact.ts'
import type {
  CreatedMember,
  CreateOptions,
  CustomFieldDefinition,
  ServiceContact,
  Term,
} from '../core/ports.ts'
import type { ServedPage } from './pages.ts'

/** Reads a parsed body; undefined where it is not what the interface says. */
export type BodyReader<T> = (json: unknown) => T | undefined

const LONGEST_MESSAGE = 300
/** The rest of an endless message is not looked at. */
const LONGEST_READ = 64_000

const id = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\s*\d{1,16}\s*$/)
      .transform(Number),
  ])
  .pipe(z.number().int().positive().max(Number.MAX_SAFE_INTEGER))
const object = z.record(z.string(), z.unknown())
const array = z.array(z.unknown())
const created = z.object({ id })
const member = z.object({ id, email: z.string() })
const success = z.object({
  success: z.union([z.literal(true), z.literal(1), z.string().regex(/^\s*(true|1)\s*$/i)]),
})
/** A name is text; a service that has only digits may write a number. */
const name = z.union([z.string(), z.number().transform(String)])
const term = z
  .object({ id, name, description: z.string().nullish() })
  .transform((body): Term => ({ id: body.id, name: body.name, description: body.description ?? '' }))
const flag = z
  .union([z.boolean(), z.number(), z.string()])
  .nullish()
  .transform((value) =>
    value === null || value === undefined ? undefined : /^(true|1)$/i.test(String(value)),
  )
const definition = z
  .object({
    field_id: id,
    field_name: name,
    label: z.string().nullish(),
    description: z.string().nullish(),
    type: z.string(),
    required: flag,
    multiple_selection: flag,
  })
  .transform((body): CustomFieldDefinition => ({
    id: body.field_id,
    name: body.field_name,
    label: body.label ?? '',
    description: body.description ?? '',
    type: body.type,
    required: body.required ?? false,
    multiple: body.multiple_selection,
  }))
const problem = z.union([z.string(), z.object({ message: z.string() }).transform((entry) => entry.message)])

/** A list as an array, or as an object with numeric keys (`{"0": ..., "2": ...}`), in the order of the keys. */
export function listIn(json: unknown): readonly unknown[] | undefined {
  const list = array.safeParse(json).data
  if (list !== undefined) return list
  const entries = Object.entries(object.safeParse(json).data ?? {})
  // An empty object is not taken for an empty list: "there is no such contact" must be said clearly.
  if (entries.length === 0 || !entries.every(([key]) => /^\d{1,9}$/.test(key))) return undefined
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value)
}

export const readSuccess: BodyReader<true> = (json) => (success.safeParse(json).success ? true : undefined)

export const readCreatedId: BodyReader<number> = (json) => created.safeParse(json).data?.id

/** Members that cannot be read are left out: their contacts count as missing and are looked up. */
export const readCreatedMembers: BodyReader<readonly CreatedMember[]> = (json) =>
  listIn(json)?.flatMap((entry) => member.safeParse(entry).data ?? [])

/** As `listIn`, but `{}` is an empty list: where nothing is created on its strength. */
function listOrNone(json: unknown): readonly unknown[] | undefined {
  const isNone = typeof json === 'object' && json !== null && Object.keys(json).length === 0
  return isNone ? [] : listIn(json)
}

/** One page of terms. */
export const readTermPage: BodyReader<ServedPage<Term>> = (json) => {
  const list = listOrNone(json)
  return list && { came: list.length, entries: list.flatMap((entry) => term.safeParse(entry).data ?? []) }
}

/** All or nothing: a term left out would be taken for one that the contact lacks. */
export const readContactTerms: BodyReader<ServedPage<Term>> = (json) => {
  const page = readTermPage(json)
  return page?.entries.length === page?.came ? page : undefined
}

export const readTerm: BodyReader<Term> = (json) => term.safeParse(json).data

/** Definitions that cannot be read are left out: a mapping of such a field is reported as unknown. */
export const readCustomFields: BodyReader<ServedPage<CustomFieldDefinition>> = (json) => {
  const list = listOrNone(json)
  return (
    list && { came: list.length, entries: list.flatMap((entry) => definition.safeParse(entry).data ?? []) }
  )
}

export const readCustomField: BodyReader<CustomFieldDefinition> = (json) => definition.safeParse(json).data

/** One contact with the fields asked for; undefined also where it is another contact than was asked for. */
export function contactReader(asked: number, fields: readonly string[]): BodyReader<ServiceContact> {
  return (json) => {
    const contact = readContact(json, fields)
    return contact?.id === asked ? contact : undefined
  }
}

/**
 * All or nothing: a contact left out of the list would make several matches look like one. `isFurther`: a page behind the
 * first, whose emptiness does not show whether there is such a contact, so `{}` will do for it.
 */
export function contactsReader(
  fields: readonly string[],
  { isFurther = false } = {},
): BodyReader<ServedPage<ServiceContact>> {
  return (json) => {
    const list = isFurther ? listOrNone(json) : listIn(json)
    const contacts = list?.flatMap((entry) => readContact(entry, fields) ?? [])
    return list !== undefined && contacts?.length === list.length
      ? { came: list.length, entries: contacts }
      : undefined
  }
}

function readContact(json: unknown, fields: readonly string[]): ServiceContact | undefined {
  const body = object.safeParse(json).data
  const read = created.safeParse(body).data
  if (body === undefined || read === undefined) return undefined
  const asked = fields.filter((name) => name !== 'id' && Object.hasOwn(body, name))
  return { id: read.id, fields: Object.fromEntries(asked.map((name) => [name, body[name]])) }
}

/** Whether an answer says in `error` that the request failed, whatever its status. */
export function hasError(json: unknown): boolean {
  const error = object.safeParse(json).data?.['error']
  if (typeof error === 'string') return !['', '0', 'false'].includes(error.trim().toLowerCase())
  if (typeof error === 'object' && error !== null) return Object.keys(error).length > 0
  return Boolean(error)
}

/**
 * The service's own words for what is wrong, at most 300 characters; undefined where it has none. `mask` keeps the key
 * out of them, should the service echo it.
 */
export function serviceMessage(json: unknown, mask: (text: string) => string): string | undefined {
  const body = object.safeParse(json).data
  if (body === undefined) return undefined
  for (const candidate of [body['message'], body['error'], ...members(body['errors'])]) {
    const text = problem.safeParse(candidate).data?.trim()
    if (text !== undefined && text !== '') return cut(mask(text.slice(0, LONGEST_READ)))
  }
  return undefined
}

/** `errors` as a text, a list of texts or objects, or lists of texts by field name. */
function members(errors: unknown): readonly unknown[] {
  if (typeof errors !== 'object' || errors === null) return [errors]
  return Object.values(errors).flat()
}

function cut(text: string): string {
  const oneLine = text.slice(0, 4 * LONGEST_MESSAGE).replace(/\p{Cc}+/gu, ' ')
  const characters = Array.from(oneLine)
  if (characters.length <= LONGEST_MESSAGE) return oneLine
  return `${characters.slice(0, LONGEST_MESSAGE - 1).join('')}…`
}

/** The body of Create contact (interface, 4.2): both duplicate methods always, never the service's default. */
export function createContactBody(contact: Contact, options: CreateOptions): string {
  return JSON.stringify({ contact, ...duplicateMethods(options) })
}

/** The body of Create contacts; which container the service wants is a setting (interface, 4.2: not shown). */
export function createContactsBody(
  contacts: readonly Contact[],
  options: CreateOptions,
  container: 'array' | 'keyed',
): string {
  return JSON.stringify({
    contacts: container === 'array' ? contacts : Object.fromEntries(contacts.entries()),
    ...duplicateMethods(options),
  })
}

function duplicateMethods(options: CreateOptions): Record<string, string> {
  return {
    duplicate_check_method: options.duplicateCheckMethod,
    duplicate_merge_method: options.duplicateMergeMethod,
  }
}
