// The one schema that standard and custom fields share: a text of so many characters.
import { z } from 'zod'
import { characterCount } from '../core/mapping/contact.ts'

/** Counted in characters, as columns are, and not in UTF-16 units as JavaScript would. */
export const sizedText = (size: number) =>
  z
    .string({ error: 'must be text' })
    .refine((value) => characterCount(value) <= size, `has more than ${size} characters`)
    .meta({ maxLength: size })
