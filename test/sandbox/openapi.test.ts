// The description of the interface that the sandbox serves: valid, whole, and true in both directions. Requests are
// made up from its schemas and must be taken; what is answered must be as it says.
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { habitsOf } from '../../src/sandbox/habit-text.ts'
import { PLAIN_HABITS } from '../../src/sandbox/habits.ts'
import { createRoutes } from '../../src/sandbox/routes.ts'
import { openTables } from '../../src/sandbox/tables.ts'
import { systemClock } from '../../src/system.ts'
import { API, openProbe, type Probe } from './probe.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly pattern?: string
  readonly maxLength?: number
  readonly minItems?: number
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
}
interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly example?: string | number
  readonly schema: Schema
}
type Content = {
  readonly content: { readonly 'application/json': { readonly schema: Schema; readonly example?: unknown } }
}
interface Operation {
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}
interface Document {
  readonly openapi: string
  readonly info: {
    readonly description: string
    readonly 'x-habits': Readonly<Record<string, { value: string; values: readonly string[] }>>
  }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

let probe: Probe
let document: Document
beforeAll(async () => {
  probe = await openProbe()
  document = (await (await fetch(`${probe.sandbox.url}/openapi.json`)).json()) as Document
})
afterAll(async () => probe.close())

const operations = (): { method: string; path: string; operation: Operation }[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )

const named = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1) ?? '']!

const text = ({ pattern, maxLength = 40 }: Schema): fc.Arbitrary<unknown> =>
  fc
    .string({ unit: 'grapheme-ascii', maxLength })
    .map((made) => (pattern === undefined ? made : `x${made}`.slice(0, maxLength)))

function record({
  properties = {},
  required = [],
  additionalProperties,
  anyOf = [],
}: Schema): fc.Arbitrary<unknown> {
  if (typeof additionalProperties === 'object')
    return fc.dictionary(fc.stringMatching(/^\d{1,3}$/), made(additionalProperties), {
      minKeys: 1,
      maxKeys: 3,
    })
  const way = (names: readonly string[], filled: Readonly<Record<string, Schema>>) => {
    const shapes = Object.entries(properties).map(([name, schema]) => {
      const given = names.includes(name) ? (schema.anyOf?.[0] ?? schema) : schema
      return [name, made({ ...given, ...filled[name] })] as const
    })
    return fc.record(Object.fromEntries(shapes), { requiredKeys: [...names], noNullPrototype: true })
  }
  if (anyOf.length === 0) return way(required, {})
  return fc.oneof(...anyOf.map((other) => way(other.required ?? [], other.properties ?? {})))
}

/** Anything that the schema allows; where it gives examples, one of them. */
function made(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return made(named(schema))
  if (schema.examples !== undefined) return fc.constantFrom(...schema.examples)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.type === 'object') return record(schema)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(made))
  switch (schema.type) {
    case 'array':
      return fc.array(made(schema.items!), { minLength: schema.minItems ?? 0, maxLength: 3 })
    case 'integer': {
      const least = schema.minimum ?? (schema.exclusiveMinimum ?? 0) + 1
      return fc.integer({ min: Math.max(least, -1000), max: Math.min(schema.maximum ?? 1000, 1000) })
    }
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'null':
      return fc.constant(null)
    case 'string':
      return text(schema)
    default:
      throw new Error(`The test cannot make a value for ${JSON.stringify(schema)}`)
  }
}

function validator() {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'doc', components: document.components })
  return (schema: Schema) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"doc#/')) as object)
}

