// Leaves out of records what other pipelines own (`owns`), before they are compared.
import type { Known } from '../../core/change/diff.ts'
import { dependsOnOthers, ownFields } from '../../core/change/others/ownership.ts'
import { contactMailKey } from '../../core/mapping/contact.ts'
import type { MappedRecord } from '../../core/mapping/mapping.ts'
import type { PlanContext } from '../context.ts'
import { onPlaces } from './on-places.ts'

interface Row {
  readonly mapped: MappedRecord
  readonly known: Known
}

interface Asked {
  readonly contactId: number | undefined
  readonly mailKey: string | undefined
}

/** Of each: records of other pipelines, and what was last sent to the contact. Nothing is asked where it decides nothing. */
async function othersOf(asked: readonly Asked[], { state, pipeline }: PlanContext) {
  if (!dependsOnOthers(pipeline.name, pipeline.owners)) return asked.map(() => ({ sharers: [], last: {} }))
  const sharers = await state.sharers(pipeline.name, asked)
  const sent = await onPlaces(
    asked.map(({ contactId }) => contactId),
    (ids) => state.sentValues(ids),
  )
  return asked.map((_, index) => ({ sharers: sharers[index] ?? [], last: sent[index]?.last ?? {} }))
}

export async function withOwnFields<Kind extends Row>(
  rows: readonly Kind[],
  context: PlanContext,
): Promise<Kind[]> {
  const { name: pipeline, owners } = context.pipeline
  if (owners === undefined) return [...rows]
  const asked = rows.map(({ mapped, known }) =>
    mapped.kind === 'contact'
      ? { contactId: known.link?.contactId, mailKey: contactMailKey(mapped.contact) }
      : undefined,
  )
  const others = await onPlaces(asked, (those) => othersOf(those, context))
  return rows.map((row, index) => {
    const { mapped, known } = row
    const { sharers, last } = others[index] ?? { sharers: [], last: {} }
    if (mapped.kind !== 'contact') return row
    const own = ownFields(mapped.contact, { pipeline, owners, link: known.link, sharers, last })
    const link = known.link && { ...known.link, unsure: own.unsure }
    return { ...row, mapped: { ...mapped, contact: own.contact }, known: { ...known, link } }
  })
}
