// From the checked values of the file to the settings that the program works with: what the file only points to is put
// in (secrets, absolute paths), and what follows from its words. It decides nothing and refuses nothing.
import { dirname, resolve } from 'node:path'
import { fileOfAccount, schemaOfAccount } from '../core/state-place.ts'
import { ownersFor } from '../core/change/others/ownership.ts'
import { respectsHandEdits } from '../core/change/others/hand-edits.ts'
import type { FieldOwners } from '../core/sending-settings.ts'
import type { ConfigValues, PipelineSettings, Settings } from '../core/settings.ts'
import { type AlertSecrets, alertSecrets, alertSettings } from './alert-settings.ts'
import { isReceiver, isWebAddress } from '../core/words/network/address.ts'
import { effectiveHash, pipelineHash } from './pipeline-hash.ts'
import type { Secrets } from './secrets/secrets.ts'
import {
  type FreeFormSecrets,
  secretsInUrl,
  type SourceSecret,
  withSecrets,
} from './secrets/source-secrets.ts'
import type { SourceOptions } from './schema/source-options.ts'
import { spoolFolder } from './spool-folder.ts'
import { isMapping } from './text/tree.ts'

/** Absolute paths: of the spool, and of the configuration. */
interface Places {
  readonly spool: string
  readonly home: string
}

/** What is fetched lies apart: it is no part of how records are read, and it may hold secrets. */
function builtOptions(
  { options, isPulled = false }: SourceOptions,
  { spool, home }: Places,
): Record<string, unknown> {
  if (isPulled) return { folder: spool, home, sparse: options['sparse'] === true, fetch: options }
  const { remote } = options
  if (!isMapping(remote)) return { ...options }
  // Copies of files on another machine are fetched, too.
  const { known_hosts: hosts } = remote
  const known = typeof hosts === 'string' ? { known_hosts: resolve(home, hosts) } : {}
  return { ...options, remote: { ...remote, ...known, spool } }
}

function pipelineSettings(
  name: string,
  values: ConfigValues['pipelines'][string],
  {
    source,
    owners,
    rules,
    approvers,
    ...places
  }: Places & {
    source: SourceOptions
    owners: FieldOwners | undefined
    rules: ConfigValues['approvals']
    approvers: readonly string[]
  },
): PipelineSettings {
  const { type, null_values } = values.source
  const { key } = values
  const household = key !== undefined && 'fields' in key ? key.fields : undefined
  const { custom_fields = {}, ...map } = values.map
  const settings = {
    ...values,
    name,
    source: { ...builtOptions(source, places), type, null_values },
    map: map as PipelineSettings['map'],
    custom_fields,
    key: key === undefined || 'fields' in key ? undefined : key,
    ...(owners === undefined ? {} : { owners }),
    ...(household === undefined ? {} : { household, duplicate_check_method: 'none' as const }),
    update_method: values.update_method ?? values.duplicate_merge_method,
  }
  // What is at the service already is not overwritten by a create that is merged into it.
  const merging = respectsHandEdits(settings) ? { duplicate_merge_method: 'add' as const } : {}
  const built = { ...settings, ...merging, hash: pipelineHash(settings, source.paths) }
  const own = rules.filter(({ pipelines }) => pipelines?.includes(name) ?? true)
  if (own.length === 0) return built
  return {
    ...built,
    approvals: { rules: own, approvers, settings: effectiveHash(built, { rules: own, paths: source.paths }) },
  }
}

export interface Checked {
  readonly values: ConfigValues
  readonly secrets: Secrets
  /** Tokens by the place in `server.users`. */
  readonly ofUsers: readonly string[]
  /** By the place in `alerts`. */
  readonly ofAlerts: readonly AlertSecrets[]
  /** By the pipeline's name. */
  readonly ofSources: ReadonlyMap<string, readonly SourceSecret[]>
  readonly ofFreeForms: FreeFormSecrets
  /** By the pipeline's name. */
  readonly sources: ReadonlyMap<string, SourceOptions>
}

