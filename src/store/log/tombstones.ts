// Persons who were erased and must not be created again by the next export: only keyed hashes of their keys and mails.
import { erasedDigest } from '../../core/log/audit-chain.ts'
import type { ErasedBefore, Subject, TombstoneStore } from '../../core/erasing.ts'
import { mailKey } from '../../core/mapping/contact.ts'
import { createPrint, type Print } from './audit-seal.ts'
import type { Connection } from '../file/connection.ts'
import { createNames } from './former-names.ts'

/** One for each name that the pipeline has had. */
type OfKey = (pipeline: string, key: string) => readonly Buffer[]

function createOfKey(db: Connection, print: Print): OfKey {
  const names = createNames(db)
  return (pipeline, key) => names(pipeline).map((name) => print('gone', 'key', name, key))
}

export const mailPrint = (print: Print, mail: string): Buffer => print('gone', 'mail', mailKey(mail))

const MAIL = /[^\s<>"',;:()]+@[^\s<>"',;:()]+/g

/** Words of a text that may be a key. */
const KEY = /[^\s,;"'|\t<>()[\]{}]{4,}/g

export function createTombstoneStore(db: Connection): TombstoneStore {
  const print = createPrint(db)
  const ofKey = createOfKey(db, print)
  const isLinked = db
    .prepare<[string, string], number>('SELECT 1 FROM link WHERE pipeline = ? AND key = ?')
    .pluck()
  const count = db.prepare('UPDATE tombstone SET left_out = left_out + ? WHERE print = ?')
  const any = db.prepare<[], number>('SELECT 1 FROM tombstone LIMIT 1').pluck()
  const has = db.prepare<[Buffer], number>('SELECT 1 FROM tombstone WHERE print = ?').pluck()
  const isSet = (one: Buffer): boolean => has.get(one) !== undefined
  const ofMails = (text: string): Buffer | undefined =>
    text
      .match(MAIL)
      ?.map((mail) => mailPrint(print, mail))
      .find(isSet)
  return {
    hasTombstones: async () => any.get() !== undefined,
    async tombstoneOf(pipeline, { key, texts }) {
      const own = key === undefined ? undefined : ofKey(pipeline, key).find(isSet)
      if (own !== undefined) return own.toString('hex')
      const text = texts.join('\n')
      // A record of another person may name the mail of the person; a text without a key may quote their row.
      if (key !== undefined)
        return isLinked.get(pipeline, key) === undefined ? ofMails(text)?.toString('hex') : undefined
      const words = text.match(KEY) ?? []
      return (ofMails(text) ?? words.flatMap((one) => ofKey(pipeline, one)).find(isSet))?.toString('hex')
    },
    noteLeftOut: async (counts) =>
      db.transaction(() => {
        for (const [hex, times] of counts) count.run(times, Buffer.from(hex, 'hex'))
      })(),
    async areErased(pipeline, records) {
      if (any.get() === undefined) return records.map(() => false)
      return records.map(({ key, mail, values }) => {
        if (key !== undefined && ofKey(pipeline, key).some(isSet)) return true
        // Of another person, who may have got their address since: skipped, it would count as missing, and be deleted.
        if (key !== undefined && isLinked.get(pipeline, key) !== undefined) return false
        // A record that could not be mapped may name its mail anywhere.
        const mails = mail === undefined ? (values.join('\n').match(MAIL) ?? []) : [mail]
        return mails.some((one) => isSet(mailPrint(print, one)))
      })
    },
  }
}

/** Over all of them, each with the time of its erasure; how often one was used is no part of it. */
export function createTombstonesDigest(db: Connection): () => string {
  const all = db.prepare<[], { print: Buffer; at: number }>('SELECT print, at FROM tombstone')
  return () =>
    erasedDigest(
      all
        .all()
        .map(({ print, at }) => `${print.toString('hex')} ${at}`)
        .sort(),
    )
}

function printsOf(db: Connection, { keys, mails }: Pick<Subject, 'keys' | 'mails'>): Buffer[] {
  const print = createPrint(db)
  const ofKey = createOfKey(db, print)
  return [
    ...keys.flatMap(({ pipeline, key }) => ofKey(pipeline, key)),
    ...mails.map((mail) => mailPrint(print, mail)),
  ]
}

/**
 * How many there are of this person now. Tombstones of one person have one time, that of the first erasure: a name of
 * one of them later leads to all.
 */
export function setTombstones(db: Connection, subject: Pick<Subject, 'keys' | 'mails'>, at: number): number {
  const atOf = db.prepare<[Buffer], number>('SELECT at FROM tombstone WHERE print = ?').pluck()
  const set = db.prepare(
    'INSERT INTO tombstone (print, at) VALUES (?, ?) ON CONFLICT (print) DO UPDATE SET at = excluded.at',
  )
  const prints = printsOf(db, subject)
  const [first = at] = prints.flatMap((one) => atOf.get(one) ?? [])
  for (const one of prints) set.run(one, first)
  return prints.length
}

const SEEN_AT = `SELECT at FROM tombstone JOIN erased_seen USING (print)
WHERE contact_id = ? AND NOT EXISTS (SELECT 1 FROM link WHERE link.contact_id = erased_seen.contact_id)`
const SEEN_OF = `SELECT contact_id FROM tombstone JOIN erased_seen USING (print)
WHERE at = ? AND NOT EXISTS (SELECT 1 FROM link WHERE link.contact_id = erased_seen.contact_id) ORDER BY contact_id`

/** Undefined where no one was erased under any of these names, nor seen at the service as one of these contacts. */
export function erasedBefore(
  db: Connection,
  subject: Pick<Subject, 'keys' | 'mails' | 'contactIds'>,
): ErasedBefore | undefined {
  const print = createPrint(db)
  const ofKey = createOfKey(db, print)
  const atOf = db.prepare<[Buffer], number>('SELECT at FROM tombstone WHERE print = ?').pluck()
  const seenAt = db.prepare<[number], number>(SEEN_AT).pluck()
  const [at] = [
    ...printsOf(db, subject).flatMap((one) => atOf.get(one) ?? []),
    ...subject.contactIds.flatMap((id) => seenAt.get(id) ?? []),
  ]
  if (at === undefined) return undefined
  const leftOut = db.prepare<[number], number>('SELECT sum(left_out) FROM tombstone WHERE at = ?').pluck()
  return {
    at,
    contactIds: db.prepare<[number], number>(SEEN_OF).pluck().all(at),
    leftOut: leftOut.get(at) ?? 0,
    isTheirs(pipeline, { key, texts }) {
      const text = texts.join('\n')
      const keys = key === undefined ? (text.match(KEY) ?? []) : [key]
      const mails = text.match(MAIL) ?? []
      return [
        ...keys.flatMap((one) => ofKey(pipeline, one)),
        ...mails.map((mail) => mailPrint(print, mail)),
      ].some((one) => atOf.get(one) === at)
    },
  }
}

/** When those were erased who have one of these names: the time leads to all tombstones of a person. */
function timesOf(db: Connection, subject: Pick<Subject, 'keys' | 'mails'>): readonly number[] {
  const atOf = db.prepare<[Buffer], number>('SELECT at FROM tombstone WHERE print = ?').pluck()
  return [...new Set(printsOf(db, subject).flatMap((one) => atOf.get(one) ?? []))]
}

/** How many there are of those who have one of these names. */
export function countTombstones(db: Connection, subject: Pick<Subject, 'keys' | 'mails'>): number {
  const count = db.prepare<[number], number>('SELECT count(*) FROM tombstone WHERE at = ?').pluck()
  return timesOf(db, subject).reduce((sum, at) => sum + (count.get(at) ?? 0), 0)
}

/** Who has one of these names may come again, under the others as well. */
export function liftTombstones(db: Connection, subject: Pick<Subject, 'keys' | 'mails'>): void {
  const statements = [
    'DELETE FROM erased_seen WHERE print IN (SELECT print FROM tombstone WHERE at = ?)',
    'DELETE FROM tombstone WHERE at = ?',
  ].map((sql) => db.prepare(sql))
  for (const at of timesOf(db, subject)) for (const statement of statements) statement.run(at)
}
