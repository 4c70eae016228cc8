// Which of several pipelines may write a field of a contact that they share (`owns`). The owners of a field are the pipelines
// that name it in `owns`, in the order of the configuration. The first line that fits decides, field by field:
//
//   the pipeline                                             then the field
//   -------------------------------------------------------  --------------------------------------------
//   is no owner of it                                        is left out
//   has a value, and so has an owner before it               is left out
//   has a value                                              is compared; where another pipeline sent the
//                                                            last value, it is sent again
//   has none, and the last value sent was its own            is emptied
//   has none                                                 is left out
//
// An owner has a value while its record is there and its field is not blank: emptied (`blank: clear`), or given up (given-up.ts).
// A field without owners is not looked at.
import type { Contact } from '../../mapping/contact.ts'
import type { FieldOwner, FieldOwners } from '../../sending-settings.ts'
import type { PipelineSettings } from '../../settings.ts'
import { isBlank } from '../../words/blank.ts'
import type { KnownLink } from '../diff.ts'

/** The record of another pipeline that has the contact. */
export interface Sharer {
  readonly pipeline: string
  /** What it last sent. */
  readonly fields: Contact
  /** Fields of these that its record has given up; absent where there are none. */
  readonly givenUp?: readonly string[]
  /** In how many full exports in a row it was missing. */
  readonly missing: number
}

export interface SharerStore {
  /** Records of other pipelines with the contact, or, without one, with a contact of that mail (in its comparison form). */
  sharers(
    pipeline: string,
    asked: readonly { readonly contactId: number | undefined; readonly mailKey: string | undefined }[],
  ): Promise<readonly (readonly Sharer[])[]>
}

type Owning = Pick<PipelineSettings, 'name' | 'owns' | 'guards'>

/** The owners of the fields of a pipeline, among all pipelines; undefined where none of its fields has any. */
export function ownersFor(
  { map }: { readonly map: object },
  all: readonly Owning[],
): FieldOwners | undefined {
  const owners = Object.keys(map).flatMap((field) => {
    const those = all
      .filter(({ owns = [] }) => (owns as readonly string[]).includes(field))
      .map(({ name, guards }) => ({ pipeline: name, missingIn: guards.deletes_missing_in }))
    return those.length === 0 ? [] : [[field, those] as const]
  })
  return owners.length === 0 ? undefined : Object.fromEntries(owners)
}

/** Whether what the pipeline writes depends on records of others: then a record is never settled by its own values. */
export const dependsOnOthers = (pipeline: string, owners: FieldOwners | undefined): boolean =>
  Object.values(owners ?? {}).some(
    (those) => those.length > 1 && those.some((owner) => owner.pipeline === pipeline),
  )

interface Sides {
  readonly pipeline: string
  readonly owners: FieldOwners
  readonly link: Pick<KnownLink, 'fields' | 'unsure'> | undefined
  readonly sharers: readonly Sharer[]
  /** What was last sent to the contact, by whichever pipeline. */
  readonly last: Contact
}

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

export const ownerHasValue = (
  { pipeline, missingIn }: FieldOwner,
  field: string,
  sharers: readonly Sharer[],
): boolean =>
  sharers.some(
    (one) =>
      one.pipeline === pipeline &&
      one.missing < missingIn &&
      !isBlank(one.fields[field]) &&
      one.givenUp?.includes(field) !== true,
  )

type Verdict = 'left out' | 'compared' | 'sent'

function verdictOn(field: string, value: unknown, { pipeline, owners, link, sharers, last }: Sides): Verdict {
  const those = owners[field]
  if (those === undefined) return 'compared'
  const place = those.findIndex((owner) => owner.pipeline === pipeline)
  if (place < 0) return 'left out'
  const own = link?.fields[field]
  const isLastOwn = last[field] === undefined || isSame(last[field], own)
  // What only one ever sent is not noted as the last: a value of another is not emptied by who never sent any.
  const isOfOther = own === undefined && sharers.some(({ fields }) => !isBlank(fields[field]))
  if (isBlank(value)) return isLastOwn && !isOfOther ? 'compared' : 'left out'
  if (those.slice(0, place).some((owner) => ownerHasValue(owner, field, sharers))) return 'left out'
  return isLastOwn ? 'compared' : 'sent'
}

/** Which owners of a field go before a pipeline, in the order of the configuration. */
export const ownersBefore = (pipeline: string, those: readonly FieldOwner[]): readonly string[] => {
  const names = those.map((owner) => owner.pipeline)
  return names.includes(pipeline) ? names.slice(0, names.indexOf(pipeline)) : names
}

/** Of fields that a record of the pipeline has no value for, and that stay as they are: those that another one owns after it. */
export const leftToNextOwner = (
  blank: readonly string[],
  { pipeline, owners }: Pick<Sides, 'pipeline' | 'owners'>,
): readonly string[] =>
  blank.filter((field) => owners[field]?.slice(0, -1).some((owner) => owner.pipeline === pipeline))

/**
 * What a record may write of its contact. `unsure`: what is to be sent though its pipeline sent it before; `left`: fields
 * with a value that are left to others.
 */
export function ownFields(
  contact: Contact,
  sides: Sides,
): { readonly contact: Contact; readonly unsure: readonly string[]; readonly left: readonly string[] } {
  const judged = Object.entries(contact).map(
    ([field, value]) => [field, value, verdictOn(field, value, sides)] as const,
  )
  return {
    contact: Object.fromEntries(
      judged.flatMap(([field, value, is]) => (is === 'left out' ? [] : [[field, value]])),
    ),
    unsure: [
      ...(sides.link?.unsure ?? []),
      ...judged.flatMap(([field, , is]) => (is === 'sent' ? [field] : [])),
    ],
    left: judged.flatMap(([field, value, is]) => (is === 'left out' && !isBlank(value) ? [field] : [])),
  }
}

/** Fields of which nothing says who may write them, though two pipelines send them to contacts of one mail. */
export function sharedFields(
  pipelines: readonly Pick<
    PipelineSettings,
    'name' | 'map' | 'owners' | 'duplicate_check_method' | 'writes'
  >[],
): readonly { readonly pipelines: readonly [string, string]; readonly fields: readonly string[] }[] {
  return pipelines.flatMap((one, at) =>
    pipelines.slice(at + 1).flatMap((other) => {
      const canMeet =
        [one, other].every(({ map }) => map['mail'] !== undefined) &&
        [one, other].some(
          ({ duplicate_check_method: check, writes }) => check !== 'none' || writes === 'update',
        )
      const fields = Object.keys(one.map).filter(
        (field) =>
          !['mail', 'mail_status'].includes(field) &&
          other.map[field] !== undefined &&
          one.owners?.[field] === undefined,
      )
      return canMeet && fields.length > 0 ? [{ pipelines: [one.name, other.name] as const, fields }] : []
    }),
  )
}
