// Records whose address is on the suppression list: of a linked contact only restrictions and removed terms are left, and
// a record without one, or with nothing left, is skipped.
import { type Difference, difference } from '../../../core/change/diff.ts'
import { isSuppressed, restrictedTo, type Suppressed } from '../../../core/change/consents/suppression.ts'
import type { PlanContext } from '../../context.ts'
import type { MappedRow } from '../reading.ts'

/** A deleted or merged contact is not changed, so nothing is left to be held. */
const isNothing = ({ kind }: Difference): boolean => kind !== 'update'

function restrictedRow(row: MappedRow, list: Suppressed, { pipeline }: PlanContext): MappedRow {
  const { mapped, known } = row
  // What is in doubt is settled first; the list is asked again when it is sent.
  if (mapped.kind !== 'contact' || known.inDoubt) return row
  const { link } = known
  if (!isSuppressed(mapped.contact, link?.fields ?? {}, list)) return row
  const left = link && restrictedTo(mapped, link)
  if (left !== undefined && !isNothing(difference(left, known, pipeline)))
    return { ...row, mapped: { ...mapped, ...left } }
  return { ...row, mapped: { kind: 'skipped', key: pipeline.mode === 'full' ? mapped.key : undefined } }
}

export async function withoutSuppressed(
  rows: readonly MappedRow[],
  context: PlanContext,
): Promise<readonly MappedRow[]> {
  const list = await context.suppression?.now()
  return list === undefined ? rows : rows.map((row) => restrictedRow(row, list, context))
}
