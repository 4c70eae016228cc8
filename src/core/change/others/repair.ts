// What `drift --repair` puts back at a contact: values that were last sent to it and are no longer there. Decided three times,
// each time over less: when a look has found what differs, when its plan is taken up after a release, and when the contact is
// read again right before it is sent.
//
//   put back                           left as it is
//   ---------------------------------  --------------------------------------------------------
//   a field that was overwritten or    mail_status; a field that `hand_edits` does not allow to
//   emptied                            overwrite; one that another pipeline has sent since
//   a term that was removed            a term that a user added; terms under keep and ask
import { termsBeyond } from '../../mapping/terms.ts'
import type { Contact } from '../../mapping/contact.ts'
import type { ServiceContact } from '../../ports.ts'
import { isBlank } from '../../words/blank.ts'
import { type Change, changedFields, type Known, type KnownLink } from '../diff.ts'
import type { Operation } from '../operation.ts'
import type { Drifted } from './drift.ts'
import { type FieldRules, mergeWithService, type SentValues, termField } from './hand-edits.ts'

/** Stands in Operation.undoes: what is put back is no run's work, but what others changed. */
export const DRIFT_REPAIR = 'drift'

/** How the sync log names it. */
export const REPAIR_REASON = 'drift repair'

export const isRepair = ({ undoes }: Pick<Operation, 'undoes'>): boolean => undoes === DRIFT_REPAIR

const isTerm = (name: string): boolean => name.startsWith(termField(''))

/** What differs at the contact and may be put back: names of fields, a term as `term NAME`. */
export const repairableNames = (
  { differing }: Drifted,
  contact: ServiceContact,
  rules: FieldRules & { readonly termRule: ReturnType<FieldRules['ruleOf']> },
): readonly string[] =>
  differing.filter((name) => {
    if (isTerm(name)) return rules.termRule === 'overwrite'
    if (name === 'mail_status') return false
    return rules.ruleOf(name) === 'overwrite' || isBlank(contact.fields[name])
  })

/** Of these fields, those whose value here is what was last sent by all pipelines. */
const lastSent = (fields: Contact, { last }: Pick<SentValues, 'last'>): Contact =>
  Object.fromEntries(
    Object.entries(fields).filter(([field, value]) => {
      const newest = last[field]
      return (
        newest === undefined ||
        Object.keys(changedFields({ [field]: value }, { [field]: newest }, [])).length === 0
      )
    }),
  )

/** Undefined where nothing of it is ours, or certain. */
export function repairChange(
  names: readonly string[],
  link: Pick<KnownLink, 'fields' | 'unsure' | 'terms'>,
  sent: Pick<SentValues, 'last'>,
): Change | undefined {
  const own = Object.entries(link.fields).filter(
    ([field]) => names.includes(field) && field !== 'mail_status' && !link.unsure.includes(field),
  )
  const fields = lastSent(Object.fromEntries(own), sent)
  const asserted = link.terms ?? []
  const add = asserted
    .filter(({ name, unsure }) => !unsure && names.includes(termField(name)))
    .map(({ name }) => name)
  if (Object.keys(fields).length + add.length === 0) return undefined
  if (add.length === 0) return { fields }
  return { fields, terms: { add, remove: [], asserts: asserted.map(({ name }) => name) } }
}

/** What is left of a released repair: a value that was sent since, or a term that the record gave up, ends its part. */
export function repairAgain(
  { fields, terms, contactId }: Pick<Operation, 'fields' | 'terms' | 'contactId'>,
  { link }: Known,
): (Change & { readonly linkId: number; readonly contactId: number }) | undefined {
  if (link === undefined || link.gone || link.merged || link.contactId !== contactId) return undefined
  const changed = changedFields(fields, link.fields, [])
  const names = Object.keys(fields).filter((field) => !Object.hasOwn(changed, field))
  const given = (link.terms ?? []).map(({ name }) => name)
  const lost = termsBeyond(terms?.add ?? [], given)
  const ofTerms = termsBeyond(terms?.add ?? [], lost).map(termField)
  const change = repairChange([...names, ...ofTerms], { ...link, unsure: [] }, { last: {} })
  return change === undefined ? undefined : { ...change, linkId: link.id, contactId: link.contactId }
}

/** What of it the contact, read right before, still lacks and may be sent. `left`: fields that are not, because others changed them. */
export function repairNow(
  fields: Contact,
  sides: { readonly sent: SentValues; readonly shown: ServiceContact },
  rules: FieldRules,
): { readonly send: Contact; readonly left: readonly string[] } {
  const own = lastSent(fields, sides.sent)
  const { send, edits } = mergeWithService(own, sides, rules)
  const elsewhere = Object.keys(fields).filter((field) => !Object.hasOwn(own, field))
  return { send, left: [...elsewhere, ...edits.map(({ field }) => field)] }
}
