// A sandbox on loopback and the requests to it, as the tests of this folder make them.
import { expect } from 'vitest'
import type { Habits } from '../../src/sandbox/habits.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'

export const API = '/public/api/V1'

interface Answer {
  readonly status: number
  readonly type: string
  /** As it came. */
  readonly text: string
  /** Parsed where it is JSON, undefined otherwise. */
  readonly body: unknown
  readonly headers: Headers
}

export interface Probe {
  readonly sandbox: Sandbox
  /** A body that is no text is sent as JSON. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** The id of a new contact. */
  create(contact: object, check?: string, merge?: string): Promise<number>
  /** The value of one field of a contact. */
  field(id: number, name: string): Promise<unknown>
  close(): Promise<void>
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

export async function openProbe(habits: Partial<Habits> = {}, db?: string): Promise<Probe> {
  const file = db === undefined ? {} : { db }
  const sandbox = await startSandbox({ port: 0, apiKey: 'k', habits, clock: systemClock, ...file })
  const call: Probe['call'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${sandbox.url}${API}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        authorization: 'Bearer k',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const type = response.headers.get('content-type') ?? ''
    return { status: response.status, type, text, body: parsed(text), headers: response.headers }
  }
  return {
    sandbox,
    call,
    async create(contact, check = 'none', merge = 'update_add') {
      const methods = { duplicate_check_method: check, duplicate_merge_method: merge }
      const { status, body } = await call('POST', '/contact', { contact, ...methods })
      expect(status).toBe(200)
      return Number((body as { id: unknown }).id)
    },
    async field(id, name) {
      const { body } = await call('GET', `/contact/${id}?fields=${name}`)
      return (body as Record<string, unknown>)[name]
    },
    close: () => sandbox.close(),
  }
}
