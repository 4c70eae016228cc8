// By which names a person of the sync log is known: keys, contact ids, mails. What a link says stands there alone, since a
// link refers to its person; what it ceases to say, and names that no link has, are aliases under a keyed hash.
import { mailKey } from '../../core/mapping/contact.ts'
import { type Connection, isFile } from '../file/connection.ts'
import { createPrint, type Print } from './audit-seal.ts'

export type Name =
  | { readonly kind: 'key'; readonly pipeline: string; readonly key: string }
  | { readonly kind: 'id'; readonly id: number }
  | { readonly kind: 'mail'; readonly mail: string }

export function printOf(name: Name, print: Print): Buffer {
  if (name.kind === 'key') return print('key', name.pipeline, name.key)
  return name.kind === 'id' ? print('id', String(name.id)) : print('mail', mailKey(name.mail))
}

/** Of `alias`, an expression of a SELECT: the person that a number stands for now; two may have become one. */
export const presentPerson = (alias: string): string =>
  `(SELECT coalesce(person, id) FROM person_key WHERE id = ${alias})`

/** The keys of persons, which the SELECT `persons` names. A merged person's keys bear the number of the other. */
export const keysOf = (persons: string): string =>
  `SELECT id FROM person_key WHERE person IS NULL AND id IN (${persons})
   UNION ALL SELECT id FROM person_key WHERE person IN (${persons})`

/** The numbers of entries sealed under keys, which the SELECT `keys` names; a key bears the number of its first entry. */
export const entriesOf = (keys: string): string =>
  `SELECT s.seq FROM (${keys}) AS k CROSS JOIN sealed AS s ON s.seq = k.id AND s.key_id = k.id
   UNION ALL SELECT s.seq FROM (${keys}) AS k CROSS JOIN sealed AS s ON s.key_id = k.id AND s.key_id <> s.seq`

const found = (sql: string): string => `SELECT ${presentPerson('found.person')} FROM (${sql}) AS found`
const FIND_BY_ALIAS = found('SELECT person FROM person_alias WHERE alias = ?')

/** Finds who is known by a name: the person's numbers as they are now. */
export function createFindPersons(db: Connection, print: Print) {
  const prepare = (sql: string) => db.prepare<unknown[], number | null>(sql).pluck()
  const find = (sql: string) => prepare(found(sql))
  const byAlias = prepare(FIND_BY_ALIAS)
  const byKey = find('SELECT person FROM link WHERE pipeline = ? AND key = ?')
  const byId = find('SELECT person FROM link WHERE contact_id = ?')
  const byMail = find('SELECT person FROM link WHERE mail_key = ?')
  const ofLinks = (name: Name): (number | null)[] => {
    if (name.kind === 'key') return byKey.all(name.pipeline, name.key)
    return name.kind === 'id' ? byId.all(name.id) : byMail.all(mailKey(name.mail))
  }
  const ofAliases = (name: Name): (number | null)[] => byAlias.all(printOf(name, print))
  return {
    all: (name: Name): readonly number[] =>
      [...new Set([...ofLinks(name), ...ofAliases(name)])].filter((person) => person !== null),
    leadsTo: (name: Name, person: number): boolean =>
      ofLinks(name).includes(person) || ofAliases(name).includes(person),
  }
}

/** A name, and whom it is to lead to. */
export interface Lead {
  readonly name: Name
  readonly person: number
}

/** Links with names of one kind, a list of them as JSON, each with its place in the list. */
const linksWith = (condition: string): string =>
  `SELECT CAST(found.place AS BIGINT) AS place, ${presentPerson('found.person')} AS person
   FROM (SELECT j.key AS place, link.person FROM json_each(?) AS j CROSS JOIN link ON ${condition}) AS found`

