// Colleagues who tidy contacts at the service while every pipeline has `hand_edits: keep`, and the promise of that: what a
// hand has written, and a look could have shown, is not overwritten, and no contact that shows it is deleted.
import type { PipelineSettings } from '../../src/core/settings.ts'
import type { StateStore } from '../../src/core/state-store.ts'
import type { Chance } from './chance.ts'
import { hasStatus } from './consent.ts'
import type { HandTerms } from './hand-terms.ts'
import type { Effect, Ledger } from './ledger.ts'
import type { Setup } from './setup.ts'
import type { SimulatedContact } from './simulated-contacts.ts'
import type { SimulatedService } from './simulated-service.ts'

/** Neither the mail nor the family name: by these a user, too, knows whose contact it is. */
const FIELDS = ['phone', 'phone', 'first_name', 'ba_city', 'ba_street']

/** Statuses, and evidence for those that raise a contact. */
function withEvidence(pipeline: PipelineSettings, chance: Chance): PipelineSettings {
  const evidence = { at: { column: 'consented', date: ['yyyy-MM-dd'] } }
  return {
    ...pipeline,
    map: { ...pipeline.map, mail_status: { column: 'status', evidence, require_evidence: true } },
    allow_consent_raise: chance.happens(0.8),
    update_method: 'update_add',
  }
}

/** As the configuration is built for `hand_edits: keep`; what is kept is looked at again by every run. */
export function keepingEdits(drawn: Setup, chance: Chance): Setup {
  const isProven = chance.happens(0.5)
  const proven = drawn.pipelines.map((pipeline, index) =>
    // Two that speak of the same people would say two things of them.
    isProven && (index === 0 || !drawn.isShared) ? withEvidence(pipeline, chance) : pipeline,
  )
  return {
    ...drawn,
    hasOutbox: chance.happens(0.7),
    // Which day it is must be certain.
    isClockWild: drawn.isClockWild && !isProven,
    pipelines: proven.map((pipeline) => ({
      ...pipeline,
      hand_edits: 'keep',
      recheck: 0,
      duplicate_merge_method: 'add',
      update_via: 'id',
    })),
  }
}

export interface HandsAt {
  readonly ledger: Ledger
  readonly service: SimulatedService
  readonly pipelines: readonly PipelineSettings[]
  readonly terms: HandTerms
  readonly now: () => number
  readonly chance: Chance
  readonly violated: (oracle: string, text: string) => void
  readonly say: (text: string) => void
}

export interface Hands {
  /**
   * Writes a field of some contact: something new, nothing, or what the field had before; gives or takes a term;
   * unsubscribes or blocks.
   */
  act(): void
  /** Now and then a user lets an edit go. */
  release(state: StateStore): Promise<void>
  /** What is listed is what the service shows, and was written by hand. */
  checkListed(state: StateStore): Promise<void>
}

/** The contact was last looked at then, by the life that sent this request. */
function lookedAt({ contact, request: number }: Effect, { ledger }: HandsAt): number | undefined {
  const request = ledger.requests[number - 1]
  return ledger.requests
    .slice(0, number - 1)
    .findLast(
      ({ method, path, life, appliedAt, status }) =>
        method === 'GET' &&
        path === `/contact/${contact}` &&
        life === request?.life &&
        appliedAt !== undefined &&
        status === 200,
    )?.appliedAt
}

