// Makes a kind of source out of a fetch: what all kinds that are asked for their records have in common.
import type { z } from 'zod'
import { jsonKind } from '../json/kind.ts'
import type { SourceKind } from '../kind.ts'
import type { Fetcher, FetchPlace } from './fetcher.ts'
import { createPullSource, lineOptions, type PullOptions } from './source.ts'

interface PullKind<S extends z.ZodObject> extends Pick<
  SourceKind,
  'help' | 'example' | 'secrets' | 'freeForm'
> {
  readonly schema: S
  /** Loads what it needs: nothing of it is loaded by a start that fetches nothing. */
  fetcher(options: z.output<S>, place: FetchPlace): Promise<Fetcher>
}

export function pullKind<S extends z.ZodObject>(kind: PullKind<S>): SourceKind {
  const { help, example, schema, secrets = [], freeForm = [] } = kind
  return {
    ...{ help, example, schema, secrets, freeForm, isPulled: true },
    create(options, deps) {
      // `fetch` is the output of the kind's own schema, and the rest is what the configuration adds.
      const { fetch, ...rest } = options as PullOptions
      const { folder, home = '.' } = rest
      const own = fetch as z.output<S> & { readonly max_records: number }
      const mostRecords = own.max_records
      return createPullSource(
        { ...rest, fetch, mostRecords },
        () => kind.fetcher(own, { folder, home }),
        deps,
      )
    },
    find: (file, options, sought) => jsonKind.find(file, lineOptions(options as PullOptions), sought),
    read: (file, options, asked) => jsonKind.read(file, lineOptions(options as PullOptions), asked),
  }
}
