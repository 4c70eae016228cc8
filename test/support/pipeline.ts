// Builders of settings for tests: a whole pipeline with what the test is about changed.
import type { GuardSettings, PipelineSettings, ServiceSettings } from '../../src/core/settings.ts'

/** As the configuration has them where it says nothing. */
export const GUARDS: GuardSettings = {
  max_deletes: { share: 0.05 },
  max_deletes_per: 'off',
  max_changes: { share: 1 },
  max_rejects: { share: 1 },
  max_new_terms: 100_000,
  deletes_missing_in: 1,
  deletes_apart: 0,
  hold_first_deletes: false,
  hold_other_person: true,
  max_equal_refusals: 20,
}

export function pipelineSettings(changes: Partial<PipelineSettings> = {}): PipelineSettings {
  return {
    name: 'shop',
    schedule: undefined,
    timezone: undefined,
    watch: false,
    max_duration: undefined,
    source: { type: 'csv', null_values: [] },
    mode: 'incremental',
    on_missing: 'keep',
    guards: GUARDS,
    key: ['no'],
    map: {
      mail: { column: 'mail' },
      first_name: { column: 'first' },
      family_name: { column: 'last' },
      phone: { column: 'phone' },
    },
    custom_fields: {},
    on_duplicate_key: 'reject',
    on_invalid: 'reject',
    blank: 'keep',
    where: undefined,
    duplicate_check_method: 'email',
    duplicate_merge_method: 'update_add',
    update_method: changes.duplicate_merge_method ?? 'update_add',
    terms: { policy: 'add', create_missing: true, assign: [], descriptions: {}, verify: true },
    hand_edits: 'overwrite',
    recheck: 86_400_000,
    writes: 'all',
    update_via: 'id',
    allow_consent_raise: false,
    hash: 'mapping-1',
    ...changes,
  }
}

export function serviceSettings(changes: Partial<ServiceSettings> = {}): ServiceSettings {
  return {
    base_url: 'http://127.0.0.1:1',
    api_key: 'test-key',
    api_key_file: undefined,
    api_version: 'V1',
    timeout: 5000,
    rate_limit: { requests: 1000, per: 1000, concurrency: 4, per_day: undefined },
    retry: { attempts: 1, max_delay: 1000 },
    bulk: { size: 50, container: 'array' },
    doubt: { quiesce: 60_000, absent_reads: 2 },
    marker_field: undefined,
    custom_field_key: '{field_name}',
    ...changes,
  }
}
