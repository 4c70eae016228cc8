// The last mail_status of addresses whose contacts were deleted, as rows by the keyed hash of the address.
import type { FormerStatusStore } from '../../../core/change/consents/former-status.ts'
import { isWithdrawn } from '../../../core/change/permission.ts'
import { mailKey } from '../../../core/mapping/contact.ts'
import type { Connection } from '../../file/database.ts'
import { createPrint, type Print } from '../../log/audit-seal.ts'

/** Under which the status of an address is kept. */
export const printOfAddress = (print: Print, mail: string): Buffer => print('status', 'mail', mailKey(mail))

export function createFormerStatuses(db: Connection): FormerStatusStore {
  const print = createPrint(db)
  const printOf = (mail: string): Buffer => printOfAddress(print, mail)
  const kept = db.prepare<[Buffer], number>('SELECT status FROM address_status WHERE print = ?').pluck()
  const any = db.prepare<[], number>('SELECT 1 FROM address_status LIMIT 1').pluck()
  const put =
    db.prepare(`INSERT INTO address_status (print, status, first_at, at) VALUES (@one, @status, @at, @at)
    ON CONFLICT (print) DO UPDATE SET status = excluded.status, at = excluded.at`)
  return {
    async noteFormerStatus({ mail, status, at }) {
      const one = printOf(mail)
      // An address that was never 1 or 2 is not kept.
      if (isWithdrawn(status) || kept.get(one) !== undefined) put.run({ one, status, at })
    },
    async formerStatuses(mails) {
      if (any.get() === undefined) return mails.map(() => undefined)
      return mails.map((mail) => {
        const status = kept.get(printOf(mail))
        return isWithdrawn(status) ? status : undefined
      })
    },
  }
}
