// Services that break one rule of the interface each, as careless ones would: a proxy before the sandbox. By them the
// suite is shown to be able to fail.
/* eslint-disable @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-misused-promises -- bodies of every shape are taken apart here, on purpose without regard to it */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'

interface Exchange {
  readonly method: string
  /** Behind the version. */
  path: string
  body: any
  key: string | undefined
  /** What the key should be. */
  readonly right: string
}

interface Mutant {
  readonly breaks: string
  /** Changes the request on its way. */
  readonly request?: (exchange: Exchange) => void
  /** Changes the answer on its way. */
  readonly answer?: (exchange: Exchange, answer: { status: number; body: any }) => void
}

const is = (exchange: Exchange, method: string, pattern: RegExp): boolean =>
  exchange.method === method && pattern.test(exchange.path)
const CREATE = /^\/contacts?$/
const BY_MAIL = /^\/contact\/[^/]*%40/

/** Each breaks one rule of the interface, as a careless service would. */
export const MUTANTS: readonly Mutant[] = [
  { breaks: 'key-wrong', request: (x) => (x.key = x.right) },
  { breaks: 'key-missing', request: (x) => (x.key ??= x.right) },
  {
    breaks: 'contact-default-fields',
    request: (x) => {
      if (is(x, 'GET', /^\/contact\/\d+$/)) x.path += '?fields=first_name,family_name,mail,company'
    },
  },
  {
    breaks: 'contact-fields',
    answer: (x, answer) => {
      if (is(x, 'GET', /fields=/) && !Array.isArray(answer.body)) delete answer.body.id
    },
  },
  {
    breaks: 'contact-by-mail',
    answer: (x, answer) => {
      if (is(x, 'GET', BY_MAIL) && answer.body.length === 1) answer.body = answer.body[0]
    },
  },
  {
    breaks: 'contact-shared-mail',
    answer: (x, answer) => {
      if (is(x, 'GET', BY_MAIL) && Array.isArray(answer.body)) answer.body = answer.body.slice(0, 1)
    },
  },
  {
    breaks: 'check-none',
    request: (x) => {
      if (is(x, 'POST', CREATE)) x.body.duplicate_check_method = 'email'
    },
  },
  {
    breaks: 'check-email',
    request: (x) => {
      if (is(x, 'POST', CREATE)) x.body.duplicate_check_method = 'none'
    },
  },
  {
    breaks: 'check-default',
    request: (x) => {
      if (is(x, 'POST', CREATE)) x.body.duplicate_check_method ??= 'none'
    },
  },
  ...['update', 'add'].map((method) => ({
    breaks: `merge-${method}`,
    request: (x: Exchange) => {
      if (is(x, 'POST', CREATE)) x.body.duplicate_merge_method = 'update_add'
    },
  })),
  {
    breaks: 'merge-default',
    request: (x) => {
      if (is(x, 'POST', CREATE)) x.body.duplicate_merge_method ??= 'add'
    },
  },
  {
    breaks: 'many-created',
    answer: (x, answer) => {
      if (!is(x, 'POST', /^\/contacts$/) || !Array.isArray(answer.body)) return
      const mails = answer.body.map(({ email }: { email: string }) => email).reverse()
      answer.body.forEach((one: { email: string }, index: number) => (one.email = mails[index] ?? ''))
    },
  },
  {
    breaks: 'terms-of-contact',
    request: (x) => {
      // Setting adds.
      if (is(x, 'POST', /\/terms$/) && x.path !== '/terms') Object.assign(x, { method: 'PUT' })
    },
  },
  {
    breaks: 'term-same-name',
    request: (x) => {
      if (is(x, 'POST', /^\/terms$/))
        x.body.name = `${x.body.name} ${x.body.name === x.body.name?.toUpperCase() ? 'again' : ''}`.trim()
    },
  },
  {
    breaks: 'list-largest-limit',
    request: (x) => (x.path = x.path.replace('limit=501', 'limit=500')),
  },
  { breaks: 'list-limit', request: (x) => (x.path = x.path.replace(/offset=\d+/, 'offset=0')) },
  {
    breaks: 'contact-update',
    request: (x) => {
      if (is(x, 'PUT', /^\/contact\/\d+$/)) x.body = { fax: null, ...x.body }
    },
  },
  {
    breaks: 'contact-delete',
    answer: (x, answer) => {
      if (is(x, 'GET', /^\/contact\/\d+$/) && answer.status === 404)
        Object.assign(answer, {
          status: 200,
          body: { id: 1, first_name: null, family_name: null, mail: null },
        })
    },
  },
  {
    breaks: 'field-company-refused',
    request: (x) => {
      if (is(x, 'PUT', /^\/contact\/\d+$/) && typeof x.body.company === 'string')
        x.body.company = x.body.company.slice(0, 255)
    },
  },
  {
    breaks: 'field-ba_postal_code',
    answer: (x, answer) => {
      if (x.path.includes('ba_postal_code') && answer.body?.ba_postal_code) answer.body.ba_postal_code = 'M'
    },
  },
  {
    breaks: 'mail-status-default',
    answer: (x, answer) => {
      if (x.path.includes('mail_status') && answer.body?.mail_status === 3) answer.body.mail_status = 4
    },
  },
  {
    breaks: 'create-neither',
    request: (x) => {
      if (is(x, 'POST', /^\/contact$/)) x.body.contact.ba_city ??= 'Ulm'
    },
  },
  {
    breaks: 'fields-list',
    answer: (x, answer) => {
      if (is(x, 'GET', /^\/custom-fields$/) && Array.isArray(answer.body))
        answer.body.forEach((one: any) => delete one.required)
    },
  },
]

/** A service that is the sandbox but for one rule. */
export async function startMutant({ request, answer }: Mutant, url: string, apiKey: string): Promise<Server> {
  const prefix = '/public/api/V1'
  const right = `Bearer ${apiKey}`
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', async () => {
      const text = Buffer.concat(chunks).toString()
      const asked = incoming.url ?? ''
      const method = incoming.method ?? ''
      const exchange: Exchange = {
        method,
        path: asked.replace(prefix, ''),
        body: parsed(text),
        key: incoming.headers.authorization,
        right,
      }
      request?.(exchange)
      const at = asked.startsWith(prefix) ? prefix + exchange.path : asked
      const reply = await fetch(url + at, {
        method: exchange.method,
        headers: {
          'content-type': 'application/json',
          ...(exchange.key === undefined ? {} : { authorization: exchange.key }),
        },
        ...(text === '' ? {} : { body: exchange.body === undefined ? text : JSON.stringify(exchange.body) }),
      })
      const result = { status: reply.status, body: parsed(await reply.text()) }
      answer?.(exchange, result)
      outgoing
        .writeHead(result.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(result.body))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function parsed(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
