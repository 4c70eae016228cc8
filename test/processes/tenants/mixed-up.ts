// Whether anything of one tenant was seen by another: at the services, in the log, the metrics, the console and the sync logs; and
// whether each of the three that are not well is named where an operator looks.
import { readFileSync } from 'node:fs'
import { AUDIT_START } from '../../../src/core/log/audit-chain.ts'
import { openStateForReading } from '../../../src/store/state-store.ts'
import { command, type TenantDaemon } from './daemon.ts'
import {
  ALLOWED,
  ALLOWED_TO_BIG,
  BIG,
  BROKEN,
  placeOfState,
  type Place,
  REFUSED,
  ROWS,
  userToken,
} from './place.ts'
import type { Seen } from './services.ts'

const othersIn = (text: string, tenant: string): string[] => [
  ...new Set((text.match(/\bt\d{4}\b/g) ?? []).filter((name) => name !== tenant)),
]

interface Landed {
  readonly good: readonly string[]
  /** For each of the good ones. */
  readonly files: number
  /** Of the large file. */
  readonly rows: number
}

/** Each has what landed for its tenant, and nothing else. */
async function atServices(place: Place, { good, files, rows }: Landed): Promise<string[]> {
  const seen = (await (await fetch(`${place.services}/seen`)).json()) as Record<string, Seen>
  return [...good, BIG].flatMap((tenant) => {
    const one = seen[tenant]
    const contacts = tenant === BIG ? rows : files * ROWS
    const allowed = tenant === BIG ? ALLOWED_TO_BIG : ALLOWED
    const isRight =
      one?.contacts === contacts && one.twice === 0 && one.foreign === 0 && one.fullest <= allowed
    return isRight
      ? []
      : [`the service of ${tenant} has ${JSON.stringify(one)}, expected ${contacts} contacts`]
  })
}

/** A line with an account names no other one. */
function inLog(log: string): string[] {
  const lines = readFileSync(log, 'utf8').split('\n')
  let checked = 0
  const mixed = lines.filter((line) => {
    const account = /"account":"(t\d{4})"/.exec(line)?.[1]
    if (account === undefined) return false
    checked += 1
    return othersIn(line, account).length > 0
  })
  return [...(checked === 0 ? ['no line of the log names an account'] : []), ...mixed]
}

async function inMetrics({ get }: TenantDaemon): Promise<string[]> {
  const { text } = await get('/metrics')
  const lines = text.split('\n').filter((line) => line.includes('account="'))
  const mixed = lines.filter((line) => {
    const account = /account="([^"]+)"/.exec(line)?.[1] ?? ''
    const pipeline = /pipeline="([^"]+)"/.exec(line)?.[1] ?? account
    return pipeline !== account || othersIn(line, account).length > 0
  })
  const named = text.includes(`contact_sync_configuration_file_broken{file="${BROKEN}.yaml"} 1`)
  return [
    ...(lines.length === 0 ? ['no series of /metrics names an account'] : []),
    ...mixed,
    ...(named ? [] : ['/metrics does not name the broken file']),
  ]
}

/** Users ask for another account than their own. */
async function inConsole({ get }: TenantDaemon, good: readonly string[]): Promise<string[]> {
  const faults: string[] = []
  for (const [index, tenant] of good.slice(0, 5).entries()) {
    const other = good[index + 1] ?? ''
    for (const path of ['/', `/?account=${other}`, `/contacts?account=${other}`, `/log?account=${other}`]) {
      const { text } = await get(path, userToken(tenant))
      const shown = othersIn(text.replaceAll(`account=${other}`, ''), tenant)
      if (shown.length > 0) faults.push(`${path} shows ${shown.join(', ')} to the user of ${tenant}`)
    }
    const own = await get('/', userToken(tenant))
    if (own.status !== 200 || !own.text.includes(tenant)) faults.push(`${tenant} does not see its own page`)
  }
  return faults
}

async function inSyncLogs(place: Place, good: readonly string[], files: number): Promise<string[]> {
  const faults: string[] = []
  for (const tenant of good) {
    const state = openStateForReading(placeOfState(place, tenant))
    const checked = await state?.checkLog({ seq: 0, hash: AUDIT_START }, 1_000_000)
    const { linked = 0 } = (await state?.backlog(tenant)) ?? {}
    if (checked?.done !== true || checked.bad !== undefined)
      faults.push(`the sync log of ${tenant} is not whole`)
    if (linked !== files * ROWS) faults.push(`${tenant} has ${linked} links`)
    await state?.close()
  }
  for (const tenant of good.slice(0, 2)) {
    const { output } = await command(place, 'audit', 'list', '--account', tenant, '--json')
    const entries = output.split('\n').filter((line) => line.includes('example.com') || line.includes(tenant))
    const others = entries.flatMap((line) => othersIn(line.replaceAll(/"file":"[^"]*"/g, ''), tenant))
    if (entries.length === 0 || others.length > 0)
      faults.push(
        `the sync log of ${tenant} has ${entries.length} entries, and of others: ${others.slice(0, 3).join(', ')}`,
      )
  }
  return faults
}

/** Who is not well is named, and nobody else. */
async function named(place: Place, { get }: TenantDaemon): Promise<string[]> {
  const ready = await get('/readyz')
  const { reasons } = JSON.parse(ready.text) as { reasons: string[] }
  const isNamed =
    reasons.some((reason) => reason.startsWith(`account ${REFUSED}: runs paused`)) &&
    reasons.includes(`${BROKEN}.yaml: broken, and not in use`)
  const faults = ready.status === 200 && isNamed && reasons.length === 2 ? [] : [`/readyz: ${ready.text}`]
  for (const name of ['check', 'status']) {
    const { output, code } = await command(place, name)
    if (code === 0 || !output.includes(`${BROKEN}.yaml`)) faults.push(`${name} does not name ${BROKEN}.yaml`)
    if (name === 'status' && !output.includes('SERVICE_KEY_REFUSED'))
      faults.push('status does not say that a key is refused')
  }
  return faults
}

/** Every line is a fault. */
export async function mixedUp(place: Place, daemon: TenantDaemon, landed: Landed): Promise<string[]> {
  const { good, files } = landed
  return [
    ...(await atServices(place, landed)),
    ...inLog(daemon.log),
    ...(await inMetrics(daemon)),
    ...(await inConsole(daemon, good)),
    ...(await inSyncLogs(place, good, files)),
    ...(await named(place, daemon)),
  ]
}
