// The interface as an OpenAPI 3.1 document, made from the table of endpoints and the schemas that check their
// requests. Zod's own JSON Schema is what OpenAPI 3.1 takes, so it is set together here: a framework that also
// does the checking would answer before the sandbox's rules and habits (its own statuses and bodies) could.
import { z } from 'zod'
import type { ContactRules } from '../contact-rules.ts'
import { definitionSchema } from '../custom-fields.ts'
import { created, type Endpoint, success } from '../endpoint.ts'
import { habitFacts } from '../habit-text.ts'
import type { Habits } from '../habits.ts'
import { termSchema } from '../terms.ts'

type Json = Record<string, unknown>

/** Schemas that the document names once. */
type Named = ReadonlyMap<unknown, string>

const namedSchemas = (rules: ContactRules): Named =>
  new Map<unknown, string>([
    [rules.contactFields, 'ContactFields'],
    [rules.newContact, 'NewContact'],
    [rules.newContactWithMail, 'NewContactWithMail'],
    [rules.servedContact, 'Contact'],
    [termSchema, 'Term'],
    [definitionSchema, 'CustomField'],
    [created, 'Created'],
    [success, 'Success'],
  ])

const REFUSAL: Json = {
  type: 'object',
  properties: { error: { const: true }, message: { type: 'string' } },
  required: ['error', 'message'],
}

const reference = (name: string): string => `#/components/schemas/${name}`

/** `input`: as it is sent; `output`: as it is meant, a number in a query as a number. */
function jsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  { named, isNamed = false }: { named: Named; isNamed?: boolean },
): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override({ zodSchema, jsonSchema: inner }) {
      const name = named.get(zodSchema)
      if (name === undefined || (isNamed && name === named.get(schema))) return
      for (const key of Object.keys(inner)) Reflect.deleteProperty(inner, key)
      inner.$ref = reference(name)
    },
  })
  return json
}

function parametersOf({ path, place, query }: Endpoint, named: Named): Json[] {
  const [, name] = /:(\w+)/.exec(path) ?? []
  const inPath =
    place === undefined
      ? []
      : [
          {
            name,
            in: 'path',
            required: true,
            description: place.description,
            example: place.example,
            schema: jsonSchema(place.schema, 'output', { named }),
          },
        ]
  const inQuery = Object.entries(query.shape).map(([key, schema]) => {
    const { description, ...rest } = jsonSchema(schema as z.ZodType, 'output', { named })
    // Names in one parameter with commas between them, not a parameter each.
    return {
      name: key,
      in: 'query',
      required: false,
      description,
      style: 'form',
      explode: false,
      schema: rest,
    }
  })
  return [...inPath, ...inQuery]
}

const content = (schema: Json, example?: unknown): Json => ({
  content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
})

const refusal = (description: string): Json => ({
  description,
  ...content({ $ref: reference('Refusal') }, { error: true, message: description.toLowerCase() }),
})

function responsesOf({ answer, example, body, place, path, method }: Endpoint, named: Named): Json {
  const isTermUpdate = method === 'put' && path.startsWith('/terms')
  return {
    200: { description: 'Done', ...content(jsonSchema(answer, 'output', { named }), example.answer) },
    400: refusal('The address or the body cannot be read'),
    401: refusal('The API key is missing or wrong'),
    ...(place === undefined ? {} : { 404: refusal('There is no such thing') }),
    ...(isTermUpdate ? { 409: refusal('Another term has this name') } : {}),
    ...(body === undefined
      ? {}
      : {
          413: refusal('The body is too large'),
          415: refusal('The body is not application/json in UTF-8'),
          422: refusal('The body breaks a rule; the message says which'),
        }),
    429: refusal('Too many requests'),
  }
}

/** What this sandbox does that differs from the interface as it is written; such answers may differ from the schemas. */
function describedHabits(habits: Habits): string {
  const changed = Object.entries(habitFacts(habits)).filter(([, { value, values }]) => value !== values[0])
  const rows = changed.map(([name, { value, help }]) => `- \`${name}=${value}\`: ${help}`)
  const introduction =
    'A sandbox of the interface as it is written. Where services differ, habits imitate them: `x-habits` has all of them, the value in force and the values that they can have, the default first.'
  if (rows.length === 0) return `${introduction} All have their defaults.`
  return [`${introduction} These differ from their defaults:`, '', ...rows].join('\n')
}

const operationId = ({ method, path }: Endpoint): string => [method, ...(path.match(/\w+/g) ?? [])].join('_')

function operation(endpoint: Endpoint, named: Named): Json {
  const body = endpoint.describedBody ?? endpoint.body
  return {
    operationId: operationId(endpoint),
    summary: endpoint.summary,
    parameters: parametersOf(endpoint, named),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            ...content(jsonSchema(body, 'input', { named }), endpoint.example.body),
          },
        }),
    responses: responsesOf(endpoint, named),
  }
}

interface Described {
  readonly endpoints: readonly Endpoint[]
  readonly rules: ContactRules
  readonly habits: Habits
}

export function openApiDocument({ endpoints, rules, habits }: Described, serverUrl: string): Json {
  const named = namedSchemas(rules)
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method]: operation(endpoint, named) }
  }
  const schemas = Object.fromEntries(
    [...named].map(([schema, name]) => [
      name,
      jsonSchema(schema as z.ZodType, 'input', { named, isNamed: true }),
    ]),
  )
  return {
    openapi: '3.1.0',
    info: {
      title: 'Contact Management Service',
      version: 'V1',
      description: describedHabits(habits),
      'x-habits': habitFacts(habits),
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: { ...schemas, Refusal: REFUSAL },
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
    },
  }
}
