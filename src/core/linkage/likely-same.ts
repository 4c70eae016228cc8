// Whether two records of a source are likely the same person: the linkage must say so, and besides the names a second piece of
// evidence is needed (mail, phone, birthday, street with number). What a family shares is no evidence unless the first names
// are the same. In doubt two people are two. Pure.
import { linkageWeight, THRESHOLD } from './linkage.ts'
import type { SharedValue } from '../outcome/likely-same.ts'
import { areNicknames } from './nicknames.ts'
import type { Person } from './person.ts'
import { jaroWinkler, NEAR, nameLikeness, PERHAPS } from './similarity.ts'

/** Mailboxes of a task or of a family, not of one person. */
const SHARED_MAILBOX =
  /^(?:info|office|kontakt|contact|mail|email|post|hallo|hello|admin|service|support|sales|vertrieb|verkauf|buchhaltung|team|no-?reply|sekretariat|zentrale|webmaster|newsletter|fam|familie|family)(?![a-z])|^fam(?:ilie|ily)/

/** The name before the at, without a tag and without separators: anna.berger+news@… and annaberger@… have one. */
export function mailboxOf(mail: string): string {
  const at = mail.lastIndexOf('@')
  if (at <= 0) return ''
  const [name = ''] = mail.slice(0, at).split('+')
  return SHARED_MAILBOX.test(name) ? '' : name.replace(/[._-]/g, '')
}

/** Placeholder birthdays that forms and databases fill in when none is known. */
const FILLED_IN = new Set(['19000101', '19010101', '19700101', '19800101', '20000101'])

export const birthdayOf = ({ born }: Person): string =>
  born.length === 8 && !FILLED_IN.has(born) ? born : ''

/** One digit alone, over and over, stands for no number. */
export const phoneOf = ({ phone }: Person): string =>
  phone.length >= 6 && !/^(.)\1*$/.test(phone) ? phone : ''

export const streetOf = ({ street }: Person): string => (/\p{L}.*\d/u.test(street) ? street : '')

const GENERATION = /(?:^| )(?:(jr|jun|junior)|(sr|sen|senior)|(ii+|iv))(?= |$)/

function generationOf({ first, family }: Person): string {
  const [, junior, senior, counted] = GENERATION.exec(`${first} ${family}`) ?? []
  if (junior !== undefined) return 'junior'
  return senior === undefined ? (counted ?? '') : 'senior'
}

const sortedLetters = (text: string): string => Array.from(text).sort().join('')

/** By sound: spellings of one name that are often confused. */
const sound = (name: string): string =>
  name
    .replace(/ph/g, 'f')
    .replace(/th/g, 't')
    .replace(/ck|c(?!h)/g, 'k')
    .replace(/y/g, 'i')
    .replace(/(.)\1+/g, '$1')

/** same: one name, whatever its spelling. near: maybe a slip, maybe a sister. */
type Agreement = 'same' | 'near' | 'other'

function firstNames(left: string, right: string): Agreement {
  if (left === '' || right === '') return 'near'
  const [one = '', other = ''] = [left.split(' ')[0], right.split(' ')[0]]
  if (one.length === 1 || other.length === 1) return one[0] === other[0] ? 'near' : 'other'
  if (/\d/.test(left + right)) return left === right ? 'same' : 'other'
  if (one === other || left.replaceAll(' ', '') === right.replaceAll(' ', '')) return 'same'
  if (areNicknames(one, other) || sound(one) === sound(other)) return 'same'
  if (one[0] === other[0] && sortedLetters(one) === sortedLetters(other)) return 'same'
  const isSlip = one[0] === other[0] && one.at(-1) === other.at(-1) && Math.min(one.length, other.length) >= 5
  return isSlip && nameLikeness(one, other) >= NEAR ? 'near' : 'other'
}

function familyNames(left: string, right: string): Agreement {
  if (left === '' || right === '') return 'near'
  if (/\d/.test(left + right)) return left === right ? 'same' : 'other'
  // A double name begins or ends with the name of before.
  const parts = right.split(' ')
  if (left.split(' ').some((part) => part.length >= 3 && parts.includes(part))) return 'same'
  return nameLikeness(left, right) >= PERHAPS ? 'same' : 'other'
}

