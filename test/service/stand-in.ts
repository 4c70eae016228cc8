// A stand-in for the service on loopback, with just enough behaviour for the contract suite. The sandbox
// is the real thing; this one lets the client be tested without it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Fields = Record<string, unknown>

interface Reply {
  readonly status: number
  readonly body: unknown
}

const NOT_FOUND: Reply = { status: 404, body: { error: true, message: 'There is no such contact' } }
const DONE: Reply = { status: 200, body: { success: 'true' } }

/** Starts it; `apiKey` is the only key that it takes. */
export async function startStandIn(apiKey: string): Promise<{ baseUrl: string; close(): void }> {
  const contacts = new Map<number, Fields>()
  const server = createServer((req, res) => {
    let text = ''
    req.setEncoding('utf8')
    req.on('data', (chunk: string) => (text += chunk))
    req.on('end', () => {
      const allowed = req.headers.authorization === `Bearer ${apiKey}`
      const url = new URL(req.url ?? '', 'http://localhost')
      const body = text === '' ? {} : (JSON.parse(text) as Fields)
      const { status, body: json } = allowed
        ? answer(contacts, { method: req.method ?? '', url, body })
        : { status: 401, body: { error: true } }
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function answer(contacts: Map<number, Fields>, asked: { method: string; url: URL; body: Fields }): Reply {
  const [resource, segment] = asked.url.pathname.replace('/public/api/V1/', '').split('/')
  if (resource === 'contacts') return createMany(contacts, asked.body)
  if (segment === undefined) return createOne(contacts, asked.body['contact'] as Fields, asked.body)
  const fields = (asked.url.searchParams.get('fields') ?? 'first_name,family_name,mail').split(',')
  const name = decodeURIComponent(segment)
  return name.includes('@')
    ? findByMail(contacts, name, fields)
    : oneContact(contacts, Number(name), { ...asked, fields })
}

function createMany(contacts: Map<number, Fields>, body: Fields): Reply {
  const members = Object.values(body['contacts'] as Record<string, Fields>).map((contact) => ({
    ...(createOne(contacts, contact, body).body as Fields),
    email: contact['mail'],
  }))
  return { status: 200, body: members.reverse() }
}

function createOne(contacts: Map<number, Fields>, contact: Fields, options: Fields): Reply {
  if (contact['mail'] === undefined)
    return { status: 422, body: { error: true, message: 'mail is required' } }
  const known = [...contacts].find(([, { mail }]) => mail === contact['mail'])
  const [id, fields] =
    options['duplicate_check_method'] === 'email' && known ? known : [contacts.size + 1001, {}]
  contacts.set(id, { ...fields, ...contact })
  return { status: 201, body: { id: String(id) } }
}

function findByMail(contacts: Map<number, Fields>, mail: string, fields: readonly string[]): Reply {
  const found = [...contacts].filter(([, contact]) => contact['mail'] === mail)
  return { status: 200, body: found.map(([id, contact]) => view(id, contact, fields)) }
}

function oneContact(
  contacts: Map<number, Fields>,
  id: number,
  asked: { method: string; body: Fields; fields: readonly string[] },
): Reply {
  const contact = contacts.get(id)
  if (contact?.['mail'] === undefined) return NOT_FOUND
  if (asked.method === 'GET') return { status: 200, body: view(id, contact, asked.fields) }
  // Deleted contacts keep their number, as in the service, where ids are never given twice.
  contacts.set(id, asked.method === 'DELETE' ? {} : { ...contact, ...asked.body })
  return DONE
}

function view(id: number, contact: Fields, fields: readonly string[]): Fields {
  return { id, ...Object.fromEntries(fields.map((name) => [name, contact[name]])) }
}
