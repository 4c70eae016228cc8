// The contacts of the sandbox: create with duplicate check and merge, read, update, delete (interface, 4.2).
import { HOUR_MS } from '../core/words/duration.ts'
import { mailKey } from '../core/mapping/contact.ts'
import { isBlank } from '../core/words/blank.ts'
import { assertComplete, type Fields } from './contact-rules.ts'
import { unknownContact } from './failure.ts'
import { createDuplicates, type Duplicates } from './duplicates/duplicates.ts'
import type { Habits } from './habits.ts'
import type { Db } from './tables.ts'
import type { Terms } from './terms.ts'

export interface Methods {
  readonly check: 'auto' | 'email' | 'none'
  readonly merge: 'update_add' | 'update' | 'add'
}

export interface Contacts {
  create(fields: Fields, methods: Methods): number
  /** `fields` undefined: those that the interface names (4.2). */
  byId(id: number, fields: readonly string[] | undefined): Fields
  idsByMail(mail: string): number[]
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

/** Whether a blank value empties a field in an update, as the habit has it. */
function clears(value: unknown, clearedBy: Habits['clearedBy']): boolean {
  if (clearedBy === 'both') return true
  return clearedBy === 'null' ? value === null : clearedBy === 'empty-text' && value !== null
}

/** What an update leaves of a contact: what is given goes over what is there, blanks empty. */
function updated(existing: Fields, given: Fields, clearedBy: Habits['clearedBy']): Fields {
  const taken = Object.entries(given).filter(([, value]) => !isBlank(value) || clears(value, clearedBy))
  return withoutBlanks({ ...existing, ...Object.fromEntries(taken) })
}

/** The same moment, and the same day, in another offset. */
function inAnotherOffset(moment: unknown): unknown {
  if (typeof moment !== 'string') return moment
  const at = Date.parse(moment)
  const written = ([1, -1] as const).map((hours) => {
    const local = new Date(at + hours * HOUR_MS).toISOString().slice(0, 19)
    return `${local}${hours > 0 ? '+' : '-'}01:00`
  })
  const others = written.filter((text) => text.slice(-6) !== moment.slice(-6))
  return others.find((text) => text.slice(0, 10) === moment.slice(0, 10)) ?? moment
}

function createStorage(db: Db, duplicates: Duplicates) {
  const insert = db.prepare('INSERT INTO contact (mail_key, fields) VALUES (?, ?)')
  const update = db.prepare('UPDATE contact SET mail_key = ?, fields = ? WHERE id = ?')
  const get = db.prepare<[number], Row>('SELECT id, fields FROM contact WHERE id = ?')
  const drop = db.prepare('DELETE FROM contact WHERE id = ?')
  const key = (fields: Fields): string | null =>
    typeof fields['mail'] === 'string' && fields['mail'] !== '' ? mailKey(fields['mail']) : null
  return {
    insert(fields: Fields): number {
      const id = Number(insert.run(key(fields), JSON.stringify(fields)).lastInsertRowid)
      duplicates.remember(id, fields)
      return id
    },
    write(id: number, fields: Fields): void {
      update.run(key(fields), JSON.stringify(fields), id)
      duplicates.remember(id, fields)
    },
    read(id: number): Fields {
      const row = get.get(id)
      if (row === undefined) throw unknownContact()
      return parsed(row)
    },
    remove(id: number): boolean {
      duplicates.forget(id)
      return drop.run(id).changes > 0
    },
  }
}

/** The statuses of deleted contacts, by their e-mail address. */
function createFormerStatuses(db: Db, { statusAfterDelete }: Habits) {
  const keep = db.prepare('INSERT OR REPLACE INTO former_status VALUES (?, ?)')
  const kept = db.prepare<[string], number>('SELECT status FROM former_status WHERE mail_key = ?').pluck()
  return {
    keep({ mail, mail_status: status }: Fields): void {
      if (typeof mail === 'string' && typeof status === 'number') keep.run(mailKey(mail), status)
    },
    /** The fields of a new contact. */
    given(fields: Fields): Fields {
      const { mail } = fields
      if (statusAfterDelete === 'forgotten' || typeof mail !== 'string') return fields
      const status = kept.get(mailKey(mail))
      return status === undefined ? fields : { ...fields, mail_status: status }
    },
  }
}

/** Which contacts a mail finds, as the habits have it; `mail` is the mail in the form for comparison. */
const FOUND_BY_MAIL: Readonly<Record<Habits['mailLookup'], string>> = {
  exact: 'mail_key = @mail',
  wildcard: 'mail_key LIKE @mail',
  prefix: 'substr(mail_key, 1, length(@mail)) = @mail',
  secondary: "mail_key = @mail OR lower(fields ->> 'mail2') = @mail",
}

/** What a contact has where nothing else was given: a value, and no missing one (interface, 2.3). */
const DEFAULTS: Fields = { mail_status: 3 }

/** What a check method searches, as the habit has it. */
function searched(check: Methods['check'], { auto }: Habits): Methods['check'] {
  if (check !== 'auto' || auto === 'probable') return check
  return auto === 'mail' ? 'email' : 'none'
}

const DEFAULT_FIELDS = ['first_name', 'family_name', 'mail']

export function createContacts(db: Db, terms: Terms, habits: Habits): Contacts {
  const duplicates = createDuplicates(db)
  const formerStatuses = createFormerStatuses(db, habits)
  const storage = createStorage(db, duplicates)
  const sameMail = db
    .prepare<[{ mail: string }], number>(
      `SELECT id FROM contact WHERE ${FOUND_BY_MAIL[habits.mailLookup]} ORDER BY id`,
    )
    .pluck()
  const existing = db.prepare<[number], number>('SELECT 1 FROM contact WHERE id = ?').pluck()

  const changeTerms = { add: terms.add, replace: terms.set, ignore: () => undefined } as const
  const mergeTerms = (id: number, ids: readonly number[], merge: Methods['merge']): void => {
    const { terms: left } = merged({ terms: terms.idsOf(id) }, { terms: ids }, merge)
    terms.set(id, left as number[])
  }
  const split = ({ terms: ids, mail_status: status, ...fields }: Fields) => ({
    fields: habits.mailStatusPermission && status !== undefined ? { ...fields, mail_status: status } : fields,
    ids: ids === undefined ? undefined : (ids as number[]),
  })
  const shown = (id: number, names: readonly string[] | undefined): Fields => {
    const fields: Fields = { ...DEFAULTS, ...storage.read(id), id, terms: terms.idsOf(id) }
    if (habits.birthdayOffset === 'other') fields['date_of_birth'] = inAnotherOffset(fields['date_of_birth'])
    const wanted = names ?? DEFAULT_FIELDS
    return Object.fromEntries(['id', ...wanted].map((name) => [name, fields[name] ?? null]))
  }
  const create = db.transaction((given: Fields, methods: Methods): number => {
    const { fields, ids } = split(given)
    const duplicate = duplicates.find(fields, searched(methods.check, habits))
    const id = duplicate ?? storage.insert(formerStatuses.given(withoutBlanks(fields)))
    const merge = habits.merge === 'as-documented' ? methods.merge : 'update_add'
    if (duplicate !== undefined)
      storage.write(id, merged({ ...DEFAULTS, ...storage.read(id) }, fields, merge))
    if (ids === undefined) return id
    const how = habits.termsInCreate
    if (how !== 'by-method') changeTerms[how](id, ids)
    else if (duplicate === undefined) terms.set(id, ids)
    else mergeTerms(id, ids, merge)
    return id
  })
  return {
    create: (fields, methods) => create.immediate(fields, methods),
    byId: (id, fields) => shown(id, fields),
    idsByMail: (mail) => sameMail.all({ mail: mailKey(mail) }),
    update: (id, given) =>
      db.transaction(() => {
        const { fields, ids } = split(given)
        const left = updated(storage.read(id), fields, habits.clearedBy)
        assertComplete(left, { mailRequired: false })
        storage.write(id, left)
        if (ids !== undefined) changeTerms[habits.termsInUpdate](id, ids)
      })(),
    delete: (id) =>
      db.transaction(() => {
        terms.set(id, [])
        formerStatuses.keep(storage.read(id))
        if (!storage.remove(id)) throw unknownContact()
      })(),
    assertThere(id) {
      if (existing.get(id) === undefined) throw unknownContact()
    },
  }
}
