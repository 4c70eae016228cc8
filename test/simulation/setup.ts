// What a seed decides before anything happens: how the service behaves, and how the pipelines are configured.
import type { GuardSettings, PipelineSettings, ServiceSettings } from '../../src/core/settings.ts'
import type { Chance } from './chance.ts'
import { API_KEY } from './people.ts'
import type { ServiceHabits } from './simulated-service.ts'

export interface Setup {
  /** The wall clock of the program's machine may jump. */
  readonly isClockWild: boolean
  /** The source is told who was found blocked or unsubscribed. */
  readonly hasOutbox: boolean
  readonly habits: ServiceHabits
  readonly service: ServiceSettings
  readonly pipelines: readonly PipelineSettings[]
  /** Both pipelines have to do with the same people. */
  readonly isShared: boolean
  /** Whether the key may set mail_status: always, when all is quiet, or on some days. */
  readonly permission: 'always' | 'in the end' | 'by days'
}

/** The fields that a pipeline maps, by column. */
export const FIELD_COLUMNS = {
  mail: 'mail',
  first_name: 'first',
  family_name: 'last',
  ba_street: 'street',
  ba_city: 'city',
  ba_postal_code: 'zip',
  phone: 'phone',
} as const

/** Where each pipeline puts its stamp. */
export const STAMP_FIELD: Readonly<Record<string, string>> = { A: 'skype', B: 'fax', C: 'skype', D: 'fax' }

export const MARKER_FIELD = 'sync_marker'

/** Longer than a late request takes to be carried out, and than a look-up lags behind: what the settings promise. */
const QUIESCE_MS = 120_000
export const LATEST_MS = 80_000
export const TIMEOUT_MS = 30_000

function drawHabits(chance: Chance): ServiceHabits {
  return {
    lagMs: chance.pick([0, 0, 500, 5_000, 60_000]),
    idSteps: chance.pick([1, 1, 7]),
    idsAsText: chance.happens(0.2),
    mailEcho: chance.pick(['as given', 'lower case']),
    unknownContact: chance.pick(['404', 'empty list']),
    listsAsObjects: chance.happens(0.2),
    refusedMember: chance.pick(['whole call', 'whole call', 'those before it', 'left out']),
    refusal: chance.pick([400, 409, 422, 'error in a 200']),
    bulkOrder: chance.pick(['as sent', 'shuffled']),
    largestBulk: chance.pick([50, 50, 3]),
    container: chance.pick(['array', 'keyed']),
    pageCap: chance.pick([500, 2]),
    mailLookup: chance.stream('look-ups').pick(['exact', 'exact', 'exact', 'alike', 'everybody']),
  }
}

function drawService(chance: Chance, habits: ServiceHabits): ServiceSettings {
  return {
    base_url: 'https://system.sim.example',
    api_key: API_KEY,
    api_key_file: undefined,
    api_version: 'V1',
    timeout: TIMEOUT_MS,
    rate_limit: {
      requests: chance.pick([2, 5, 5, 30]),
      per: chance.pick([1000, 1000, 10_000]),
      concurrency: chance.pick([1, 2, 4]),
      per_day: undefined,
    },
    retry: { attempts: chance.pick([1, 2, 6]), max_delay: 10_000 },
    bulk: { size: chance.pick([2, 4, 50]), container: habits.container },
    doubt: { quiesce: QUIESCE_MS, absent_reads: chance.pick([1, 2, 2]) },
    marker_field: chance.happens(0.25) ? MARKER_FIELD : undefined,
    custom_field_key: '{field_name}',
  }
}

function drawGuards(chance: Chance): GuardSettings {
  return {
    max_deletes: chance.pick([{ share: 0.05 }, { share: 0.3 }, { share: 1 }, { count: 2 }]),
    max_deletes_per: 'off',
    max_changes: chance.happens(0.15) ? { share: 0.5 } : { share: 1 },
    max_rejects: chance.happens(0.1) ? { share: 0.1 } : { share: 1 },
    max_new_terms: chance.happens(0.1) ? 1 : 100_000,
    deletes_missing_in: chance.pick([1, 1, 2]),
    deletes_apart: 0,
    hold_first_deletes: chance.happens(0.1),
    hold_other_person: true,
    max_equal_refusals: 20,
  }
}

