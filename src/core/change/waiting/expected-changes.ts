// Columns whose values seldom change from file to file (`expect.values`, `change`). A column that was swapped, shifted or
// written in another form replaces what was sent of nearly every record. Counts, for each such column, the linked records
// for which a value that was sent is replaced, or cannot be read any more; a value where there was none is no replacement.
import { foldedColumn } from '../../mapping/columns.ts'
import { mappingColumns } from '../../mapping/fields/field-mapping.ts'
import type { Contact } from '../../mapping/contact.ts'
import { mappedFields } from '../../mapping/optional.ts'
import type { PipelineSettings } from '../../settings.ts'
import { number } from '../../words/format.ts'
import { allowedBy, limitText } from '../../words/limit.ts'
import type { Limit } from '../../words/scalars.ts'
import { changedFields, type KnownLink } from '../diff.ts'

interface Steady {
  readonly name: string
  readonly most: Limit
  /** Fields that are made of it; a custom field by its own name. */
  readonly fields: ReadonlySet<string>
  replaced: number
}

/** Of a record as mapped; `mended`: fields whose value was dropped or truncated because it is invalid. */
export interface Compared {
  readonly contact: Contact
  readonly mended: readonly string[]
}

export interface ExpectedChanges {
  compare(known: KnownLink, desired: Compared): void
  /** A sentence for each column of which too much is replaced; `links`: of the pipeline. */
  breaches(links: number): readonly string[]
}

function replacedFields(known: KnownLink, { contact, mended }: Compared): readonly string[] {
  const isFilled = (field: string): boolean => (known.fields[field] ?? '') !== ''
  const changed = Object.keys(changedFields(contact, known.fields, []))
  return [...changed, ...mended.filter((field) => contact[field] === undefined)].filter(isFilled)
}

const isAmong = (name: string, columns: readonly string[]): boolean =>
  columns.some((column) => foldedColumn(column) === foldedColumn(name))

const CUSTOM = 'custom_fields.'

function steadyColumns(pipeline: PipelineSettings): Steady[] {
  const fields = mappedFields(pipeline)
  return Object.entries(pipeline.expect?.values ?? {}).flatMap(([name, wanted]) => {
    if (!('change' in wanted)) return []
    const made = fields.flatMap(([field, mapping]) =>
      isAmong(name, mappingColumns(mapping)) ? [field.replace(CUSTOM, '')] : [],
    )
    return [{ name, most: wanted.change, fields: new Set(made), replaced: 0 }]
  })
}

export function expectedChanges(pipeline: PipelineSettings): ExpectedChanges {
  const columns = steadyColumns(pipeline)
  return {
    compare(known, desired) {
      if (columns.length === 0) return
      const fields = replacedFields(known, desired)
      for (const column of columns) if (fields.some((field) => column.fields.has(field))) column.replaced += 1
    },
    breaches: (links) =>
      columns
        .filter(({ replaced, most }) => replaced > allowedBy(most, links))
        .map(
          ({ name, replaced, most }) =>
            `"${name}" has another value, or one that cannot be read, for ${number(replaced)} of ${number(links)} linked records, at most ${limitText(most, links)} may change`,
        ),
  }
}
