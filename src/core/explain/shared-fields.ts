// Which of several pipelines gives a contact that they share the value of a field, and why: the first owner with a value
// (`owns`), the only pipeline that sends it, or the one that sent last. Judged by what was sent, as the next run would judge it.
import type { OpenEdit } from '../change/others/hand-edits.ts'
import { ownerHasValue, type Sharer } from '../change/others/ownership.ts'
import type { Contact } from '../mapping/contact.ts'
import type { FieldOwner, FieldOwners } from '../sending-settings.ts'
import { isBlank } from '../words/blank.ts'

export interface SharedContact {
  /** The records of all pipelines that have the contact, that of the explained record first. */
  readonly records: readonly [Sharer, Sharer, ...Sharer[]]
  readonly owners: FieldOwners | undefined
  /** What was last sent to the contact, by whichever pipeline. */
  readonly last: Contact
}

/** In the form in which it is printed; null: no pipeline's value stands there. */
export interface ValueOwner {
  readonly pipeline: string | null
  readonly why: string
}

const isSent = (field: string, { last }: SharedContact, record: Sharer): boolean =>
  record.fields[field] !== undefined &&
  (last[field] === undefined || JSON.stringify(record.fields[field]) === JSON.stringify(last[field]))

function whyNoValue(owner: FieldOwner, records: readonly Sharer[]): string {
  const own = records.filter(({ pipeline }) => pipeline === owner.pipeline)
  if (own.length === 0) return `${owner.pipeline} has no record of the contact`
  if (own.every(({ missing }) => missing >= owner.missingIn))
    return `the record of ${owner.pipeline} has gone`
  return `${owner.pipeline} has no value`
}

/** A record that has not sent the field may have left a value out. */
function whyNone(owners: readonly FieldOwner[], { records }: SharedContact, field: string): string {
  const next = owners.find(({ pipeline, missingIn }) =>
    records.some(
      (one) => one.pipeline === pipeline && one.missing < missingIn && one.fields[field] === undefined,
    ),
  )
  return next === undefined
    ? 'none of the pipelines that own it has a value'
    : `${next.pipeline} owns it and sends its value, if it has one, when its record is next read`
}

function ofOwned(field: string, owners: readonly FieldOwner[], shared: SharedContact): ValueOwner {
  const { records } = shared
  const place = owners.findIndex((owner) => ownerHasValue(owner, field, records))
  const first = owners[place]
  const senders = records.filter((record) => isSent(field, shared, record)).map(({ pipeline }) => pipeline)
  if (first === undefined)
    return { pipeline: senders[0] ?? null, why: `sent last; ${whyNone(owners, shared, field)}` }
  if (!senders.includes(first.pipeline))
    return {
      pipeline: senders[0] ?? null,
      why: `sent last; ${first.pipeline} owns it and sends its value when its record is next read`,
    }
  const before = owners.slice(0, place).map((owner) => whyNoValue(owner, records))
  if (before.length > 0)
    return { pipeline: first.pipeline, why: `owns it as the next one: ${before.join(', ')}` }
  const others = owners.slice(1).map(({ pipeline }) => pipeline)
  return {
    pipeline: first.pipeline,
    why: others.length === 0 ? 'owns it' : `owns it before ${others.join(', ')}`,
  }
}

function ofUnowned(field: string, shared: SharedContact): ValueOwner {
  const naming = shared.records.filter(({ fields }) => fields[field] !== undefined)
  const [sender, ...more] = naming.filter((record) => isSent(field, shared, record))
  if (sender === undefined)
    return {
      pipeline: null,
      why: 'what was last sent is the value of none of the records that the state knows',
    }
  if (naming.length === 1) return { pipeline: sender.pipeline, why: 'no other pipeline sends it' }
  if (more.length > 0 && shared.last[field] !== undefined)
    return {
      pipeline: sender.pipeline,
      why: `${more.map(({ pipeline }) => pipeline).join(', ')} sent the same value; no pipeline owns it`,
    }
  return more.length === 0
    ? { pipeline: sender.pipeline, why: 'sent last; no pipeline owns it' }
    : { pipeline: null, why: 'several pipelines send it, none owns it, and which one was last is not known' }
}

/** Undefined where the contact has no other pipeline. */
export function valueOwner(
  field: string,
  shared: SharedContact | undefined,
  edits: readonly OpenEdit[],
): ValueOwner | undefined {
  if (shared === undefined) return undefined
  if (edits.some((edit) => edit.field === field))
    return { pipeline: null, why: 'edited by hand at the service, and kept' }
  const owners = shared.owners?.[field]
  return owners === undefined ? ofUnowned(field, shared) : ofOwned(field, owners, shared)
}

/** Fields that the pipeline maps and leaves to others, which gave the contact a value. */
export function fieldsOfOthers({ records: [own, ...others], owners }: SharedContact): readonly string[] {
  return Object.keys(owners ?? {}).filter(
    (field) => own.fields[field] === undefined && others.some(({ fields }) => !isBlank(fields[field])),
  )
}