describe('the description', () => {
  it('is served without a key, and names the server', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: `${probe.sandbox.url}${API}` }] })
  })

  it('is valid', async () => {
    const result = await new Validator().validate(
      structuredClone(document) as object as Record<string, unknown>,
    )
    expect(result).toMatchObject({ valid: true })
  })

  it('names every route of the server, and no other', () => {
    const db = openTables(undefined)
    const app = createRoutes({ db, apiKey: 'k', habits: PLAIN_HABITS, clock: systemClock })
    const routes = app.routes
      .filter(({ method, path }) => method !== 'ALL' && path.startsWith(API))
      .map(({ method, path }) => `${method} ${path.slice(API.length).replace(/:(\w+)/, '{$1}')}`)
    const described = operations().map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    expect(described.toSorted()).toEqual(routes.toSorted())
    expect(described).toHaveLength(15)
    db.close()
  })

  it('names an operation once', () => {
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

const ORDER = [
  'post /terms',
  'post /contact',
  'post',
  'get',
  'put',
  'delete /contact/{contact_id}/terms',
  'delete',
]

describe('the examples of the description', () => {
  it('fit their schemas, and are taken by a new sandbox, in the order in which things are made', async () => {
    const fresh = await openProbe()
    const compile = validator()
    const place = ({ method, path }: { method: string; path: string }) =>
      ORDER.findIndex((start) => `${method} ${path}`.startsWith(start))
    try {
      for (const { method, path, operation } of operations().toSorted((a, b) => place(a) - place(b))) {
        const body = operation.requestBody?.content['application/json']
        if (body !== undefined) expect(compile(body.schema)(body.example), `${method} ${path}`).toBe(true)
        for (const [status, { content }] of Object.entries(operation.responses)) {
          const { schema, example } = content['application/json']
          expect(compile(schema)(example), `${method} ${path} ${status}`).toBe(true)
        }
        const at = operation.parameters.reduce(
          (text, one) => text.replace(`{${one.name}}`, String(one.example)),
          path,
        )
        const answer = await fresh.call(method.toUpperCase(), at, body?.example)
        expect(answer.status, `${method} ${at} ${answer.text}`).toBe(200)
      }
    } finally {
      await fresh.close()
    }
  })

  it('are those of the definitions that a sandbox was given', async () => {
    const db = openTables(undefined)
    const definition = { field_id: 9, field_name: 'level', label: 'Level', description: '' }
    const definitions = [{ ...definition, type: 'text', required: false }]
    const app = createRoutes({ db, apiKey: 'k', habits: PLAIN_HABITS, clock: systemClock, definitions })
    const { paths } = (await (await app.request('http://any/openapi.json')).json()) as Document
    const { get } = paths['/custom-fields/{field_id}']!
    expect(get?.parameters[0]).toMatchObject({ example: 'level' })
    expect(get?.responses['200']!.content['application/json'].example).toMatchObject(definition)
    db.close()
  })
})

describe('the habits in the description', () => {
  it('are all of them, with the value in force', async () => {
    expect(document.info.description).toMatch(/All have their defaults\.$/)
    const changed = await openProbe({ pageCap: 3, rateLimit: { requests: 5, perMs: 1000 }, idsAsText: true })
    try {
      const { info } = (await (await fetch(`${changed.sandbox.url}/openapi.json`)).json()) as Document
      expect(Object.keys(info['x-habits'])).toHaveLength(Object.keys(PLAIN_HABITS).length)
      expect(info['x-habits']).toMatchObject({
        'page-cap': { value: '3', values: ['0', 'N'] },
        'rate-limit': { value: '5/1000ms' },
        'ids-as-text': { value: 'true' },
        lists: { value: 'array' },
      })
      expect(info.description.match(/^- `[\w-]+=\S+`: /gm)).toEqual([
        '- `ids-as-text=true`: ',
        '- `rate-limit=5/1000ms`: ',
        '- `page-cap=3`: ',
      ])
      const typed = Object.entries(info['x-habits']).map(([name, { value }]) => `${name}=${value}`)
      expect(habitsOf(typed)).toMatchObject({ pageCap: 3, rateLimit: { requests: 5, perMs: 1000 } })
    } finally {
      await changed.close()
    }
  })
})

describe('requests made from the description', () => {
  it('are taken, and answered as it says', async () => {
    const compile = validator()
    const place = ({ method, path }: { method: string; path: string }) =>
      ORDER.findIndex((start) => `${method} ${path}`.startsWith(start))
    for (const { method, path, operation } of operations().toSorted((a, b) => place(a) - place(b))) {
      const isAnswer = compile(operation.responses['200']!.content['application/json'].schema)
      const body = operation.requestBody?.content['application/json'].schema
      const isBody = body === undefined ? undefined : compile(body)
      // What a delete has removed is not there to be removed again.
      const numRuns = method === 'delete' && body === undefined ? 1 : 25
      const queries = fc.record(
        Object.fromEntries(
          operation.parameters
            .filter((one) => one.in === 'query')
            .map(({ name, schema }) => [name, made(schema)]),
        ),
      )
      await fc.assert(
        fc.asyncProperty(
          body === undefined ? fc.constant(undefined) : made(body),
          queries,
          async (sent, query) => {
            if (isBody !== undefined) expect(isBody(sent), JSON.stringify(isBody.errors)).toBe(true)
            const search = Object.entries(query).map(([name, value]) => `${name}=${String(value)}`)
            // An update may not take from a contact what makes it one; that no schema can say.
            const whole = method === 'put' && !Array.isArray(sent) && path.startsWith('/contact')
            const answer = await probe.call(
              method.toUpperCase(),
              `${path.replace(/\{\w+\}/, '1')}${search.length === 0 ? '' : `?${search.join('&')}`}`,
              whole ? { ...(sent as object), mail: 'ada@example.com' } : sent,
            )
            expect(answer.status, `${method} ${path} ${JSON.stringify(sent)} ${answer.text}`).toBe(200)
            expect(isAnswer(answer.body), `${answer.text} ${JSON.stringify(isAnswer.errors)}`).toBe(true)
          },
        ),
        { numRuns },
      )
    }
  })

  it('that are not as it says are refused, and nothing fails', async () => {
    const compile = validator()
    for (const { method, path, operation } of operations()) {
      const body = operation.requestBody?.content['application/json'].schema
      if (body === undefined) continue
      const fits = compile(body)
      const keys = fc.constantFrom('contact', 'contacts', 'name', 'mail', 'terms', '__proto__', 'constructor')
      const nearly = fc.dictionary(keys, fc.jsonValue({ maxDepth: 2 }))
      await fc.assert(
        fc.asyncProperty(fc.oneof(nearly, fc.jsonValue()), async (sent) => {
          fc.pre(!fits(sent))
          const { status, body } = await probe.call(
            method.toUpperCase(),
            path.replace(/\{\w+\}/, '1'),
            JSON.stringify(sent),
          )
          expect([400, 404, 422]).toContain(status)
          expect(body).toMatchObject({ error: true, message: expect.stringMatching(/\w/) as string })
        }),
        { numRuns: 40 },
      )
    }
  })
})