/** Which of many names lead to whom they should; asked by kinds, since one after the other takes a server long. */
export function createAreLed(db: Connection, print: Print): (leads: readonly Lead[]) => boolean[] {
  const prepare = (condition: string) =>
    db.prepare<[string], { place: number; person: number | null }>(linksWith(condition))
  const ofLinks = {
    key: prepare('link.pipeline = j.value ->> 0 AND link.key = j.value ->> 1'),
    id: prepare('link.contact_id = CAST(j.value AS BIGINT)'),
    mail: prepare('link.mail_key = j.value'),
  }
  const ofAlias = db.prepare<[Buffer], number | null>(FIND_BY_ALIAS).pluck()
  const valueOf = (name: Name): unknown => {
    if (name.kind === 'key') return [name.pipeline, name.key]
    return name.kind === 'id' ? name.id : mailKey(name.mail)
  }
  return (leads) => {
    const areLed = leads.map(() => false)
    for (const kind of ['key', 'id', 'mail'] as const) {
      const own = leads.flatMap((lead, index) => (lead.name.kind === kind ? [{ ...lead, index }] : []))
      for (const { place, person } of ofLinks[kind].all(
        JSON.stringify(own.map(({ name }) => valueOf(name))),
      )) {
        const asked = own[place]
        if (asked?.person === person) areLed[asked.index] = true
      }
    }
    const aliases = leads.map(({ name }, index) =>
      areLed[index] === true ? undefined : ofAlias.laterAll(printOf(name, print)),
    )
    return leads.map(
      ({ person }, index) => areLed[index] === true || aliases[index]?.().includes(person) === true,
    )
  }
}

const NAME_PRINT = 'log_name_print'

/** Keeps a name that a row of `link` ceases to have. No OR IGNORE: that of the statement that fires a trigger holds. */
const left = (kind: 'key' | 'id' | 'mail', values: string, when: string): string => `
  INSERT INTO person_alias
    SELECT name.alias, old.person FROM (SELECT ${NAME_PRINT}('${kind}', ${values}) AS alias WHERE ${when}) AS name
    WHERE NOT EXISTS (SELECT 1 FROM person_alias AS p WHERE p.alias = name.alias AND p.person = old.person);`

const leftByAllNames = [
  left('key', 'old.pipeline, old.key', 'true'),
  left('id', 'old.contact_id', 'true'),
  left('mail', 'old.mail_key', 'old.mail_key IS NOT NULL'),
].join('')

/** What keeps names, as triggers of `link`: when each fires, and what it does. */
export const NAME_TRIGGERS = [
  {
    name: 'link_mail_changed',
    event: 'UPDATE OF mail_key',
    when: 'old.person IS NOT NULL AND old.mail_key IS DISTINCT FROM new.mail_key',
    does: left('mail', 'old.mail_key', 'old.mail_key IS NOT NULL'),
  },
  {
    name: 'link_contact_changed',
    event: 'UPDATE OF contact_id',
    when: 'old.person IS NOT NULL AND old.contact_id <> new.contact_id',
    does: `${leftByAllNames} UPDATE link SET person = NULL WHERE id = old.id;`,
  },
  { name: 'link_removed', event: 'DELETE', when: 'old.person IS NOT NULL', does: leftByAllNames },
] as const

/**
 * From now on, whatever changes or removes a link through this connection, the names that it had lead to its person. As
 * temporary triggers, because no code that writes to links may omit it, and no trigger of the file can make keyed hashes.
 * The person of a contact that a link changed to is determined by the next entry about it: until then it refers to no person.
 */
export function keepNamesOfLinks(db: Connection): void {
  // At a server they are triggers of the tables, since it can make keyed hashes.
  if (!isFile(db)) return
  const print = createPrint(db)
  // It reads its secret when it is first asked, and nothing can be read while a trigger runs.
  print('id', '')
  db.function(NAME_PRINT, { varargs: true, directOnly: false }, (kind: unknown, ...parts: unknown[]) =>
    print(kind as 'key' | 'id' | 'mail', ...parts.map(String)),
  )
  for (const { name, event, when, does } of NAME_TRIGGERS)
    db.exec(`CREATE TEMP TRIGGER ${name} AFTER ${event} ON main.link WHEN ${when} BEGIN ${does} END`)
}
