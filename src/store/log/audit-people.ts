// Whose entry it is. One person has one token over all pipelines: a record is known by pipeline and key until a link says
// which contact it is; where that contact is known already, the two turn out to be one person, and share what follows.
// A link is written before the entries about it, and refers to its person from the first of them on.
import type { AuditEntry } from '../../core/log/audit.ts'
import { mailKey } from '../../core/mapping/contact.ts'
import type { Connection } from '../file/connection.ts'
import {
  createAreLed,
  createFindPersons,
  keysOf,
  type Lead,
  type Name,
  presentPerson,
  printOf,
} from './audit-names.ts'
import type { Print, RandomBytes } from './audit-seal.ts'
import { createNames, createPresentName } from './former-names.ts'

const SECRET_BYTES = 32
const TOKEN_BYTES = 16

interface PersonKey {
  readonly id: number
  readonly token: string
  readonly secret: Buffer
}

/** Whether the contact is surely the record's: one that a create met is another record's until a link says otherwise. */
const isJoined = ({ action, outcome }: AuditEntry): boolean =>
  (action !== 'create' && action !== 'link') || outcome === 'done' || outcome === 'unchanged'

/** The contact of an entry, if it is surely the record's. */
const contactOf = (entry: AuditEntry): number | undefined =>
  entry.contact_id !== null && isJoined(entry) ? entry.contact_id : undefined

const isMail = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** The names by which the person of an entry is known; nothing where it is about no person. */
function namesOf(entry: AuditEntry): readonly Name[] {
  const { pipeline, key, fields } = entry
  const id = contactOf(entry)
  if (key === null && id === undefined) return []
  return [
    ...(key === null ? [] : [{ kind: 'key', pipeline: pipeline ?? '', key } as const]),
    ...(id === undefined ? [] : [{ kind: 'id', id } as const]),
    ...[fields['mail']?.from, fields['mail']?.to]
      .filter(isMail)
      .map((mail) => ({ kind: 'mail', mail }) as const),
  ]
}

interface LinkOfPerson {
  readonly id: number
  readonly contactId: number
  readonly mailKey: string | null
  readonly person: number | null
  /** Of another link to the same contact. */
  readonly other: number | null
}

/** With the person of another link to the same contact, where it has none yet. */
const LINK_COLUMNS = `
link.id, contact_id AS contactId, mail_key AS mailKey, person,
  iif(person IS NULL, (SELECT min(o.person) FROM link AS o WHERE o.contact_id = link.contact_id), NULL) AS other`
const SELECT_LINK = `SELECT ${LINK_COLUMNS} FROM link WHERE pipeline = ? AND key = ?`
const SELECT_LINKS = `
SELECT link.key, ${LINK_COLUMNS} FROM json_each(?) AS wanted CROSS JOIN link ON pipeline = ? AND link.key = wanted.value`
/** Pairs of a link and its person. */
const REFER_ALL = `
UPDATE link SET person = CAST(pair.value ->> 1 AS BIGINT) FROM json_each(?) AS pair WHERE link.id = CAST(pair.value ->> 0 AS BIGINT)`

/** Whether the link says the name, so that no alias need say it. */
function isSaid(name: Name, link: LinkOfPerson | undefined): boolean {
  if (link === undefined || name.kind === 'key') return link !== undefined
  if (name.kind === 'id') return link.contactId === name.id
  return link.mailKey === name.mail || link.mailKey === mailKey(name.mail)
}

interface Known extends PersonKey {
  readonly person: number
}

interface KeyRow {
  readonly id: number
  readonly person: number | null
  readonly token: string
  readonly secret: Buffer | null
}

