// A service with a loose tongue: the sandbox behind a server that puts canaries into every part of every answer, echoes the
// key in several disguises, and fails in whatever way is asked for.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type Mood =
  | 'plain'
  | 'refuses'
  | 'refuses-in-200'
  | 'page'
  | 'redirects'
  | 'garbage'
  | 'denies'
  | 'throttles-once'
  | 'resets'

export interface CanaryService {
  readonly url: string
  /** Of the next answers. */
  mood: Mood
  close(): Promise<void>
}

/** What it says, by where. */
export const SERVICE_CANARIES = {
  header: 'qzHeaderw1',
  cookie: 'qzCookiew2',
  location: 'qzlocationw3.example.com',
  path: 'qzPathw4',
  page: 'qzPagew5',
  message: 'qzMessagew6',
  member: 'qzMemberw7',
  field: 'qzFieldw8',
  reason: 'qzReasonw9',
} as const

const C = SERVICE_CANARIES

function echoes(key: string): string {
  const forms = ['', 'x', 'xy'].map((before) => Buffer.from(before + key).toString('base64'))
  return [key, encodeURIComponent(key), Buffer.from(key).toString('hex'), ...forms].join(' ; ')
}

interface Answer {
  readonly status: number
  readonly body: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

function moodAnswer(mood: Mood, { key, path }: { key: string; path: string }): Answer | undefined {
  const words = `${C.message} ${path} ${'x'.repeat(40)} ${echoes(key)}`
  const body = JSON.stringify({
    message: words,
    error: { message: words },
    errors: [{ field: C.member, message: `${C.member} ${key}` }],
  })
  switch (mood) {
    case 'refuses':
      return { status: 422, body }
    case 'refuses-in-200':
      return { status: 200, body }
    case 'denies':
      return {
        status: 401,
        body,
        headers: { 'www-authenticate': `Bearer realm="${C.header}", token="${echoes(key)}"` },
      }
    case 'page':
      return {
        status: 502,
        type: 'text/html',
        body: `<html><title>${C.page}</title>${echoes(key)} ${path}</html>`,
      }
    case 'redirects':
      return {
        status: 302,
        body: '',
        headers: { location: `https://${C.location}/${C.path}?for=${path}&k=${encodeURIComponent(key)}` },
      }
    case 'garbage':
      return { status: 200, body: `{"id": ${C.message} ${key}` }
    case 'throttles-once':
      return { status: 429, body, headers: { 'retry-after': '1' } }
    default:
      return undefined
  }
}

/** `key`: what the program must send; `sandbox`: where it is passed on with the sandbox's own. */
export async function startCanaryService(
  key: string,
  sandbox: { url: string; key: string },
): Promise<CanaryService> {
  const state: { mood: Mood } = { mood: 'plain' }
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url ?? '/'
      const body = await text(request)
      const isRead = request.method === 'GET'
      // What a run needs to read before it writes is answered in every mood but the gravest.
      const grave = ['page', 'redirects', 'garbage', 'denies'].includes(state.mood)
      if (state.mood === 'resets' && !isRead) return request.socket.resetAndDestroy()
      const answer = grave || !isRead ? moodAnswer(state.mood, { key, path }) : undefined
      if (state.mood === 'throttles-once' && answer !== undefined) state.mood = 'plain'
      const headers = { server: C.header, 'set-cookie': `id=${C.cookie}`, 'x-request-id': echoes(key) }
      if (answer !== undefined) {
        response.writeHead(answer.status, C.reason, {
          ...headers,
          'content-type': answer.type ?? 'application/json',
          ...answer.headers,
        })
        return response.end(answer.body)
      }
      if (request.headers.authorization !== `Bearer ${key}`) {
        response.writeHead(401, headers)
        return response.end('{}')
      }
      const passed = await fetch(sandbox.url + path, {
        method: request.method ?? 'GET',
        headers: { authorization: `Bearer ${sandbox.key}`, 'content-type': 'application/json' },
        ...(body === '' ? {} : { body }),
      })
      const json: unknown = await passed.json()
      const loose =
        typeof json === 'object' && json !== null && !Array.isArray(json) ? { ...json, note: C.field } : json
      response.writeHead(passed.status, { ...headers, 'content-type': 'application/json' })
      return response.end(JSON.stringify(loose))
    })()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    get mood() {
      return state.mood
    },
    set mood(mood) {
      state.mood = mood
    },
    async close() {
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}
