// Where a state is: a file, or a schema at a PostgreSQL server. `path` is the file; for a state at a server, what this machine
// alone keeps of it lies beside that path (socket, mark, tokens), and there is no file of that name.
import { hash } from 'node:crypto'
import { DEFAULT_ACCOUNT } from './settings/account-settings.ts'

/** How the states of a process that lie at one server share its connections. The store alone knows more of it. */
export interface Reach {
  readonly isShared: true
}

export interface StatePlace {
  readonly path: string
  /** Of the server, with the password: never shown. */
  readonly url?: string | undefined
  /** At the server; each account has its own. */
  readonly schema?: string | undefined
  /** Unset: by connections of its own. */
  readonly reach?: Reach | undefined
}

/** A path alone is a file. */
export type StateLocation = string | StatePlace

export interface ServerPlace extends StatePlace {
  readonly url: string
  readonly schema: string
}

export const statePlaceOf = (where: StateLocation): StatePlace =>
  typeof where === 'string' ? { path: where } : where

/** Undefined for a state in a file. */
export function serverPlace(where: StateLocation): ServerPlace | undefined {
  const { path, url, schema, reach } = statePlaceOf(where)
  return url === undefined || schema === undefined ? undefined : { path, url, schema, reach }
}

/** Of the accounts each has its own, named after it: `contact-sync.north.db`. */
export function fileOfAccount(account: string, path: string): string {
  if (account === DEFAULT_ACCOUNT) return path
  const [, name = path, extension = ''] = /^(.*[^/\\])(\.[^./\\]+)$/.exec(path) ?? []
  return `${name}.${account}${extension}`
}

/** PostgreSQL cuts longer names off, and two accounts would have one schema. */
const LONGEST_SCHEMA = 63

export function schemaOfAccount(account: string): string {
  if (account === DEFAULT_ACCOUNT) return 'contact_sync'
  const name = `contact_sync_${account}`
  if (name.length <= LONGEST_SCHEMA) return name
  return `${name.slice(0, LONGEST_SCHEMA - 9)}_${hash('sha256', account, 'hex').slice(0, 8)}`
}

/** How messages name a state: never with the password, or any other part of the address but the host. */
export function stateText(where: StateLocation): string {
  const server = serverPlace(where)
  return server === undefined
    ? statePlaceOf(where).path
    : `${server.schema} at ${new URL(server.url).host || 'a local PostgreSQL server'}`
}
