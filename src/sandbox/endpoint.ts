// One operation of the interface as data: where it is, what it takes, what it answers. The server is made from it,
// and so is the description: neither can know an operation, a parameter or a field that the other does not.
import { z } from 'zod'
import { PLAIN_SUCCESS } from './answers.ts'
import { Failure, type FailureKind, unknownContact } from './failure.ts'

interface Place {
  /** Makes an id, a name or a mail of the segment. */
  readonly schema: z.ZodType
  readonly description: string
  /** One that a new sandbox has, or has after the first create. */
  readonly example: string | number
  /** For a segment that can name nothing. */
  readonly none: () => Failure
}

export interface Endpoint {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** Below the version, with at most one parameter: `/contact/:contact_id/terms`. */
  readonly path: string
  readonly summary: string
  readonly place?: Place
  readonly query: z.ZodObject
  readonly body?: z.ZodType
  /** Where the body is checked in two steps: both of them in one schema. */
  readonly describedBody?: z.ZodType
  /** What a body is that is refused. */
  readonly bodyKind?: FailureKind
  readonly answer: z.ZodType
  /** As the description shows it: generated clients and tests send the body, and mocks answer the answer. */
  readonly example: { readonly body?: unknown; readonly answer: unknown }
  handle(call: { place: unknown; query: unknown; body: unknown }): unknown
}

interface Spec<P extends Place, Q extends z.ZodObject, B extends z.ZodType> {
  readonly place?: P
  readonly query?: Q
  readonly body?: B
  handle(call: { place: z.output<P['schema']>; query: z.output<Q>; body: z.output<B> }): unknown
}

type Rest = Omit<Endpoint, keyof Spec<Place, z.ZodObject, z.ZodType>>

const noQuery = z.strictObject({})

/** The handler receives what the schemas make of the request. */
export function endpoint<
  P extends Place = Place,
  Q extends z.ZodObject = typeof noQuery,
  B extends z.ZodType = z.ZodType,
>(spec: Spec<P, Q, B> & Rest): Endpoint {
  return { query: noQuery, ...spec, handle: (call) => spec.handle(call as never) }
}

/** Ids that are no safe integers are not kept apart by JSON, and 0 is none. */
const idNumber = z.int().positive()

const id = z.string().regex(/^\d+$/).transform(Number).pipe(idNumber)

/** Digits are an id, any other text must fit. */
const idOr = (other: z.ZodString) =>
  z
    .string()
    .transform((segment) => (/^\d+$/.test(segment) ? Number(segment) : segment))
    .pipe(z.union([idNumber, other]))

export const CONTACT_ID = { schema: id, description: 'The id of a contact', example: 1, none: unknownContact }
export const CONTACT_ID_OR_MAIL = {
  schema: idOr(z.string().regex(/@/).meta({ format: 'email' })),
  description: 'The id of a contact, digits only, or an e-mail address',
  example: '1',
  none: unknownContact,
}
const noTerm = (): Failure => new Failure(404, 'there is no such term')
export const TERM_ID = { schema: id, description: 'The id of a term', example: 1, none: noTerm }
export const TERM_ID_OR_NAME = {
  schema: z.string().meta({ examples: ['1', 'Customer'] }),
  description: 'The id of a term, or its name in any case; digits that are no id of a term are a name',
  example: 'Customer',
  none: noTerm,
}
export const FIELD_ID_OR_NAME = {
  schema: idOr(z.string()),
  description: 'The id of a definition, digits only, or its field_name',
  example: 'nickname',
  none: () => new Failure(404, 'there is no such custom field'),
}

const LARGEST_PAGE = 500
const TOO_LARGE = `must not be larger than ${LARGEST_PAGE}`

const wholeNumber = (range: z.ZodInt, problem: string) =>
  z.string().regex(/^\d+$/, problem).transform(Number).pipe(range)

export const pageQuery = z.strictObject({
  limit: wholeNumber(z.int(TOO_LARGE).nonnegative().max(LARGEST_PAGE, TOO_LARGE), 'must be a whole number')
    .default(LARGEST_PAGE)
    .meta({ description: 'How many entries to answer' }),
  offset: wholeNumber(z.int('is too large').nonnegative(), 'must be a whole number')
    .default(0)
    .meta({ description: 'How many entries to pass over' }),
})

export const created = z.strictObject({ id: z.int() })
export const success = z.strictObject({ success: z.literal(PLAIN_SUCCESS) })

/** As the examples show it. */
export const SUCCESS = { success: PLAIN_SUCCESS }
