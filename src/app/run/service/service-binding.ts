// Whose state it is: held against the configuration before anything is sent, bound to the service by its first use, and
// bound to another address by an operator's word. Part of the composition.
import { planEntry } from '../../../core/log/other-entries.ts'
import { stopWithout } from '../../../core/outcome/circuit.ts'
import { CONTACT_FIELD_NAMES } from '../../../core/mapping/contact.ts'
import { SyncError } from '../../../core/words/errors.ts'
import type { ContactReader, ServiceContact } from '../../../core/ports.ts'
import {
  assertNothingInDoubt,
  assertSameService,
  assertShown,
  type LinkedContact,
  SAMPLE_SIZE,
  serviceAddress,
} from '../../../core/service-binding.ts'
import type { Settings } from '../../../core/settings.ts'
import { stateText } from '../../../core/state-place.ts'
import { readTie, type ServiceBinding } from '../../../store/service-binding.ts'
import { askService } from './checking.ts'
import type { AccountConfiguration } from '../configuration.ts'
import type { Desk } from '../desk.ts'

type Asking = Pick<ContactReader, 'contactById'>

const statePlaceOf = ({ service, state }: Settings) => ({ path: stateText(state), baseUrl: service.base_url })

/** What of them was sent can be asked for everywhere; definitions of custom fields may have changed. */
const askedFields = (known: LinkedContact['known']): string[] =>
  CONTACT_FIELD_NAMES.filter((field) => Object.hasOwn(known, field) && field !== 'mail_status')

const standardOf = ({ contactId, known }: LinkedContact): LinkedContact => ({
  contactId,
  known: Object.fromEntries(Object.entries(known).filter(([field]) => askedFields(known).includes(field))),
})

/** Throws SERVICE_UNREACHABLE and its like where the service does not answer. */
async function read(
  contactId: number,
  fields: readonly string[],
  reads: Asking,
): Promise<ServiceContact | undefined> {
  const result = await reads.contactById(contactId, fields.length === 0 ? ['id'] : fields)
  if (result.kind === 'ok') return result.value
  // A service may refuse an id that it cannot have.
  if (result.kind === 'absent' || result.kind === 'refused') return undefined
  const { code, message } = stopWithout(result)
  throw new SyncError(code, message)
}

/** Throws OTHER_SERVICE where most of these contacts do not show at the service what was sent to them. */
async function assertKnownThere(
  sample: readonly LinkedContact[],
  reads: Asking,
  settings: Settings,
): Promise<void> {
  const seen = []
  for (const link of sample.map(standardOf))
    seen.push({ link, shown: await read(link.contactId, Object.keys(link.known), reads) })
  assertShown(seen, statePlaceOf(settings))
}

/** Throws OTHER_SERVICE where the state belongs to another address than is configured. */
export const assertOfService = (settings: Settings, binding: Pick<ServiceBinding, 'tie'>): void =>
  assertSameService(binding.tie(), statePlaceOf(settings))

/** The same, beside the owner of the state, for what only looks. */
export function assertReadOfService(settings: Settings): void {
  const read = readTie(settings.state, 0)
  if (read !== undefined) assertSameService(read.tie, statePlaceOf(settings))
}

/**
 * Binds the state to the service that is configured, where it is not. One with links, which an older version left unbound,
 * is bound only after a look at some of them. Throws OTHER_SERVICE, or SERVICE_UNREACHABLE and its like.
 */
export async function bindAtFirstUse(
  settings: Settings,
  binding: ServiceBinding,
  reads: Asking,
): Promise<void> {
  const tie = binding.tie()
  const address = serviceAddress(settings.service.base_url)
  if (tie.address === address) return
  assertSameService(tie, statePlaceOf(settings))
  if (tie.address === undefined && tie.hasLinks)
    await assertKnownThere(binding.sample(SAMPLE_SIZE), reads, settings)
  binding.bind(address)
}

/** What `check` has to say of the service; undefined: nothing. Throws OTHER_SERVICE where it is not that of the state. */
export async function bindingWarning(settings: Settings, reads: Asking): Promise<string | undefined> {
  const found = readTie(settings.state, SAMPLE_SIZE)
  if (found === undefined) return undefined
  try {
    await assertKnownThere(found.sample, reads, settings)
    return undefined
  } catch (error) {
    if (!(error instanceof SyncError && error.code === 'OTHER_SERVICE')) return undefined
    if (found.tie.address === undefined) throw error
    return error.message
  }
}

/** A configuration that names another service than the state's is refused as one that is not valid. */
export function refusingOtherService(
  loaded: AccountConfiguration,
  binding: Pick<ServiceBinding, 'tie'>,
): AccountConfiguration {
  if (!loaded.ok) return loaded
  try {
    assertOfService(loaded.settings, binding)
    return loaded
  } catch (error) {
    if (!(error instanceof SyncError)) throw error
    return { ok: false, problems: [`${error.code}: ${error.message}. ${error.hint}`] }
  }
}

export interface Rebound {
  /** The address before; undefined: it was not bound. */
  readonly from?: string | undefined
  readonly to: string
}

/**
 * Binds the state to the configured address, by the word of an operator who knows that it is the same service. Throws
 * OTHER_SERVICE where the service shows something else, or anything is in doubt, and what `ask` throws. No run is active.
 */
export async function rebindState(desk: Desk): Promise<Rebound> {
  const { settings, state } = desk
  const { binding } = state
  const tie = binding.tie()
  const rebound = { from: tie.address, to: serviceAddress(settings.service.base_url) }
  const { from, to } = rebound
  if (from === to) return rebound
  if (from !== undefined) assertNothingInDoubt(tie, stateText(settings.state))
  await askService(settings, (reads) => assertKnownThere(binding.sample(SAMPLE_SIZE), reads, settings), desk)
  desk.ask(rebound)
  const reason = `the state belongs to the service ${to} from now on${from === undefined ? '' : `, and belonged to ${from}`}`
  await desk.conclude(
    [{ do: 'bind', address: to }],
    [planEntry({ action: 'rebind', reason }, desk.about(null))],
  )
  return rebound
}
