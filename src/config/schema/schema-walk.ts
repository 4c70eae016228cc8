// Finds, in a zod schema, what it says about a path: which keys are known there and what they mean.
// For messages and for the manual; it checks nothing.
import { z } from 'zod'
import { isWrapper, unwrapped } from '../../core/words/zod-wrappers.ts'
import { isMapping, type Path, pathKey, valueAt } from '../text/tree.ts'

/** The form in the file, where the schema has a codec: `30s`, `5%`. Undefined: unchanged, or none that the file could have. */
export function asWritten(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodCodec) return z.safeEncode(schema, value).data
  if (schema instanceof z.ZodUnion) return writtenByOne(schema.options as z.ZodType[], value)
  return isWrapper(schema) ? asWritten(unwrapped(schema), value) : undefined
}

/** Of several forms, one of which is written otherwise than it is used: the first that takes the value. */
function writtenByOne(forms: readonly z.ZodType[], value: unknown): unknown {
  if (!forms.some((form) => form instanceof z.ZodCodec)) return undefined
  const encoded = forms.map((form) => z.safeEncode(form, value))
  return encoded.find(({ success }) => success)?.data
}

/** A schema without its wrappers; all the branches of a union. */
function alternatives(schema: z.ZodType): z.ZodType[] {
  if (isWrapper(schema)) return alternatives(unwrapped(schema))
  if (schema instanceof z.ZodUnion) return (schema.options as z.ZodType[]).flatMap(alternatives)
  return [schema]
}

/** Of several objects told apart by `type`, the one that the value names. */
function fits(schema: z.ZodType, value: unknown): boolean {
  if (!(schema instanceof z.ZodObject) || !isMapping(value)) return true
  const type: unknown = schema.shape['type']
  return !(type instanceof z.ZodLiteral) || (type.values as Set<unknown>).has(value['type'])
}

function chosen(schema: z.ZodType, value: unknown): z.ZodType[] {
  const all = alternatives(schema)
  const fitting = all.filter((one) => fits(one, value))
  return fitting.length > 0 ? fitting : all
}

/** What is known of each entry of a value; nothing of keys that the schema does not have. */
export const schemasOf = (
  schemas: readonly z.ZodType[],
  value: unknown,
  step: PropertyKey,
): readonly z.ZodType[] => schemas.flatMap((one) => chosen(one, value)).flatMap((one) => child(one, step))

/** Whether the keys here are names that the file gives. */
export const isNaming = (schemas: readonly z.ZodType[], value: unknown): boolean =>
  schemas.flatMap((one) => chosen(one, value)).some((one) => one instanceof z.ZodRecord)

function child(schema: z.ZodType, step: PropertyKey): z.ZodType[] {
  if (schema instanceof z.ZodObject) {
    const found: unknown = Object.hasOwn(schema.shape, step) ? schema.shape[String(step)] : undefined
    return found instanceof z.ZodType ? [found] : []
  }
  if (schema instanceof z.ZodRecord) return [schema.valueType as z.ZodType]
  if (schema instanceof z.ZodArray) return [schema.element as z.ZodType]
  return []
}

/** Every schema that the value at this path may have to fit. */
export function schemasAt(schema: z.ZodType, path: Path, value: unknown): readonly z.ZodType[] {
  const [step, ...rest] = path
  if (step === undefined) return [schema]
  const inner =
    isMapping(value) || Array.isArray(value) ? (value as Record<PropertyKey, unknown>)[step] : undefined
  return chosen(schema, value).flatMap((one) =>
    child(one, step).flatMap((found) => schemasAt(found, rest, inner)),
  )
}

/** The keys that may stand in the mapping at this path. */
export function knownKeys(schema: z.ZodType, path: Path, value: unknown): readonly string[] {
  const inner = path.reduce<unknown>(
    (current, step) =>
      isMapping(current) || Array.isArray(current)
        ? (current as Record<PropertyKey, unknown>)[step]
        : undefined,
    value,
  )
  const objects = schemasAt(schema, path, value).flatMap((one) => chosen(one, inner))
  return [...new Set(objects.flatMap((one) => (one instanceof z.ZodObject ? Object.keys(one.shape) : [])))]
}

/**
 * The nearest other mapping, below or around this path, in which the key may stand, of those that are written in the file if
 * there are any; undefined where none is near.
 */
export function placeFor(key: string, schema: z.ZodType, path: Path, value: unknown): Path | undefined {
  const keysAt = (place: Path): readonly string[] => knownKeys(schema, place, value)
  const below = (place: Path): readonly Path[] => keysAt(place).map((name) => [...place, name])
  const around = path.map((_, index) => path.slice(0, path.length - 1 - index))
  const places = [...below(path), ...around.flatMap((place) => [place, ...below(place)])].filter(
    (place) => pathKey(place) !== pathKey(path) && keysAt(place).includes(key),
  )
  return places.find((place) => isMapping(valueAt(value, place))) ?? places[0]
}

/** What the schema says about a key, for messages. */
export function descriptionAt(schema: z.ZodType, path: Path, value: unknown): string | undefined {
  return schemasAt(schema, path, value)
    .map(descriptionOf)
    .find((found) => found !== undefined)
}

function descriptionOf(schema: z.ZodType): string | undefined {
  return schema.description ?? (isWrapper(schema) ? descriptionOf(unwrapped(schema)) : undefined)
}
