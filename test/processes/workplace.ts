// A workshop whose program reaches the sandbox through the fault proxy, and the rounds in which it is run there.
import { writeFile } from 'node:fs/promises'
import {
  type Ended,
  KEY,
  openWorkshop,
  type Running,
  type Workshop,
  type WorkshopOptions,
} from '../support/cli.ts'
import { type Fault, type FaultProxy, type Passing, startFaultProxy } from '../support/fault-proxy.ts'
import type { Export } from './inputs.ts'

export type Check = 'email' | 'none'

const DEADLINE_MS = 400

/** Short waits: what is late here is late by 30 ms at most, far less than `quiesce`. */
const configuration = (url: string, check: Check): string => `
service:
  base_url: ${url}
  api_key: \${API_KEY}
  timeout: ${DEADLINE_MS}ms
  rate_limit: { requests: 200, per: 100ms, concurrency: 4 }
  retry: { attempts: 2, max_delay: 50ms }
  bulk: { size: 3 }
  doubt: { quiesce: 300ms, absent_reads: 1 }
state: { path: state/contact-sync.db }
server: { port: 0 }
pipelines:
  shop:
    source: { type: csv, folder: inbox/shop, settle: 0s }
    mode: full
    on_missing: delete
    guards: { max_deletes: 100%, max_deletes_per: off }
    key: no
    duplicate_check_method: ${check}
    map: { mail: mail, first_name: first, family_name: last, phone: phone }
    terms:
      policy: managed
      assign: [{ column: tags, split: ";" }]
      descriptions: { Kunde: Hat gekauft }
`

export interface Workplace {
  readonly shop: Workshop
  readonly proxy: FaultProxy
  /** The process that is under way; the proxy kills this one. */
  current: Running | undefined
  /** From now on; everything passes at first. */
  script: (passing: Passing) => Fault
  drop(given: Export): Promise<void>
  /** One process from start to end, however it ends. */
  run(onStart?: (running: Running) => void): Promise<Ended>
  close(): Promise<void>
}

export const SANDBOX_DB = 'sandbox.db'

/** A contact that others made, and gave two terms of which the exports name one. */
async function settleIn(shop: Workshop): Promise<void> {
  const api = async (method: string, path: string, body: unknown): Promise<{ id: number }> => {
    const response = await fetch(`${shop.sandbox.url}/public/api/V1${path}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as { id: number }
  }
  const theirs = await api('POST', '/terms', { name: 'Von Hand' })
  const shared = await api('POST', '/terms', { name: 'Gruppe 2' })
  const contact = { mail: 'person2@example.com', first_name: 'Von', family_name: 'Hand' }
  const { id } = await api('POST', '/contact', { contact })
  await api('PUT', `/contact/${id}/terms`, [theirs.id, shared.id])
}

/** SIGKILL; resolves when the process is gone. */
async function killed(running: Running | undefined): Promise<void> {
  running?.process.kill('SIGKILL')
  await running?.ended
}

export async function openWorkplace(check: Check, options: WorkshopOptions = {}): Promise<Workplace> {
  const shop = await openWorkshop({}, { ...options, sandboxDb: SANDBOX_DB })
  const proxy = await startFaultProxy({
    target: shop.sandbox.url,
    deadlineMs: DEADLINE_MS,
    script: (passing) => workplace.script(passing),
    kill: async () => killed(workplace.current),
  })
  const workplace: Workplace = {
    shop,
    proxy,
    current: undefined,
    script: () => ({ kind: 'pass' }),
    drop: async ({ name, text }) => writeFile(shop.path('inbox', 'shop', name), text),
    async run(onStart) {
      const running = shop.start('run', '--json')
      workplace.current = running
      onStart?.(running)
      return running.ended
    },
    async close() {
      await killed(workplace.current)
      await proxy.close()
      await shop.close()
    },
  }
  await shop.configure(configuration(proxy.url, check))
  await settleIn(shop)
  return workplace
}

interface Summary {
  readonly status: string
  readonly pipelines: readonly Record<string, number>[]
}

const summaryOf = ({ stdout }: Ended): Summary => JSON.parse(stdout) as Summary

/** Whether a run ended by itself and left nothing for the next one; rejects are all that it may end with 3 for. */
function isClean(ended: Ended): boolean {
  if (ended.code === 0) return true
  if (ended.code !== 3) return false
  const [pipeline] = summaryOf(ended).pipelines
  return pipeline?.['rejected'] !== 0 && pipeline?.['failed'] === 0 && pipeline['in_doubt'] === 0
}

/** The program's own words for what only a person can settle. */
const LEFT_TO_PERSONS = 'it is not sent again automatically'

/** An operator looks up what the line has swallowed too often: it is not there, so it may go once more. */
async function decideDoubts({ shop }: Workplace): Promise<void> {
  const listed = await shop.start('doubts', 'list', '--json').ended
  const { doubts } = JSON.parse(listed.stdout) as { doubts: { id: number; reason: string }[] }
  for (const { id, reason } of doubts)
    if (reason.includes(LEFT_TO_PERSONS))
      await shop.start('doubts', 'resolve', String(id), '--as', 'not-done').ended
}

const leavesDoubts = (ended: Ended): boolean =>
  ended.code === 3 && summaryOf(ended).pipelines[0]?.['in_doubt'] !== 0

export interface Rounds {
  readonly rounds: number
  /** Of these, how many processes were killed. */
  readonly kills: number
}

/** Runs again and again, with the decisions that runs ask for in between, until one leaves nothing. `onStart` is told of every process. */
export async function runUntilClean(
  workplace: Workplace,
  options: { most: number; onStart?: (running: Running) => void },
): Promise<Rounds> {
  let ended: Ended | undefined
  let kills = 0
  for (let rounds = 1; rounds <= options.most; rounds += 1) {
    ended = await workplace.run(options.onStart)
    if (ended.signal === 'SIGKILL') kills += 1
    if (isClean(ended)) return { rounds, kills }
    if (leavesDoubts(ended)) await decideDoubts(workplace)
  }
  const { code, signal, stdout, stderr } = ended ?? {}
  throw new Error(
    `not done after ${options.most} runs; the last: exit ${code ?? signal}\n${stdout}\n${stderr}`,
  )
}
