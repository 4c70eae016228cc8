// People who were erased and must not come back with the next export: nothing but keyed hashes of their keys and mails.
import type { Subject, TombstoneStore } from '../core/erasing.ts'
import { mailKey } from '../core/contact.ts'
import { createPrint, type Print } from './audit-seal.ts'
import type { Connection } from './connection.ts'

const ofKey = (print: Print, pipeline: string, key: string): Buffer => print('gone', 'key', pipeline, key)
const ofMail = (print: Print, mail: string): Buffer => print('gone', 'mail', mailKey(mail))

const MAIL = /[^\s<>"',;:()]+@[^\s<>"',;:()]+/g

export function createTombstoneStore(db: Connection): TombstoneStore {
  const print = createPrint(db)
  const any = db.prepare<[], number>('SELECT 1 FROM tombstone LIMIT 1').pluck()
  const has = db.prepare<[Buffer], number>('SELECT 1 FROM tombstone WHERE print = ?').pluck()
  const isSet = (one: Buffer): boolean => has.get(one) !== undefined
  return {
    async areErased(pipeline, records) {
      if (any.get() === undefined) return records.map(() => false)
      return records.map(({ key, mail, values }) => {
        if (key !== undefined && isSet(ofKey(print, pipeline, key))) return true
        // A record that could not be mapped may name its mail anywhere.
        const mails = mail === undefined ? (values.join('\n').match(MAIL) ?? []) : [mail]
        return mails.some((one) => isSet(ofMail(print, one)))
      })
    },
  }
}

function printsOf(db: Connection, { keys, mails }: Pick<Subject, 'keys' | 'mails'>): Buffer[] {
  const print = createPrint(db)
  return [
    ...keys.map(({ pipeline, key }) => ofKey(print, pipeline, key)),
    ...mails.map((mail) => ofMail(print, mail)),
  ]
}

/** How many there are of this person now. */
export function setTombstones(db: Connection, subject: Pick<Subject, 'keys' | 'mails'>, at: number): number {
  const add = db.prepare('INSERT OR REPLACE INTO tombstone VALUES (?, ?)')
  const prints = printsOf(db, subject)
  for (const one of prints) add.run(one, at)
  return prints.length
}

/** How many were taken away: the person may come again. */
export function liftTombstones(db: Connection, subject: Pick<Subject, 'keys' | 'mails'>): number {
  const remove = db.prepare('DELETE FROM tombstone WHERE print = ?')
  return printsOf(db, subject).reduce((sum, one) => sum + remove.run(one).changes, 0)
}