function withSecretsOf(name: string, { ofSources, sources }: Pick<Checked, 'ofSources' | 'sources'>) {
  const source: SourceOptions = sources.get(name) ?? { options: {}, paths: [] }
  return { ...source, options: withSecrets(source.options, ofSources.get(name) ?? []) }
}

/** For redaction: values that must not be shown anywhere. */
const sourceSecrets = ({ ofSources, sources }: Pick<Checked, 'ofSources' | 'sources'>): readonly string[] => [
  ...[...ofSources.values()].flat().map(({ value }) => value),
  ...[...sources.values()].flatMap(({ options }) => secretsInUrl(options['url'])),
]

function consentPlaces(
  { outbox, suppress }: Settings['consents'],
  absolute: (path: string) => string,
): Settings['consents'] {
  return {
    ...(outbox === undefined ? {} : { outbox: absolute(outbox) }),
    ...(suppress === undefined ? {} : { suppress: absolute(suppress) }),
  }
}

/** At a server each account has a schema of its own. */
const placeOfState = (path: string, url: string | undefined, account: string): Settings['state'] =>
  url === undefined ? { path } : { path, url, schema: schemaOfAccount(account) }

/** A file is named from the configuration on. */
function auditPlaces(
  { witness, hand_over: handOver }: Settings['audit'],
  absolute: (path: string) => string,
  account: string,
): Settings['audit'] {
  const handedTo = (to: string): string => (isReceiver(to) ? to : fileOfAccount(account, absolute(to)))
  return {
    ...(witness && {
      witness: { ...witness, to: isWebAddress(witness.to) ? witness.to : absolute(witness.to) },
    }),
    ...(handOver && { hand_over: { ...handOver, to: handedTo(handOver.to) } }),
  }
}

export interface BuiltFor {
  /** The configuration, absolute. */
  readonly file: string
  readonly account: string
  /** Names of users who may see the account; undefined: all. */
  readonly users: readonly string[] | undefined
}

export function buildSettings(
  { values, secrets, ofUsers, ofAlerts, ofSources, ofFreeForms, sources }: Checked,
  { file, account, users }: BuiltFor,
): Settings {
  const named = Object.entries(values.pipelines).map(([name, pipeline]) => ({ ...pipeline, name }))
  const { blocks: _, accounts: __, service, state, log, server, audit, consents, ...rest } = values
  const absolute = (path: string): string => resolve(dirname(file), path)
  const alerts = alertSettings(values.alerts, ofAlerts)
  const { apiKey: api_key, token, metricsToken: metrics_token } = secrets
  const keyFile = service.api_key_file
  const statePath = fileOfAccount(account, absolute(state.path))
  const withTokens = server.users
    .map((user, place) => ({ ...user, token: ofUsers[place] ?? '' }))
    .filter(({ name }) => users?.includes(name) ?? true)
  const approvers = withTokens.filter(({ role }) => role === 'approver').map(({ name }) => name)
  return {
    ...rest,
    file,
    account,
    service: {
      ...service,
      api_key,
      ...(keyFile === undefined ? {} : { api_key_file: absolute(keyFile) }),
    },
    state: placeOfState(statePath, state.url, account),
    audit: auditPlaces(audit, absolute, account),
    consents: consentPlaces(consents, absolute),
    log: { ...log, ...(log.folder === undefined ? {} : { folder: absolute(log.folder) }) },
    server: {
      ...server,
      token,
      metrics_token,
      users: withTokens,
    },
    alerts,
    pipelines: Object.entries(values.pipelines).map(([name, pipeline]) =>
      pipelineSettings(name, pipeline, {
        source: withSecretsOf(name, { ofSources, sources }),
        owners: ownersFor(pipeline, named),
        rules: values.approvals,
        approvers,
        spool: spoolFolder(statePath, name),
        home: dirname(file),
      }),
    ),
    secrets: [
      api_key,
      ...[token, metrics_token].filter((one) => one !== undefined),
      ...ofUsers,
      ...alertSecrets(alerts),
      ...sourceSecrets({ ofSources, sources }),
      ...ofFreeForms.values,
      ...secretsInUrl(audit.witness?.to),
      ...secretsInUrl(state.url),
    ],
    unshown: ofFreeForms.paths,
  }
}
