// The kind `module`: records from a program of the administrator's own, loaded into this one.
import { pullKind } from '../pull/kind.ts'
import { moduleOptions } from './options.ts'

export const moduleKind = pullKind({
  help: 'A JavaScript module of your own that yields records. It runs inside contact-sync, with all its rights.',
  example: ['type: module', 'path: ./my-source.mjs', 'options: { list: customers }'].join('\n'),
  schema: moduleOptions,
  freeForm: [['options']],
  fetcher: async (options) => (await import('./fetcher.ts')).moduleFetcher(options),
})
