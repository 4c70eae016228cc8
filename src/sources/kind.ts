// What a kind of source brings: its options with their help, an example, and how to make a source of it.
import type { z } from 'zod'
import type { Clock, Source } from '../core/ports.ts'

export interface SourceKind {
  readonly help: string
  /** One line of YAML. */
  readonly example: string
  /** The kind's own options; `type`, `preset` and `null_values` belong to every kind and are not in it. */
  readonly schema: z.ZodType
  /** `options` is what the schema gave. */
  create(options: unknown, dependencies: { clock: Clock }): Source
}
