// When a 1 or 2 of a contact, or of its address, was first seen since it had another status: rows by keyed hashes, which hold
// neither. A row that has ended stays: evidence from before it proves nothing.
import type { WithdrawalStore } from '../../../core/change/consents/evidence.ts'
import { mailKey } from '../../../core/mapping/contact.ts'
import type { Connection } from '../../file/database.ts'
import { createPrint } from '../../log/audit-seal.ts'
import { printOfAddress } from './former-statuses.ts'

const BEGIN = `
INSERT INTO withdrawal (print, at, is_open) VALUES (@print, @at, 1)
ON CONFLICT (print) DO UPDATE SET at = iif(withdrawal.is_open = 1, withdrawal.at, excluded.at), is_open = 1`

export function createWithdrawals(db: Connection): WithdrawalStore {
  const print = createPrint(db)
  const ofContact = (id: number): Buffer => print('withdrawn', 'id', String(id))
  const ofMail = (mail: string): Buffer => print('withdrawn', 'mail', mailKey(mail))
  const begin = db.prepare<[{ print: Buffer; at: number }]>(BEGIN)
  const end = db.prepare<[Buffer]>('UPDATE withdrawal SET is_open = 0 WHERE print = ? AND is_open = 1')
  const any = db.prepare<[], number>('SELECT 1 FROM withdrawal LIMIT 1').pluck()
  const when = db.prepare<[Buffer], number>('SELECT at FROM withdrawal WHERE print = ?').pluck()
  const former = db.prepare<[Buffer], number>('SELECT first_at FROM address_status WHERE print = ?').pluck()
  const anyFormer = db.prepare<[], number>('SELECT 1 FROM address_status LIMIT 1').pluck()
  const note = db.transaction((prints: readonly Buffer[], isWithdrawn: boolean, at: number) => {
    for (const one of prints) {
      if (isWithdrawn) begin.run({ print: one, at })
      else end.run(one)
    }
  })
  return {
    async noteWithdrawal({ contactId, mail, isWithdrawn, at }) {
      // Of most contacts nothing is ever written.
      if (!isWithdrawn && any.get() === undefined) return
      note([ofContact(contactId), ...(mail === '' || !isWithdrawn ? [] : [ofMail(mail)])], isWithdrawn, at)
    },
    async endWithdrawal({ contactId, mails }) {
      if (any.get() !== undefined) note([ofContact(contactId), ...mails.map(ofMail)], false, 0)
    },
    async withdrawnAt(whom) {
      if (any.get() === undefined && anyFormer.get() === undefined) return whom.map(() => undefined)
      return whom.map(({ contactId, mails }) => {
        const prints = [...(contactId === undefined ? [] : [ofContact(contactId)]), ...mails.map(ofMail)]
        const times = [
          ...prints.flatMap((one) => when.get(one) ?? []),
          // Noted at a delete, whether or not evidence was required then.
          ...mails.flatMap((mail) => former.get(printOfAddress(print, mail)) ?? []),
        ]
        return times.length === 0 ? undefined : Math.max(...times)
      })
    },
  }
}
