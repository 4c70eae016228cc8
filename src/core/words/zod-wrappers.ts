// What zod puts around a schema: optional, with a default, or made into something else afterwards.
import { z } from 'zod'

type Wrapper =
  | z.ZodOptional<z.ZodType>
  | z.ZodNullable<z.ZodType>
  | z.ZodDefault<z.ZodType>
  | z.ZodPrefault<z.ZodType>
  | z.ZodReadonly<z.ZodType>
  | z.ZodPipe<z.ZodType, z.ZodType>

export function isWrapper(schema: z.ZodType): schema is z.ZodType & Wrapper {
  return (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodPipe
  )
}

/** What a wrapper is around, as it is written in the file: before defaults and transforms. */
export function unwrapped(schema: z.ZodType & Wrapper): z.ZodType {
  return schema instanceof z.ZodPipe ? schema.in : schema.def.innerType
}
