// Many contacts in one call (interface, 4.2): what a refused one does to the others, and what is answered, as the
// habits have it.
import { assertComplete, type ContactRules, type Fields } from './contact-rules.ts'
import type { Contacts, Methods } from './contacts.ts'
import { Failure } from './failure.ts'
import type { Habits } from './habits.ts'
import { checked } from './requests.ts'
import type { Db } from './tables.ts'

interface Created {
  readonly id: number
  readonly email: string
}

/** An array, or an object whose values are the contacts: the interface does not show which. */
function membersOf(container: object, { bulkContainer, bulkLimit }: Habits): readonly unknown[] {
  const isList = Array.isArray(container)
  if (bulkContainer === (isList ? 'keyed' : 'array'))
    throw new Failure(422, `contacts must be an ${isList ? 'object' : 'array'}`)
  const members: readonly unknown[] = Object.values(container)
  if (members.length === 0) throw new Failure(422, 'contacts must hold at least one contact')
  if (bulkLimit > 0 && members.length > bulkLimit)
    throw new Failure(413, `contacts must not hold more than ${bulkLimit} contacts`)
  return members
}

/** The answer as the habits have it; what was done stays done. */
function answered(created: readonly Created[], { bulkMissing, bulkMail, bulkOrder }: Habits): Created[] {
  const shown = created
    .filter((_, index) => !bulkMissing || index % 2 === 0)
    .map(({ id, email }) => ({ id, email: inCase(email, bulkMail) }))
  return bulkOrder === 'reversed' ? shown.reverse() : shown
}

function inCase(mail: string, bulkMail: Habits['bulkMail']): string {
  if (bulkMail === 'as-sent') return mail
  return bulkMail === 'upper' ? mail.toUpperCase() : mail.toLowerCase()
}

interface Rooms {
  readonly db: Db
  readonly contacts: Contacts
  readonly habits: Habits
  readonly rules: ContactRules
}

export function createBulk({ db, contacts, habits, rules: { newContactWithMail } }: Rooms) {
  const createOne = (member: unknown, index: number, methods: Methods): Created => {
    try {
      const fields: Fields = checked(newContactWithMail, member, {
        status: 422,
        kind: 'contact',
        subject: 'it',
      })
      assertComplete(fields, { mailRequired: true })
      return { id: contacts.create(fields, methods), email: String(fields['mail']) }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      throw new Failure(error.status, `contact ${index + 1} of the call: ${error.message}`, error.kind)
    }
  }
  /** Each separately, up to the first refusal or past all of them. */
  const createEach = db.transaction((members: readonly unknown[], methods: Methods) => {
    const created: Created[] = []
    for (const [index, member] of members.entries())
      try {
        created.push(createOne(member, index, methods))
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        if (habits.bulkRefusal === 'after-earlier') return { created, refusal: error }
      }
    return { created, refusal: undefined }
  })
  const createAllOrNone = db.transaction((members: readonly unknown[], methods: Methods) =>
    members.map((member, index) => createOne(member, index, methods)),
  )
  return (container: object, methods: Methods): Created[] => {
    const members = membersOf(container, habits)
    if (habits.bulkRefusal === 'whole-call')
      return answered(createAllOrNone.immediate(members, methods), habits)
    const { created, refusal } = createEach.immediate(members, methods)
    if (refusal !== undefined) throw refusal
    return answered(created, habits)
  }
}
