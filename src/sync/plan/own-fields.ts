// Leaves out of records what other pipelines own (`owns`), before they are compared, and counts what that changes: values that
// differ from what was last sent to the contact.
import { dependsOnOthers, ownersBefore, ownFields } from '../../core/change/others/ownership.ts'
import { contactMailKey } from '../../core/mapping/contact.ts'
import type { PlanContext } from '../context.ts'
import { onPlaces } from './on-places.ts'
import { type MappedRow, recordPlace, type Reading } from './reading.ts'

interface Asked {
  readonly contactId: number | undefined
  readonly mailKey: string | undefined
}

/** Of each: records of other pipelines, as far as these decide anything, and what was last sent to the contact. */
async function othersOf(asked: readonly Asked[], { state, pipeline }: PlanContext) {
  const sent = await onPlaces(
    asked.map(({ contactId }) => contactId),
    (ids) => state.sentValues(ids),
  )
  const depends = dependsOnOthers(pipeline.name, pipeline.owners)
  const sharers = depends ? await state.sharers(pipeline.name, asked) : []
  return asked.map((_, index) => {
    const { last = {}, pushed = [] } = sent[index] ?? {}
    return { sharers: sharers[index] ?? [], last: depends ? last : {}, sent: [last, ...pushed] }
  })
}

const NO_OTHERS = { sharers: [], last: {}, sent: [] }

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

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
      if (!sent.some((values) => isSame(values[field], mapped.contact[field])))
        leftOut.note({
          ...recordPlace(row.item, mapped.key, staged),
          kind: 'owned',
          field,
          pipelines: ownersBefore(pipeline, owners[field] ?? []),
        })
    const link = known.link && { ...known.link, unsure: own.unsure }
    return { ...row, mapped: { ...mapped, contact: own.contact }, known: { ...known, link } }
  })
}
