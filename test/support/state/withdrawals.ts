// When a 1 or 2 was first seen, in memory.
import type { WithdrawalStore } from '../../../src/core/change/consents/evidence.ts'
import { mailKey } from '../../../src/core/mapping/contact.ts'

/** `formerAt`: when a 1 or 2 of the address was noted at a delete. */
export function createWithdrawals(formerAt: (mail: string) => number | undefined): WithdrawalStore {
  const seen = new Map<string, { at: number; isOpen: boolean }>()
  const ofMail = (mail: string): string => `mail ${mailKey(mail)}`
  return {
    async noteWithdrawal({ contactId, mail, isWithdrawn, at }) {
      for (const name of [`id ${contactId}`, ...(mail === '' || !isWithdrawn ? [] : [ofMail(mail)])]) {
        const before = seen.get(name)
        if (isWithdrawn) seen.set(name, { at: before?.isOpen === true ? before.at : at, isOpen: true })
        else if (before !== undefined) seen.set(name, { ...before, isOpen: false })
      }
    },
    async endWithdrawal({ contactId, mails }) {
      for (const name of [`id ${contactId}`, ...mails.map(ofMail)]) {
        const before = seen.get(name)
        if (before !== undefined) seen.set(name, { ...before, isOpen: false })
      }
    },
    withdrawnAt: async (whom) =>
      whom.map(({ contactId, mails }) => {
        const names = [...(contactId === undefined ? [] : [`id ${contactId}`]), ...mails.map(ofMail)]
        const times = [
          ...names.flatMap((name) => seen.get(name)?.at ?? []),
          ...mails.flatMap((mail) => formerAt(mail) ?? []),
        ]
        return times.length === 0 ? undefined : Math.max(...times)
      }),
  }
}
