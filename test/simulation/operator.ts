// The person beside the program: releases what guards hold, and says of doubts that no look-up can settle whether they were
// done. Knows what the service has, as a user who looks there does.
import { linkEntry } from '../../src/core/log/other-entries.ts'
import { shownContact } from '../../src/core/change/lookup/likeness.ts'
import { REBUILD_GUARD } from '../../src/core/change/lookup/rebuild.ts'
import type { Operation } from '../../src/core/change/operation.ts'
import type { StateStore } from '../../src/core/state-store.ts'
import type { Claims } from './claims.ts'
import type { Ledger } from './ledger.ts'
import { STAMP_FIELD, type Setup } from './setup.ts'
import type { SimulatedService } from './simulated-service.ts'

export interface Office {
  readonly setup: Setup
  readonly deps: { readonly wall: () => number }
  readonly ledger: Ledger
  readonly claims: Claims
  readonly service: SimulatedService
  readonly program: { readonly state: StateStore }
  readonly overruled: Set<string>
  readonly released: Set<string>
  readonly say: (text: string) => void
  readonly violated: (oracle: string, text: string) => void
}

async function release({ setup, deps, program, overruled, released, say }: Office): Promise<void> {
  const names = setup.pipelines.map(({ name }) => name)
  for (const plan of await program.state.heldPlans(names)) {
    if (plan.releasedAt !== undefined || plan.left !== plan.number) continue
    say(`released: ${plan.runId}, ${plan.guard}`)
    released.add(plan.pipeline)
    // Whatever guard held it: a person who lets deletes go takes it upon himself that some row's key cannot be read.
    overruled.add(plan.pipeline)
    await program.state.release(plan.runId, deps.wall())
  }
}

/** The contact that the operation's record has at the service, if it has one. */
function contactOf({ pipeline, desired }: Operation, { claims }: Office): number | undefined {
  const stamp = desired[STAMP_FIELD[pipeline] ?? '']
  return typeof stamp === 'string' ? claims.live(stamp)[0] : undefined
}

/** What a rebuild could not tell: the contact is what the service shows. */
async function linkByWord(
  { id, pipeline, key, desired, source }: Operation,
  contactId: number,
  { program, service, deps, say }: Office,
): Promise<void> {
  say(`doubt ${id} (${key}) is linked: ${contactId}`)
  const fields = Object.fromEntries(
    [...(service.contacts.live(contactId)?.fields ?? [])].map(([field, { value }]) => [field, value]),
  )
  const about = { at: deps.wall(), runId: 'a-person', pipeline, configHash: '' }
  const entry = linkEntry({ key, source, contactId, reason: 'by a word', request: undefined }, about)
  const known = shownContact(desired, { id: contactId, fields })
  await program.state.linkFound({ pipeline, key, contactId, known, operationIds: [id], entry })
}

async function resolve(operation: Operation, office: Office): Promise<void> {
  const { program, deps, say } = office
  const contactId = contactOf(operation, office)
  if (operation.guard === REBUILD_GUARD && contactId !== undefined)
    return linkByWord(operation, contactId, office)
  say(`doubt ${operation.id} (${operation.key}) is resolved: ${contactId ?? 'not done'}`)
  const settlement =
    operation.kind === 'create' && contactId !== undefined
      ? ({ kind: 'done', contactId, reason: 'resolved as done by an operator', adopted: true } as const)
      : ({ kind: 'failed', reason: 'resolved as not done by an operator; it is tried again' } as const)
  const context = { at: deps.wall(), runId: 'a-person', configHash: '' }
  await program.state.settleBatch([{ operation, settlement, request: undefined }], context)
}

/** Doubts that stay need a reason: no mail to look up by, or others of that mail at the service, as they really are. */
function hasExcuse({ fields, reason = '', sent }: Operation, { ledger, service }: Office): boolean {
  const mail = fields['mail']
  if (typeof mail !== 'string' || mail === '' || sent >= 3) return true
  if (/contacts? with this e-mail address/.test(reason))
    return ledger.effects.some((effect) => effect.fields['mail']?.after === mail)
  const other = /contact (\d+) with another e-mail address/.exec(reason)?.[1]
  if (other !== undefined) {
    const shown = service.contacts.live(Number(other))?.fields
    return Object.entries(fields).some(([field, value]) => shown?.get(field)?.value === value)
  }
  return /carry the marker|look just like|none shows the current values/.test(reason)
}

/** `isThorough`: nothing stays in doubt. */
export async function operate(office: Office, { isThorough }: { isThorough: boolean }): Promise<void> {
  const { setup, program, violated } = office
  await release(office)
  if (!isThorough) return
  for (const { name } of setup.pipelines) {
    for (const operation of await program.state.leftOpen('in_doubt', name)) {
      // Another record's contact may have the mail since an answer was lost: nothing looks at one that has gone from the source.
      const isOthers = (await program.state.mailOwners([operation])).size > 0
      if (!isOthers && !hasExcuse(operation, office))
        violated('liveness', `${operation.key} is in doubt without an excuse: ${operation.reason ?? ''}`)
      await resolve(operation, office)
    }
  }
}
