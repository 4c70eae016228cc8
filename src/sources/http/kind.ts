// The kind `http`: records from an interface that answers with JSON.
import { pullKind } from '../pull/kind.ts'
import { httpOptions } from './options.ts'

export const httpKind = pullKind({
  help: 'The interface of another system, asked over HTTPS, page by page. Columns are paths such as emails[0].value.',
  example: [
    'type: http',
    'url: https://crm.example/api/people',
    'auth: { bearer: "${CRM_TOKEN}" }',
    'records: data.items',
    'next: { cursor: meta.next, param: cursor }',
    'since: { param: updated_after, field: updated_at }',
    'overlap: 10m',
    'rate_limit: { requests: 10, per: 1s }',
  ].join('\n'),
  schema: httpOptions,
  secrets: [
    ['auth', 'bearer'],
    ['auth', 'basic', 'password'],
    ['auth', 'header', 'value'],
    ['auth', 'oauth2', 'client_secret'],
    ['auth', 'oauth2', 'refresh_token'],
  ],
  freeForm: [['headers']],
  fetcher: async (options) => (await import('./fetcher.ts')).httpFetcher(options),
})
