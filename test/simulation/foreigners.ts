// Others who work at the service meanwhile: they edit, create and delete contacts, and give and take terms.
import type { Chance } from './chance.ts'
import type { SimulatedService } from './simulated-service.ts'
import type { Timeline } from './timeline.ts'

export interface Foreigners {
  /** Does something, whatever comes to their minds. */
  act(): void
}

/** Fields that no pipeline maps: what is written there must survive whatever we do. */
const FOREIGN_FIELDS = ['twitter', 'ba_state', 'company']

export function createForeigners(
  service: SimulatedService,
  timeline: Timeline,
  chance: Chance,
  mails: () => readonly string[],
  { withStatus, trace }: { withStatus: boolean; trace: (text: string) => void },
): Foreigners {
  const { contacts } = service
  let edits = 0
  let acts = 0
  const cause = () => ({ who: 'foreign', at: timeline.now(), request: 0 }) as const

  return {
    act() {
      const living = [...contacts.all.values()].filter(({ deleted }) => deleted === undefined)
      acts += 1
      const consents = chance.stream(`consent ${acts}`)
      if (withStatus && living.length > 0 && consents.happens(0.15)) {
        const contact = consents.pick(living)
        const status = consents.pick([1, 2, 2, 4])
        trace(`others set mail_status ${status} of ${contact.id}`)
        contacts.write(contact, { mail_status: status }, cause())
        return
      }
      const what = chance.int(12)
      if (what === 0 || living.length === 0) {
        const known = mails()
        if (known.length === 0) return
        const mail = chance.pick(known)
        trace(`others create a contact with ${mail}`)
        const body = { mail, first_name: 'Foreign', company: 'Foreign' }
        contacts.create(body, { check: 'none', merge: 'add' }, cause())
        return
      }
      const contact = chance.pick(living)
      const terms = [...service.terms.keys()]
      edits += 1
      if (what === 1) {
        trace(`others delete ${contact.id}`)
        contacts.remove(contact, cause())
      } else if (what < 4 && terms.length > 0) {
        const term = chance.pick(terms)
        trace(`others give ${term} to ${contact.id}`)
        contacts.give(contact, term, cause())
      } else if (what < 6 && contact.terms.size > 0) {
        const term = chance.pick([...contact.terms.keys()])
        trace(`others take ${term} from ${contact.id}`)
        contacts.take(contact, term, cause())
      } else if (what < 8) {
        contacts.write(contact, { phone: `Foreign ${edits}` }, cause())
      } else {
        contacts.write(contact, { [chance.pick(FOREIGN_FIELDS)]: `Foreign ${edits}` }, cause())
      }
    },
  }
}
