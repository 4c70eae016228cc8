// What a step asks about other records just before it is sent: whose contact it is, whose mail, whose terms.
import { contactMailKey, type FieldValue } from '../../../core/mapping/contact.ts'
import { givenUpOf } from '../../../core/change/given-up.ts'
import type { SharerStore } from '../../../core/change/others/ownership.ts'
import type { Operation } from '../../../core/change/operation.ts'
import type { OtherRecords } from '../../../core/other-records.ts'
import type { Connection } from '../../file/database.ts'
import { createTermsOfOthers } from './known.ts'
import { mayBeNamed } from '../missing.ts'
import { parseContact, parseUnsure } from '../rows.ts'
import { clearsMail, givesUpMail, isKeyed } from '../../file/state-sets.ts'

function createContactsOfOthers(db: Connection): OtherRecords['contactsOfOthers'] {
  const ofOther = db
    .prepare<[string, number, string], number>(
      'SELECT 1 FROM link WHERE pipeline = ? AND contact_id = ? AND key <> ?',
    )
    .pluck()
  const ofOtherPipelines = db
    .prepare<[number, string], string>('SELECT known FROM link WHERE contact_id = ? AND pipeline <> ?')
    .pluck()
  return async ({ pipeline, key }, ids) => ({
    here: ids.filter((id) => ofOther.get(pipeline, id, key) !== undefined),
    elsewhere: new Map(
      ids.flatMap((id) => {
        const known = ofOtherPipelines.all(id, pipeline)
        const pushed = known.map(parseContact).reduce((all, one) => ({ ...all, ...one }), {})
        return known.length === 0 ? [] : [[id, pushed] as const]
      }),
    ),
  })
}

function createIsNamedElsewhere(db: Connection): OtherRecords['isNamedElsewhere'] {
  const elsewhere = db
    .prepare<[number, string, number], number>(
      `SELECT 1 FROM link WHERE contact_id = ? AND pipeline <> ? AND ${mayBeNamed('link')}
       -- A record that the service merged into this contact is held, and would be gone with it.
       UNION ALL SELECT 1 FROM operation WHERE state <> 'planned' AND state = 'held' AND kind = 'create' AND contact_id = ?`,
    )
    .pluck()
  // Another pipeline's create with its mail that was sent, and has no clear answer yet: it may have been merged into it.
  const openCreate = db
    .prepare<[{ contact: number; pipeline: string }], number>(
      `SELECT 1 FROM operation WHERE state <> 'planned' AND (sent > 0 OR state = 'in_doubt') AND kind = 'create' AND pipeline <> @pipeline AND EXISTS (
         SELECT 1 FROM link WHERE contact_id = @contact AND link.pipeline = @pipeline AND (link.mail_key = operation.mail_key
           -- Where one of the two has no mail they are judged by the name, and no look-up finds what became of it.
           OR ((operation.mail_key IS NULL OR link.mail_key IS NULL)
             AND lower(fields ->> '$.family_name') = lower(known ->> '$.family_name')))) LIMIT 1`,
    )
    .pluck()
  return async ({ contactId, pipeline }) =>
    contactId !== undefined &&
    (elsewhere.get(contactId, pipeline, contactId) !== undefined ||
      openCreate.get({ contact: contactId, pipeline }) !== undefined)
}

interface MailOwner {
  readonly mail: string
  readonly key: string
  readonly moving: number
}

/** Whether the record of the link has a change that is carried out automatically, or once it is released, and brings or clears a mail. */
const isMoving = (isOtherMail: string): string => `EXISTS (SELECT 1 FROM operation
  WHERE operation.pipeline = link.pipeline AND operation.key = link.key AND ${isOtherMail} AND ${isKeyed('operation')}
  -- What is held for a reason of its record, a deleted contact for example, changes nothing any more automatically.
  AND (operation.state <> 'held' OR operation.guard IS NOT NULL)) AS moving`

/** Who has one of these mails, and whether a change of theirs gives it up; those that keep it first. */
const OWNERS = `
SELECT value AS mail, link.key, ${isMoving(givesUpMail('operation'))}
FROM json_each(@mails) CROSS JOIN link ON link.pipeline = @pipeline AND link.mail_key = value ORDER BY moving`

