// What the console's form for a rejected row shows: each field that the pipeline maps with its value, or what is wrong with it,
// and what the mapping says to the values that were typed. Part of the composition; reads only.
import type { CorrectableField, CorrectableReject } from '../../console/data.ts'
import type { ExplainReads } from '../../core/explain/explain-reads.ts'
import { compileTracer, type TracedRecord, unitedTrace } from '../../core/explain/trace.ts'
import { acceptedValue, givenText } from '../../core/mapping/fields/accepted-value.ts'
import type { CustomFieldRules } from '../../core/mapping/custom-fields.ts'
import type { FieldMapping } from '../../core/mapping/mapping-schema.ts'
import { mappedFields } from '../../core/mapping/optional.ts'
import type { Clock } from '../../core/ports.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import type { RejectEntry } from '../../core/state.ts'
import type { StateViews } from '../../core/views.ts'
import { SyncError } from '../../core/words/errors.ts'
import { customFieldsOf, type FieldTexts, readReject } from './rejected-record.ts'

interface Asked {
  readonly settings: Pick<Settings, 'service' | 'pipelines'>
  readonly state: Pick<StateViews, 'rejectById'> &
    Pick<ExplainReads, 'openCorrections' | 'dateOrders' | 'seenDefinitions'>
  readonly clock: Pick<Clock, 'now'>
}

/** As a form sends it back: browsers write line breaks their way, and the spaces around a value do not count. */
const formText = (text: string): string => text.replaceAll(/\r\n?/g, '\n').trim()

type Rejected = Awaited<ReturnType<typeof readReject>>

interface Read {
  readonly rejected: Rejected
  readonly traced: TracedRecord | undefined
  readonly customFields: CustomFieldRules
}

function fieldOf(
  [field, mapping]: readonly [string, FieldMapping],
  typed: string | undefined,
  { rejected, traced, customFields }: Read,
): CorrectableField | undefined {
  const current = rejected.held.get(field)
  const own = acceptedValue(field, '', customFields)
  if (own === undefined) return undefined
  const { value, problem } = traced?.fields.get(own.key) ?? {}
  const made = current ?? (value === undefined ? undefined : String(value))
  const raw = Object.values(rejected.seen(field)?.raw ?? {}).filter((part) => part !== '')
  const text = made ?? raw.join(' ')
  const given = typed === undefined || formText(typed) === formText(text) ? undefined : formText(typed)
  if (given === undefined)
    return { field, text, problem: current === undefined ? problem : undefined, typed: undefined }
  const form = givenText(mapping, given, rejected.kit)
  const check = typeof form === 'string' ? acceptedValue(field, form, customFields)?.check : form
  return { field, text, typed: given, problem: check && 'problem' in check ? check.problem : undefined }
}

async function readAgain(reject: RejectEntry, pipeline: PipelineSettings, asked: Asked): Promise<Read> {
  const { state, clock } = asked
  const customFields = await customFieldsOf(pipeline, asked)
  const rejected = await readReject(reject, { pipeline, customFields, state, writtenAt: clock.now() })
  const tracer = compileTracer(pipeline, { header: reject.header, customFields, kit: rejected.kit })
  return { rejected, traced: unitedTrace((reject.rows ?? [reject]).map(tracer)), customFields }
}

/** Undefined where there is no such reject of a configured pipeline. */
export async function correctableReject(
  { id, typed }: { readonly id: number; readonly typed: FieldTexts },
  asked: Asked,
): Promise<CorrectableReject | undefined> {
  const reject = await asked.state.rejectById(id)
  const pipeline = asked.settings.pipelines.find(({ name }) => name === reject?.pipeline)
  if (reject === undefined || pipeline === undefined) return undefined
  const without = (obstacle: string) => ({ reject, fields: [], still: reject.reason, obstacle })
  if (reject.key === undefined) return without('its key cannot be read, and a correction is kept by key')
  if (reject.code === 'KEY_DUPLICATE')
    return without('it has the key of another record, and a correction is kept by key')
  try {
    const read = await readAgain(reject, pipeline, asked)
    const fields = mappedFields(pipeline).flatMap(
      ([name, mapping]) =>
        fieldOf([name, mapping], Object.hasOwn(typed, name) ? typed[name] : undefined, read) ?? [],
    )
    const given = fields.flatMap(({ field, typed: text }) =>
      text === undefined ? [] : [[field, text] as const],
    )
    return { reject, fields, still: read.rejected.still(Object.fromEntries(given)), obstacle: undefined }
  } catch (error) {
    if (error instanceof SyncError) return without(error.message)
    throw error
  }
}
