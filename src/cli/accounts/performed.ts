// A command as it was asked for: for the account that it is about, or, where it is about several, for each of them.
import { SeveralAccounts } from './chosen.ts'
import type { CommandCall } from '../command-table/entry.ts'

/** Gives the exit code. Throws what the command throws. */
export async function performed(call: CommandCall): Promise<number> {
  const { entry, io, options, names, tree } = call
  try {
    const action = await entry.load()
    return await action(io, options as never, [...names], tree)
  } catch (error) {
    if (!(error instanceof SeveralAccounts)) throw error
    const { overAccounts } = await import('./over-accounts.ts')
    return overAccounts(error, call)
  }
}
