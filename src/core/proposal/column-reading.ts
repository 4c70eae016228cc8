// What one column holds: its header and its values together. Where they contradict each other, the values are right.
import { type HeaderReading, readHeader } from './header.ts'
import type { SampleColumn } from './samples.ts'
import { type Shares, sharesOf } from './values.ts'
import type { Meaning } from './words/meaning.ts'

export interface ColumnReading {
  readonly column: SampleColumn
  readonly header: HeaderReading
  readonly shares: Shares
  readonly meaning: Meaning | undefined
  /** From 0 to 1. */
  readonly confidence: number
  /** A sentence without the full stop. */
  readonly why: string
  /** Only the values say so; absent where the header says it, too. */
  readonly isByValues?: true
}

type Verdict = Pick<ColumnReading, 'meaning' | 'confidence' | 'why' | 'isByValues'>

/** By how the header says it; below the confidence at which a guess is taken where it is a part of it. */
const BY_HEADER: Readonly<Record<HeaderReading['how'], number>> = {
  exact: 0.96,
  qualified: 0.93,
  part: 0.6,
  none: 0,
}
/** No more than this without a value to look at. */
const WITHOUT_VALUES = 0.8
/** So many values speak for themselves. */
const ENOUGH = 3
const NEARLY_ALL = 0.9

const NAMES: Readonly<Partial<Record<Meaning, string>>> = {
  mail: 'an e-mail address',
  first_name: 'a first name',
  family_name: 'a family name',
  full_name: 'a name',
  salutation: 'a salutation',
  academic: 'an academic title',
  title: 'a title',
  gender: 'a gender',
  company: 'a company',
  job_title: 'a job title',
  phone: 'a telephone number',
  mobile: 'a mobile telephone number',
  fax: 'a fax number',
  street: 'a street',
  street2: 'a second line of a street',
  city: 'a city',
  postal_code: 'a postal code',
  state: 'a state or region',
  country: 'a country',
  birthday: 'a date of birth',
  skype: 'a Skype name',
  fb: 'a Facebook profile',
  twitter: 'a Twitter name',
  id: 'an identifier',
  tags: 'tags',
  consent: 'a permission or status',
}

export const meaningText = (meaning: Meaning | undefined): string =>
  (meaning && NAMES[meaning]) ?? 'nothing that a contact has a field for'

const count = (share: number, { values }: SampleColumn): string =>
  `${Math.round(share * values.length)} of ${values.length} values`

/** What else the values are, where that is plain. */
function otherKind({ shares }: Pick<ColumnReading, 'shares'>): string | undefined {
  const kinds: readonly (readonly [number, string])[] = [
    [shares.mails, 'e-mail addresses'],
    [shares.yesNo, 'yes and no'],
    [shares.date, 'dates'],
    [shares.url, 'web addresses'],
    [shares.number, 'numbers'],
  ]
  return kinds.find(([share]) => share >= NEARLY_ALL)?.[1]
}

type Looked = Pick<ColumnReading, 'column' | 'header' | 'shares'>

/** The header says one thing; `share` of the values agree. */
function agreeing({ column, header, shares }: Looked, meaning: Meaning, share: number): Verdict {
  const byHeader = BY_HEADER[header.how]
  const says = `the header says ${meaningText(meaning)}`
  if (share >= NEARLY_ALL)
    return {
      meaning,
      confidence: Math.max(byHeader, 0.9),
      why: `${says}, and ${count(share, column)} are one`,
    }
  if (share >= 0.5)
    return {
      meaning,
      confidence: Math.min(byHeader, share >= 0.8 ? 0.92 : 0.7),
      why: `${says}, and ${count(share, column)} are one`,
    }
  const other = otherKind({ shares })
  return {
    meaning: undefined,
    confidence: 0.1,
    why: `${says}, but ${count(share, column)} are one${other === undefined ? '' : `; they are ${other}`}`,
  }
}

/** Of a text there is no proof; it is enough that it is nothing else. */
function text({ column, header, shares }: Looked, meaning: Meaning): Verdict {
  const numbersFit = ['street', 'street2', 'postal_code', 'skype', 'fb', 'twitter', 'state'].includes(meaning)
  const urlsFit = ['fb', 'twitter', 'skype', 'company'].includes(meaning)
  const kinds: readonly (readonly [boolean, string])[] = [
    [shares.mails >= 0.5, 'e-mail addresses'],
    [shares.yesNo >= NEARLY_ALL && column.values.length >= ENOUGH, 'yes and no'],
    [shares.url >= 0.5 && !urlsFit, 'web addresses'],
    [shares.number >= 0.5 && !numbersFit, 'numbers'],
    [shares.date >= 0.8 && !numbersFit, 'dates'],
    [shares.international >= 0.5, 'telephone numbers'],
    [shares.houseNumber >= NEARLY_ALL && meaning === 'street', 'house numbers'],
    [shares.long >= 0.3, 'longer texts'],
  ]
  const other = kinds.find(([is]) => is)?.[1]
  const says = `the header says ${meaningText(meaning)}`
  if (other !== undefined)
    return { meaning: undefined, confidence: 0.1, why: `${says}, but the values are ${other}` }
  const confidence = header.isWholeAddress === true ? WITHOUT_VALUES : BY_HEADER[header.how]
  const doubt = header.isWholeAddress === true ? ', or all of it in one' : ''
  return { meaning, confidence, why: `${says}${doubt}, and no value contradicts it` }
}