export function createHands(at: HandsAt): Hands {
  const { ledger, service, pipelines, now, chance, violated, say } = at
  /** By contact and field: what a hand wrote, and when; until anything else is written. */
  const edits = new Map<string, { readonly value: unknown; readonly at: number }>()
  const name = (contact: number, field: string): string => `${contact} ${field}`
  /** Values that count as sent since a user let them go. */
  const released = new Set<unknown>()
  let acts = 0

  function lost(effect: Effect, fields: readonly string[]): void {
    const seen = lookedAt(effect, at)
    for (const field of fields) {
      const edit = edits.get(name(effect.contact, field))
      if (edit === undefined || (seen !== undefined && edit.at >= seen)) continue
      violated('hands', `${effect.kind} of contact ${effect.contact} loses ${field} "${String(edit.value)}"`)
    }
  }

  ledger.watch((effect) => {
    const { who, contact, kind, fields } = effect
    if (who === 'connector' && kind === 'delete') lost(effect, [...new Set(FIELDS)])
    if (who === 'connector') lost(effect, Object.keys(fields))
    for (const [field, { after }] of Object.entries(fields)) {
      // A value that was there before may be what was sent last.
      const isNew = who === 'foreign' && /^(Hand|Foreign)/.test(String(after)) && !released.has(after)
      if (isNew && FIELDS.includes(field)) edits.set(name(contact, field), { value: after, at: effect.at })
      else edits.delete(name(contact, field))
    }
  })

  function valueFor(contact: SimulatedContact, field: string): unknown {
    const earlier = ledger.effects.filter(({ contact: id, fields }) => id === contact.id && field in fields)
    const before = earlier.at(-1)?.fields[field]?.before
    return chance.pick([`Hand ${acts}`, `Hand ${acts}`, `Hand ${acts}`, '', before ?? ''])
  }

  const isOurs = (contact: number, field: string): boolean =>
    service.contacts.live(contact)?.fields.get(field)?.by === 'connector'

  const isLate = (contact: number, field: string): boolean => {
    const last = ledger.effects.findLast(({ contact: id, fields }) => id === contact && field in fields)
    return last !== undefined && ledger.requests[last.request - 1]?.fault === 'late'
  }

  const byHand = () => ({ who: 'foreign', at: now(), request: 0 }) as const

  function giveOrTake(contact: SimulatedContact): void {
    const all = [...service.terms.keys()]
    const has = [...contact.terms.keys()]
    if (has.length > 0 && chance.happens(0.7)) {
      const term = chance.pick(has)
      say(`a hand takes term ${term} from contact ${contact.id}`)
      service.contacts.take(contact, term, byHand())
    } else if (all.length > 0) {
      const term = chance.pick(all)
      say(`a hand gives term ${term} to contact ${contact.id}`)
      service.contacts.give(contact, term, byHand())
    }
  }

  return {
    act() {
      const living = [...service.contacts.all.values()].filter(({ deleted }) => deleted === undefined)
      if (living.length === 0) return
      acts += 1
      const contact = chance.pick(living)
      const what = chance.int(10)
      if (what < 3) return giveOrTake(contact)
      if (what < 5 && pipelines.some(hasStatus)) {
        const status = chance.pick([1, 1, 2, 2, 4])
        say(`a hand sets mail_status ${status} of contact ${contact.id}`)
        service.contacts.write(contact, { mail_status: status }, byHand())
        return
      }
      const field = chance.pick(FIELDS)
      const value = valueFor(contact, field)
      say(`a hand writes ${field} "${String(value)}" to contact ${contact.id}`)
      service.contacts.write(contact, { [field]: value }, byHand())
    },
    async release(state) {
      const open = await state.openEdits(pipelines.map(nameOf))
      for (const { pipeline, key, field, contactId, service: listed } of open) {
        if (!chance.happens(0.15)) continue
        say(`${field} of ${key} is released`)
        await state.releaseEdits({ pipeline, key, field })
        if (field.startsWith('term ')) at.terms.released(contactId, field.slice('term '.length))
        // What was listed, whatever a hand has written since.
        released.add(listed)
        if (edits.get(name(contactId, field))?.value === listed) edits.delete(name(contactId, field))
      }
    },
    async checkListed(state) {
      for (const { pipeline, key, field, contactId, service: listed } of await state.openEdits(
        pipelines.map(nameOf),
      )) {
        const contact = service.contacts.live(contactId)
        if (contact === undefined || field.startsWith('term ')) continue
        const shown = contact.fields.get(field)?.value ?? ''
        const what = `${field} of ${pipeline} ${key} (contact ${contactId})`
        // What lands long after its sender gave up cannot be told from what a hand writes; it is listed, and nothing is lost.
        if (isOurs(contactId, field) && !isLate(contactId, field))
          violated('hands', `${what} is listed, and no hand wrote it`)
        if (shown !== listed)
          violated('hands', `${what} is listed as ${JSON.stringify(listed)}, and is ${JSON.stringify(shown)}`)
      }
    },
  }
}

const nameOf = ({ name }: PipelineSettings): string => name
