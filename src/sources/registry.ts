// Every kind of source there is, in one literal table. A new kind is a folder beside the others and a line here.
import type { Source } from '../core/ports.ts'
import type { SourceSettings } from '../core/settings.ts'
import { csvKind } from './csv/kind.ts'
import { excelKind } from './excel/kind.ts'
import { httpKind } from './http/kind.ts'
import { jsonKind } from './json/kind.ts'
import { vcardKind } from './vcard/kind.ts'
import type { SourceDeps, SourceKind } from './kind.ts'
import { moduleKind } from './module/kind.ts'
import { singerKind } from './singer/kind.ts'
import { sqlKind } from './sql/kind.ts'

export const SOURCE_KINDS: Readonly<Record<string, SourceKind>> = {
  csv: csvKind,
  json: jsonKind,
  excel: excelKind,
  vcard: vcardKind,
  http: httpKind,
  sql: sqlKind,
  singer: singerKind,
  module: moduleKind,
}

/**
 * The kind of a source and its own options: what is left beside the common keys is the output of the kind's own schema.
 * A type that is not in the table is a fault of the caller.
 */
export function kindOf(
  settings: SourceSettings,
  kinds: Readonly<Record<string, SourceKind>> = SOURCE_KINDS,
): { kind: SourceKind; options: Readonly<Record<string, unknown>> } {
  const { type, null_values: _nullValues, ...options } = settings
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined
  if (kind === undefined) throw new Error(`there is no kind of source named ${JSON.stringify(type)}`)
  return { kind, options }
}

/** A pipeline's source from its checked settings. */
export function createSource(settings: SourceSettings, deps: SourceDeps): Source {
  const { kind, options } = kindOf(settings)
  return kind.create(options, deps)
}