function drawPipeline(name: string, chance: Chance, mayReplace: boolean): PipelineSettings {
  const isFull = chance.happens(0.4)
  const check = chance.pick(['email', 'email', 'none', 'none', 'auto'] as const)
  const policies = mayReplace
    ? (['add', 'managed', 'managed', 'replace'] as const)
    : (['add', 'managed'] as const)
  const fields = Object.entries(FIELD_COLUMNS).map(([field, column]) => [field, { column }] as const)
  const drawn: Omit<PipelineSettings, 'update_method'> = {
    name,
    schedule: undefined,
    timezone: undefined,
    watch: false,
    max_duration: undefined,
    source: { type: 'csv', null_values: [] },
    mode: isFull ? 'full' : 'incremental',
    on_missing: isFull ? chance.pick(['keep', 'remove_terms', 'delete', 'delete'] as const) : 'keep',
    guards: drawGuards(chance),
    key: chance.happens(0.75) ? ['no'] : undefined,
    map: { ...Object.fromEntries(fields), [STAMP_FIELD[name] ?? 'fb']: { column: 'stamp' } },
    custom_fields: {},
    on_duplicate_key: chance.pick(['reject', 'last'] as const),
    on_invalid: 'reject',
    blank: chance.pick(['keep', 'clear'] as const),
    where: undefined,
    duplicate_check_method: check,
    duplicate_merge_method: chance.pick([
      'update_add',
      'update_add',
      'update_add',
      'update_add',
      'update',
      'add',
    ] as const),
    terms: {
      policy: chance.pick(policies),
      create_missing: chance.happens(0.85),
      assign: chance.happens(0.85)
        ? [{ column: 'tags', split: '|' }, ...(chance.happens(0.3) ? [{ name: 'All' }] : [])]
        : [],
      descriptions: chance.happens(0.2) ? { T1: 'the first' } : {},
      verify: chance.happens(0.8),
    },
    hand_edits: 'overwrite',
    recheck: 86_400_000,
    writes: 'all',
    update_via: chance.happens(0.3) ? 'bulk' : 'id',
    allow_consent_raise: false,
    hash: `mapping of ${name}`,
  }
  return { ...drawn, update_method: drawn.duplicate_merge_method }
}

function withStatus(drawn: PipelineSettings, chance: Chance): PipelineSettings {
  if (!chance.happens(0.35)) return drawn
  const map = { ...drawn.map, mail_status: { column: 'status' } }
  const given = { ...drawn, map, allow_consent_raise: chance.happens(0.4) }
  // Who is linked by a look-up is known by his stamp, which the other methods need not write.
  return drawn.duplicate_check_method === 'none'
    ? given
    : { ...given, duplicate_merge_method: 'update_add', update_method: 'update_add' }
}

/** A call that was half applied and then refused is read back at once, once: that needs a service that shows it at once. */
const readAtOnce = ({ refusedMember, lagMs }: ServiceHabits): Pick<ServiceHabits, 'lagMs'> => ({
  lagMs: refusedMember === 'those before it' ? 0 : lagMs,
})

export function drawSetup(chance: Chance): Setup {
  const habits = drawHabits(chance.stream('habits'))
  const isTwo = chance.happens(0.4)
  const isShared = isTwo && chance.happens(0.6)
  const names = isTwo ? ['A', 'B'] : ['A']
  const pipelines = names.map((name) => {
    const drawn = drawPipeline(name, chance.stream(`pipeline ${name}`), !isShared)
    // Two that speak of the same people would say two things of them.
    return isShared && name !== 'A' ? drawn : withStatus(drawn, chance.stream(`consent ${name}`))
  })
  const isByMail = pipelines.every(({ duplicate_check_method: check }) => check === 'email')
  const service = drawService(chance.stream('service'), habits)
  return {
    habits: isByMail ? habits : { ...habits, ...readAtOnce(habits) },
    service,
    pipelines,
    isShared,
    hasOutbox: false,
    permission: chance.stream('permission').pick(['always', 'always', 'in the end', 'by days'] as const),
    isClockWild: service.doubt.absent_reads > 1 && chance.stream('clock').happens(0.4),
  }
}
