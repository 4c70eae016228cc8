// What a sandbox holds at the beginning: terms, contacts and definitions of custom fields, written as the interface shows them.
import { z } from 'zod'
import { SyncError } from '../core/words/errors.ts'
import { createContactRules } from './contact-rules.ts'
import { createContacts } from './contacts.ts'
import { type Definition, definitionSchema, PLAIN_DEFINITIONS } from './custom-fields.ts'
import { Failure } from './failure.ts'
import type { Habits } from './habits.ts'
import type { Db } from './tables.ts'
import { createTerms, termSchema } from './terms.ts'

const definition = definitionSchema
  .partial({ label: true, description: true, required: true })
  .extend({ size: z.int().positive().optional(), options: z.array(z.string()).min(1).optional() })
  .transform(({ label, description = '', required = false, size, options, ...given }): Definition => ({
    ...given,
    label: label ?? given.field_name,
    description,
    required,
    ...(size === undefined ? {} : { size }),
    ...(options === undefined ? {} : { options }),
  }))

const seedSchema = z.strictObject({
  terms: z.array(termSchema.partial({ id: true, description: true })).default([]),
  contacts: z.array(z.record(z.string(), z.unknown())).default([]),
  custom_fields: z.array(definition).optional(),
})

export type Seed = z.output<typeof seedSchema>

/** Throws USAGE for a text that is no seed, with what is wrong and where in it. */
export function parseSeed(text: string, file: string): Seed {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new SyncError('USAGE', `${file} is no JSON: ${reason}`)
  }
  const parsed = seedSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new SyncError('USAGE', `${file}: ${problems.join('; ')}`, {
    hint: 'A seed is { "terms": [], "contacts": [], "custom_fields": [] }, objects as the interface shows them.',
  })
}

export const definitionsOf = (seed: Seed | undefined): readonly Definition[] =>
  seed?.custom_fields ?? PLAIN_DEFINITIONS

const unfit = (what: string, reason: string): SyncError =>
  new SyncError('USAGE', `${what} of the seed: ${reason}`)

/** What the interface refuses, and an id that two have, are mistakes of the seed. */
function planted(what: string, plantOne: () => void): void {
  try {
    plantOne()
  } catch (error) {
    if (error instanceof Failure) throw unfit(what, error.message)
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
    if (typeof code === 'string' && code.startsWith('SQLITE_CONSTRAINT'))
      throw unfit(what, 'another one has this id')
    throw error
  }
}

const idSchema = z.int().positive().optional()

/** Writes the seed into empty tables; ids that it names are kept. Throws USAGE for what the interface refuses. */
export function plant(db: Db, seed: Seed, habits: Habits): void {
  const terms = createTerms(db, habits)
  const contacts = createContacts(db, terms, { ...habits, mailStatusPermission: true })
  const { contactFields } = createContactRules(definitionsOf(seed))
  const termAt = db.prepare('UPDATE term SET id = ? WHERE id = ?')
  const contactAt = [
    'contact SET id',
    'block SET contact_id',
    'person SET contact_id',
    'contact_term SET contact_id',
  ].map((what) => db.prepare(`UPDATE ${what} = @to WHERE ${what.split(' ').at(-1) ?? ''} = @from`))
  const plantContact = ({ id: given, ...fields }: Seed['contacts'][number]): void => {
    const id = idSchema.safeParse(given ?? undefined)
    if (!id.success) throw new Failure(422, 'id must be a whole number above 0')
    const filled = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
    const parsed = contactFields.safeParse(filled)
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      throw new Failure(422, `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`)
    }
    const made = contacts.create(parsed.data, { check: 'none', merge: 'update_add' })
    if (id.data !== undefined && id.data !== made)
      for (const move of contactAt) move.run({ to: id.data, from: made })
  }
  db.transaction(() => {
    for (const [index, { id, name, description = '' }] of seed.terms.entries())
      planted(`term ${index + 1}`, () => {
        const made = terms.create(name, description)
        if (id !== undefined && id !== made) termAt.run(id, made)
      })
    for (const [index, contact] of seed.contacts.entries())
      planted(`contact ${index + 1}`, () => plantContact(contact))
  })()
}