/** The keys that persons have, and new ones. A new key bears the number of its first entry. */
function createKeys(db: Connection, random: RandomBytes) {
  const row = db.prepare<[number], KeyRow>('SELECT id, person, token, secret FROM person_key WHERE id = ?')
  const live = db.prepare<[number, number], PersonKey>(
    `SELECT id, token, secret FROM person_key WHERE id IN (${keysOf('SELECT CAST(? AS BIGINT)')}) AND secret IS NOT NULL ORDER BY id LIMIT 1`,
  )
  const add = db.prepare('INSERT INTO person_key (id, person, token, secret) VALUES (?, ?, ?, ?)')
  const merges = [
    'UPDATE person_key SET person = @into WHERE person = @from',
    'UPDATE person_key SET person = @into WHERE id = @from',
  ].map((sql) => db.prepare(sql))
  const newKey = (id: number, person: number | null): Known => {
    const token = random(TOKEN_BYTES).toString('hex')
    const secret = random(SECRET_BYTES)
    add.run(id, person, token, secret)
    return { id, token, secret, person: person ?? id }
  }
  return {
    newKey,
    /** The present number of a person; undefined where no person has that number. */
    present(person: number): number | undefined {
      const found = row.get(person)
      return found === undefined ? undefined : (found.person ?? found.id)
    },
    merge(into: number, from: number): void {
      for (const merge of merges) merge.run({ into, from })
    },
    /** A person without readable values gets a new key. */
    of(person: number, seq: number): Known {
      const own = row.get(person)
      if (own?.secret && own.person === null) return { ...own, secret: own.secret, person }
      const found = live.get(person, person)
      return found === undefined ? newKey(seq, person) : { ...found, person }
    },
  }
}

function createAliases(db: Connection, print: Print) {
  const any = db.prepare<[], number>('SELECT 1 FROM person_alias LIMIT 1').pluck()
  const personOf = db
    .prepare<[Buffer], number>(
      `SELECT ${presentPerson('alias.person')} FROM person_alias AS alias WHERE alias = ? ORDER BY 1 LIMIT 1`,
    )
    .pluck()
  const add = db.prepare('INSERT OR IGNORE INTO person_alias VALUES (?, ?)')
  return {
    hasAny: () => any.get() !== undefined,
    personOf: (name: Name) => personOf.get(printOf(name, print)) ?? undefined,
    add: (name: Name, person: number) => add.run(printOf(name, print), person),
  }
}

/** Gives the key of an entry's person; `seq` is the entry's number. */
type PersonOf = (entry: AuditEntry, seq: number) => PersonKey

/** Finds the links of the records that the entries of a batch are about. */
function createLinks(db: Connection, beforeRead: () => void) {
  const one = db.prepare<[string, string], LinkOfPerson>(SELECT_LINK)
  const several = db.prepare<[string, string], LinkOfPerson & { readonly key: string }>(SELECT_LINKS)
  return (entries: readonly AuditEntry[]): ((entry: AuditEntry) => LinkOfPerson | undefined) => {
    const ofRecords = entries.filter((entry) => entry.key !== null)
    const pipelines = new Set(ofRecords.map(({ pipeline }) => pipeline ?? ''))
    const keys = new Set(ofRecords.map(({ key }) => key))
    // Within one pipeline each contact has one link: then no entry changes what is found for a later one.
    if (pipelines.size !== 1 || keys.size < ofRecords.length || keys.size < 2)
      return ({ pipeline, key }) => {
        beforeRead()
        return key === null ? undefined : one.get(pipeline ?? '', key)
      }
    const [pipeline = ''] = pipelines
    const links = new Map(several.all(JSON.stringify([...keys]), pipeline).map((row) => [row.key, row]))
    return ({ key }) => (key === null ? undefined : links.get(key))
  }
}

/** Notes which person a link refers to; written together. */
function createRefer(db: Connection) {
  const write = db.prepare(REFER_ALL)
  let pairs: (readonly [link: number, person: number])[] = []
  return {
    /** What was noted in a transaction that failed is not so. */
    begin: (): void => void (pairs = []),
    refer: (person: number, link: number): void => void pairs.push([link, person]),
    writeAll(): void {
      if (pairs.length === 0) return
      write.run(JSON.stringify(pairs))
      pairs = []
    },
  }
}

interface BatchOfPeople {
  readonly personOf: PersonOf
  /** Writes what was noted. */
  end(): void
}

