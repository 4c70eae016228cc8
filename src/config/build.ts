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
    baseUrl: service.base_url,
    apiKey,
    apiKeyFile: service.api_key_file === undefined ? undefined : resolve(folder, service.api_key_file),
    apiVersion: service.api_version,
    timeoutMs: service.timeout,
    rateLimit: {
      requests: rate.requests,
      perMs: rate.per,
      concurrency: rate.concurrency,
      perDay: rate.per_day,
    },
    retry: { attempts: retry.attempts, maxDelayMs: retry.max_delay },
    bulk,
    doubt: { quiesceMs: doubt.quiesce, absentReads: doubt.absent_reads },
    markerField: service.marker_field,
    customFieldKey: service.custom_field_key,
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
    createMissing: terms.create_missing,
    assign: terms.assign.map((entry) =>
      typeof entry === 'string' ? { name: entry } : entry,
    ) as TermAssignment[],
    descriptions: terms.descriptions,
    verify: terms.verify,
  }
}

function guardSettings(guards: PipelineValues['guards']): GuardSettings {
  return {
    maxDeletes: limit(guards.max_deletes),
    maxChanges: limit(guards.max_changes),
    maxRejects: limit(guards.max_rejects),
    maxNewTerms: guards.max_new_terms,
    deletesMissingIn: guards.deletes_missing_in,
    deletesApartMs: guards.deletes_apart,
    holdFirstDeletes: guards.hold_first_deletes,
    maxEqualRefusals: guards.max_equal_refusals,
  }
}

function pipelineSettings(name: string, values: PipelineValues, source: SourceOptions): PipelineSettings {
  const { type, null_values: nullValues } = values.source
  const { custom_fields: customFields = {}, ...map } = values.map
  const settings = {
    name,
    schedule: values.schedule,
    timezone: values.timezone,
    watch: values.watch,
    maxDurationMs: values.max_duration,
    source: { ...source.options, type, nullValues },
    mode: values.mode,
    onMissing: values.on_missing,
    guards: guardSettings(values.guards),
    key: values.key,
    map: mappings(map),
    customFields: mappings(customFields),
    onDuplicateKey: values.on_duplicate_key,
    onInvalid: values.on_invalid,
    blank: values.blank,
    where: values.where,
    duplicateCheckMethod: values.duplicate_check_method,
    duplicateMergeMethod: values.duplicate_merge_method,
    updateMethod: values.update_method ?? values.duplicate_merge_method,
    terms: termSettings(values.terms),
    updateVia: values.update_via,
    allowConsentRaise: values.allow_consent_raise,
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
      consoleLevel: log.console_level,
      format: log.format,
      folder: log.folder === undefined ? undefined : resolve(folder, log.folder),
      keepMs: log.keep,
    },
    keep: {
      processedMs: keep.processed,
      failedMs: keep.failed,
      rejectsMs: keep.rejects,
      runsMs: keep.runs,
      syncLogMs: keep.sync_log,
    },
    maxParallel: values.max_parallel,
    server: {
      host: server.host,
      port: server.port,
      hosts: server.hosts,
      ...(server.url === undefined ? {} : { url: server.url.replace(/\/+$/, '') }),
      token: secrets.token,
      metricsToken: secrets.metricsToken,
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