/**
 * An update to one of these mails whose end is not known: its contact may have the mail already. Kind and states are those
 * of the index, word for word; otherwise it would not serve.
 */
const TAKERS = `
SELECT value AS mail, operation.key, 1 AS moving FROM json_each(@mails) CROSS JOIN operation INDEXED BY operation_update_by_mail
  ON kind = 'update' AND state IN ('sending', 'failed') AND pipeline = @pipeline AND mail_key = value`

/**
 * Contacts whose mail is not known since an answer was lost, with what was sent to them: their records may say another mail by
 * now. The condition is that of the index, word for word.
 */
const UNSURE = `
SELECT link.key, link.unsure, open, ${isMoving(`(operation.mail_key IS NOT NULL OR ${clearsMail('operation')})`)}
FROM sent_values INDEXED BY sent_values_with_mail CROSS JOIN link ON link.contact_id = sent_values.contact_id
WHERE open LIKE '%["mail",%' AND link.pipeline = ? AND link.unsure IS NOT NULL ORDER BY moving`

function createUnsureOwners(db: Connection): (pipeline: string, mails: readonly string[]) => MailOwner[] {
  interface Unsure extends Omit<MailOwner, 'mail'> {
    readonly unsure: string
    readonly open: string
  }
  const unsure = db.prepare<[string], Unsure>(UNSURE)
  return (pipeline, mails) =>
    unsure.all(pipeline).flatMap(({ key, moving, open, unsure: fields }) => {
      if (!parseUnsure(fields).includes('mail')) return []
      const sent = (JSON.parse(open) as [string, FieldValue][]).flatMap(([field, value]) =>
        field === 'mail' ? (contactMailKey({ mail: value }) ?? []) : [],
      )
      return sent.filter((mail) => mails.includes(mail)).map((mail) => ({ mail, key, moving }))
    })
}

function createMailOwners(db: Connection): OtherRecords['mailOwners'] {
  type Asked = [{ pipeline: string; mails: string }]
  const owners = db.prepare<Asked, MailOwner>(OWNERS)
  const takers = db.prepare<Asked, MailOwner>(TAKERS)
  const unsureOwners = createUnsureOwners(db)
  return async (operations) => {
    const [first] = operations
    const mails = operations.flatMap(({ mailKey }) => mailKey ?? [])
    if (first === undefined || mails.length === 0) return new Map()
    const asked = { pipeline: first.pipeline, mails: JSON.stringify(mails) }
    const found = [...owners.all(asked), ...takers.all(asked), ...unsureOwners(first.pipeline, mails)]
    if (found.length === 0) return new Map()
    return new Map(
      operations.flatMap(({ id, mailKey, key }) => {
        const owner = found.find((one) => one.mail === mailKey && one.key !== key)
        return owner === undefined ? [] : [[id, { key: owner.key, isMoving: owner.moving === 1 }] as const]
      }),
    )
  }
}

/** State and mail are those of the index. */
const DOUBTS = `
SELECT value AS mail, operation.key, carried FROM json_each(@mails) CROSS JOIN operation INDEXED BY operation_doubt_by_mail
  ON kind = 'create' AND state = 'in_doubt' AND pipeline = @pipeline AND mail_key = value ORDER BY operation.id`

function createMailDoubts(db: Connection): OtherRecords['mailDoubts'] {
  interface Doubt {
    readonly mail: string
    readonly key: string
    readonly carried: number | null
  }
  const doubts = db.prepare<[{ pipeline: string; mails: string }], Doubt>(DOUBTS)
  return async (operations) => {
    const [first] = operations
    const mails = operations.flatMap(({ mailKey }) => mailKey ?? [])
    if (first === undefined || mails.length === 0) return new Map()
    const found = doubts.all({ pipeline: first.pipeline, mails: JSON.stringify(mails) })
    return new Map(
      operations.flatMap(({ id, mailKey, key }) => {
        const doubt = found.find((one) => one.mail === mailKey && one.key !== key)
        return doubt === undefined
          ? []
          : [[id, { key: doubt.key, carried: doubt.carried ?? undefined }] as const]
      }),
    )
  }
}

