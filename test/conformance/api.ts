// A service as the conformance suite sees it: an address and a key, asked by plain requests at a steady rate.
// It knows nothing of contact-sync or of its sandbox, and remembers which contacts it made.
import { randomUUID } from 'node:crypto'

export interface Answer {
  readonly status: number
  /** Parsed JSON; undefined where the body is none. */
  readonly body: unknown
}

export interface Target {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Requests a second at most. */
  readonly rate: number
}

export type Fields = Readonly<Record<string, unknown>>

export interface Api {
  /** A body that is no text is sent as JSON. `key`: another key than the right one; null: none at all. */
  call(method: string, path: string, body?: unknown, key?: string | null): Promise<Answer>
  /** An address that nobody has. */
  newMail(): string
  newName(): string
  /** Makes a contact and gives its id; fails where the service does not. */
  create(contact: Fields, check?: string, merge?: string): Promise<number>
  createTerm(name?: string): Promise<number>
  /** One contact's fields. */
  read(id: number, fields: readonly string[]): Promise<Fields>
  termIdsOf(contactId: number): Promise<number[]>
  /** Deletes the contacts that were made here; how many of how many. */
  cleanUp(): Promise<{ deleted: number; made: number }>
}

/** The service does not do what the interface says. */
export class Violation extends Error {}

export function expected(holds: boolean, what: string, seen?: Answer): asserts holds {
  if (holds) return
  const answer =
    seen === undefined
      ? ''
      : ` (answered ${seen.status} ${JSON.stringify(seen.body ?? 'no JSON').slice(0, 120)})`
  throw new Violation(what + answer)
}

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isRefusal = ({ status, body }: Answer): boolean =>
  (status >= 400 && status < 500) || (isObject(body) && Boolean(body['error']))

/** As an array, whatever a service makes of lists: that is not what most cases are about. */
export function listOf(answer: Answer): readonly Fields[] {
  const { body } = answer
  const list = Array.isArray(body) ? body : isObject(body) ? Object.values(body) : undefined
  expected(list?.every(isObject) === true, 'a list of objects', answer)
  return list
}

export const idOf = (value: Fields, name = 'id'): number => Number(value[name])

function pacer(rate: number): () => Promise<void> {
  let next = 0
  return async () => {
    const now = performance.now()
    next = Math.max(now, next + 1000 / rate)
    if (next > now) await new Promise((resolve) => setTimeout(resolve, next - now))
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  try {
    return { status: response.status, body: JSON.parse(text) as unknown }
  } catch {
    return { status: response.status, body: undefined }
  }
}

export function openApi({ baseUrl, apiKey, rate }: Target): Api {
  const pace = pacer(rate)
  const made = new Set<number>()
  const call: Api['call'] = async (method, path, body, key = apiKey) => {
    await pace()
    const response = await fetch(`${baseUrl}/public/api/V1${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const answer = await answerOf(response)
    for (const one of method === 'POST' && path.startsWith('/contact') ? [answer.body].flat() : [])
      for (const entry of isObject(one) && !('id' in one) ? Object.values(one) : [one])
        if (isObject(entry) && Number.isSafeInteger(idOf(entry))) made.add(idOf(entry))
    return answer
  }
  const created = (answer: Answer): number => {
    expected(isObject(answer.body) && idOf(answer.body) > 0, 'the id of what was made', answer)
    return idOf(answer.body)
  }
  return {
    call,
    newMail: () => `conformance-${randomUUID()}@example.com`,
    newName: () => `conformance ${randomUUID()}`,
    async create(contact, check = 'none', merge = 'update_add') {
      const body = { contact, duplicate_check_method: check, duplicate_merge_method: merge }
      return created(await call('POST', '/contact', body))
    },
    async createTerm(name = `conformance ${randomUUID()}`) {
      return created(await call('POST', '/terms', { name }))
    },
    async read(id, fields) {
      const answer = await call('GET', `/contact/${id}?fields=${fields.join(',')}`)
      expected(isObject(answer.body), 'one contact object', answer)
      return answer.body
    },
    async termIdsOf(contactId) {
      return listOf(await call('GET', `/contact/${contactId}/terms`))
        .map((term) => idOf(term))
        .sort((one, other) => one - other)
    },
    async cleanUp() {
      let deleted = 0
      for (const id of made) if ((await call('DELETE', `/contact/${id}`)).status < 300) deleted += 1
      return { deleted, made: made.size }
    },
  }
}
