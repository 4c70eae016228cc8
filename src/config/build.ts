// From the checked values of the file to the settings that the program works with: names in camel case,
// paths absolute, shorthands written out. It decides nothing and refuses nothing.
import { dirname, resolve } from 'node:path'
import type { PipelineSettings, ServiceSettings, Settings } from '../core/settings.ts'
import { fieldMapping } from './mapping-schema.ts'
import { pipelineHash } from './pipeline-hash.ts'
import type { ConfigValues, PipelineValues } from './schema.ts'
import type { Secrets } from './secrets.ts'
import type { SourceOptions } from './source-options.ts'

function serviceSettings(service: ConfigValues['service'], apiKey: string): ServiceSettings {
  const { rate_limit: rate, retry, bulk, doubt } = service
  return {
    baseUrl: service.base_url,
    apiKey,
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
  }
}

function mapOf(map: PipelineValues['map']): PipelineSettings['map'] {
  const { custom_fields: _, ...fields } = map
  const written = Object.entries<Parameters<typeof fieldMapping>[0] | undefined>(fields)
  return Object.fromEntries(
    written.flatMap(([field, mapping]) => (mapping === undefined ? [] : [[field, fieldMapping(mapping)]])),
  )
}

function pipelineSettings(name: string, values: PipelineValues, source: SourceOptions): PipelineSettings {
  const { type, null_values: nullValues } = values.source
  const settings = {
    name,
    schedule: values.schedule,
    timezone: values.timezone,
    source: { ...source.options, type, nullValues },
    mode: values.mode,
    key: values.key,
    map: mapOf(values.map),
    onDuplicateKey: values.on_duplicate_key,
    onInvalid: values.on_invalid,
    blank: values.blank,
    where: values.where,
    duplicateCheckMethod: values.duplicate_check_method,
    duplicateMergeMethod: values.duplicate_merge_method,
  }
  return { ...settings, hash: pipelineHash(settings, source.paths) }
}

export interface Checked {
  readonly values: ConfigValues
  readonly secrets: Secrets
  /** By the pipeline's name. */
  readonly sources: ReadonlyMap<string, SourceOptions>
}

/** `file` is absolute. */
export function buildSettings({ values, secrets, sources }: Checked, file: string): Settings {
  const folder = dirname(file)
  const { state, log, server } = values
  return {
    file,
    service: serviceSettings(values.service, secrets.apiKey),
    state: { path: resolve(folder, state.path) },
    log: {
      level: log.level,
      format: log.format,
      folder: log.folder === undefined ? undefined : resolve(folder, log.folder),
      keepMs: log.keep,
    },
    server: { host: server.host, port: server.port, token: secrets.token },
    pipelines: Object.entries(values.pipelines).map(([name, pipeline]) =>
      pipelineSettings(name, pipeline, sources.get(name) ?? { options: {}, paths: [] }),
    ),
    secrets: [secrets.apiKey, ...(secrets.token === undefined ? [] : [secrets.token])],
  }
}
