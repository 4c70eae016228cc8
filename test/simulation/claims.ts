// Which contact stands for whom, as the ledger has it: each stamp names one record of one pipeline.
import type { Effect, Ledger } from './ledger.ts'
import { personIn } from './people.ts'
import type { SimulatedContact, SimulatedContacts } from './simulated-contacts.ts'

export interface Claim {
  readonly contact: number
  readonly effect: Effect
}

export interface Claims {
  /** The contacts that creates with this stamp made or were merged into, oldest first. */
  of(stamp: string): readonly Claim[]
  /** The stamps that claim a contact. */
  stampsOf(contact: number): readonly string[]
  /** Those of its contacts that are still there, and are of nobody else: two sources may give one address to two persons. */
  live(stamp: string): readonly number[]
  readonly stamps: readonly string[]
}

const isTheirs = (stamp: string, contact: SimulatedContact | undefined): boolean =>
  contact !== undefined && (contact.person === undefined || contact.person === personIn(stamp))

export function watchClaims(ledger: Ledger, contacts: SimulatedContacts): Claims {
  const byStamp = new Map<string, Claim[]>()
  const byContact = new Map<number, Set<string>>()
  /** By the mail that it has, or had until this effect. */
  const isLookedUp = ({ fields }: SimulatedContact, effect: Effect): boolean => {
    const mails = [fields.get('mail')?.value, effect.fields['mail']?.before]
    const paths = mails.map((mail) => `/contact/${String(mail).toLowerCase()}`)
    return ledger.requests.some(({ method, path }) => method === 'GET' && paths.includes(path.toLowerCase()))
  }
  ledger.watch((effect) => {
    const { stamp, contact, who, kind } = effect
    if (who !== 'connector' || stamp === undefined) return
    if (kind === 'write') {
      // A contact of others that was found by the record's mail: linked first, and written to then.
      const found = contacts.all.get(contact)
      if (found === undefined || byContact.get(contact)?.has(stamp) === true || !isLookedUp(found, effect))
        return
      found.person ??= personIn(stamp)
      if (found.person !== personIn(stamp)) return
    } else if (kind !== 'create' && kind !== 'merge') return
    byStamp.set(stamp, [...(byStamp.get(stamp) ?? []), { contact, effect }])
    byContact.set(contact, (byContact.get(contact) ?? new Set()).add(stamp))
  })
  return {
    of: (stamp) => byStamp.get(stamp) ?? [],
    stampsOf: (contact) => [...(byContact.get(contact) ?? [])],
    live: (stamp) => [
      ...new Set(
        (byStamp.get(stamp) ?? [])
          .map(({ contact }) => contact)
          .filter((id) => isTheirs(stamp, contacts.live(id))),
      ),
    ],
    get stamps() {
      return [...byStamp.keys()]
    },
  }
}

/** The pipeline that a stamp names. */
export const pipelineOf = (stamp: string): string => stamp.split('.')[0] ?? ''
