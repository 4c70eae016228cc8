// What the inside asks of the state about custom fields: the definitions as they were when a pipeline last ran, so that
// changes at the service are noticed.
import type { CustomFieldDefinition } from './ports.ts'

/** Definitions as a run has found them. */
export interface FoundDefinitions {
  readonly definitions: readonly CustomFieldDefinition[]
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Keys of fields that were deleted at the service and created again: what was pushed of them is unsure from here on. */
  readonly recreated: readonly string[]
}

/** Definitions of custom fields, as each pipeline saw them last. */
export interface DefinitionStore {
  seenDefinitions(pipeline: string): Promise<readonly CustomFieldDefinition[]>
  rememberDefinitions(pipeline: string, found: FoundDefinitions): Promise<void>
}
