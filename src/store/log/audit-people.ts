// Whose entry it is. One person has one token over all pipelines: a record is known by pipeline and key until a link says
// which contact it is; where that contact is known already, the two turn out to be one person, and share what follows.
import type { AuditEntry } from '../../core/log/audit.ts'
import { mailKey } from '../../core/mapping/contact.ts'
import { newKey, newToken, type Print } from './audit-seal.ts'
import type { Connection } from '../file/connection.ts'

export interface PersonKey {
  readonly id: number
  readonly token: string
  readonly secret: Buffer
}

/** Whether the contact is surely the record's: one that a create met is another record's until a link says otherwise. */
const isJoined = ({ action, outcome }: AuditEntry): boolean =>
  (action !== 'create' && action !== 'link') || outcome === 'done' || outcome === 'unchanged'

function mailsOf({ fields }: AuditEntry): string[] {
  const change = fields['mail']
  return [change?.from, change?.to].flatMap((mail) =>
    typeof mail === 'string' && mail !== '' ? mailKey(mail) : [],
  )
}

/** Under what the person of an entry is found; nothing where it is about nobody. */
export function aliasesOf(entry: AuditEntry, print: Print): Buffer[] {
  const { pipeline, key, contact_id: id } = entry
  const own = [
    ...(key === null ? [] : [print('key', pipeline ?? '', key)]),
    ...(id !== null && isJoined(entry) ? [print('id', String(id))] : []),
  ]
  return own.length === 0 ? [] : [...own, ...mailsOf(entry).map((mail) => print('mail', mail))]
}

export function createPeople(db: Connection, print: Print): (entry: AuditEntry) => PersonKey {
  const personOf = db
    .prepare<[Buffer], number>('SELECT person FROM person_alias WHERE alias = ? ORDER BY person LIMIT 1')
    .pluck()
  const keyOf = db.prepare<[number], PersonKey>(
    'SELECT id, token, secret FROM person_key WHERE person = ? AND secret IS NOT NULL ORDER BY id LIMIT 1',
  )
  const addKey = db.prepare('INSERT INTO person_key (person, token, secret) VALUES (?, ?, ?)')
  const ownNumber = db.prepare('UPDATE person_key SET person = id WHERE id = ?')
  const addAlias = db.prepare('INSERT OR IGNORE INTO person_alias VALUES (?, ?)')
  const mergeKeys = db.prepare('UPDATE person_key SET person = ? WHERE person = ?')
  const mergeAliases = db.prepare('UPDATE OR REPLACE person_alias SET person = ? WHERE person = ?')

  const newPersonKey = (person?: number): PersonKey => {
    const token = newToken()
    const secret = newKey()
    const id = Number(addKey.run(person ?? 0, token, secret).lastInsertRowid)
    if (person === undefined) ownNumber.run(id)
    return { id, token, secret }
  }
  const merge = (into: number, from: number): void => {
    mergeKeys.run(into, from)
    mergeAliases.run(into, from)
  }
  return (entry) => {
    const { pipeline, key, contact_id: id } = entry
    const joined = id !== null && isJoined(entry)
    const byKey = key === null ? undefined : print('key', pipeline ?? '', key)
    const byId = joined ? print('id', String(id)) : undefined
    if (byKey === undefined && byId === undefined) return keyOf.get(0) ?? newPersonKey(0)
    const ofKey = byKey && personOf.get(byKey)
    const ofId = byId && personOf.get(byId)
    if (ofKey !== undefined && ofId !== undefined && ofKey !== ofId) merge(ofId, ofKey)
    const known = ofId ?? ofKey
    // A person of whom nothing is left to open gets a key of their own again.
    const found = known === undefined ? newPersonKey() : (keyOf.get(known) ?? newPersonKey(known))
    const person = known ?? found.id
    if (byKey !== undefined) addAlias.run(byKey, person)
    if (byId !== undefined) addAlias.run(byId, person)
    for (const mail of mailsOf(entry)) addAlias.run(print('mail', mail), person)
    return found
  }
}
