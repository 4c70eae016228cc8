// Who is to be erased, and how a record or a text is known to be of them.
import { mailKey } from './contact.ts'

/** A person by everything that is known of them. */
export interface Subject {
  readonly keys: readonly { readonly pipeline: string; readonly key: string }[]
  readonly contactIds: readonly number[]
  /** In the form for comparison. */
  readonly mails: readonly string[]
}

/** Shorter keys than this stand in other texts by chance. */
const TELLING = 4

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** What names the person in a text: mails, and keys that are long enough to mean nobody else. */
function namesPattern({ mails, keys }: Subject): RegExp | undefined {
  const names = [...mails, ...keys.map(({ key }) => key).filter((key) => key.length >= TELLING)]
  if (names.length === 0) return undefined
  return new RegExp(`(?<![\\p{L}\\p{N}._%+-])(?:${names.map(escaped).join('|')})(?![\\p{L}\\p{N}])`, 'giu')
}

/** The text without what names the person. */
export function redaction(subject: Subject): (text: string) => string {
  const pattern = namesPattern(subject)
  return (text) => (pattern === undefined ? text : text.replace(pattern, '[erased]'))
}

/** Whether one of the values is, or holds, a mail of the person. */
export function namesMail({ mails }: Subject, values: readonly string[]): boolean {
  return values.some((value) => {
    if (!value.includes('@')) return false
    const lower = value.toLowerCase()
    return mails.includes(mailKey(value)) || mails.some((mail) => lower.includes(mail))
  })
}

/** People who were erased by request. */
export interface TombstoneStore {
  /** Which of the records are of somebody who must not come back, in the order given. */
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