/** Begins a batch of entries, within which links do not change. */
export function createPeople(
  db: Connection,
  print: Print,
  random: RandomBytes,
): (entries: readonly AuditEntry[]) => BatchOfPeople {
  const keys = createKeys(db, random)
  const aliases = createAliases(db, print)
  const { begin, refer, writeAll } = createRefer(db)
  const linksOf = createLinks(db, writeAll)
  const ofContact = db
    .prepare<[number], number | null>('SELECT min(person) FROM link WHERE contact_id = ?')
    .pluck()

  // In most first runs no person has an alias, and no hash is computed to look for one.
  let hasAliases: boolean | undefined
  const ofAlias = (name: Name | undefined): number | undefined => {
    if (name === undefined) return undefined
    hasAliases ??= aliases.hasAny()
    return hasAliases ? aliases.personOf(name) : undefined
  }
  const present = (person: number | null | undefined): number | undefined =>
    person === null || person === undefined ? undefined : keys.present(person)
  const ofAnyLink = (id: number): number | null | undefined => {
    writeAll()
    return ofContact.get(id)
  }
  const ofId = (id: number, link: LinkOfPerson | undefined): number | undefined =>
    present(id === link?.contactId ? link.other : ofAnyLink(id)) ?? ofAlias({ kind: 'id', id })
  /** Where it turns out that the record's person and a contact's are one, they are made one. */
  const joined = (
    link: LinkOfPerson | undefined,
    own: number | undefined,
    names: readonly Name[],
  ): number | undefined => {
    const id = names.find((name) => name.kind === 'id')?.id
    // Who is referred to by one link to a contact is referred to by all of them.
    if (own !== undefined && (id === undefined || id === link?.contactId)) return own
    let person = own ?? ofAlias(names.find((name) => name.kind === 'key'))
    const contacts = new Set([
      ...(own === undefined && link ? [link.contactId] : []),
      ...(id === undefined ? [] : [id]),
    ])
    for (const contact of contacts) {
      const byId = ofId(contact, link)
      if (byId !== undefined && person !== undefined && byId !== person) keys.merge(byId, person)
      person = byId ?? person
    }
    return person
  }
  const addAlias = (name: Name, person: number): void => {
    aliases.add(name, person)
    hasAliases = true
  }
  const personOf = (entry: AuditEntry, seq: number, link: LinkOfPerson | undefined): PersonKey => {
    const names = namesOf(entry)
    if (names.length === 0) return keys.of(0, seq)
    const own = present(link?.person)
    const known = joined(link, own, names)
    const found = known === undefined ? keys.newKey(seq, null) : keys.of(known, seq)
    if (link !== undefined && own === undefined) refer(found.person, link.id)
    for (const name of names) if (!isSaid(name, link)) addAlias(name, found.person)
    return found
  }
  return (entries) => {
    hasAliases = undefined
    begin()
    const linkOf = linksOf(entries)
    return { personOf: (entry, seq) => personOf(entry, seq, linkOf(entry)), end: writeAll }
  }
}

/** Whether the names of an entry lead to its person, and making them lead there. */
export function createHolder(db: Connection, print: Print) {
  const { leadsTo } = createFindPersons(db, print)
  const aliases = createAliases(db, print)
  const linkOf = db.prepare<[string, string], LinkOfPerson>(SELECT_LINK)
  const refer = db.prepare('UPDATE link SET person = ? WHERE id = ?')
  const presentName = createPresentName(db)
  /** A pipeline that was renamed took the names of its records along. */
  const present = (name: Name): Name =>
    name.kind === 'key' ? { ...name, pipeline: presentName(name.pipeline) } : name
  const allNames = createNames(db)
  /** Records that were dropped keep the name that the pipeline had then, whatever it is called later. */
  const ever = (name: Name): readonly Name[] =>
    name.kind === 'key' ? allNames(presentName(name.pipeline)).map((pipeline) => ({ ...name, pipeline })) : []
  const areLed = createAreLed(db, print)
  return {
    /** Whether each of many entries is held. */
    areHeld(entries: readonly { readonly entry: AuditEntry; readonly person: number }[]): boolean[] {
      const leads = entries.flatMap(({ entry, person }, index) =>
        namesOf(entry).map((name) => ({ name, person, index })),
      )
      const led = areLed(leads)
      const isLost = ({ name, person }: Lead, place: number): boolean =>
        led[place] !== true && !ever(name).some((one) => leadsTo(one, person))
      const lost = new Set(leads.filter(isLost).map(({ index }) => index))
      return entries.map((_, index) => !lost.has(index))
    },
    hold(entry: AuditEntry, person: number): void {
      const names = namesOf(entry).map(present)
      const key = names.find((name) => name.kind === 'key')
      const link = key && linkOf.get(key.pipeline, key.key)
      if (link !== undefined && link.person === null) refer.run(person, link.id)
      for (const name of names) if (!leadsTo(name, person)) aliases.add(name, person)
    },
  }
}
