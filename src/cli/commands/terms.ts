// `terms`: the terms that the service has.
import { askService } from '../../app.ts'
import { plural } from '../format.ts'
import { type CommonOptions, type Io, printError, printJson, printLine } from '../io.ts'
import { commandSettings } from '../settings.ts'

export async function terms(io: Io, options: CommonOptions): Promise<number> {
  const settings = await commandSettings(io, options)
  const result = await askService(
    settings,
    (reads) => reads.terms(),
    (text) => printError(io, text),
  )
  if (result.kind !== 'ok') {
    printError(io, `service: ${result.summary}`)
    return 5
  }
  if (options.json === true) {
    printJson(io, { terms: result.value })
    return 0
  }
  for (const { id, name, description } of result.value)
    printLine(io, `${String(id).padStart(8)}  ${name}${description === '' ? '' : `  (${description})`}`)
  printError(io, plural(result.value.length, 'term'))
  return 0
}
