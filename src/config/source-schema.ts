// The schema of `source`: what all kinds of sources have in common, and for each kind its own options.
// The kinds come from the registry of sources, by parameter: nothing here knows csv from json.
import { z } from 'zod'
import { isWrapper, unwrapped } from './schema-walk.ts'
import { text } from './scalars.ts'

export interface SourceKind {
  /** The kind's own options. An option marked with `.meta({ path: true })` is relative to the configuration. */
  readonly schema: z.ZodObject
  /** A few lines of YAML. */
  readonly example: string
  /** One sentence for the manual. */
  readonly help: string
}

export type SourceKinds = Readonly<Record<string, SourceKind>>

/** After the check: the common keys by their names in YAML, the kind's own as its schema gives them. */
export type SourceValues = Readonly<
  Record<string, unknown> & { type: string; null_values: readonly string[]; preset?: string }
>

const common = {
  preset: text.optional().describe("Ready-made settings for a vendor's export, see Presets; the pipeline's own go first."),
  null_values: z
    .array(z.string())
    .prefault([])
    .describe('Values that stand for nothing, compared after trimming: `[n/a, "0.0.00"]`.'),
}

/** One object schema for each kind, told apart by `type`. */
export function sourceSchema(kinds: SourceKinds): z.ZodType<SourceValues> {
  const options = Object.entries(kinds).map(([name, { schema, help }]) =>
    schema
      .safeExtend({ type: z.literal(name).describe('The kind of source.'), ...common })
      .strict()
      .describe(help),
  )
  const [first, ...rest] = options
  if (first === undefined) throw new Error('there is no kind of source')
  return z.discriminatedUnion('type', [first, ...rest]) as unknown as z.ZodType<SourceValues>
}

function isMarked(schema: z.ZodType): boolean {
  if (schema.meta()?.['path'] === true) return true
  return isWrapper(schema) && isMarked(unwrapped(schema))
}

/** The options of a kind that are paths. */
export function pathOptions(kind: SourceKind): readonly string[] {
  const shape = kind.schema.shape as Record<string, z.ZodType>
  return Object.keys(shape).filter((name) => shape[name] !== undefined && isMarked(shape[name]))
}
