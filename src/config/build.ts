// From the checked values of the file to the settings that the program works with: names in camel case,
// paths absolute, shorthands written out. It decides nothing and refuses nothing.
import { dirname, resolve } from 'node:path'
import type {
  GuardSettings,
  PipelineSettings,
  ServiceSettings,
  Settings,
  TermAssignment,
  TermSettings,
} from '../core/settings.ts'
import { type AlertSecrets, alertSecrets, alertSettings } from './alert-settings.ts'
import { fieldMapping } from './schema/mapping-schema.ts'
import { pipelineHash } from './pipeline-hash.ts'
import { limit } from './schema/scalars.ts'
import type { ConfigValues, PipelineValues } from './schema/schema.ts'
import type { Secrets } from './secrets.ts'
import type { SourceOptions } from './schema/source-options.ts'

function serviceSettings(service: ConfigValues['service'], apiKey: string, folder: string): ServiceSettings {
  const { rate_limit: rate, retry, bulk, doubt } = service
  return {
    base_url: service.base_url,
    api_key: apiKey,
    api_key_file: service.api_key_file === undefined ? undefined : resolve(folder, service.api_key_file),
    api_version: service.api_version,
    timeout: service.timeout,
    rate_limit: {
      requests: rate.requests,
      per: rate.per,
      concurrency: rate.concurrency,
      per_day: rate.per_day,
    },
    retry: { attempts: retry.attempts, max_delay: retry.max_delay },
    bulk,
    doubt: { quiesce: doubt.quiesce, absent_reads: doubt.absent_reads },
    marker_field: service.marker_field,
    custom_field_key: service.custom_field_key,
  }
}

type Written = Readonly<Record<string, Parameters<typeof fieldMapping>[0] | undefined>>

function mappings(written: Written): PipelineSettings['map'] {
  return Object.fromEntries(
    Object.entries(written).flatMap(([field, mapping]) =>
      mapping === undefined ? [] : [[field, fieldMapping(mapping)]],
    ),
  )
}

function termSettings(terms: PipelineValues['terms']): TermSettings {
  return {
    policy: terms.policy,
    create_missing: terms.create_missing,
    assign: terms.assign.map((entry) =>
      typeof entry === 'string' ? { name: entry } : entry,
    ) as TermAssignment[],
    descriptions: terms.descriptions,
    verify: terms.verify,
  }
}

function guardSettings(guards: PipelineValues['guards']): GuardSettings {
  return {
    max_deletes: limit(guards.max_deletes),
    max_changes: limit(guards.max_changes),
    max_rejects: limit(guards.max_rejects),
    max_new_terms: guards.max_new_terms,
    deletes_missing_in: guards.deletes_missing_in,
    deletes_apart: guards.deletes_apart,
    hold_first_deletes: guards.hold_first_deletes,
    max_equal_refusals: guards.max_equal_refusals,
  }
}

function pipelineSettings(name: string, values: PipelineValues, source: SourceOptions): PipelineSettings {
  const { type, null_values } = values.source
  const { custom_fields = {}, ...map } = values.map
  const settings = {
    name,
    schedule: values.schedule,
    timezone: values.timezone,
    watch: values.watch,
    max_duration: values.max_duration,
    source: { ...source.options, type, null_values },
    mode: values.mode,
    on_missing: values.on_missing,
    guards: guardSettings(values.guards),
    key: values.key,
    map: mappings(map),
    custom_fields: mappings(custom_fields),
    on_duplicate_key: values.on_duplicate_key,
    on_invalid: values.on_invalid,
    blank: values.blank,
    where: values.where,
    duplicate_check_method: values.duplicate_check_method,
    duplicate_merge_method: values.duplicate_merge_method,
    update_method: values.update_method ?? values.duplicate_merge_method,
    terms: termSettings(values.terms),
    update_via: values.update_via,
    allow_consent_raise: values.allow_consent_raise,
  }
  return { ...settings, hash: pipelineHash(settings, source.paths) }
}

export interface Checked {
  readonly values: ConfigValues
  readonly secrets: Secrets
  /** By the place in `alerts`. */
  readonly ofAlerts: readonly AlertSecrets[]
  /** By the pipeline's name. */
  readonly sources: ReadonlyMap<string, SourceOptions>
}

/** `file` is absolute. */
export function buildSettings({ values, secrets, ofAlerts, sources }: Checked, file: string): Settings {
  const folder = dirname(file)
  const { state, log, keep, server } = values
  const alerts = alertSettings(values.alerts, ofAlerts)
  return {
    file,
    service: serviceSettings(values.service, secrets.apiKey, folder),
    state: { path: resolve(folder, state.path) },
    log: {
      level: log.level,
      console_level: log.console_level,
      format: log.format,
      folder: log.folder === undefined ? undefined : resolve(folder, log.folder),
      keep: log.keep,
    },
    keep: {
      processed: keep.processed,
      failed: keep.failed,
      rejects: keep.rejects,
      runs: keep.runs,
      sync_log: keep.sync_log,
    },
    max_parallel: values.max_parallel,
    server: {
      host: server.host,
      port: server.port,
      hosts: server.hosts,
      ...(server.url === undefined ? {} : { url: server.url.replace(/\/+$/, '') }),
      token: secrets.token,
      metrics_token: secrets.metricsToken,
    },
    alerts,
    pipelines: Object.entries(values.pipelines).map(([name, pipeline]) =>
      pipelineSettings(name, pipeline, sources.get(name) ?? { options: {}, paths: [] }),
    ),
    secrets: [
      secrets.apiKey,
      ...[secrets.token, secrets.metricsToken].filter((token) => token !== undefined),
      ...alertSecrets(alerts),
    ],
  }
}
