// Reads one thing that has an id and a name: a term, or the definition of a custom field (interface, 4.1 and 4.4).
import type { CallResult } from '../core/ports.ts'
import type { ServiceSettings } from '../core/settings.ts'
import { notAsked } from './course.ts'
import type { Perform } from './request.ts'
import { lookupName, requestUrl } from './url.ts'
import type { BodyReader } from './wire.ts'

interface Named {
  readonly id: number
}

/** `path`: the route template, for logs and audit. */
interface Lookup<T> {
  readonly path: string
  readonly resource: 'terms' | 'custom-fields'
  readonly read: BodyReader<T>
}

export interface Lookups {
  /** `unknown` where the service answers with another one than was asked for. */
  byId<T extends Named>(id: number, lookup: Lookup<T>): Promise<CallResult<T>>
  /** `unknown` without a request where the name could be taken for an id, or for another resource. */
  byName<T extends Named>(name: string, lookup: Lookup<T>): Promise<CallResult<T>>
}

export function createLookups(settings: ServiceSettings, perform: Perform): Lookups {
  const ask = <T>(url: URL, path: string, read: BodyReader<T>): Promise<CallResult<T>> =>
    perform({ method: 'GET', path, target: 'object', url, repeatable: true, read, emptyListIsNone: true })
  return {
    byId: (id, { path, resource, read }) =>
      ask(requestUrl(settings, [resource, id]), path, (json) => {
        const found = read(json)
        return found?.id === id ? found : undefined
      }),
    async byName(name, { path, resource, read }) {
      const segment = lookupName(name)
      if (segment === undefined)
        return notAsked(path, 'A name like this cannot be looked up: its path could name something else')
      return ask(requestUrl(settings, [resource, segment]), path, read)
    },
  }
}
