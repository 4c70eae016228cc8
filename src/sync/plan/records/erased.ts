// People who were erased by request: which of the records that were mapped are of them, and what of a file must not be
// archived, or quoted, because of them.
import { contactMailKey } from '../../../core/mapping/contact.ts'
import { type Naming, type Sought } from '../../../core/erasing.ts'
import { SyncError } from '../../../core/words/errors.ts'
import { anyRecordKeys } from '../../../core/mapping/household-keys.ts'
import { type MappedRecord, wantedColumns } from '../../../core/mapping/mapping.ts'
import type { PlanContext } from '../../context.ts'

type Mapped = Exclude<MappedRecord, { kind: 'skipped' }> & { readonly values: readonly string[] }

/** In the order given. */
export function areErased(
  records: readonly Mapped[],
  { state, pipeline }: Pick<PlanContext, 'state' | 'pipeline'>,
): Promise<readonly boolean[]> {
  const asked = records.map((record) => ({
    key: record.key,
    mail: record.kind === 'contact' ? (contactMailKey(record.contact) ?? '') : undefined,
    values: record.values,
  }))
  return state.areErased(pipeline.name, asked)
}

interface LeavingOut {
  readonly sought: Sought
  /** Enters how many records were found. */
  note(): Promise<void>
}

/** Undefined where no one was erased. */
export async function leavingOut({
  state,
  pipeline,
  clock,
}: Pick<PlanContext, 'state' | 'pipeline' | 'clock'>): Promise<LeavingOut | undefined> {
  if (!(await state.hasTombstones())) return undefined
  const found = new Map<string, number>()
  const read = await anyRecordKeys(pipeline, { writtenAt: clock.now() })
  const naming = async (key: string | undefined, texts: readonly string[]): Promise<Naming> => {
    const tombstone = await state.tombstoneOf(pipeline.name, { key, texts })
    if (tombstone === undefined) return undefined
    found.set(tombstone, (found.get(tombstone) ?? 0) + 1)
    return 'surely'
  }
  return {
    sought: {
      columns: wantedColumns(pipeline),
      ofRecord: (header, values, text) =>
        naming(read(header, values), text === undefined ? values : [...values, text]),
      ofLine: (line) => naming(undefined, [line]),
    },
    note: () => state.noteLeftOut(found),
  }
}

/** An error about a file may quote a row of an erased person: then nothing of its message is kept. */
export async function withoutErased(
  error: SyncError,
  { state, pipeline }: Pick<PlanContext, 'state' | 'pipeline'>,
): Promise<SyncError> {
  if (!(await state.hasTombstones())) return error
  const tombstone = await state.tombstoneOf(pipeline.name, { key: undefined, texts: [error.message] })
  if (tombstone === undefined) return error
  return new SyncError(error.code, 'the reason quotes a person who was erased, and is left out', {
    hint: error.hint,
  })
}
