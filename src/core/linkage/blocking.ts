// Which contacts are compared at all: those that share a key. Each key stands for another slip that a
// duplicate may have: what one key misses because of a slip in its field, a key over other fields finds.
import type { Person } from './person.ts'

/** The person's keys; the letter in front tells what a key is made of. */
export function blockingKeys(person: Person): string[] {
  const keys = new Set<string>()
  const add = (kind: string, ...parts: readonly string[]): void => {
    if (parts.every((part) => part !== '')) keys.add(kind + parts.join(' '))
  }
  const { first, family, mail, street, city, postalCode, phone, born } = person
  addMailKeys(mail, add)
  if (phone.length >= 6) add('p', phone)
  add('b', born)
  add('d', street.slice(0, 4), born.slice(4))
  add('s', street.slice(0, 6), postalCode)
  const names = [first.slice(0, 4), family.slice(0, 4)].sort()
  add('a', ...names)
  add('n', ...names, city.slice(0, 3))
  add('i', ...names, postalCode)
  // Either name, so that the two may be swapped, or one of them missing.
  for (const name of [first, family]) {
    addBornKeys(name.slice(0, 3), born, add)
    add('f', name.slice(0, 3), postalCode)
    add('t', name.slice(0, 2), street.slice(0, 8))
    add('c', name.slice(0, 4), city.slice(0, 3))
    add('e', name.slice(0, 4), mail.slice(0, 4))
  }
  return [...keys]
}

/** All but those made of an address, or of the end of a mail: neighbours and colleagues share these. */
const TELLING = new Set('mlvehpbainxyzoc')

/** Whether sharing this key alone makes two contacts worth comparing. */
export const isTelling = (key: string): boolean => TELLING.has(key.charAt(0))

type Add = (kind: string, ...parts: readonly string[]) => void

/** Another provider, another name before the at, a slip in either. */
function addMailKeys(mail: string, add: Add): void {
  const at = mail.indexOf('@')
  add('m', mail)
  if (at <= 0) return
  add('l', mail.slice(0, at))
  if (at > 8) add('v', mail.slice(0, 8))
  add('w', mail.slice(at + 1))
  add('h', mail.slice(0, Math.min(at, 3)), mail.slice(at + 1, at + 5))
}

/** A slip in the year (pairs of years, overlapping), in month or day, or in the decade. */
function addBornKeys(name: string, born: string, add: Add): void {
  if (born.length !== 8) return
  const year = Number(born.slice(0, 4))
  add('x', name, String(Math.floor(year / 2)))
  add('y', name, String(Math.floor((year + 1) / 2)))
  add('z', name, born.slice(4))
  add('o', name, born.slice(3, 6))
}