/** `Mr.`, `Frau Dr.`: salutations and academic titles are recognised whatever the header is. */
function titled({ column, header, shares }: Looked): Verdict | undefined {
  const isAsked =
    header.meaning === 'salutation' || header.meaning === 'academic' || header.meaning === 'title'
  if (shares.salutation < NEARLY_ALL || (!isAsked && column.values.length < ENOUGH)) return undefined
  const confidence = isAsked ? 0.95 : 0.9
  return {
    meaning: 'salutation',
    confidence,
    why: `${count(shares.salutation, column)} are salutations or titles`,
  }
}

/** What values say without a header that agrees. */
function byValues({ column, header, shares }: Looked): Verdict | undefined {
  if (column.values.length < ENOUGH || header.meaning === 'consent' || header.meaning === 'other')
    return undefined
  const found = (meaning: Meaning, share: number): Verdict => ({
    meaning,
    confidence: 0.9,
    why: `${count(share, column)} are ${meaningText(meaning).replace(/^an? /, '')} each, regardless of the header`,
    isByValues: true,
  })
  if (shares.mails >= 0.95) return found('mail', shares.mails)
  if (header.meaning !== undefined) return undefined
  if (shares.international >= 0.95) return found('phone', shares.international)
  const isNamed = column.values.every((value) => value.length > 3)
  return isNamed && shares.country >= 0.95 ? found('country', shares.country) : undefined
}

function verdict(looked: Looked): Verdict {
  const { column, header, shares } = looked
  const { meaning } = header
  if (column.values.length === 0) {
    const isNamed = meaning !== undefined && meaning !== 'other' && meaning !== 'consent'
    const confidence = isNamed ? Math.min(BY_HEADER[header.how], WITHOUT_VALUES) : 0
    const why = isNamed
      ? `the header says ${meaningText(meaning)}, and the samples have no value`
      : 'no value in the samples'
    return { meaning: isNamed ? meaning : undefined, confidence, why }
  }
  const byItself = meaning === 'mail' ? undefined : (titled(looked) ?? byValues(looked))
  if (byItself !== undefined) return byItself
  switch (meaning) {
    case undefined:
      return {
        meaning,
        confidence: 0,
        why: `neither the header nor the values say what it is${kindText(shares)}`,
      }
    case 'other':
      return { meaning: undefined, confidence: 0, why: `the header names ${meaningText(undefined)}` }
    case 'consent':
      return {
        meaning: undefined,
        confidence: 0,
        why: 'a permission or status is never guessed; see mail_status in config/README.md',
      }
    case 'mail':
      return agreeing(looked, meaning, shares.mails)
    case 'phone':
    case 'mobile':
    case 'fax':
      return agreeing(looked, meaning, Math.max(shares.phone, shares.international))
    case 'birthday':
      return agreeing(looked, meaning, shares.date)
    case 'country':
      return agreeing(looked, meaning, shares.country)
    case 'gender':
      return {
        ...agreeing(looked, meaning, shares.gender),
        confidence: shares.gender >= NEARLY_ALL ? 0.8 : 0.1,
      }
    case 'salutation':
    case 'academic':
      return agreeing(looked, meaning, shares.salutation)
    case 'title':
      return titleVerdict(looked)
    case 'postal_code': {
      const isShort = column.values.every((value) => value.length <= 12)
      return isShort && shares.digits >= 0.8 ? text(looked, meaning) : agreeing(looked, meaning, 0)
    }
    case 'tags':
      return { ...text(looked, meaning), confidence: WITHOUT_VALUES }
    case 'id':
      return idVerdict(looked)
    default:
      return text(looked, meaning)
  }
}

const kindText = (shares: Shares): string => {
  const other = otherKind({ shares })
  return other === undefined ? '' : `; they are ${other}`
}

/** The salutation with some, the position in the company with others. */
function titleVerdict(looked: Looked): Verdict {
  const { salutation } = looked.shares
  if (salutation >= 0.1)
    return {
      meaning: 'job_title',
      confidence: 0.5,
      why: 'some values are salutations or titles, others are not',
    }
  const found = text(looked, 'job_title')
  return {
    ...found,
    confidence: Math.min(found.confidence, 0.9),
    why: `no value is a salutation; ${found.why}`,
  }
}

function idVerdict({ column }: Looked): Verdict {
  if (column.isUnique)
    return { meaning: 'id', confidence: 0.95, why: 'filled in every record, and no value is there twice' }
  return {
    meaning: undefined,
    confidence: 0.1,
    why: 'the header says an identifier, but it is blank or the same in some records',
  }
}

export function readColumn(column: SampleColumn, fileDate: string): ColumnReading {
  const looked = { column, header: readHeader(column.name), shares: sharesOf(column, fileDate) }
  return { ...looked, ...verdict(looked) }
}
