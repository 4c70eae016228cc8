// What a server must be like to keep a state, looked at before anything is written there.
import { SyncError } from '../../core/words/errors.ts'
import type { Connection } from '../file/connection.ts'

interface ServerSettings {
  readonly version: string
  readonly encoding: string
  readonly commit: string
}

interface Fault {
  readonly text: string
  readonly hint: string
}

const OLDEST = 15

/** Undefined where nothing is wrong. */
export function faultOfServer({ version, encoding, commit }: ServerSettings): Fault | undefined {
  if (Number.parseInt(version) < OLDEST)
    return {
      text: `is at PostgreSQL ${version}, and needs ${OLDEST} or newer`,
      hint: 'Upgrade the server, or name another one in state.url.',
    }
  if (encoding !== 'UTF8')
    return {
      text: `is in a database with the encoding ${encoding}, which has not every character`,
      hint: "Name a database that was made with ENCODING 'UTF8' TEMPLATE template0 in state.url.",
    }
  // A request leaves only after what records it is on the disk of the server.
  if (commit !== 'on' && commit !== 'remote_apply')
    return {
      text: `is not durable: synchronous_commit is ${commit}`,
      hint: 'Let the user of state.url set synchronous_commit to on: without it a crash of the server loses what was sent.',
    }
  return undefined
}

/** Throws STATE_UNUSABLE. `place`: how messages name the state. */
export function assertSuited(db: Connection, place: string): void {
  const settings = db
    .prepare<[], ServerSettings>(
      `SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding,
         current_setting('synchronous_commit') AS commit`,
    )
    .get()
  const fault = settings && faultOfServer(settings)
  if (fault !== undefined)
    throw new SyncError('STATE_UNUSABLE', `the state ${place} ${fault.text}`, { hint: fault.hint })
}
