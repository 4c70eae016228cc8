// A rejected record under the mapping in force: what it says about each field, and whether it would be sent with values that a
// person gives. Part of the composition; for decisions, and for the console before one is made.
import type { CorrectionStore } from '../../core/change/others/correction.ts'
import type { DefinitionStore } from '../../core/definition-store.ts'
import { type CustomFieldRules, customFieldFindings } from '../../core/mapping/custom-fields.ts'
import { compileMapping } from '../../core/mapping/mapping.ts'
import type { SourceRecord } from '../../core/mapping/record.ts'
import type { SeenField } from '../../core/mapping/fields/seen-field.ts'
import { unitedMapper } from '../../core/mapping/union.ts'
import type { DateOrderStore } from '../../core/mapping/values/dates/date-order.ts'
import { loadRuleKit, type RuleKit } from '../../core/mapping/values/rule-kit.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import type { RejectEntry } from '../../core/state.ts'

/** Values by the name of their field. */
export type FieldTexts = Readonly<Record<string, string>>

export async function customFieldsOf(
  pipeline: PipelineSettings,
  {
    settings,
    state,
  }: {
    readonly settings: Pick<Settings, 'service'>
    readonly state: Pick<DefinitionStore, 'seenDefinitions'>
  },
): Promise<CustomFieldRules> {
  const definitions = await state.seenDefinitions(pipeline.name)
  return customFieldFindings(pipeline, definitions, settings.service.custom_field_key)
}

const recordOf = ({ values, line, rows }: RejectEntry): SourceRecord => ({
  kind: 'record',
  values,
  line,
  ...(rows === undefined ? {} : { rows }),
})

interface Against {
  readonly pipeline: PipelineSettings
  readonly customFields: CustomFieldRules
  readonly state: Pick<CorrectionStore, 'openCorrections'> & Pick<DateOrderStore, 'dateOrders'>
  /** Milliseconds since the epoch. */
  readonly writtenAt: number
}

interface RejectedRecord {
  /** Undefined where the row does not speak of the field. */
  seen(field: string): SeenField | undefined
  /** Why it would not be sent with these values and the corrections that hold; null: it would be. */
  still(fields: FieldTexts): string | null
  /** Corrections of the record that hold. */
  readonly held: ReadonlyMap<string, string>
  readonly kit: RuleKit
}

/** Throws INPUT_COLUMN_MISSING or INPUT_COLUMN_AMBIGUOUS, as the mapping does. */
export async function readReject(
  reject: RejectEntry,
  { pipeline, customFields, state, writtenAt }: Against,
): Promise<RejectedRecord> {
  const orders = await state.dateOrders(pipeline.name)
  const kit = await loadRuleKit(pipeline, { writtenAt, orders })
  const mapper = unitedMapper(compileMapping(pipeline, reject.header, customFields, kit), pipeline)
  const record = recordOf(reject)
  const open = (await state.openCorrections(pipeline.name)).filter(({ key }) => key === reject.key)
  const held = new Map(open.map(({ field, value }) => [field, value]))
  return {
    seen: (field) => mapper.seen(record, field),
    still(fields) {
      const mapped = mapper.map(record, new Map([...held, ...Object.entries(fields)]))
      return mapped.kind === 'rejected' ? mapped.reason : mapped.kind === 'skipped' ? 'it is skipped' : null
    },
    held,
    kit,
  }
}