function createIsCreatedElsewhere(db: Connection): OtherRecords['isCreatedElsewhere'] {
  const openCreate = db
    .prepare<[string, string], number>(
      `SELECT 1 FROM operation WHERE state <> 'planned' AND kind = 'create' AND pipeline <> ? AND (mail_key = ?
         -- One without a mail is compared by its name, and may have been merged into any contact of that name.
         OR (mail_key IS NULL AND sent > 0)) LIMIT 1`,
    )
    .pluck()
  return async ({ pipeline, mailKey }) =>
    mailKey !== undefined && openCreate.get(pipeline, mailKey) !== undefined
}

export function createOthers(db: Connection): OtherRecords {
  const linkOf = db
    .prepare<[number], number>('SELECT coalesce(link_id, 0) FROM operation WHERE id = ?')
    .pluck()
  const termsOfOthers = createTermsOfOthers(db)
  const openUntil = db
    .prepare<[number], number>('SELECT coalesce(max(open_until), 0) FROM link WHERE contact_id = ?')
    .pluck()
  const mailAlone = db
    .prepare<[number], string>(
      `SELECT link.mail_key FROM operation JOIN link ON link.id = link_id WHERE operation.id = ? AND link.mail_key IS NOT NULL AND link.by_id = 0
       AND NOT EXISTS (SELECT 1 FROM link AS other WHERE other.mail_key = link.mail_key AND other.contact_id <> link.contact_id)`,
    )
    .pluck()
  // Such a create may have made a second contact of the mail, of which no link says so yet.
  const doubtedElsewhere = db
    .prepare<[string], string>(
      `SELECT mail_key FROM operation INDEXED BY operation_doubt_by_mail WHERE kind = 'create' AND state = 'in_doubt'
       AND pipeline <> ? AND mail_key IS NOT NULL`,
    )
    .pluck()
  const withMailOfTheirOwn: OtherRecords['withMailOfTheirOwn'] = async (operations) => {
    const doubted = new Set(doubtedElsewhere.all(operations[0]?.pipeline ?? ''))
    const isFoundByMail = ({ id, known }: Operation): boolean => {
      const mail = mailAlone.get(id)
      return mail !== undefined && mail === contactMailKey(known) && !doubted.has(mail)
    }
    return new Set(operations.filter(isFoundByMail).map(({ id }) => id))
  }
  return {
    isNamedElsewhere: createIsNamedElsewhere(db),
    contactsOfOthers: createContactsOfOthers(db),
    isCreatedElsewhere: createIsCreatedElsewhere(db),
    mailOwners: createMailOwners(db),
    mailDoubts: createMailDoubts(db),
    openUntil: async (contactId) => openUntil.get(contactId) ?? 0,
    async termsOfOthers({ id, contactId }) {
      return contactId === undefined ? [] : [...termsOfOthers(contactId, linkOf.get(id) ?? 0)]
    },
    withMailOfTheirOwn,
  }
}

const sharersBy = (column: 'contact_id' | 'mail_key'): string =>
  `SELECT pipeline, known, missing, unsure FROM link WHERE ${column} = ? AND pipeline <> ? AND gone = 0 ORDER BY id`

interface SharerRow {
  readonly pipeline: string
  readonly known: string
  readonly missing: number
  readonly unsure: string | null
}

export function createSharers(db: Connection): SharerStore['sharers'] {
  const byContact = db.prepare<[number, string], SharerRow>(sharersBy('contact_id'))
  const byMail = db.prepare<[string, string], SharerRow>(sharersBy('mail_key'))
  const rowsFor = (contactId: number | undefined, mailKey: string | undefined, pipeline: string) => {
    if (contactId !== undefined) return byContact.all(contactId, pipeline)
    return mailKey === undefined ? [] : byMail.all(mailKey, pipeline)
  }
  return async (own, asked) =>
    asked.map(({ contactId, mailKey }) =>
      rowsFor(contactId, mailKey, own).map(({ pipeline, known, missing, unsure }) => ({
        pipeline,
        fields: parseContact(known),
        missing,
        ...givenUpOf(parseUnsure(unsure)),
      })),
    )
}
