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
  /** Those of its contacts that are still there. */
  live(stamp: string): readonly number[]
  /**
   * Of these, those that are of the same person, or all where none is: two sources may give one address to two persons, and
   * the service merges them.
   */
  own(stamp: string): readonly number[]
  readonly stamps: readonly string[]
}

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
  const live = (stamp: string): readonly number[] => [
    ...new Set(
      (byStamp.get(stamp) ?? [])
        .map(({ contact }) => contact)
        .filter((id) => contacts.live(id) !== undefined),
    ),
  ]
  return {
    of: (stamp) => byStamp.get(stamp) ?? [],
    stampsOf: (contact) => [...(byContact.get(contact) ?? [])],
    live,
    own(stamp) {
      const all = live(stamp)
      const theirs = all.filter((id) => {
        const person = contacts.live(id)?.person
        return person === undefined || person === personIn(stamp)
      })
      return theirs.length === 0 ? all : theirs
    },
    get stamps() {
      return [...byStamp.keys()]
    },
  }
}

/** The pipeline that a stamp names. */
export const pipelineOf = (stamp: string): string => stamp.split('.')[0] ?? ''
