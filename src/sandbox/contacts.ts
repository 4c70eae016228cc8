// The contacts of the sandbox: create with duplicate check and merge, read, update, delete (interface, 4.2).
import { mailKey } from '../core/contact.ts'
import { checkFields, checkNewContact, type Fields, isBlank } from './contact-rules.ts'
import { Failure } from './failure.ts'
import type { Habits } from './habits.ts'
import { blockingKeys, linkageWeight, personOf, THRESHOLD } from './linkage.ts'
import type { Db } from './tables.ts'
import type { Terms } from './terms.ts'

export interface Methods {
  readonly check: 'auto' | 'email' | 'none'
  readonly merge: 'update_add' | 'update' | 'add'
}

export interface Contacts {
  create(fields: Fields, methods: Methods): number
  /** All of them or none. */
  createMany(contacts: readonly unknown[], methods: Methods): { id: number; email: string }[]
  byId(id: number, fields: readonly string[]): Fields
  byMail(mail: string, fields: readonly string[]): Fields[]
  update(id: number, fields: Fields): void
  delete(id: number): void
  assertThere(id: number): void
}

interface Row {
  id: number
  fields: string
}

const parsed = (row: Row): Fields => JSON.parse(row.fields) as Fields

/** What of the given fields goes over the ones that are there (interface, 4.2). */
function merged(existing: Fields, given: Fields, merge: Methods['merge']): Fields {
  const allowed = Object.entries(given).filter(([name, value]) => {
    if (isBlank(value)) return false
    if (merge === 'update_add') return true
    return merge === 'add' ? isBlank(existing[name]) : !isBlank(existing[name])
  })
  return { ...existing, ...Object.fromEntries(allowed) }
}

const withoutBlanks = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isBlank(value)))

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function createStorage(db: Db) {
  const insert = db.prepare('INSERT INTO contact (mail_key, fields) VALUES (?, ?)')
  const update = db.prepare('UPDATE contact SET mail_key = ?, fields = ? WHERE id = ?')
  const get = db.prepare<[number], Row>('SELECT id, fields FROM contact WHERE id = ?')
  const addBlock = db.prepare('INSERT OR IGNORE INTO block VALUES (?, ?)')
  const dropBlocks = db.prepare('DELETE FROM block WHERE contact_id = ?')
  const drop = db.prepare('DELETE FROM contact WHERE id = ?')
  const key = (fields: Fields): string | null =>
    typeof fields['mail'] === 'string' && fields['mail'] !== '' ? mailKey(fields['mail']) : null
  const block = (id: number, fields: Fields): void => {
    for (const one of blockingKeys(personOf(fields))) addBlock.run(one, id)
  }
  return {
    insert(fields: Fields): number {
      const id = Number(insert.run(key(fields), JSON.stringify(fields)).lastInsertRowid)
      block(id, fields)
      return id
    },
    write(id: number, fields: Fields): void {
      update.run(key(fields), JSON.stringify(fields), id)
      dropBlocks.run(id)
      block(id, fields)
    },
    read(id: number): Fields {
      const row = get.get(id)
      if (row === undefined) throw new Failure(404, 'there is no such contact')
      return parsed(row)
    },
    remove(id: number): boolean {
      dropBlocks.run(id)
      return drop.run(id).changes > 0
    },
  }
}

function createDuplicateSearch(db: Db) {
  const byMail = db
    .prepare<[string], number>('SELECT id FROM contact WHERE mail_key = ? ORDER BY id LIMIT 1')
    .pluck()
  const candidates = db.prepare<[string], Row>(
    `SELECT DISTINCT contact.id, contact.fields FROM json_each(?) AS wanted
     CROSS JOIN block ON block.key = wanted.value JOIN contact ON contact.id = block.contact_id LIMIT 2000`,
  )
  return (fields: Fields, check: Methods['check']): number | undefined => {
    if (check === 'none') return undefined
    if (check === 'email')
      return typeof fields['mail'] === 'string' && fields['mail'] !== ''
        ? byMail.get(mailKey(fields['mail']))
        : undefined
    const person = personOf(fields)
    let best: { id: number; weight: number } | undefined
    for (const row of candidates.all(JSON.stringify(blockingKeys(person)))) {
      const weight = linkageWeight(person, personOf(parsed(row)))
      if (weight >= THRESHOLD && (best === undefined || weight > best.weight)) best = { id: row.id, weight }
    }
    return best?.id
  }
}

const DEFAULT_FIELDS = ['first_name', 'family_name', 'mail']

export function createContacts(db: Db, terms: Terms, habits: Habits): Contacts {
  const storage = createStorage(db)
  const duplicateOf = createDuplicateSearch(db)
  const sameMail = db
    .prepare<[string], number>('SELECT id FROM contact WHERE mail_key = ? ORDER BY id')
    .pluck()
  const existing = db.prepare<[number], number>('SELECT 1 FROM contact WHERE id = ?').pluck()

  const split = ({ terms: ids, mail_status: status, ...fields }: Fields) => ({
    fields:
      habits.mailStatusPermission && status !== undefined
        ? { ...fields, mail_status: Number(status) }
        : fields,
    ids: ids === undefined ? undefined : (ids as number[]),
  })
  const shown = (id: number, names: readonly string[]): Fields => {
    const fields: Fields = { mail_status: 3, ...storage.read(id), id, terms: terms.idsOf(id) }
    const wanted = names.length === 0 ? DEFAULT_FIELDS : names
    return Object.fromEntries(['id', ...wanted].map((name) => [name, fields[name] ?? null]))
  }
  const create = (given: Fields, methods: Methods): number => {
    const { fields, ids } = split(given)
    const duplicate = duplicateOf(fields, methods.check)
    const id = duplicate ?? storage.insert(withoutBlanks(fields))
    if (duplicate !== undefined) storage.write(id, merged(storage.read(id), fields, methods.merge))
    if (ids !== undefined) terms.add(id, ids)
    return id
  }
  const createChecked = db.transaction((given: Fields, methods: Methods): number => {
    checkNewContact(given, { mailRequired: false })
    return create(given, methods)
  })
  const checkMember = (contact: unknown, index: number): Fields => {
    try {
      if (!isObject(contact)) throw new Failure(422, 'must be an object')
      checkNewContact(contact, { mailRequired: true })
      return contact
    } catch (error) {
      throw error instanceof Failure
        ? new Failure(error.status, `contact ${index + 1} of the call: ${error.message}`)
        : error
    }
  }
  return {
    create: (fields, methods) => createChecked.immediate(fields, methods),
    createMany: (contacts, methods) =>
      db.transaction(() => {
        const checked = contacts.map(checkMember)
        return checked.map((fields) => ({ id: create(fields, methods), email: String(fields['mail']) }))
      })(),
    byId: (id, fields) => shown(id, fields),
    byMail: (mail, fields) => sameMail.all(mailKey(mail)).map((id) => shown(id, fields)),
    update: (id, given) =>
      db.transaction(() => {
        checkFields(given)
        const { fields, ids } = split(given)
        storage.write(id, withoutBlanks({ ...storage.read(id), ...fields }))
        if (ids !== undefined) terms.set(id, ids)
      })(),
    delete: (id) =>
      db.transaction(() => {
        terms.set(id, [])
        if (!storage.remove(id)) throw new Failure(404, 'there is no such contact')
      })(),
    assertThere(id) {
      if (existing.get(id) === undefined) throw new Failure(404, 'there is no such contact')
    },
  }
}
