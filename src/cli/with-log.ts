// The sync log opened for a command that reads it, beside its writer, and the people whom a name in it may mean.
import type { LoggedPerson } from '../core/log/sync-log.ts'
import type { StateStore } from '../core/state-store.ts'
import type { StatePlace } from '../core/state-place.ts'
import { SyncError } from '../core/words/errors.ts'
import { noStateAt } from '../store/info.ts'
import { openStateForReading } from '../store/state-store.ts'
import type { CommonOptions, Io } from './io.ts'
import { commandSettings } from './settings.ts'

/** Throws USAGE where there is no state yet, and STATE_OLDER where it was lost. */
export async function withLog<T>(
  io: Io,
  options: CommonOptions,
  work: (state: StateStore, place: StatePlace) => Promise<T>,
): Promise<T> {
  const place = (await commandSettings(io, options)).state
  const state = openStateForReading(place)
  if (state === undefined) throw noStateAt(place)
  try {
    return await work(state, place)
  } finally {
    await state.close()
  }
}

/** The person who is meant. Throws USAGE where the log has no person of that name. */
export async function peopleNamed(state: StateStore, contact: string): Promise<readonly LoggedPerson[]> {
  const people = await state.people(contact)
  if (people.length > 0) return people
  throw new SyncError('USAGE', `the sync log knows no contact ${contact}`, {
    hint: 'Name a key, an e-mail address or a contact id; the prefix key:, mail: or id: makes it unambiguous. Erased persons are not found.',
  })
}
