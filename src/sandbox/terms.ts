// Terms, and which contact carries which (interface, 4.1 and 4.3).
import { z } from 'zod'
import { Failure } from './failure.ts'
import type { Habits } from './habits.ts'
import type { Db } from './tables.ts'

export const termSchema = z.strictObject({ id: z.int(), name: z.string(), description: z.string() })

export type SandboxTerm = z.infer<typeof termSchema>

export interface TermChanges {
  readonly name?: string | undefined
  readonly description?: string | undefined
}

export interface Terms {
  list(page: { offset: number; limit: number }): SandboxTerm[]
  numbered(id: number): SandboxTerm | undefined
  named(name: string): SandboxTerm | undefined
  /** The id of the term of that name, made where it is new. */
  create(name: string, description: string): number
  update(id: number, changes: TermChanges): void
  ofContact(contactId: number): SandboxTerm[]
  idsOf(contactId: number): number[]
  set(contactId: number, ids: readonly number[]): void
  add(contactId: number, ids: readonly number[]): void
  remove(contactId: number, ids: readonly number[]): void
}

/** Two names with the same key are one term. */
function nameKey(name: string, folding: Habits['termFolding']): string {
  const plain = name.normalize('NFC').trim().toLowerCase()
  if (folding === 'spaces') return plain.replace(/\s+/g, '')
  return folding === 'accents' ? plain.normalize('NFKD').replace(/\p{M}/gu, '') : plain
}

export function throwNoTerm(): never {
  throw new Failure(404, 'there is no such term')
}

function createContactTerms(db: Db, assertTerm: (id: number) => unknown) {
  const ofContact = db.prepare<[number], SandboxTerm>(
    'SELECT id, name, description FROM term JOIN contact_term ON term_id = id WHERE contact_id = ? ORDER BY id',
  )
  const add = db.prepare('INSERT OR IGNORE INTO contact_term VALUES (?, ?)')
  const remove = db.prepare('DELETE FROM contact_term WHERE contact_id = ? AND term_id = ?')
  const clear = db.prepare('DELETE FROM contact_term WHERE contact_id = ?')
  const addAll = (contactId: number, ids: readonly number[]): void => {
    for (const id of ids) {
      assertTerm(id)
      add.run(contactId, id)
    }
  }
  return {
    ofContact: (contactId: number) => ofContact.all(contactId),
    idsOf: (contactId: number) => ofContact.all(contactId).map(({ id }) => id),
    add: db.transaction(addAll),
    set: db.transaction((contactId: number, ids: readonly number[]) => {
      clear.run(contactId)
      addAll(contactId, ids)
    }),
    remove: db.transaction((contactId: number, ids: readonly number[]) => {
      for (const id of ids) {
        assertTerm(id)
        remove.run(contactId, id)
      }
    }),
  }
}

export function createTerms(db: Db, habits: Pick<Habits, 'termFolding'>): Terms {
  const key = (name: string): string => nameKey(name, habits.termFolding)
  const page = db.prepare<[number, number], SandboxTerm>(
    'SELECT id, name, description FROM term ORDER BY id LIMIT ? OFFSET ?',
  )
  const byId = db.prepare<[number], SandboxTerm>('SELECT id, name, description FROM term WHERE id = ?')
  const byName = db.prepare<[string], SandboxTerm>(
    'SELECT id, name, description FROM term WHERE name_key = ?',
  )
  const insert = db.prepare('INSERT INTO term (name, name_key, description) VALUES (?, ?, ?)')
  const update = db.prepare('UPDATE term SET name = ?, name_key = ?, description = ? WHERE id = ?')
  const there = (id: number): SandboxTerm => {
    const term = byId.get(id)
    if (term === undefined) throw new Failure(422, `there is no term ${id}`)
    return term
  }
  return {
    list: ({ offset, limit }) => page.all(limit, offset),
    numbered: (id) => byId.get(id),
    named: (name) => byName.get(key(name)),
    create(name, description) {
      const existing = byName.get(key(name))
      return existing?.id ?? Number(insert.run(name, key(name), description).lastInsertRowid)
    },
    update(id, changes) {
      const term = byId.get(id) ?? throwNoTerm()
      const name = changes.name ?? term.name
      const owner = byName.get(key(name))
      if (owner !== undefined && owner.id !== id) throw new Failure(409, 'another term has this name')
      update.run(name, key(name), changes.description ?? term.description, id)
    },
    ...createContactTerms(db, there),
  }
}
