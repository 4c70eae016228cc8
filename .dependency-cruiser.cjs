// Who may import whom. In a breath: everybody may import core; nobody may import a neighbour;
// only the composition (app/) imports everybody; each outside package appears in one room.
const ROOMS = [
  'config',
  'sources',
  'service',
  'store',
  'schedule',
  'console',
  'log',
  'sandbox',
  'metrics',
  'alerts',
  'traces',
]

/**
 * The sub-rooms of a room, in layers: each may import those of the layers before it, and what lies in the room itself (types
 * and ports, mostly); rooms of one layer do not know each other.
 */
const LAYERS = {
  core: [
    ['words'],
    ['settings'],
    ['mapping', 'outcome'],
    ['change', 'proposal', 'linkage'],
    ['log'],
    ['alerts', 'explain'],
  ],
  store: [['file'], ['window', 'log'], ['journal'], ['views']],
  sync: [['reads'], ['plan', 'send']],
  app: [['contract', 'run'], ['alerting', 'people', 'init'], ['decisions'], ['daemon']],
  config: [['text'], ['schema']],
  sources: [['text'], ['folder'], ['remote'], ['csv', 'json'], ['pull'], ['module', 'http', 'sql', 'singer']],
}

/** A package and the only place that may import it. */
const HOMES = {
  got: '^src/(service|alerts|sources/http|sources/remote/s3)/',
  aws4fetch: '^src/sources/remote/s3/',
  nodemailer: '^src/alerts/',
  'p-queue': '^src/service/',
  'better-sqlite3': '^src/(store|sandbox|sources/sql)/',
  pg: '^src/(?:sources/sql|store/postgres)/',
  'pg-cursor': '^src/sources/sql/',
  mysql2: '^src/sources/sql/',
  ssh2: '^src/sources/remote/sftp/',
  winston: '^src/log/',
  'node-cron': '^src/schedule/',
  croner: '^src/schedule/',
  chokidar: '^src/sources/',
  commander: '^src/cli/',
  '@modelcontextprotocol': '^src/cli/mcp/',
  yaml: '^src/config/',
  'csv-parse': '^src/sources/',
  'csv-stringify': '^src/sources/',
  hono: '^src/(console|sandbox)/',
  'prom-client': '^src/metrics/',
  luxon: '^src/core/mapping/values/',
  'libphonenumber-js': '^src/core/mapping/values/',
  '@opentelemetry': '^src/traces/',
}

/** What commands ask of a room without the composition between them: a look at the state, a log, a sandbox. */
const DOORS = [
  'config/pipeline-names',
  'log/log',
  'sandbox/habit-text',
  'sandbox/seed',
  'sandbox/server',
  'sources/module/unhandled',
  'sources/rejects',
  'sources/corrections-file',
  'store/file/backup',
  'store/info',
  'store/state-store',
  'system',
  'installation',
].join('|')

const neighbours = ROOMS.map((room) => ({
  name: `${room}-knows-only-core`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: '^src/', pathNot: `^src/(core|${room})/` },
}))

const layers = Object.entries(LAYERS).flatMap(([room, order]) =>
  order.flatMap((layer, height) =>
    layer.map((name) => {
      const below = [...order.slice(0, height).flat(), name].join('|')
      return {
        name: `${room}-${name}-knows-only-below`,
        severity: 'error',
        from: { path: `^src/${room}/${name}/` },
        to: { path: `^src/${room}/[^/]+/`, pathNot: `^src/${room}/(${below})/` },
      }
    }),
  ),
)

const homes = Object.entries(HOMES).map(([name, path]) => ({
  name: `${name}-has-one-home`,
  severity: 'error',
  from: { path: '^src/', pathNot: path },
  to: { path: `(^|/)node_modules/${name}/` },
}))

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'core-knows-nobody',
      severity: 'error',
      from: { path: '^src/core/' },
      to: { path: '^src/', pathNot: '^src/core/' },
    },
    {
      name: 'core-touches-nothing',
      severity: 'error',
      from: { path: '^src/core/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|url)$' },
    },
    {
      name: 'sync-knows-no-technology',
      severity: 'error',
      from: { path: '^src/sync/' },
      to: { pathNot: '^src/(core|sync)/' },
    },
    ...neighbours,
    ...layers,
    {
      name: 'cli-asks-the-app',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^src/', pathNot: `^src/((core|sync|cli|app)/|(${DOORS})\\.ts$)` },
    },
    {
      name: 'only-the-composition-imports-everybody',
      severity: 'error',
      from: { path: '^src/[^/]+\\.ts$', pathNot: '^src/main\\.ts$' },
      to: { path: '^src/', pathNot: '^src/core/' },
    },
    ...homes,
    { name: 'no-unknown-module', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-development-package',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
