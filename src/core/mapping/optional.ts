// Which fields an input speaks of, and the columns that they need. A field that is `optional` is no part of the mapping for an
// input without its column: what the contact has stays, and a later input with the column is compared with that. A column whose
// name has lost characters is no lacking one: such an input is refused, before the field is lost unseen.
import { columnIndex, foldedColumn, lacksColumn, nearestText } from './columns.ts'
import { askedColumns, mappingColumns } from './fields/field-mapping.ts'
import type { FieldMapping, PickRule } from './mapping-schema.ts'
import { pickColumns, pickPairs } from './fields/pick.ts'
import type { PipelineSettings } from '../settings.ts'

type Header = readonly string[]
type Mapped = Pick<PipelineSettings, 'map' | 'custom_fields'>

/** Every field with its mapping; custom fields as messages name them. */
export const mappedFields = ({
  map,
  custom_fields: custom,
}: Mapped): readonly (readonly [string, FieldMapping])[] => [
  ...Object.entries(map),
  ...Object.entries(custom).map(([name, mapping]) => [`custom_fields.${name}`, mapping] as const),
]

/** A record is known by it, or passed over without it: its column has to be there, `optional` or not. */
const isNeeded = ({ key, skip_without: without }: PipelineSettings, field: string): boolean =>
  (key === undefined && field === 'mail') || without?.includes(field) === true

const isOptional = (pipeline: PipelineSettings, field: string, { optional }: FieldMapping): boolean =>
  optional === true && !isNeeded(pipeline, field)

/** Of several alternatives one is enough; of columns that are put together all have to be there, but those that are asked about. */
function hasColumns(mapping: FieldMapping, header: Header): boolean {
  if (mapping.pick !== undefined) return pickPairs(mapping.pick, header).length > 0
  const columns = mappingColumns(mapping)
  const present = columns.filter((column) => !lacksColumn(header, column))
  if (mapping.columns !== undefined) return present.length > 0
  const asked = askedColumns(mapping)
  const isWhole = columns.every((column) => present.includes(column) || asked.includes(column))
  return isWhole && (present.length > 0 || asked.length === 0)
}

/** What stands for lost characters, also where it was read in another encoding. */
const LOST = /\uFFFD+|(?:ï¿½)+/u

/** The names that a damaged name may have had: no letter of ASCII is ever lost. */
function undamaged(name: string): RegExp {
  const form = foldedColumn(name).replaceAll('ï¿½', '\uFFFD')
  const parts = form.split(/(\uFFFD+)/u)
  const pattern = parts.map((part, index) =>
    index % 2 === 0 ? part.replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&') : `[^\\x00-\\x7F]{1,${part.length}}`,
  )
  return new RegExp(`^${pattern.join('')}$`, 'u')
}

/** Whether the input has the column under a name that has lost characters: it is there, and cannot be found. */
const hasDamaged = (header: Header, column: string): boolean =>
  header.some((name) => LOST.test(name) && undamaged(name).test(foldedColumn(column)))

/** Whether this input speaks of the field. The type of a number goes with the number. */
export function isSpokenOf(pipeline: PipelineSettings, field: string, header: Header): boolean {
  const [, mapping] = mappedFields(pipeline).find(([name]) => name === field) ?? []
  if (mapping === undefined) return false
  const { phone_type_of: number } = mapping
  if (number !== undefined) return number === field || isSpokenOf(pipeline, number, header)
  const isThere = (): boolean =>
    hasColumns(mapping, header) || mappingColumns(mapping).some((column) => hasDamaged(header, column))
  return !isOptional(pipeline, field, mapping) || isThere()
}

/** The columns of a `pick` that the input has; those of the first number where it has none. */
function pickWishes(rule: PickRule, header: Header): readonly string[] {
  const pairs = pickPairs(rule, header)
  if (pairs.length > 0)
    return pairs.flatMap(({ label, value }) => [...(label === undefined ? [] : [label]), value])
  return [rule.value, ...rule.label.slice(0, 1)].map((form) => form.replace('*', '1'))
}

/** Of columns that a field names, those that an input which speaks of it has to have. */
function neededAmong(columns: readonly string[], mapping: FieldMapping, header: Header): readonly string[] {
  const present = columns.filter((column) => columnIndex(header, column) !== undefined)
  if (mapping.columns !== undefined) return present.length > 0 ? present : columns
  const asked = askedColumns(mapping)
  return columns.filter((column) => !asked.includes(column) || !lacksColumn(header, column))
}

/** The columns that a field needs of an input which speaks of it. */
export function neededColumns(mapping: FieldMapping, header: Header): readonly string[] {
  const columns = mapping.pick === undefined ? mappingColumns(mapping) : pickWishes(mapping.pick, header)
  const damaged = columns.filter((column) => lacksColumn(header, column) && hasDamaged(header, column))
  return [...new Set([...neededAmong(columns, mapping, header), ...damaged])]
}

/** Every column that the field could name, for a source without a header. */
export const possibleColumns = (mapping: FieldMapping): readonly string[] =>
  mapping.pick === undefined ? mappingColumns(mapping) : pickColumns(mapping.pick)

/** The columns that only optional fields name; used by none of `others`, and by no field that is not optional. */
export function columnsOfOptionalFields(
  pipeline: PipelineSettings,
  others: readonly string[],
): readonly string[] {
  const fields = mappedFields(pipeline)
  const columnsWhere = (wanted: boolean): readonly string[] =>
    fields.flatMap(([field, mapping]) =>
      isOptional(pipeline, field, mapping) === wanted ? possibleColumns(mapping) : [],
    )
  const needed = new Set([...others, ...columnsWhere(false)])
  return [...new Set(columnsWhere(true))].filter((column) => !needed.has(column))
}

/** Optional fields that the input does not speak of although it has a column of nearly the name: perhaps one is misspelt. */
export function nearlyFound(pipeline: PipelineSettings, header: Header): readonly string[] {
  const fields = mappedFields(pipeline)
  const mapped = new Set(fields.flatMap(([, mapping]) => possibleColumns(mapping)))
  const others = header.filter((name) => name !== '' && !mapped.has(name))
  return fields
    .filter(([field]) => !isSpokenOf(pipeline, field, header))
    .flatMap(([field, mapping]) =>
      mapping.pick === undefined ? mappingColumns(mapping).map((column) => ({ field, column })) : [],
    )
    .filter(({ column }) => lacksColumn(header, column) && nearestText(column, others) !== '')
    .map(
      ({ field, column }) => `no column "${column}" (map.${field}, optional)${nearestText(column, others)}`,
    )
}
