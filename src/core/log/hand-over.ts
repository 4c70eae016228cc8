// Entries of the sync log as they are handed over to a system that collects the logs of others: what is chained, without any
// value of a person. A reader checks by the numbers and hashes that nothing is missing. Pure.
import { MINUTE_MS } from '../words/duration.ts'
import type { LoggedEntry } from './audit-chain.ts'

export type HandOverFormat = 'jsonl' | 'syslog'

/** How far the log has been handed over, and to where. */
export interface HandedOver {
  readonly to: string
  /** The last entry that was written there. */
  readonly seq: number
}

export interface HandOverStore {
  handedOver(): Promise<HandedOver | undefined>
  noteHandedOver(done: HandedOver): Promise<void>
}

/** The last entry that this place has; a new one gets the whole log. */
export async function handedOverTo(state: HandOverStore, { to }: Pick<HandedOver, 'to'>): Promise<number> {
  const done = await state.handedOver()
  return done?.to === to ? done.seq : 0
}

/** Values of persons are withheld: what stays is the public part of an entry, and what proves it. */
function handedOverEntry({ proof, ...entry }: LoggedEntry, instance: string) {
  return {
    seq: entry.seq,
    at: entry.at,
    instance,
    run_id: entry.run_id,
    pipeline: entry.pipeline,
    action: entry.action,
    outcome: entry.outcome,
    request: entry.request,
    config_hash: entry.config_hash,
    by: entry.by,
    role: entry.role,
    operation: entry.operation,
    next: entry.next,
    planned_by: entry.planned_by,
    person: entry.person,
    values: 'withheld',
    field_names: entry.field_names,
    tokens: entry.tokens,
    up_to: entry.up_to,
    tombstones: entry.tombstones,
    prev: entry.prev,
    hash: entry.hash,
    entry: proof.entry,
  }
}

const FACILITY_LOG_AUDIT = 13
const SEVERITY: Readonly<Record<LoggedEntry['outcome'], number>> = {
  done: 6,
  unchanged: 6,
  held: 5,
  rejected: 4,
  failed: 4,
  in_doubt: 4,
}
/** The largest sequenceId of RFC 5424 (7.3.1); it starts over behind it. */
const LAST_SEQUENCE_ID = 2_147_483_647

/** RFC 5424; `meta` is the one structured element that is registered and fits. */
function syslogText({ seq, at, action, outcome }: LoggedEntry, host: string, message: string): string {
  const priority = FACILITY_LOG_AUDIT * 8 + SEVERITY[outcome]
  const id = ((seq - 1) % LAST_SEQUENCE_ID) + 1
  return `<${priority}>1 ${at} ${host} contact-sync - ${action} [meta sequenceId="${id}"] ${message}`
}

/** What the receiver gets to know besides the entry. */
interface Sender {
  readonly format: HandOverFormat
  readonly instance: string
  /** Of this machine. */
  readonly host: string
}

/** The same text for the same entry, each time. No line break. */
export function handOverText(logged: LoggedEntry, { format, instance, host }: Sender): string {
  const text = JSON.stringify(handedOverEntry(logged, instance))
  return format === 'jsonl' ? text : syslogText(logged, host.replaceAll(/[^!-~]/g, '') || '-', text)
}

/** As a stream has it: octet counting for syslog (RFC 6587, RFC 5425), a line for everything else. */
export const framed = (text: string, format: HandOverFormat): string =>
  format === 'jsonl' ? `${text}\n` : `${new TextEncoder().encode(text).length} ${text}`

/** Which entry a line is about, in either format; undefined where it is none. */
export function entryOfLine(line: string): { seq: number; hash: string; instance: string } | undefined {
  try {
    const { seq, hash, instance } = JSON.parse(line.slice(line.indexOf('{'))) as Record<string, unknown>
    if (typeof seq !== 'number' || typeof hash !== 'string' || typeof instance !== 'string') return undefined
    return { seq, hash, instance }
  } catch {
    return undefined
  }
}

const LONGEST_WAIT_MS = 30 * MINUTE_MS

/** After so many failures in a row. */
export const handOverWait = (failures: number): number =>
  failures === 0 ? 0 : Math.min(MINUTE_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)
