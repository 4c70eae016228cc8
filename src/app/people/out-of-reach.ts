// What an erasure does not change, and still holds the person, or may: the last part of its certificate.
import type { CursorStore } from '../../core/cursor.ts'
import type { Recognition } from '../../core/erasing.ts'
import type { Settings } from '../../core/settings.ts'

export interface OtherDatabase {
  readonly name: string
  /** It has a mark of its own; a copy has none. */
  readonly isState: boolean
}

/** Pipelines whose position in the source is, or holds, a key or an address of the person. */
export async function positionsNaming(
  { naming }: Pick<Recognition, 'naming'>,
  state: CursorStore,
  pipelines: readonly string[],
): Promise<readonly string[]> {
  const named: string[] = []
  for (const pipeline of pipelines) {
    const { value } = (await state.cursor(pipeline)) ?? {}
    const text = typeof value === 'string' ? value : JSON.stringify(value ?? '')
    if (naming(text) !== undefined) named.push(pipeline)
  }
  return named
}

export interface OutOfReach {
  readonly settings: Settings
  /** Of the person, at the service: those that were not emptied or deleted there. */
  readonly contactIds: readonly number[]
  /** Creates of the person whose answers were lost. */
  readonly doubtedCreates: number
  readonly copies: readonly OtherDatabase[]
  /** See `positionsNaming`. */
  readonly positions: readonly string[]
}

/** What an erasure cannot find: no link names the contact. */
export const doubtedText = (creates: number): string =>
  `a create of this person was in doubt (${creates}), so there may be a contact that no record names: look for it by e-mail address and by name, and delete it there`

export function outsideText({
  settings,
  contactIds,
  doubtedCreates,
  copies,
  positions,
}: OutOfReach): string[] {
  const { base_url: baseUrl } = settings.service
  return [
    ...(contactIds.length === 0
      ? []
      : [
          `the service ${baseUrl}: contact ${contactIds.join(', ')}; --at-service delete would delete it, --at-service blank would empty it`,
        ]),
    ...(doubtedCreates === 0 ? [] : [`the service ${baseUrl}: ${doubtedText(doubtedCreates)}`]),
    ...copies.map(({ name, isState }) =>
      isState
        ? `another state, of another account for example: ${name}; it is in use, keep it, and call this command for it`
        : `a copy of the state: ${name}`,
    ),
    ...(settings.state.url === undefined
      ? ['backups of the state, and of its folder, wherever they are']
      : [
          'archives, replicas, dumps and snapshots of the PostgreSQL server, until they are removed or overwritten',
          'files that were archived on other machines: run the same command there',
        ]),
    ...positions.map(
      (pipeline) =>
        `the position of ${pipeline} in its source, which is or may be a key or an e-mail address of the person: the next fetch begins there, and newer records replace it`,
    ),
    'files waiting in the inbox, and the systems they come from: their records are skipped from now on',
    'entries of the sync log about other contacts, or about decisions, whose reason or note names the person, such as the key of a record with the same e-mail address, or the --reason of this command',
    'exports of the sync log and of rejects that were passed on',
    'anything printed, delivered as an alert or a trace, or forwarded from the operational log',
  ]
}
