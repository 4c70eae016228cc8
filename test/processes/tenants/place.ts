// The folder of a daemon with many tenants: a file of the configuration, a key and an inbox for each.
import { closeSync, mkdirSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { StatePlace } from '../../../src/core/state-place.ts'

/** Requests of a tenant in a second. */
export const ALLOWED = 10
/** Those of the tenant with the large file, so that it takes what it can get. */
export const ALLOWED_TO_BIG = 1000
/** Rows of a file, but for the large one. */
export const ROWS = 20

/** The three that must not disturb the others. */
export const BIG = 'big'
export const REFUSED = 'refused'
export const BROKEN = 'broken'

export const CONSOLE_TOKEN = 'token-of-the-console'
export const userToken = (tenant: string): string => `token-of-the-user-of-${tenant}`
export const tenantNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, number) => `t${String(number + 1).padStart(4, '0')}`)

export interface Place {
  readonly folder: string
  readonly services: string
  /** Of a PostgreSQL server. */
  readonly server: string | undefined
}

export const configurationOf = ({ folder }: Place): string => join(folder, 'config')
const inboxOf = ({ folder }: Place, tenant: string): string => join(folder, 'inbox', tenant)
/** Where the state of a tenant is. */
export const placeOfState = ({ folder, server }: Place, tenant: string): StatePlace => ({
  path: join(folder, 'state', `contact-sync.${tenant}.db`),
  ...(server === undefined ? {} : { url: server, schema: `contact_sync_${tenant}` }),
})

/** What holds for all. */
export function writeRoot(place: Place, users: readonly string[]): void {
  for (const name of ['config', 'inbox', 'keys', 'state']) mkdirSync(join(place.folder, name))
  const state = place.server === undefined ? '' : `, url: "${place.server}"`
  const listed = users.map((name) => `    - { name: ${name}, token: ${userToken(name)}, role: viewer }\n`)
  writeFileSync(
    join(configurationOf(place), 'contact-sync.yaml'),
    `state: { path: ../state/contact-sync.db${state} }\nallow: [outside_paths]\nserver:\n  port: 0\n  token: ${CONSOLE_TOKEN}\n  users:\n${listed.join('')}`,
  )
}

export function writeTenant(place: Place, tenant: string): void {
  mkdirSync(inboxOf(place, tenant))
  writeFileSync(join(place.folder, 'keys', tenant), `key-of-${tenant}\n`, { mode: 0o600 })
  const requests = tenant === BIG ? ALLOWED_TO_BIG : ALLOWED
  const text = `accounts:
  ${tenant}:
    service: { base_url: "${place.services}/${tenant}", api_key_file: ../keys/${tenant}, rate_limit: { requests: ${requests}, per: 1s } }
    users: [${tenant}]
pipelines:
  ${tenant}:
    account: ${tenant}
    source: { type: csv, folder: ../inbox/${tenant}, settle: 0s }
    watch: true
    key: no
    map: { mail: mail, first_name: first, phone: phone }
`
  const broken = tenant === BROKEN ? 'watch: true\n  [' : ''
  writeFileSync(join(configurationOf(place), `${tenant}.yaml`), `${text}${broken}`)
}

/** Lands whole; its path. Each file has other people. */
export function dropFile(
  place: Place,
  tenant: string,
  { name, rows }: { name: string; rows: number },
): string {
  const path = join(inboxOf(place, tenant), `${name}.csv`)
  const file = openSync(`${path}.part`, 'w')
  writeSync(file, 'no,mail,first,phone\n')
  for (let first = 0; first < rows; first += 10_000) {
    const lines = Array.from({ length: Math.min(10_000, rows - first) }, (_, index) => {
      const row = first + index
      return `${name}-${row},${name}-${row}@${tenant}.example.com,Ann ${row},030 ${row}\n`
    })
    writeSync(file, lines.join(''))
  }
  closeSync(file)
  renameSync(`${path}.part`, path)
  return path
}
