// `fields`: the definitions of custom fields that the service has.
import { EXIT } from '../../core/words/exit-codes.ts'
import { askService } from '../../app/run/service/checking.ts'
import type { CustomFieldDefinition } from '../../core/ports.ts'
import { plural } from '../../core/words/format.ts'
import { type CommonOptions, type Io, print, printError, printJson } from '../io.ts'
import { commandSettings } from '../settings.ts'

/** Under the names of the interface (interface, 2.2). */
const listed = (field: CustomFieldDefinition) => ({
  field_id: field.id,
  field_name: field.name,
  label: field.label,
  description: field.description,
  type: field.type,
  required: field.required,
  ...(field.multiple === undefined ? {} : { multiple_selection: field.multiple }),
})

function fieldText({
  id,
  name,
  label,
  description,
  type,
  required,
  multiple,
}: CustomFieldDefinition): string {
  const marks = [type, ...(required ? ['required'] : []), ...(multiple === true ? ['several values'] : [])]
  const said = [label, description].filter((text) => text !== '').join(': ')
  return `${String(id).padStart(8)}  ${name}  (${marks.join(', ')})${said === '' ? '' : `  ${said}`}`
}

export async function fields(io: Io, options: CommonOptions): Promise<number> {
  const settings = await commandSettings(io, options)
  const result = await askService(settings, (reads) => reads.customFields(), {
    tell: (text) => printError(io, text),
  })
  if (result.kind !== 'ok') {
    printError(io, `service: ${result.summary}`)
    return EXIT.noService
  }
  if (options.json === true) {
    printJson(io, { fields: result.value.map(listed) })
    return 0
  }
  for (const field of result.value) print(io, fieldText(field))
  printError(io, plural(result.value.length, 'custom field'))
  return 0
}
