// The schema of `source`: what all kinds of sources have in common, and for each kind its own options.
// The kinds come from the registry of sources, by parameter: nothing here knows csv from json.
import { z } from 'zod'
import { text } from '../words/scalars.ts'
import { isWrapper, unwrapped } from '../words/zod-wrappers.ts'

export interface KindDescription {
  /**
   * The kind's own options: an object, which may be transformed as a whole. An option marked with
   * `.meta({ path: true })` is relative to the configuration.
   */
  readonly schema: z.ZodType
  /** A few lines of YAML. */
  readonly example: string
  /** One sentence for the manual. */
  readonly help: string
  /** Its records are asked for, and spooled: it gets a folder beside the state. */
  readonly isPulled?: boolean
  /** Options that are secrets, by their path; each may be read from a file by the option `<name>_file` beside it. */
  readonly secrets?: readonly (readonly string[])[]
  /** Options whose content is free, by their path: what of it comes from the environment is not shown. */
  readonly freeForm?: readonly (readonly string[])[]
}

export type SourceKinds = Readonly<Record<string, KindDescription>>

/** What every source has; the rest is checked here too, but only the kind's own schema gives its values. */
export interface SourceValues {
  readonly type: string
  readonly null_values: readonly string[]
}

const common = {
  preset: text
    .optional()
    .describe("Ready-made settings for a vendor's export, see Presets; the pipeline's own go first."),
  null_values: z
    .array(z.string())
    .prefault([])
    .describe('Values that count as blank, compared after trimming: `[n/a, "0.0.00"]`.'),
}

function objectIn(schema: z.ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return schema
  if (isWrapper(schema)) return objectIn(unwrapped(schema))
  throw new Error('the options of a kind of source must be an object')
}

/** One object schema for each kind, told apart by `type`. */
export function sourceSchema(kinds: SourceKinds): z.ZodType<SourceValues> {
  const options = Object.entries(kinds).map(([name, { schema, help }]) =>
    objectIn(schema)
      .safeExtend({ type: z.literal(name).describe('The kind of source.'), ...common })
      .strict()
      .describe(help),
  )
  const [first, ...rest] = options
  if (first === undefined) throw new Error('there is no kind of source')
  return z.discriminatedUnion('type', [first, ...rest]) as unknown as z.ZodType<SourceValues>
}

/** The kind's own options, as they are written, without those that every source has. */
export function ownOptions(source: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(source).filter(([name]) => name !== 'type' && !Object.hasOwn(common, name)),
  )
}

function isMarked(schema: z.ZodType): boolean {
  if (schema.meta()?.['path'] === true) return true
  return isWrapper(schema) && isMarked(unwrapped(schema))
}

/** The options of a kind that are paths. */
export function pathOptions(kind: KindDescription): readonly string[] {
  const shape = objectIn(kind.schema).shape as Record<string, z.ZodType>
  return Object.keys(shape).filter((name) => shape[name] !== undefined && isMarked(shape[name]))
}
