// Builders of settings for tests: a whole pipeline with what the test is about changed.
import type { GuardSettings, PipelineSettings, ServiceSettings } from '../../src/core/settings.ts'

/** As the configuration has them where it says nothing. */
export const GUARDS: GuardSettings = {
  maxDeletes: { share: 0.05 },
  maxChanges: { share: 1 },
  maxRejects: { share: 1 },
  maxNewTerms: 100_000,
  deletesMissingIn: 1,
  deletesApartMs: 0,
  holdFirstDeletes: false,
  maxEqualRefusals: 20,
}

export function pipelineSettings(changes: Partial<PipelineSettings> = {}): PipelineSettings {
  return {
    name: 'shop',
    schedule: undefined,
    timezone: undefined,
    watch: false,
    maxDurationMs: undefined,
    source: { type: 'csv', nullValues: [] },
    mode: 'incremental',
    onMissing: 'keep',
    guards: GUARDS,
    key: ['no'],
    map: {
      mail: { column: 'mail' },
      first_name: { column: 'first' },
      family_name: { column: 'last' },
      phone: { column: 'phone' },
    },
    customFields: {},
    onDuplicateKey: 'reject',
    onInvalid: 'reject',
    blank: 'keep',
    where: undefined,
    duplicateCheckMethod: 'email',
    duplicateMergeMethod: 'update_add',
    updateMethod: changes.duplicateMergeMethod ?? 'update_add',
    terms: { policy: 'add', createMissing: true, assign: [], descriptions: {}, verify: true },
    updateVia: 'id',
    allowConsentRaise: false,
    hash: 'mapping-1',
    ...changes,
  }
}

export function serviceSettings(changes: Partial<ServiceSettings> = {}): ServiceSettings {
  return {
    baseUrl: 'http://127.0.0.1:1',
    apiKey: 'test-key',
    apiKeyFile: undefined,
    apiVersion: 'V1',
    timeoutMs: 5000,
    rateLimit: { requests: 1000, perMs: 1000, concurrency: 4, perDay: undefined },
    retry: { attempts: 1, maxDelayMs: 1000 },
    bulk: { size: 50, container: 'array' },
    doubt: { quiesceMs: 60_000, absentReads: 2 },
    markerField: undefined,
    customFieldKey: '{field_name}',
    ...changes,
  }
}
