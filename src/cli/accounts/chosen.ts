// Which account a command is about, where the configuration has several: the one that is named, or that of the pipelines that are
// named. What no one named is left to the caller of the command, by SeveralAccounts.
import type { BrokenFile } from '../../app/run/configuration.ts'
import type { Settings } from '../../core/settings.ts'
import { SyncError } from '../../core/words/errors.ts'
import { suggestion } from '../../core/words/nearest.ts'
import type { CommonOptions } from '../io.ts'

export interface Accounts {
  readonly accounts: readonly [Settings, ...Settings[]]
  /** Files of a folder that are not in use. */
  readonly broken: readonly BrokenFile[]
}

/** Printed as it is where one account has to be named. */
export class SeveralAccounts extends SyncError {
  readonly accounts: Accounts['accounts']
  readonly broken: Accounts['broken']

  constructor({ accounts, broken }: Accounts) {
    const names = accounts.map(({ account }) => account)
    super('USAGE', `the configuration has several accounts: ${names.join(', ')}`, {
      hint: `Name the one that is meant: --account ${names.at(-1) ?? ''}.`,
    })
    this.name = 'SeveralAccounts'
    this.accounts = accounts
    this.broken = broken
  }
}

/** Throws USAGE where there is no such account, SeveralAccounts where none is named, or the one that there is may not be all. */
export function chosenAccount({ accounts, broken }: Accounts, { account }: CommonOptions): Settings {
  const [first, ...others] = accounts
  if (account === undefined) {
    if (others.length === 0 && broken.length === 0) return first
    throw new SeveralAccounts({ accounts, broken })
  }
  const found = accounts.find((one) => one.account === account)
  if (found !== undefined) return found
  throw new SyncError('USAGE', `there is no account ${account}`, {
    hint: suggestion(
      account,
      accounts.map((one) => one.account),
    ),
  })
}
