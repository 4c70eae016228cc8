// The kind `singer`: records from any of the public taps, or from a pipe.
import { pullKind } from '../pull/kind.ts'
import { singerOptions } from './options.ts'

export const singerKind = pullKind({
  help: 'A Singer tap: a program that writes records to its standard output. It is started by contact-sync, or pipes its output into `contact-sync target`.',
  example: ['type: singer', 'command: [tap-x, --config, tap.json]', 'stream: people'].join('\n'),
  schema: singerOptions,
  freeForm: [['command']],
  fetcher: async (options, place) => (await import('./fetcher.ts')).singerFetcher(options, place),
})
