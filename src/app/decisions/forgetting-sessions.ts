// An erasure reaches sessions of the console, too: what was searched for there, and decisions that were shown, may name the person.
import { openServerSessions } from '../../store/sessions/sessions.ts'
import { type Asked, type Certificate, forgetContact } from '../people/forgetting.ts'
import type { Taking } from './owner.ts'

/** Of all workers, by a process that shows no pages itself. */
async function forgetAtServer({ settings }: Taking): Promise<void> {
  const sessions = openServerSessions(settings.state)
  try {
    await sessions?.forgetTexts()
  } finally {
    await sessions?.close()
  }
}

/** As forgetContact. Throws STATE_IO where sessions cannot be reached: call it again. */
export async function forgetEverywhere(taking: Taking, asked: Asked): Promise<Certificate> {
  const certificate = await forgetContact(taking, asked)
  await (taking.owner.onErased?.() ?? forgetAtServer(taking))
  return certificate
}
