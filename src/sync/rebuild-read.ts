// The records of a waiting file that have no link, for a rebuild: mapped as a run would map them, and not planned.
import type { AuditEntry } from '../core/log/audit.ts'
import type { Operation } from '../core/change/operation.ts'
import { type Contact, contactMailKey } from '../core/mapping/contact.ts'
import type { CustomFieldRules } from '../core/mapping/custom-fields.ts'
import { difference } from '../core/change/diff.ts'
import { fingerprintContext, recordFingerprint } from '../core/change/fingerprint.ts'
import { type MappedRecord, type Mapper, optionalColumns, wantedColumns } from '../core/mapping/mapping.ts'
import type { DateOrders } from '../core/mapping/values/dates/date-order.ts'
import type { InputReader, SourceInput } from '../core/ports.ts'
import type { Provenance, SourceItem, SourceRecord } from '../core/mapping/record.ts'
import { type UnitedMapper, unitedMapper } from '../core/mapping/union.ts'
import type { StagedInput } from '../core/state.ts'
import { areErased } from './plan/records/erased.ts'
import { isStopped, type PlanContext } from './context.ts'
import { ordersWithin, printOfOrders } from './plan/date-orders.ts'
import { mapperFor } from './plan/present-terms.ts'
import { recordBatches } from './plan/united.ts'

/** A record, or an open create, that has no contact yet. */
export interface Candidate {
  readonly key: string
  readonly desired: Contact
  readonly source: Provenance
  /** Creates that are open about it. */
  readonly open: readonly Operation[]
  /** A newer file gives it another mail: this one may be another record's by now. */
  readonly isFormer: boolean
  /** Puts it in doubt, for a person; undefined where it is stopped already. */
  leave?(reason: string, entry: AuditEntry): Promise<void>
}

/** Each record that was read, and each open create, is in one of the other counts. */
export interface RebuildCounts {
  read: number
  /** It had its link, or a person decides about it already. */
  known: number
  found: number
  /** Not at the service: the next run makes it. */
  absent: number
  /** Its mail's contact is another record's: the next run holds it. */
  shared: number
  in_doubt: number
  /** The mapping skips or rejects it: the next run says why. */
  unmapped: number
  /** The service gave no usable answer. */
  unanswered: number
}

export interface RebuildContext extends PlanContext {
  /** Look-ups at a time. */
  readonly concurrency: number
}

type MappedContact = MappedRecord & { readonly kind: 'contact' }

/** Creates that the state still has open, by key, oldest first. */
export type OpenCreates = Map<string, readonly Operation[]>

interface Reading {
  readonly openCreates: Readonly<OpenCreates>
  /** Those of keys that no file had so far. */
  readonly left: OpenCreates
  /** The mails by which records of newer files were looked up, by key. */
  readonly newer: Map<string, string | undefined>
  readonly staged: StagedInput
  readonly mapper: Mapper
  readonly print: string
  readonly counts: RebuildCounts
}

/** Of one key, the record that would count. */
function contactsByKey(
  batch: readonly SourceItem[],
  { mapper, counts }: Reading,
  { pipeline }: RebuildContext,
): ReadonlyMap<string, { item: SourceRecord; mapped: MappedContact }> {
  const byKey = new Map<string, { item: SourceRecord; mapped: MappedContact }>()
  for (const item of batch) {
    const mapped = item.kind === 'record' ? mapper.map(item) : undefined
    counts.read += 1
    const isRepeated = mapped?.kind === 'contact' && byKey.has(mapped.key)
    if (mapped?.kind !== 'contact' || item.kind !== 'record' || isRepeated) counts.unmapped += 1
    if (mapped?.kind !== 'contact' || item.kind !== 'record') continue
    if (!isRepeated || pipeline.on_duplicate_key === 'last') byKey.set(mapped.key, { item, mapped })
  }
  return byKey
}

/** The record as a create in doubt, so that the next run waits with it until a person has decided. */
function leaving(
  item: SourceRecord,
  { key, contact, terms }: MappedContact,
  { reading, context }: { reading: Reading; context: RebuildContext },
): Candidate['leave'] {
  const { staged, print } = reading
  const nothingKnown = { link: undefined, inDoubt: false }
  return async (reason, entry) => {
    const change = difference({ contact, terms }, nothingKnown, context.pipeline)
    if (change.kind !== 'create') return
    const source = { file: item.file ?? staged.input.name, line: item.line }
    const record = {
      source,
      values: item.values,
      text: item.text,
      ...(item.rows === undefined ? {} : { rows: item.rows }),
      fingerprint: recordFingerprint(print, item),
    }
    const operation = { ...change, state: 'planned' } as const
    const stagedEntry = { kind: 'operation', key, desired: { contact, terms }, operation, record } as const
    await context.state.stageBatch(staged, { entries: [stagedEntry] })
    await context.state.leaveToPerson({ input: staged.id, line: item.line }, reason, entry)
  }
}

