// The search behind `duplicate_check_method`: finds the contact that a new one would double. Keeps its own two tables
// beside the contacts: under which keys a contact is found (`block`), and what there is to compare (`person`).
import { mailKey } from '../../core/mapping/contact.ts'
import { blockingKeys, isTelling } from '../../core/linkage/blocking.ts'
import { linkageWeight, THRESHOLD } from '../../core/linkage/linkage.ts'
import { personFromText, personOf, personText } from '../../core/linkage/person.ts'
import type { Fields } from '../contact-rules.ts'
import type { Db } from '../tables.ts'

export interface Duplicates {
  /** Makes the contact findable with its present values. */
  remember(id: number, fields: Fields): void
  forget(id: number): void
  /** The contact that these fields are taken to be, if there is one. */
  find(fields: Fields, check: 'auto' | 'email' | 'none'): number | undefined
}

/** A key shared by so many contacts distinguishes none; a relevant one is found under a rarer key. */
const LARGEST_BLOCK = 50

/** Keys that two must share to be compared, where none of them tells much. */
const ENOUGH = 2

function createAutoSearch(db: Db): (fields: Fields) => number | undefined {
  const inBlock = db
    .prepare<[string, number], number>('SELECT contact_id FROM block WHERE key = ? LIMIT ?')
    .pluck()
  const person = db.prepare<[number], string>('SELECT text FROM person WHERE contact_id = ?').pluck()
  const candidates = (keys: readonly string[]): number[] => {
    const found = new Map<number, number>()
    for (const key of keys) {
      const ids = inBlock.all(key, LARGEST_BLOCK + 1)
      const count = isTelling(key) ? ENOUGH : 1
      if (ids.length <= LARGEST_BLOCK) for (const id of ids) found.set(id, (found.get(id) ?? 0) + count)
    }
    return [...found].flatMap(([id, count]) => (count >= ENOUGH ? [id] : []))
  }
  return (fields) => {
    const wanted = personOf(fields)
    let best: { id: number; weight: number } | undefined
    for (const id of candidates(blockingKeys(wanted))) {
      const text = person.get(id)
      if (text === undefined) continue
      const weight = linkageWeight(wanted, personFromText(text))
      if (weight < THRESHOLD) continue
      // Of two that fit as well as each other, the older.
      if (best === undefined || weight > best.weight || (weight === best.weight && id < best.id))
        best = { id, weight }
    }
    return best?.id
  }
}

/** A file of an older sandbox has contacts that this search does not know yet. */
function rememberAll(db: Db, remember: Duplicates['remember']): void {
  const unknown = db.prepare<[], { id: number; fields: string }>(
    'SELECT id, fields FROM contact WHERE NOT EXISTS (SELECT 1 FROM person WHERE contact_id = id)',
  )
  db.transaction(() => {
    for (const { id, fields } of unknown.all()) remember(id, JSON.parse(fields) as Fields)
  })()
}

export function createDuplicates(db: Db): Duplicates {
  const addBlock = db.prepare('INSERT OR IGNORE INTO block VALUES (?, ?)')
  const dropBlock = db.prepare('DELETE FROM block WHERE key = ? AND contact_id = ?')
  const person = db.prepare<[number], string>('SELECT text FROM person WHERE contact_id = ?').pluck()
  const writePerson = db.prepare('INSERT OR REPLACE INTO person VALUES (?, ?)')
  const dropPerson = db.prepare('DELETE FROM person WHERE contact_id = ?')
  const byMail = db
    .prepare<[string], number>('SELECT id FROM contact WHERE mail_key = ? ORDER BY id LIMIT 1')
    .pluck()
  const probable = createAutoSearch(db)
  const forget = (id: number): void => {
    const text = person.get(id)
    if (text === undefined) return
    for (const key of blockingKeys(personFromText(text))) dropBlock.run(key, id)
    dropPerson.run(id)
  }
  const remember = (id: number, fields: Fields): void => {
    const known = personOf(fields)
    const text = personText(known)
    if (person.get(id) === text) return
    forget(id)
    writePerson.run(id, text)
    for (const key of blockingKeys(known)) addBlock.run(key, id)
  }
  rememberAll(db, remember)
  return {
    forget,
    remember,
    find(fields, check) {
      if (check === 'none') return undefined
      if (check === 'auto') return probable(fields)
      return typeof fields['mail'] === 'string' && fields['mail'] !== ''
        ? byMail.get(mailKey(fields['mail']))
        : undefined
    },
  }
}
