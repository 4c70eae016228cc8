// Leaves out of records what other pipelines own (`owns`), before they are compared, and counts what that changes: values that
// differ from what was last sent to the contact. Of the blanks of a record only those are left that give a field up.
import {
  dependsOnOthers,
  leftToNextOwner,
  ownersBefore,
  ownFields,
} from '../../../core/change/others/ownership.ts'
import { type Contact, contactMailKey } from '../../../core/mapping/contact.ts'
import type { PlanContext } from '../../context.ts'
import { onPlaces } from './on-places.ts'
import { type MappedRow, recordPlace, type Reading } from '../reading.ts'

interface Asked {
  readonly contactId: number | undefined
  readonly mailKey: string | undefined
}

/**
 * Of each: records of other pipelines, as far as these decide anything, and what was last sent to the contact: to one that
 * is not linked yet, by the others that have its mail.
 */
async function othersOf(asked: readonly Asked[], { state, pipeline }: PlanContext) {
  const known = await onPlaces(
    asked.map(({ contactId }) => contactId),
    (ids) => state.sentValues(ids),
  )
  const depends = dependsOnOthers(pipeline.name, pipeline.owners)
  const sharers = await onPlaces(
    asked.map((one) => (depends || one.contactId === undefined ? one : undefined)),
    (those) => state.sharers(pipeline.name, those),
  )
  return asked.map((_, index) => {
    const { last = {}, pushed = [] } = known[index] ?? {}
    const others = sharers[index] ?? []
    const sent = { last, each: [...pushed, ...others.map(({ fields }) => fields)] }
    return { sharers: others, last, sent }
  })
}

const NO_OTHERS = { sharers: [], last: {}, sent: { last: {}, each: [] } }

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

interface Sent {
  /** To the contact, by whichever pipeline; a field is absent where only one ever sent it. */
  readonly last: Contact
  readonly each: readonly Contact[]
}

const isThere = (field: string, value: unknown, { last, each }: Sent): boolean =>
  last[field] === undefined ? each.some((values) => isSame(values[field], value)) : isSame(last[field], value)

export async function withOwnFields(
  rows: readonly MappedRow[],
  { staged, leftOut }: Pick<Reading, 'staged' | 'leftOut'>,
  context: PlanContext,
): Promise<readonly MappedRow[]> {
  const { name: pipeline, owners } = context.pipeline
  if (owners === undefined) return rows
  const asked = rows.map(({ mapped, known }) =>
    mapped.kind === 'contact'
      ? { contactId: known.link?.contactId, mailKey: contactMailKey(mapped.contact) }
      : undefined,
  )
  const others = await onPlaces(asked, (those) => othersOf(those, context))
  return rows.map((row, index) => {
    const { mapped, known } = row
    if (mapped.kind !== 'contact') return row
    const { sharers, last, sent } = others[index] ?? NO_OTHERS
    const own = ownFields(mapped.contact, { pipeline, owners, link: known.link, sharers, last })
    for (const field of own.left)
      if (!isThere(field, mapped.contact[field], sent))
        leftOut.note({
          ...recordPlace(row.item, mapped.key, staged),
          kind: 'owned',
          field,
          pipelines: ownersBefore(pipeline, owners[field] ?? []),
        })
    const link = known.link && { ...known.link, unsure: own.unsure }
    // A new contact has nothing that could be given up.
    const isNew = link === undefined && !known.inDoubt
    const blank = isNew ? [] : leftToNextOwner(mapped.blank ?? [], { pipeline, owners })
    return { ...row, mapped: { ...mapped, contact: own.contact, blank }, known: { ...known, link } }
  })
}