/** Puts open creates in doubt, for a person; what is held, too: once released, it would make its contact again. */
export function leavingOpen(
  open: readonly Operation[],
  context: RebuildContext,
): NonNullable<Candidate['leave']> {
  return async (reason, entry) => {
    for (const { id } of open) await context.state.leaveToPerson({ operation: id }, reason, entry)
  }
}

async function candidatesOfBatch(
  batch: readonly SourceItem[],
  reading: Reading,
  context: RebuildContext,
): Promise<Candidate[]> {
  const { staged, counts, openCreates, left, newer } = reading
  const all = [...contactsByKey(batch, reading, context).values()]
  const erased = await areErased(
    all.map(({ item, mapped }) => ({ ...mapped, values: item.values })),
    context,
  )
  const contacts = all.filter((_, index) => erased[index] !== true)
  counts.unmapped += all.length - contacts.length
  const known = await context.state.known(
    context.pipeline.name,
    contacts.map(({ mapped }) => mapped.key),
  )
  return contacts.flatMap(({ item, mapped }, index): Candidate[] => {
    const { link, inDoubt } = known[index] ?? { link: undefined, inDoubt: false }
    const { key, contact, terms } = mapped
    const open = link === undefined ? (openCreates.get(key) ?? []) : []
    const unclear = { link, inDoubt: inDoubt && open.length === 0 }
    const decided = difference({ contact, terms }, unclear, context.pipeline)
    if (decided.kind !== 'create') {
      counts[decided.kind === 'rejected' ? 'unmapped' : 'known'] += 1
      return []
    }
    const isFormer = newer.has(key)
    if (isFormer && newer.get(key) === contactMailKey(contact)) {
      counts.unmapped += 1
      return []
    }
    const leave = open.length === 0 ? leaving(item, mapped, { reading, context }) : leavingOpen(open, context)
    const source = { file: item.file ?? staged.input.name, line: item.line }
    left.delete(key)
    newer.set(key, contactMailKey(contact))
    const about = { key, desired: contact, source, open, isFormer }
    return [{ ...about, ...(leave && { leave }) }]
  })
}

interface Open {
  readonly reader: InputReader
  readonly keyOf: UnitedMapper['keyOf']
  open(): Promise<InputReader>
}

async function* batches(opened: Open, context: RebuildContext): AsyncGenerator<readonly SourceItem[]> {
  const { reader } = opened
  for await (const batch of recordBatches(opened, context.pipeline)) {
    if (isStopped(context)) return
    yield batch
    context.report({ phase: 'read', bytesRead: reader.bytesRead() })
  }
}

/** Throws a SyncError of class `input` or `later` where the file cannot be taken. Leaves no plan behind. */
export async function* candidatesOf(
  input: SourceInput,
  {
    customFields,
    orders: known,
    ...about
  }: { customFields: CustomFieldRules; orders: DateOrders } & Pick<
    Reading,
    'counts' | 'openCreates' | 'left' | 'newer'
  >,
  context: RebuildContext,
): AsyncGenerator<readonly Candidate[]> {
  const { pipeline, runId, source, state } = context
  const how = { columns: wantedColumns(pipeline), optional: optionalColumns(pipeline) }
  const open = () => source.open(input, how)
  const whole = { source, pipeline, customFields, isStopped: () => isStopped(context) }
  const orders = await ordersWithin(input, known, whole)
  const reader = await open()
  try {
    const mapper = unitedMapper(
      await mapperFor({ input, header: reader.header, orders }, customFields, context),
      pipeline,
    )
    const staged = await state.beginInput({ runId, pipeline: pipeline.name, input, header: reader.header })
    const print = fingerprintContext(
      reader.header,
      pipeline.hash + customFields.print + printOfOrders(orders),
    )
    try {
      for await (const batch of batches({ reader, keyOf: mapper.keyOf, open }, context))
        yield await candidatesOfBatch(batch, { staged, mapper, print, ...about }, context)
    } finally {
      await state.endInput(staged, { as: 'unread' })
    }
  } finally {
    await reader.close()
  }
}
