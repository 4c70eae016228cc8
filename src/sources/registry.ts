// Every kind of source, by the name that `source.type` gives. A new kind is a folder beside this file and a line here.
import type { Clock, Source } from '../core/ports.ts'
import type { SourceSettings } from '../core/settings.ts'
import { csvKind } from './csv/csv.ts'
import { jsonKind } from './json/json.ts'
import type { SourceKind } from './kind.ts'

export const SOURCE_KINDS: Readonly<Record<string, SourceKind>> = {
  csv: csvKind,
  json: jsonKind,
}

/** `settings` have been checked by the kind's schema. */
export function createSource(settings: SourceSettings, dependencies: { clock: Clock }): Source {
  const kind = SOURCE_KINDS[settings.type]
  if (kind === undefined) throw new Error(`no source kind ${settings.type}`)
  return kind.create(settings, dependencies)
}
