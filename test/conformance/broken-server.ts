// A server that keeps every rule of the interface but one: it stands in front of a whole one and spoils what goes
// through. Shows that the suite can fail.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  readonly method: string
  /** Behind the version, with its query. */
  readonly path: string
  readonly authorization: string | undefined
  readonly contentType: string | undefined
  readonly body: unknown
}

export interface Told {
  readonly status: number
  readonly json: unknown
}

export type Spoil = (asked: Asked, forward: (asked: Asked) => Promise<Told>) => Promise<Told>

const PREFIX = '/public/api/V1'

/** A text that is no JSON is passed on unchanged: the suite sends such, too. */
function bodyOf(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

async function askedBy(request: IncomingMessage): Promise<Asked> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  const path = (request.url ?? '').replace(PREFIX, '')
  const { authorization, 'content-type': contentType } = request.headers
  return { method: request.method ?? '', path, authorization, contentType, body: bodyOf(text) }
}

function createForward(target: string): (asked: Asked) => Promise<Told> {
  return async ({ method, path, authorization, contentType, body }) => {
    const response = await fetch(`${target}${PREFIX}${path}`, {
      method,
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: response.status, json: await response.json() }
  }
}

export async function startBrokenServer(target: string, spoil: Spoil) {
  const forward = createForward(target)
  const server = createServer((request, response) => {
    const answered = askedBy(request).then(async (asked) => spoil(asked, forward))
    answered.then(
      ({ status, json }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
      },
      (error: unknown) => response.destroy(error as Error),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
