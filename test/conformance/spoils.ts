// What servers that break a rule are made of: which requests they spoil, and how.
import type { Asked, Spoil, Told } from './broken-server.ts'
import { type Fields, isObject } from './world.ts'

export interface Mutant {
  readonly does: string
  /** The id of the case that names the rule. */
  readonly caughtBy: string
  readonly spoil: Spoil
  /** The service behind lets this key set mail_status. */
  readonly mayPermit?: true
  /** Entries of the lists that the case reads to their end. */
  readonly many?: number
}

type Matches = (asked: Asked) => boolean

export const to =
  (method: string, path: RegExp): Matches =>
  (asked) =>
    asked.method === method && path.test(asked.path)

/** Passes on something else than was asked. */
export const asking =
  (matches: Matches, change: (asked: Asked) => Partial<Asked>): Spoil =>
  async (asked, forward) =>
    forward(matches(asked) ? { ...asked, ...change(asked) } : asked)

/** Passes on what was asked, and changes the answer. */
export const telling =
  (matches: Matches, change: (json: unknown, asked: Asked) => unknown): Spoil =>
  async (asked, forward) => {
    const told = await forward(asked)
    return matches(asked) && told.status === 200 ? { ...told, json: change(told.json, asked) } : told
  }

export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {})
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : [])
export const methods = (changes: Fields) => (asked: Asked) => ({
  body: { ...fieldsOf(asked.body), ...changes },
})
export const contact = (change: (given: Fields) => Fields) => (asked: Asked) => {
  const body = fieldsOf(asked.body)
  return { body: { ...body, contact: change(fieldsOf(body['contact'])) } }
}
export const without =
  (...names: string[]) =>
  (json: unknown): Fields =>
    Object.fromEntries(Object.entries(fieldsOf(json)).filter(([name]) => !names.includes(name)))

export const CREATE = to('POST', /^\/contact$/)
export const BULK = to('POST', /^\/contacts$/)
export const BY_ID = to('GET', /^\/contact\/\d+(\?|$)/)
export const BY_MAIL = to('GET', /^\/contact\/[^/]*%40/)
export const UPDATE = to('PUT', /^\/contact\/\d+$/)
export const SET_TERMS = to('POST', /^\/contact\/\d+\/terms$/)
export const ADD_TERMS = to('PUT', /^\/contact\/\d+\/terms$/)
export const DELETE_TERMS = to('DELETE', /^\/contact\/\d+\/terms$/)
export const LIST_TERMS = to('GET', /^\/terms(\?|$)/)
export const CREATE_TERM = to('POST', /^\/terms$/)
export const SUCCESS: Told = { status: 200, json: { success: 'true' } }

/** A create of one or many under this merge method. */
export const isUnder =
  (matches: Matches, merge: string): Matches =>
  (asked) =>
    matches(asked) && fieldsOf(asked.body)['duplicate_merge_method'] === merge

export const TERMS_OF = to('GET', /^\/contact\/\d+\/terms/)
export const DEFINITIONS = to('GET', /^\/custom-fields(\?|$)/)

export const either =
  (...matches: readonly Matches[]): Matches =>
  (asked) =>
    matches.some((match) => match(asked))