const RANK: Record<Agreement, number> = { same: 2, near: 1, other: 0 }

/** Straight, or with first and family name swapped. */
function names(left: Person, right: Person): { first: Agreement; family: Agreement } {
  const straight = {
    first: firstNames(left.first, right.first),
    family: familyNames(left.family, right.family),
  }
  const crossed = {
    first: firstNames(left.first, right.family),
    family: familyNames(left.family, right.first),
  }
  const isCrossed =
    crossed.first === 'same' && crossed.family === 'same' && left.first !== '' && left.family !== ''
  return isCrossed && RANK[straight.first] + RANK[straight.family] < 4 ? crossed : straight
}

const isBothAndEqual = (left: string, right: string): boolean => left !== '' && left === right

const areBothAndOther = (left: string, right: string): boolean =>
  left !== '' && right !== '' && left !== right

/** Day and month in the other order is the slip of a program. */
const swapped = (born: string): string => born.slice(0, 4) + born.slice(6) + born.slice(4, 6)

function birthdays(left: Person, right: Person): Agreement {
  const [one, other] = [birthdayOf(left), birthdayOf(right)]
  if (one === '' || other === '') return 'near'
  if (one === other || one === swapped(other)) return 'same'
  const slips = Array.from(one).filter((digit, index) => digit !== other[index]).length
  return slips === 1 ? 'near' : 'other'
}

const isOtherPlace = (left: Person, right: Person): boolean =>
  areBothAndOther(left.postalCode, right.postalCode) &&
  left.city !== '' &&
  right.city !== '' &&
  jaroWinkler(left.city, right.city) < PERHAPS

/** A mailbox that bears a first name, or is all that is known. */
function isOwnMail(left: Person, right: Person): boolean {
  const mailbox = mailboxOf(left.mail)
  if (!isBothAndEqual(left.mail, right.mail) || mailbox === '') return false
  const isNameless = [left, right].some(({ first, family }) => first === '' && family === '')
  const bears = ({ first }: Person): boolean =>
    first.length >= 3 && mailbox.includes(first.split(' ')[0] ?? '')
  return isNameless || bears(left) || bears(right)
}

/** The pieces of evidence besides the names. */
function evidenceFor(left: Person, right: Person): readonly SharedValue[] {
  const mailbox = mailboxOf(left.mail)
  const isMail =
    isBothAndEqual(mailbox, mailboxOf(right.mail)) && (left.mail === right.mail || !isOtherPlace(left, right))
  const isStreet = isBothAndEqual(streetOf(left), streetOf(right)) && !isOtherPlace(left, right)
  const isPhone = isBothAndEqual(phoneOf(left), phoneOf(right))
  const pieces = [
    ['mail', isMail],
    ['phone', isPhone],
    ['birthday', birthdays(left, right) === 'same'],
    ['street', isStreet],
  ] as const
  return pieces.flatMap(([name, isThere]) => (isThere ? [name] : []))
}

function isEnough(pieces: number, left: Person, right: Person): boolean {
  const born = birthdays(left, right)
  if (born === 'other' || areBothAndOther(generationOf(left), generationOf(right))) return false
  if (generationOf(left) !== generationOf(right) && born !== 'same') return false
  const { first, family } = names(left, right)
  if (first === 'other') return false
  const isPersonal = born === 'same' || isOwnMail(left, right)
  // Another family name: married since, or a namesake. Another spelling of the first name: a slip, or a sister.
  if (family === 'other') return pieces >= 2 && isPersonal
  return first === 'near' || family === 'near' ? pieces >= 1 && isPersonal : pieces >= 1
}

/** Undefined where it is not enough, or where names are all that speaks for it. `weight`: of the linkage, in bits. Symmetric. */
export function likelySame(
  left: Person,
  right: Person,
): { readonly weight: number; readonly evidence: readonly SharedValue[] } | undefined {
  const evidence = evidenceFor(left, right)
  if (evidence.length === 0) return undefined
  if (!isEnough(evidence.length, left, right) || !isEnough(evidence.length, right, left)) return undefined
  const weight = linkageWeight(left, right)
  return weight < THRESHOLD ? undefined : { weight, evidence }
}
