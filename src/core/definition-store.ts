// What the inside asks of the state about custom fields: the definitions as they were when a pipeline last ran, so that
// changes at the service are noticed.
import type { CustomFieldDefinition } from './ports.ts'

/** Definitions of custom fields, as each pipeline saw them last. */
export interface DefinitionStore {
  seenDefinitions(pipeline: string): Promise<readonly CustomFieldDefinition[]>
  /** `at` in milliseconds since the epoch. */
  rememberDefinitions(
    pipeline: string,
    definitions: readonly CustomFieldDefinition[],
    at: number,
  ): Promise<void>
}
