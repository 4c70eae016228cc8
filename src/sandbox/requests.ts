// Reads what callers send: path, query and JSON bodies; and refuses what the interface does not know.
import type { HonoRequest } from 'hono'
import type { z } from 'zod'
import type { Fields } from './contact-rules.ts'
import { Failure, type FailureKind, type FailureStatus } from './failure.ts'

interface Refusal {
  readonly status: FailureStatus
  readonly kind?: FailureKind
  /** What the value is, for the message. */
  readonly subject?: string
  /** What it is made of. */
  readonly part?: string
}

function problemOf(
  issue: z.core.$ZodIssue | undefined,
  { subject = 'the body', part = 'field' }: Refusal,
): string {
  if (issue?.code === 'unrecognized_keys') return `there is no ${part} ${issue.keys.join(', ')}`
  const [first, ...others] = (issue?.path ?? []).map((key) =>
    typeof key === 'number' ? `entry ${key + 1}` : String(key),
  )
  // The fields of the contact are what a create is about: their names need no other before them.
  const where = first === 'contact' && others.length > 0 ? others : [first ?? subject, ...others]
  return [...where, issue?.message].join(' ')
}

/** The value as the schema makes it; throws a refusal with its first problem otherwise. */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  refusal: Refusal,
): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Failure(refusal.status, problemOf(parsed.error.issues[0], refusal), refusal.kind)
}

/** Half a surrogate pair can only come as an escape, and goes out as one again. */
const HALF_A_PAIR = /(?<!\\)(?:\\\\)*\\ud[89a-f]/i

function parsed(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown
    if (!HALF_A_PAIR.test(text) || !HALF_A_PAIR.test(JSON.stringify(value))) return value
  } catch {
    // Said below: also what is nested too deep to be written again is no body for us.
  }
  throw new Failure(400, 'the body is no JSON')
}

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

/** Strictly JSON in UTF-8: without a byte order mark, broken bytes or half surrogates. */
export async function jsonBody(request: HonoRequest): Promise<unknown> {
  if (!JSON_TYPE.test(request.header('content-type') ?? ''))
    throw new Failure(415, 'the body must be application/json in UTF-8')
  const bytes = await request.arrayBuffer()
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Failure(400, 'the body is no UTF-8')
  }
  return parsed(text)
}

/** The query by name; throws 400 where the address has percent signs that stand for nothing. */
export function queryOf(request: HonoRequest): Fields {
  const { pathname, search, searchParams } = new URL(request.url)
  try {
    decodeURIComponent(pathname)
    decodeURIComponent(search)
  } catch {
    throw new Failure(400, 'the address has a broken percent sign')
  }
  const names = [...searchParams.keys()]
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw new Failure(400, `${repeated} is given twice`)
  return Object.fromEntries(searchParams)
}
