// Who is to be erased, and how a record or a text is recognised as theirs. A mail or a key of some length identifies a person
// with certainty; values do only together, because others share a street, a surname or a telephone.
import { domainToUnicode } from 'node:url'
import { mailKey } from './mapping/contact.ts'

/** A value that the person has or had. */
export interface HeldValue {
  readonly field: string
  readonly value: string
}

/** Values under fields, as texts. */
export const heldValues = (fields: Readonly<Record<string, unknown>>): HeldValue[] =>
  Object.entries(fields).flatMap(([field, value]) =>
    typeof value === 'string' && value !== '' ? [{ field, value }] : [],
  )

/** A person by everything that is known of them. */
export interface Subject {
  readonly keys: readonly { readonly pipeline: string; readonly key: string }[]
  readonly contactIds: readonly number[]
  /** In the form for comparison. */
  readonly mails: readonly string[]
  readonly values: readonly HeldValue[]
}

/** maybe: a person who shares the name, or the telephone, may be meant instead. */
export type Naming = 'surely' | 'maybe' | undefined

/** How the person is known in texts. */
export interface Recognition {
  naming(text: string): Naming
  /** Whether a mail or a key of the person stands in it, also as a part of something longer: the name of a file, say. */
  isPartOf(text: string): boolean
  /** The text without mails, keys and telephones of the person, and without the name where it stands in full. */
  redacted(text: string): string
  /** The same for data (JSON, names of files): a short number stays, because times and counts look like it. */
  redactedData(text: string): string
  /** A text that may quote a whole row: where it names the person nothing of it is left. */
  withoutQuotes(text: string): string
}

/** The persons that a file is searched for. */
export interface Sought {
  /** What the mapping reads: the header for a source that has none. */
  readonly columns: readonly string[]
  /** `text`: the record as it stands in the file, where its values are not all of it. */
  ofRecord(header: readonly string[], values: readonly string[], text?: string): Naming | Promise<Naming>
  /** A line that is no record: its bytes, each as the character of its number, or its text where the file is UTF-16. */
  ofLine(text: string): Naming | Promise<Naming>
}

/** The ways in which a value may stand in a text, the value itself first: other encodings, say. */
export type Spellings = (value: string) => readonly string[]

/** Shorter keys and telephones than this stand in other texts by chance. */
const TELLING = 4
/** So do numbers of fewer digits: years, postal codes, amounts. */
const TELLING_DIGITS = 8
const SHORTEST_NAME = 2

/** What stands in place of a text that quoted a row of the person. */
export const ERASED_QUOTE = '[erased: this text named a person who was erased]'
const ERASED = '[erased]'

/** Ways to reach a person; a household may share them. */
const REACHING = ['phone', 'phone2', 'fax', 'mail2', 'skype', 'fb', 'twitter']
/** What else distinguishes two persons of one name. */
const TELLING_FIELDS = ['ba_street', 'ba_street2', 'date_of_birth']

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text)

const isTelling = (value: string): boolean =>
  value.length >= TELLING && (value.length >= TELLING_DIGITS || !/^\d+$/.test(value))

interface Words {
  areIn(text: string): boolean
  without(text: string): string
}

const WORD_END = String.raw`(?![\p{L}\p{N}])`
/** An address or a key does not end where another part follows: `anna@example.co` is not `anna@example.co.uk`. */
const NAME_END = String.raw`(?![.-]*[\p{L}\p{N}])`

/** Any of the values as a whole word. Spellings outside ASCII are looked for only where the text has such letters. */
function wordsOf(values: readonly string[], spellings: Spellings, end = WORD_END): Words {
  const cases = values.flatMap((value) => [value, value.toLowerCase(), value.toUpperCase()])
  const all = [...new Set(cases.flatMap(spellings))].filter((form) => form.trim() !== '')
  const matching = (forms: readonly string[]): RegExp | undefined => {
    if (forms.length === 0) return undefined
    const longestFirst = forms.toSorted((a, b) => b.length - a.length).map(escaped)
    return new RegExp(`(?<![\\p{L}\\p{N}._%+-])(?:${longestFirst.join('|')})${end}`, 'giu')
  }
  const [plain, any] = [matching(all.filter(isAscii)), matching(all)]
  const without = (text: string): string => {
    const pattern = isAscii(text) ? plain : any
    return pattern === undefined ? text : text.replace(pattern, ERASED)
  }
  const areIn = (text: string): boolean => {
    const pattern = isAscii(text) ? plain : any
    return pattern !== undefined && text.search(pattern) >= 0
  }
  return { areIn, without }
}

/** A mail with its domain as it is sent, and as people write it. */
function mailForms(mail: string): string[] {
  const at = mail.lastIndexOf('@') + 1
  return [mail, mail.slice(0, at) + domainToUnicode(mail.slice(at))]
}

