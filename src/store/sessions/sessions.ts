// Where sessions of the console are kept that outlive a process.
import { DEFAULT_ACCOUNT } from '../../core/settings/account-settings.ts'
import type { SessionStore } from '../../core/console-sessions.ts'
import { schemaOfAccount, serverPlace, type StateLocation, statePlaceOf } from '../../core/state-place.ts'
import { createServerSessions } from '../postgres/sessions.ts'

/**
 * With the state at a server; undefined where it is a file. The console is one for all accounts, so its sessions lie in one
 * place, whichever account is asked: in the schema of the account `default`, also where no account bears that name.
 */
export function openServerSessions(where: StateLocation): SessionStore | undefined {
  const schema = schemaOfAccount(DEFAULT_ACCOUNT)
  const server = serverPlace({ ...statePlaceOf(where), schema })
  return server && createServerSessions(server)
}
