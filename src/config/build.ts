// From the checked values of the file to the settings that the program works with: names in camel case,
// paths absolute, shorthands written out. It decides nothing and refuses nothing.
import { dirname, resolve } from 'node:path'
import type { PipelineSettings, ServiceSettings, Settings, SourceSettings } from '../core/settings.ts'
import { fieldMapping } from './mapping-schema.ts'
import { pipelineHash } from './pipeline-hash.ts'
import type { ConfigValues, PipelineValues } from './schema.ts'
import type { Secrets } from './secrets.ts'
import { pathOptions, type SourceKinds, type SourceValues } from './source-schema.ts'

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

function sourceSettings(source: SourceValues, paths: readonly string[], folder: string): SourceSettings {
  const { preset: _, null_values: nullValues, ...options } = source
  const resolved = Object.entries(options).map(([name, value]) => [
    name,
    paths.includes(name) && typeof value === 'string' ? resolve(folder, value) : value,
  ])
  return { ...(Object.fromEntries(resolved) as Record<string, unknown>), type: source.type, nullValues }
}

function mapOf(map: PipelineValues['map']): PipelineSettings['map'] {
  const { custom_fields: _, ...fields } = map
  const written = Object.entries(fields) as [string, Parameters<typeof fieldMapping>[0] | undefined][]
  return Object.fromEntries(
    written.flatMap(([field, mapping]) => (mapping === undefined ? [] : [[field, fieldMapping(mapping)]])),
  )
}

function pipelineSettings(
  name: string,
  values: PipelineValues,
  { kinds, folder }: { kinds: SourceKinds; folder: string },
): PipelineSettings {
  const kind = kinds[values.source.type]
  const paths = kind === undefined ? [] : pathOptions(kind)
  const settings = {
    name,
    schedule: values.schedule,
    timezone: values.timezone,
    source: sourceSettings(values.source, paths, folder),
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
  return { ...settings, hash: pipelineHash(settings, paths) }
}

/** `file` is absolute. */
export function buildSettings(
  values: ConfigValues,
  secrets: Secrets,
  { file, kinds }: { file: string; kinds: SourceKinds },
): Settings {
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
      pipelineSettings(name, pipeline, { kinds, folder }),
    ),
    secrets: [secrets.apiKey, ...(secrets.token === undefined ? [] : [secrets.token])],
  }
}
