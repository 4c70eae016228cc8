// Where a state is moved to, and the move. Part of the composition.
import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { spoolFolder } from '../config/spool-folder.ts'
import type { Settings } from '../core/settings.ts'
import { fileOfAccount, schemaOfAccount, type StatePlace } from '../core/state-place.ts'
import { SyncError } from '../core/words/errors.ts'
import { moveState, type MovedState, type MovedTable } from '../store/moving/move.ts'

export type { MovedState, MovedTable }

/** An address is a server, anything else a file. */
export function targetOf(to: string | undefined, { state, account }: Settings, cwd: string): StatePlace {
  if (to === undefined || to === '')
    throw new SyncError('USAGE', 'state move needs --to', {
      hint: 'Name a server or a file: contact-sync state move --to "$DATABASE_URL"',
    })
  if (/^postgres(ql)?:\/\//.test(to) && URL.canParse(to))
    return { path: state.path, url: to, schema: schemaOfAccount(account) }
  if (/^\w+:\/\//.test(to))
    throw new SyncError('USAGE', 'a state can be moved to a PostgreSQL server or to a file alone')
  return { path: fileOfAccount(account, resolve(cwd, to)) }
}

export const moveTo = (
  to: StatePlace,
  { state }: Settings,
  mover: Parameters<typeof moveState>[2],
): Promise<MovedState> => moveState(state, to, mover)

const hasFiles = (folder: string): boolean =>
  existsSync(folder) &&
  readdirSync(folder, { recursive: true, withFileTypes: true }).some((entry) => entry.isFile())

/** What was fetched and not read to its end lies beside the state, and stays there: the folders to move, and where to. */
export const spoolLeft = (
  to: StatePlace,
  { state, pipelines }: Pick<Settings, 'state' | 'pipelines'>,
): readonly (readonly [from: string, to: string])[] =>
  pipelines
    .map(({ name }) => [spoolFolder(state.path, name), spoolFolder(to.path, name)] as const)
    .filter(([before, after]) => before !== after && hasFiles(before))
