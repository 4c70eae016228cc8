// What a seed decides about a fleet before anything happens: its workers, its pipelines, the service, and how often what goes
// wrong. Guards hold nothing and no row is bad: what single runs do with such things is the other simulation's subject.
import type { PipelineSettings, Settings } from '../../../src/core/settings.ts'
import type { Chance } from '../chance.ts'
import type { Fault } from '../faults.ts'
import { API_KEY } from '../people.ts'
import { FIELD_COLUMNS, MARKER_FIELD, STAMP_FIELD } from '../setup.ts'
import type { ServiceHabits } from '../simulated-service.ts'

export interface FleetSetup {
  readonly settings: Settings
  readonly workers: number
  readonly habits: ServiceHabits
  /** Pipelines A and B have to do with the same people. */
  readonly isShared: boolean
  /** How long things go wrong, in milliseconds. */
  readonly disturbedMs: number
  readonly disturbances: number
  readonly rates: {
    /** Of a commit that is lost, or whose answer is. */
    readonly commit: number
    /** Of any other way to the database that breaks off. */
    readonly statement: number
    readonly slow: number
    readonly late: number
  }
  readonly serviceFaults: readonly { readonly kind: Fault; readonly rate: number }[]
}

export const TIMEOUT_MS = 10_000
export const LATEST_MS = 12_000
/** Longer than a late request takes to be carried out, and than a look-up lags behind. */
const QUIESCE_MS = 25_000

/** A run of each pipeline begins so often, where it is not under way. */
export const EVERY_MS = 15_000

const FAULTS: readonly Fault[] = [
  'no_connection',
  'lost_request',
  'lost_answer',
  'reset',
  'late',
  'throttled',
  'failed_before',
  'failed_after',
  'away',
]

function drawHabits(chance: Chance): ServiceHabits {
  return {
    lagMs: chance.pick([0, 0, 500, 5_000]),
    idSteps: chance.pick([1, 7]),
    idsAsText: false,
    mailEcho: 'as given',
    unknownContact: chance.pick(['404', 'empty list']),
    listsAsObjects: false,
    refusedMember: 'whole call',
    refusal: 400,
    bulkOrder: 'as sent',
    largestBulk: 50,
    container: 'array',
    pageCap: 500,
    mailLookup: 'exact',
  }
}

function drawPipeline(name: string, chance: Chance, isShared: boolean): PipelineSettings {
  const isFull = !isShared && chance.happens(0.4)
  // What two pipelines write to one contact must not depend on who comes last.
  const columns =
    isShared && name === 'B'
      ? { mail: FIELD_COLUMNS.mail, family_name: FIELD_COLUMNS.family_name }
      : FIELD_COLUMNS
  const fields = Object.entries(columns).map(([field, column]) => [field, { column }] as const)
  return {
    name,
    schedule: '*/15 * * * * *',
    timezone: undefined,
    watch: false,
    max_duration: undefined,
    source: { type: 'csv', null_values: [] },
    mode: isFull ? 'full' : 'incremental',
    on_missing: isFull ? chance.pick(['remove_terms', 'delete'] as const) : 'keep',
    guards: {
      max_deletes: { share: 1 },
      max_deletes_per: 'off',
      max_changes: { share: 1 },
      max_rejects: { share: 1 },
      max_new_terms: 100_000,
      deletes_missing_in: 1,
      deletes_apart: 0,
      hold_first_deletes: false,
      hold_other_person: true,
      max_equal_refusals: 20,
    },
    key: ['no'],
    map: { ...Object.fromEntries(fields), [STAMP_FIELD[name] ?? '']: { column: 'stamp' } },
    custom_fields: {},
    on_duplicate_key: 'reject',
    on_invalid: 'reject',
    blank: 'keep',
    where: undefined,
    duplicate_check_method: isShared ? 'email' : chance.pick(['email', 'none', 'none'] as const),
    duplicate_merge_method: 'update_add',
    update_method: 'update_add',
    terms: {
      policy: 'managed',
      create_missing: true,
      assign: isShared && name === 'B' ? [{ name: 'Of B' }] : [{ column: 'tags', split: '|' }],
      descriptions: {},
      verify: chance.happens(0.5),
    },
    hand_edits: 'overwrite',
    recheck: 86_400_000,
    writes: 'all',
    update_via: chance.happens(0.3) ? 'bulk' : 'id',
    allow_consent_raise: false,
    hash: `mapping of ${name}`,
  }
}

function settingsOf(chance: Chance, pipelines: readonly PipelineSettings[], statePath: string): Settings {
  return {
    service: {
      base_url: 'https://system.sim.example',
      api_key: API_KEY,
      api_key_file: undefined,
      api_version: 'V1',
      timeout: TIMEOUT_MS,
      rate_limit: {
        requests: chance.pick([2, 5, 30]),
        per: chance.pick([1000, 1000, 5000]),
        concurrency: chance.pick([1, 2, 4]),
        per_day: undefined,
      },
      retry: { attempts: chance.pick([2, 4]), max_delay: 10_000 },
      bulk: { size: chance.pick([2, 4, 50]), container: 'array' },
      doubt: { quiesce: QUIESCE_MS, absent_reads: chance.pick([1, 2]) },
      marker_field: chance.happens(0.25) ? MARKER_FIELD : undefined,
      custom_field_key: '{field_name}',
    },
    state: { path: statePath, url: 'postgres://simulated/', schema: 'contact_sync' },
    workers: { labels: [] },
    file: '/nowhere/contact-sync.yaml',
    account: 'default',
    log: { level: 'info', console_level: undefined, format: 'json', folder: undefined, keep: 1 },
    keep: {
      processed: undefined,
      failed: undefined,
      rejects: undefined,
      runs: 86_400_000,
      sync_log: undefined,
      reads: 365 * 86_400_000,
    },
    server: { host: '127.0.0.1', port: 0, hosts: [], users: [], token: undefined, metrics_token: undefined },
    audit: {},
    approvals: [],
    allow: [],
    consents: {},
    max_parallel: 4,
    alerts: [],
    pipelines,
    secrets: [],
    unshown: [],
  }
}

export function drawFleet(chance: Chance, statePath: string): FleetSetup {
  const isShared = chance.happens(0.3)
  const names = ['A', 'B', 'C', 'D'].slice(0, chance.between(2, 4))
  const pipelines = names.map((name) => drawPipeline(name, chance.stream(`pipeline ${name}`), isShared))
  const faults = chance.stream('service faults')
  return {
    settings: settingsOf(chance.stream('service'), pipelines, statePath),
    workers: chance.between(2, 4),
    habits: drawHabits(chance.stream('habits')),
    isShared,
    disturbedMs: chance.pick([60_000, 60_000, 100_000]),
    disturbances: chance.between(1, 8),
    rates: {
      commit: chance.pick([0, 0.002, 0.01]),
      statement: chance.pick([0, 0, 0.001]),
      slow: chance.pick([0, 0, 0.003]),
      late: chance.pick([0, 0, 0.02]),
    },
    serviceFaults: faults.happens(0.5)
      ? []
      : FAULTS.filter(() => faults.happens(0.4)).map((kind) => ({ kind, rate: faults.pick([0.01, 0.05]) })),
  }
}
