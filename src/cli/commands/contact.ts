// `contact`: one contact at the service, by id or by mail.
import { EXIT } from '../../core/words/exit-codes.ts'
import { isBlank } from '../../core/words/blank.ts'
import { askService } from '../../app/run/service/checking.ts'
import { contactsAt, type ContactView } from '../../app/people/contact-view.ts'
import { type CommonOptions, type Io, print, printError, printJson } from '../io.ts'
import { commandSettings } from '../settings.ts'

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
const shown = (value: unknown): string =>
  Array.isArray(value) ? value.map(asText).join(', ') : asText(value)

function printContact(io: Io, { id, fields, terms }: ContactView): void {
  print(io, `contact ${id}`)
  const filled = Object.entries(fields).filter(([, value]) => !isBlank(value))
  const width = Math.max(...filled.map(([name]) => name.length), 'terms'.length)
  for (const [name, value] of filled) print(io, `  ${name.padEnd(width)}  ${shown(value)}`)
  print(io, `  ${'terms'.padEnd(width)}  ${terms.map(({ name }) => name).join(', ') || 'none'}`)
}

export async function contact(io: Io, options: CommonOptions, [wanted = '']: string[]): Promise<number> {
  const settings = await commandSettings(io, options)
  const result = await askService(settings, (reads) => contactsAt(wanted, settings, reads), {
    tell: (text) => printError(io, text),
  })
  if (result.kind !== 'ok') {
    printError(io, `service: ${result.summary}`)
    return EXIT.noService
  }
  if (options.json === true) printJson(io, { contacts: result.value })
  else result.value.forEach((one) => printContact(io, one))
  if (result.value.length > 0) return 0
  printError(io, `the service has no contact ${wanted}`)
  return EXIT.refused
}
