// What a seed decides before anything happens: how the service behaves, and how the pipelines are configured.
import type { GuardSettings, PipelineSettings, ServiceSettings } from '../../src/core/settings.ts'
import type { Chance } from './chance.ts'
import { API_KEY } from './people.ts'
import type { ServiceHabits } from './simulated-service.ts'

export interface Setup {
  /** The wall clock of the program's machine may jump. */
  readonly isClockWild: boolean
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
export const STAMP_FIELD: Readonly<Record<string, string>> = { A: 'skype', B: 'fax' }

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
    baseUrl: 'https://system.sim.example',
    apiKey: API_KEY,
    apiKeyFile: undefined,
    apiVersion: 'V1',
    timeoutMs: TIMEOUT_MS,
    rateLimit: {
      requests: chance.pick([2, 5, 5, 30]),
      perMs: chance.pick([1000, 1000, 10_000]),
      concurrency: chance.pick([1, 2, 4]),
      perDay: undefined,
    },
    retry: { attempts: chance.pick([1, 2, 6]), maxDelayMs: 10_000 },
    bulk: { size: chance.pick([2, 4, 50]), container: habits.container },
    doubt: { quiesceMs: QUIESCE_MS, absentReads: chance.pick([1, 2, 2]) },
    markerField: chance.happens(0.25) ? MARKER_FIELD : undefined,
    customFieldKey: '{field_name}',
  }
}

function drawGuards(chance: Chance): GuardSettings {
  return {
    maxDeletes: chance.pick([{ share: 0.05 }, { share: 0.3 }, { share: 1 }, { count: 2 }]),
    maxChanges: chance.happens(0.15) ? { share: 0.5 } : { share: 1 },
    maxRejects: chance.happens(0.1) ? { share: 0.1 } : { share: 1 },
    maxNewTerms: chance.happens(0.1) ? 1 : 100_000,
    deletesMissingIn: chance.pick([1, 1, 2]),
    deletesApartMs: 0,
    holdFirstDeletes: chance.happens(0.1),
    maxEqualRefusals: 20,
  }
}

function drawPipeline(name: string, chance: Chance, mayReplace: boolean): PipelineSettings {
  const isFull = chance.happens(0.4)
  const check = chance.pick(['email', 'email', 'none', 'none', 'auto'] as const)
  const policies = mayReplace
    ? (['add', 'managed', 'managed', 'replace'] as const)
    : (['add', 'managed'] as const)
  const fields = Object.entries(FIELD_COLUMNS).map(([field, column]) => [field, { column }] as const)
  const drawn: Omit<PipelineSettings, 'updateMethod'> = {
    name,
    schedule: undefined,
    timezone: undefined,
    watch: false,
    maxDurationMs: undefined,
    source: { type: 'csv', nullValues: [] },
    mode: isFull ? 'full' : 'incremental',
    onMissing: isFull ? chance.pick(['keep', 'remove_terms', 'delete', 'delete'] as const) : 'keep',
    guards: drawGuards(chance),
    key: chance.happens(0.75) ? ['no'] : undefined,
    map: { ...Object.fromEntries(fields), [STAMP_FIELD[name] ?? 'fb']: { column: 'stamp' } },
    customFields: {},
    onDuplicateKey: chance.pick(['reject', 'last'] as const),
    onInvalid: 'reject',
    blank: chance.pick(['keep', 'clear'] as const),
    where: undefined,
    duplicateCheckMethod: check,
    duplicateMergeMethod: chance.pick([
      'update_add',
      'update_add',
      'update_add',
      'update_add',
      'update',
      'add',
    ] as const),
    terms: {
      policy: chance.pick(policies),
      createMissing: chance.happens(0.85),
      assign: chance.happens(0.85)
        ? [{ column: 'tags', split: '|' }, ...(chance.happens(0.3) ? [{ name: 'All' }] : [])]
        : [],
      descriptions: chance.happens(0.2) ? { T1: 'the first' } : {},
      verify: chance.happens(0.8),
    },
    updateVia: chance.happens(0.3) ? 'bulk' : 'id',
    allowConsentRaise: false,
    hash: `mapping of ${name}`,
  }
  return { ...drawn, updateMethod: drawn.duplicateMergeMethod }
}

function withStatus(drawn: PipelineSettings, chance: Chance): PipelineSettings {
  if (!chance.happens(0.35)) return drawn
  const map = { ...drawn.map, mail_status: { column: 'status' } }
  const given = { ...drawn, map, allowConsentRaise: chance.happens(0.4) }
  // Who is linked by a look-up is known by his stamp, which the other methods need not write.
  return drawn.duplicateCheckMethod === 'none'
    ? given
    : { ...given, duplicateMergeMethod: 'update_add', updateMethod: 'update_add' }
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
  const isByMail = pipelines.every(({ duplicateCheckMethod: check }) => check === 'email')
  const service = drawService(chance.stream('service'), habits)
  return {
    habits: isByMail ? habits : { ...habits, ...readAtOnce(habits) },
    service,
    pipelines,
    isShared,
    permission: chance.stream('permission').pick(['always', 'always', 'in the end', 'by days'] as const),
    isClockWild: service.doubt.absentReads > 1 && chance.stream('clock').happens(0.4),
  }
}
