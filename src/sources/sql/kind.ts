// The kind `sql`: records from a database, by a query.
import { pullKind } from '../pull/kind.ts'
import { sqlOptions } from './options.ts'

export const sqlKind = pullKind({
  help: 'A query on PostgreSQL, MySQL, MariaDB or SQLite. It can only read.',
  example: [
    'type: sql',
    'url: postgres://reader@db.example/crm',
    'password: "${DATABASE_PASSWORD}"',
    'query: select * from people where :cursor is null or updated_at >= :cursor',
    'cursor: updated_at',
    'overlap: 10m',
  ].join('\n'),
  schema: sqlOptions,
  secrets: [['password']],
  fetcher: async (options) => (await import('./fetcher.ts')).sqlFetcher(options),
})
