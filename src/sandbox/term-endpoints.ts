// The operations on terms and on the definitions of custom fields (interface, 4.1 and 4.4).
import { z } from 'zod'
import { type Definition, definitionAt, definitionSchema, shownDefinitions } from './custom-fields.ts'
import {
  created,
  type Endpoint,
  endpoint,
  FIELD_ID_OR_NAME,
  pageQuery,
  success,
  SUCCESS,
  TERM_ID,
  TERM_ID_OR_NAME,
} from './endpoint.ts'
import type { Habits } from './habits.ts'
import { createPaging, givenPage } from './paging.ts'
import { type SandboxTerm, termSchema, type Terms, throwNoTerm } from './terms.ts'

/** A text that is how an id is written. */
const isId = (place: string): boolean => /^[1-9]\d*$/.test(place) && Number.isSafeInteger(Number(place))

function termAt(terms: Terms, place: string, { termInPath }: Habits): SandboxTerm {
  const byName = terms.named(place)
  const byId = isId(place) ? terms.numbered(Number(place)) : undefined
  if (termInPath === 'id') return (/^\d+$/.test(place) ? byId : byName) ?? throwNoTerm()
  return (termInPath === 'id-or-name' ? (byId ?? byName) : (byName ?? byId)) ?? throwNoTerm()
}

const NEW_TERM = { name: 'Customer', description: 'Has bought something' }
const TERM = { id: 1, ...NEW_TERM }
const text = z.string({ error: 'must be text' })

const newTerm = z.strictObject(
  {
    name: text
      .refine((name) => name.trim() !== '', 'must not be empty')
      .meta({ pattern: '\\S', examples: ['Customer'] }),
    description: text.optional(),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'must be an object' : undefined) },
)

export function termEndpoints(terms: Terms, habits: Habits): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/terms',
      summary: 'List terms, page by page',
      query: pageQuery,
      answer: z.array(termSchema),
      example: { answer: [TERM] },
      handle: ({ query }) => terms.list(givenPage(query, habits)),
    }),
    endpoint({
      method: 'get',
      path: '/terms/:term_id',
      summary: 'Read a term by its id or name',
      place: TERM_ID_OR_NAME,
      answer: termSchema,
      example: { answer: TERM },
      handle: ({ place }) => termAt(terms, place, habits),
    }),
    endpoint({
      method: 'post',
      path: '/terms',
      summary: 'Create a term; where there is one of that name, its id is answered',
      body: newTerm,
      answer: created,
      example: { body: NEW_TERM, answer: { id: 1 } },
      handle: ({ body }) => ({ id: terms.create(body.name, body.description ?? '') }),
    }),
    endpoint({
      method: 'put',
      path: '/terms/:term_id',
      summary: 'Rename or describe a term',
      place: TERM_ID,
      body: newTerm.partial(),
      answer: success,
      example: { body: { description: 'Has bought within a year' }, answer: SUCCESS },
      handle: ({ place, body }) => terms.update(place, body),
    }),
  ]
}

export function customFieldEndpoints(habits: Habits, definitions: readonly Definition[]): Endpoint[] {
  const paged = createPaging(habits)
  const shown = shownDefinitions(definitions)
  const [first] = shown
  return [
    endpoint({
      method: 'get',
      path: '/custom-fields',
      summary: 'List the definitions of custom fields',
      query: pageQuery,
      answer: z.array(definitionSchema),
      example: { answer: shown.slice(0, 1) },
      handle: ({ query }) => paged(shown, query),
    }),
    endpoint({
      method: 'get',
      path: '/custom-fields/:field_id',
      summary: 'Read a definition by its id or name',
      place: { ...FIELD_ID_OR_NAME, example: first?.field_name ?? FIELD_ID_OR_NAME.example },
      answer: definitionSchema,
      example: { answer: first },
      handle: ({ place }) => definitionAt(String(place), definitions),
    }),
  ]
}
