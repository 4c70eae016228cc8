// What set a value of a record, or is to set it: an entry of the sync log, or a change that is still open; and what is to be said of it.
import { type AuditOutcome, isOfUndo } from '../log/audit.ts'
import type { FieldChange } from '../change/diff.ts'
import { REPAIR_REASON } from '../change/others/repair.ts'
import type { Operation } from '../change/operation.ts'
import { noteWithoutLine } from '../change/own-inputs.ts'
import type { OperationState } from '../change/states.ts'
import type { LoggedEntry } from '../log/audit-chain.ts'
import { type TermAliases, termKey } from '../mapping/terms.ts'

/** What set a value, or is to set it: an entry of the sync log, or a change that is still open. */
export interface ValueSetting extends Omit<
  LoggedEntry,
  'at' | 'outcome' | 'key' | 'pipeline' | 'person' | 'prev' | 'hash' | 'proof'
> {
  readonly at: string | null
  readonly outcome: AuditOutcome | OperationState
}

/** Open changes are newer than all entries. `hash`: of the mapping; under another one they would be planned again. */
export const settingOf = (operation: Operation, hash: string): ValueSetting => {
  const { id, runId, kind, fields, consent, known, terms, source, state, reason, guard, contactId } =
    operation
  const sent = consent === undefined ? fields : { ...fields, mail_status: consent }
  const changes = Object.entries(sent).map(([field, to]): [string, FieldChange] => [
    field,
    { from: known[field] ?? null, to },
  ])
  return {
    seq: Number.MAX_SAFE_INTEGER - 1_000_000_000_000 + id,
    at: null,
    run_id: runId,
    action: kind === 'consent' ? 'update' : kind,
    fields: Object.fromEntries(changes),
    field_names: changes.map(([field]) => field),
    terms: { add: terms?.add ?? [], remove: terms?.remove ?? [] },
    values: 'open',
    outcome: state,
    reason: reason ?? (guard === undefined ? null : `guards.${guard}`),
    source,
    request: null,
    contact_id: contactId ?? null,
    config_hash: hash,
  }
}

/** What was sent and taken; a value that the contact had already was looked at. */
export const wasTaken = ({ outcome }: ValueSetting): boolean => outcome === 'done' || outcome === 'unchanged'

const OF_CONTACT: readonly ValueSetting['action'][] = ['create', 'update', 'terms', 'link']

/** Values of this entry left, or were to leave, as a value of a contact: not what a person decided, such as a correction. */
export const isOfContact = ({ action }: ValueSetting): boolean => OF_CONTACT.includes(action)

export const newest = (
  entries: readonly ValueSetting[],
  sets: (entry: ValueSetting) => boolean,
): ValueSetting | undefined => {
  const setting = entries.filter((entry) => isOfContact(entry) && sets(entry))
  return setting.find(wasTaken) ?? setting[0]
}

export const setsField =
  (field: string) =>
  ({ field_names: names }: ValueSetting): boolean =>
    names.includes(field)

export const presentKey = (name: string, aliases: TermAliases): string =>
  termKey(aliases.get(termKey(name)) ?? name)

export const addsTerm =
  (name: string, aliases: TermAliases) =>
  ({ terms }: ValueSetting): boolean =>
    terms.add.some((one) => presentKey(one, aliases) === presentKey(name, aliases))

/** Why nothing can be told of the way to a value that an entry set; undefined where its row is to be looked at. */
export function noteOfEntry({ source, values, reason }: ValueSetting): string | undefined {
  if (values === 'erased')
    return 'its entry in the sync log is sealed permanently: the person was erased, or the entry has expired'
  if (reason?.startsWith(REPAIR_REASON) === true)
    return `${reason}: what had been sent before was sent again, because the service showed something else`
  if (isOfUndo({ reason })) return `${reason}: it is an earlier value that was restored, not a value of a row`
  if (source === null) return 'it came from no file'
  return noteWithoutLine(source)
}

const OUTCOME_NOTES: Readonly<Partial<Record<ValueSetting['outcome'], string>>> = {
  held: 'it is held and was not sent',
  failed: 'it was not accepted, and is tried again',
  rejected: 'the service refused it',
  in_doubt: 'it is in doubt: no answer says that it was applied',
  sending: 'it is being sent',
  planned: 'it is planned and was not sent yet',
  waiting: 'it waits until an earlier change of the record is settled, and was not sent',
}

const because = ({ reason }: ValueSetting): string => (reason === null ? '' : ` (${reason})`)

/** Something newer about the same value that did not end well. */
export function pendingNote(
  entry: ValueSetting | undefined,
  all: readonly ValueSetting[],
  sets: (one: ValueSetting) => boolean,
) {
  if (entry === undefined) return undefined
  if (!wasTaken(entry)) return `${OUTCOME_NOTES[entry.outcome] ?? ''}${because(entry)}`
  const later = all.find((one) => isOfContact(one) && sets(one) && one.seq > entry.seq)
  return (
    later &&
    `a later change of it, of run ${later.run_id}, is ${later.outcome.replace('_', ' ')}${because(later)}`
  )
}
