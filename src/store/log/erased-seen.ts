// Contacts at the service that show the e-mail address of a person who was erased: their ids, and the keyed hash of the address.
// A row ends when the contact shows another address, is gone, or is erased there.
import type { ErasedSeen, ErasedSeenStore } from '../../core/erasing.ts'
import { mailPrint } from './tombstones.ts'
import { createPrint } from './audit-seal.ts'
import type { Connection } from '../file/connection.ts'

const SEEN = `SELECT contact_id, print, first_at, last_at,
  EXISTS (SELECT 1 FROM link WHERE link.contact_id = erased_seen.contact_id) AS linked FROM erased_seen`

interface Row {
  readonly contact_id: number
  readonly print: Buffer
  readonly first_at: number
  readonly last_at: number
  readonly linked: 0 | 1
}

const shown = ({
  contact_id: contactId,
  print,
  first_at: firstAt,
  last_at: lastAt,
  linked,
}: Row): ErasedSeen => ({
  ...{ contactId, firstAt, lastAt, isLinked: linked === 1 },
  print: print.toString('hex'),
})

export function createErasedSeenStore(db: Connection): ErasedSeenStore {
  const print = createPrint(db)
  const has = db.prepare<[Buffer], number>('SELECT 1 FROM tombstone WHERE print = ?').pluck()
  const known = db.prepare<[number], Buffer>('SELECT print FROM erased_seen WHERE contact_id = ?').pluck()
  const put = db.prepare(`INSERT INTO erased_seen VALUES (@contactId, @one, @at, @at)
    ON CONFLICT (contact_id) DO UPDATE SET print = excluded.print, last_at = excluded.last_at`)
  const end = db.prepare('DELETE FROM erased_seen WHERE contact_id = ?')
  const all = db.prepare<[], Row>(`${SEEN} ORDER BY contact_id`)
  return {
    async noteErasedRead({ contactId, mail, at }) {
      const before = known.get(contactId)
      const one = mail === '' ? undefined : mailPrint(print, mail)
      if (one === undefined || has.get(one) === undefined) {
        if (before !== undefined) end.run(contactId)
        return undefined
      }
      put.run({ contactId, one, at })
      return before?.equals(one) === true ? undefined : one.toString('hex')
    },
    erasedSeen: async () => all.all().map(shown),
  }
}
