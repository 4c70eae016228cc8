// What cases do to a service: make contacts and terms with unmistakable names, look at them, and tidy up. Everything made
// carries the run's token, and only what carries it is deleted.
import { randomUUID } from 'node:crypto'
import { must } from './case.ts'
import type { Answer, CallOptions, Client } from './client.ts'

export type Fields = Record<string, unknown>

export interface Methods {
  readonly check?: string
  readonly merge?: string
}

export interface WorldOptions {
  /** How many entries the lists have that are read to their end. Beyond 500 a whole page is seen. */
  readonly many: number
  /** Values that fields of selections allow, by field_name: the interface shows them nowhere. */
  readonly choices: ReadonlyMap<string, readonly string[]>
}

/** More than the smallest page that services are met to have, and affordable. */
export const MANY = 60

export interface World extends WorldOptions {
  readonly token: string
  readonly baseUrl: string
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** A unique mail. */
  newMail(): string
  /** A unique name; letters only. */
  newName(): string
  /** A complete address, with unique names. */
  newAddress(): Fields
  /** POST /contact, whatever comes of it. */
  post(contact: unknown, methods?: Methods): Promise<Answer>
  /** A contact with a mail, made under check `none`; gives its id. */
  make(fields?: Fields): Promise<number>
  /** One contact with the fields named. */
  read(id: number, fields: readonly string[]): Promise<Fields>
  /** A new term's id and name. */
  makeTerm(description?: string): Promise<{ id: number; name: string }>
  /** As many terms as `many` says, the same in every run: they are made once for each service. */
  manyTerms(): Promise<number[]>
  termIds(contactId: number): Promise<number[]>
  /** Deletes the contacts made; gives how many are gone, and how many are left. */
  tidy(): Promise<{ deleted: number; left: number; terms: number }>
}

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Members of a list, be it an array or an object with numbers for keys: only one case is about that. */
export const members = (json: unknown): Fields[] =>
  (Array.isArray(json) ? (json as unknown[]) : isObject(json) ? Object.values(json) : []).filter(isObject)

export const idIn = (json: unknown): number => (isObject(json) ? Number(json['id']) : Number.NaN)

export const isRefused = ({ status, json }: Answer): boolean =>
  status >= 400 || (isObject(json) && Boolean(json['error']))

/** In a few words, for a report. */
export const told = ({ status, text }: Answer): string => `${status} ${text.slice(0, 120)}`.trim()

const letters = (): string => randomUUID().replace(/[^a-f]/g, '') + randomUUID().replace(/[^a-f]/g, '')

/** Ids of contacts in the answer to a create of one or many. */
function idsIn(path: string, { json }: Answer): number[] {
  const ids = path === '/contact' ? [idIn(json)] : path === '/contacts' ? members(json).map(idIn) : []
  return ids.filter((id) => Number.isSafeInteger(id) && id > 0)
}

async function isOurs(client: Client, id: number, token: string): Promise<boolean> {
  const { text } = await client.call('GET', `/contact/${id}?fields=mail,family_name`)
  return text.toLowerCase().includes(token)
}

function createMaker(call: World['call'], token: string) {
  let count = 0
  const newMail = (): string => `conformance-${token}-${(count += 1)}@example.com`
  const newName = (): string => `Conformance${token}${letters()}`
  const post: World['post'] = async (contact, { check, merge } = {}) =>
    call('POST', '/contact', {
      body: {
        contact,
        ...(check === undefined ? {} : { duplicate_check_method: check }),
        ...(merge === undefined ? {} : { duplicate_merge_method: merge }),
      },
    })
  return {
    newMail,
    newName,
    post,
    newAddress: (): Fields => ({
      first_name: `Test${letters()}`,
      family_name: newName(),
      ba_street: `${letters()} 1`,
      ba_city: 'Teststadt',
      ba_postal_code: '01067',
    }),
    async make(fields: Fields = {}): Promise<number> {
      const answer = await post({ mail: newMail(), ...fields }, { check: 'none' })
      const id = idIn(answer.json)
      must(!isRefused(answer) && id > 0, `creating a contact was answered ${told(answer)}`)
      return id
    },
  }
}

function createPool(call: World['call'], many: number): World['manyTerms'] {
  const pool: number[] = []
  return async () => {
    while (pool.length < many) {
      // A name that there is gives the id that there is (interface, 4.1).
      const answer = await call('POST', '/terms', { body: { name: `conformance-page-${pool.length + 1}` } })
      const id = idIn(answer.json)
      must(!isRefused(answer) && id > 0, `creating a term was answered ${told(answer)}`)
      must(!pool.includes(id), `two names of terms were answered with the id ${id}`)
      pool.push(id)
    }
    return [...pool].sort((one, other) => one - other)
  }
}

export function createWorld(client: Client, baseUrl: string, options: Partial<WorldOptions> = {}): World {
  const { many = MANY, choices = new Map<string, string[]>() } = options
  const token = `t${letters().slice(0, 7)}`
  const made = new Set<number>()
  let terms = 0
  const call: World['call'] = async (method, path, options) => {
    const answer = await client.call(method, path, options)
    if (method === 'POST' && !isRefused(answer)) for (const id of idsIn(path, answer)) made.add(id)
    return answer
  }
  return {
    token,
    baseUrl,
    many,
    choices,
    call,
    manyTerms: createPool(call, many),
    ...createMaker(call, token),
    async read(id, fields) {
      const answer = await call('GET', `/contact/${id}?fields=${fields.join(',')}`)
      must(
        answer.status === 200 && isObject(answer.json),
        `reading contact ${id} was answered ${told(answer)}`,
      )
      return answer.json
    },
    async makeTerm(description) {
      const name = `conformance-${token}-${letters()}`
      const answer = await call('POST', '/terms', {
        body: { name, ...(description === undefined ? {} : { description }) },
      })
      const id = idIn(answer.json)
      must(!isRefused(answer) && id > 0, `creating a term was answered ${told(answer)}`)
      terms += 1
      return { id, name }
    },
    async termIds(contactId) {
      const answer = await call('GET', `/contact/${contactId}/terms`)
      must(answer.status === 200, `reading the contact's terms was answered ${told(answer)}`)
      return members(answer.json)
        .map(idIn)
        .sort((one, other) => one - other)
    },
    async tidy() {
      let deleted = 0
      for (const id of made) {
        if (!(await isOurs(client, id, token))) continue
        deleted += isRefused(await client.call('DELETE', `/contact/${id}`)) ? 0 : 1
      }
      let left = 0
      for (const id of made) left += (await isOurs(client, id, token)) ? 1 : 0
      return { deleted, left, terms }
    },
  }
}
