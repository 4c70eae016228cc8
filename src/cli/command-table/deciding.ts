// The options of every command that decides: who, and why.
import type { OptionEntry } from './entry.ts'

export const DECIDING: readonly OptionEntry[] = [
  {
    flags: '--by <NAME>',
    help: 'who decides: a user of server.users, whose token is read from CONTACT_SYNC_USER_TOKEN or asked for; default: the user of the system',
  },
  { flags: '--reason <TEXT>', help: 'why, for the sync log' },
  { flags: '--note <TEXT>', help: 'the same as --reason' },
]
