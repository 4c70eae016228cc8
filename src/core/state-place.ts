// Where a state is: a file, or a schema at a PostgreSQL server. `path` is the file; for a state at a server, what this machine
// alone keeps of it lies beside that path (socket, mark, tokens), and there is no file of that name.

export interface StatePlace {
  readonly path: string
  /** Of the server, with the password: never shown. */
  readonly url?: string | undefined
  /** At the server; each account has its own. */
  readonly schema?: string | undefined
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
  const { path, url, schema } = statePlaceOf(where)
  return url === undefined || schema === undefined ? undefined : { path, url, schema }
}

/** How messages name a state: never with the password, or any other part of the address but the host. */
export function stateText(where: StateLocation): string {
  const server = serverPlace(where)
  return server === undefined
    ? statePlaceOf(where).path
    : `${server.schema} at ${new URL(server.url).host || 'a local PostgreSQL server'}`
}