/** How a person is recognised in records, in lines of files and in messages. */
export function recognition(
  { mails, keys, values }: Pick<Subject, 'mails' | 'keys' | 'values'>,
  spellings: Spellings = (value) => [value],
): Recognition {
  const of = (fields: readonly string[], least: number): string[] =>
    values
      .filter(({ field, value }) => fields.includes(field) && value.trim().length >= least)
      .map(({ value }) => value)
  const words = (all: readonly string[]): Words => wordsOf(all, spellings)
  const long = keys.map(({ key }) => key).filter((key) => key.length >= TELLING)
  const [telling, numbers] = [long.filter(isTelling), long.filter((key) => !isTelling(key))]
  const forms = mails.flatMap(mailForms)
  const whole = wordsOf([...forms, ...telling], spellings, NAME_END)
  const [own, ownData, numberKeys] = [
    words([...forms, ...long]),
    words([...forms, ...telling]),
    words(numbers),
  ]
  const first = words(of(['first_name'], SHORTEST_NAME))
  const family = words(of(['family_name'], SHORTEST_NAME))
  const reaching = words(of(REACHING, TELLING))
  const reachingData = words(of(REACHING, TELLING).filter(isTelling))
  const distinguishing = words(of([...REACHING, ...TELLING_FIELDS], TELLING))
  const isFullName = (text: string): boolean => first.areIn(text) && family.areIn(text)
  const naming = (text: string): Naming => {
    if (whole.areIn(text)) return 'surely'
    const isNumber = numberKeys.areIn(text)
    if (isFullName(text)) return isNumber || distinguishing.areIn(text) ? 'surely' : 'maybe'
    return isNumber || own.areIn(text) || reaching.areIn(text) ? 'maybe' : undefined
  }
  const without = (text: string, ...all: readonly Words[]): string => {
    const left = all.reduce((rest, one) => one.without(rest), text)
    return isFullName(text) ? family.without(first.without(left)) : left
  }
  return {
    naming,
    isPartOf: own.areIn,
    redacted: (text) => without(text, own, reaching),
    redactedData: (text) => without(text, ownData, reachingData),
    withoutQuotes: (text) => (naming(text) === undefined ? text : ERASED_QUOTE),
  }
}

/** Whether one of the values is, or holds, a mail of the person; an address that ends in the same letters is another one. */
export function mailNaming({ mails }: Pick<Subject, 'mails'>): (values: readonly string[]) => boolean {
  const addresses = wordsOf(mails.flatMap(mailForms), (value) => [value], NAME_END)
  return (values) =>
    values.some((value) => value.includes('@') && (mails.includes(mailKey(value)) || addresses.areIn(value)))
}

/** One person who is searched for in files and messages. */
export interface Theirs extends Sought {
  /** See `isPartOf` of `Recognition`. */
  isNamed(text: string): boolean
  /** See `Recognition`. */
  withoutQuotes(text: string): string
}

/** How often records of each tombstone were left out of an archived file. */
export type LeftOut = ReadonlyMap<string, number>

/** Persons who were erased by request. */
export interface TombstoneStore {
  /** Whether there are any. */
  hasTombstones(): Promise<boolean>
  /** The tombstone of the person whom the texts are about: by the key of a record, or by a mail or key in them. */
  tombstoneOf(
    pipeline: string,
    about: { readonly key: string | undefined; readonly texts: readonly string[] },
  ): Promise<string | undefined>
  noteLeftOut(counts: LeftOut): Promise<void>
  /** Which of the records belong to an erased person, in the order given. */
  areErased(
    pipeline: string,
    records: readonly {
      readonly key: string | undefined
      /** Undefined where the record could not be mapped: then its values are looked through. */
      readonly mail: string | undefined
      readonly values: readonly string[]
    }[],
  ): Promise<readonly boolean[]>
}

/** A contact at the service that shows the e-mail address of a person who was erased. */
export interface ErasedSeen {
  readonly contactId: number
  /** A record of another person has it: its address was changed there. */
  readonly isLinked: boolean
  /** The keyed hash of the address; the address itself is kept nowhere. */
  readonly print: string
  /** Milliseconds since the epoch. */
  readonly firstAt: number
  readonly lastAt: number
}

export interface ErasedSeenStore {
  /**
   * What a read of a contact has shown; `mail` blank: no address, or no contact any more. Gives the keyed hash where the contact
   * was not known to show such an address.
   */
  noteErasedRead(read: {
    readonly contactId: number
    readonly mail: string
    readonly at: number
  }): Promise<string | undefined>
  /** By contact. */
  erasedSeen(): Promise<readonly ErasedSeen[]>
}

/** A person who was erased before, of whom only tombstones are kept. */
export interface ErasedBefore {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Contacts at the service that no record has, and that were seen with an address of the person. */
  readonly contactIds: readonly number[]
  /** Records of theirs that were left out when files were archived. */
  readonly leftOut: number
  /** Whether the key of a record, or a mail in one of the texts, is of the person; without a key also a key in them. */
  isTheirs(
    pipeline: string,
    about: { readonly key: string | undefined; readonly texts: readonly string[] },
  ): boolean
}
