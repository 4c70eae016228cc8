// What a connection to a folder on another machine can do. Its names are text; its files are fetched to this machine
// before they are read. One connection serves one piece of work at a time.
import type { ErrorCode } from '../../core/words/errors.ts'

/** The drop folder itself, one of its two folders for what was put away, or the claims on its files. */
export type RemotePlace = '' | 'processed' | 'failed' | '.claims'

export interface RemoteEntry {
  readonly name: string
  /** `file`, or what it is instead, for people. */
  readonly what: string
  readonly bytes: number
  /** When its content was written at the latest, in milliseconds by the clock over there. */
  readonly writtenAt: number
  /** Changes with the content, as far as the other side can tell. */
  readonly version: string
}

/** More than a folder of years has. A listing that never ends would fill the memory. */
const MOST_NAMES = 500_000

/** Throws RemoteFault where a listing has become longer than any is. */
export function assertEnds(names: number): void {
  if (names > MOST_NAMES)
    throw new RemoteFault(
      'SOURCE_FAILED',
      `the listing of a folder has more than ${MOST_NAMES} names, or no end`,
      'Set keep, or delete old files over there.',
    )
}

export interface Names {
  /** For the first try, the second ... : the first that is free is taken. */
  free(turn: number): string
  /** While it is written. */
  readonly writing: string
}

/** A file that was taken out of the drop folder, to where no other program writes. */
export interface TakenFile {
  fetch(to: string): Promise<void>
  moveTo(place: RemotePlace, names: Names): Promise<boolean>
  discard(): Promise<boolean>
  giveBack(): Promise<void>
}

/** Every method throws RemoteFault. */
export interface RemoteSession {
  /** Whether equal versions are equal contents; otherwise the content is compared before a file is put away. */
  readonly isExact: boolean
  /** Everything directly in the folder; undefined where there is no such folder. */
  list(place: RemotePlace): Promise<readonly RemoteEntry[] | undefined>
  entry(place: RemotePlace, name: string): Promise<RemoteEntry | undefined>
  /** Over a local file that is there. */
  fetch(place: RemotePlace, entry: RemoteEntry, to: string): Promise<void>
  /** Undefined where the version is another one by now. */
  take(
    entry: RemoteEntry,
    by: { readonly runId: string; isInput(name: string): boolean },
  ): Promise<TakenFile | undefined>
  makeFolder(place: RemotePlace): Promise<void>
  /** A local file, whole or not at all, never over another one; the name that it got. */
  store(place: RemotePlace, names: Names, from: string): Promise<string>
  /**
   * A local file under just this name, in one step: of two who try it, one is told `taken`. `unsafe`: the other side would
   * overwrite what has the name; nothing is left of the attempt.
   */
  storeNew(
    place: RemotePlace,
    names: { readonly name: string; readonly writing: string },
    from: string,
  ): Promise<'stored' | 'taken' | 'unsafe'>
  /** The same name with another content, whole or not at all. */
  replace(place: RemotePlace, name: string, from: string): Promise<void>
  remove(place: RemotePlace, name: string): Promise<void>
  /** Puts back what killed runs had taken. */
  giveBackTaken(isInput: (name: string) => boolean): Promise<void>
  /** Whether the other side still answers. */
  isAlive(): Promise<boolean>
  /** Unused, it keeps no process from ending, and ends by itself soon. */
  setUsed(isUsed: boolean): void
  close(): Promise<void>
}

/** What failed over there, or on the way. Its message holds no secret. */
export class RemoteFault extends Error {
  readonly code: Extract<ErrorCode, 'SOURCE_UNREACHABLE' | 'SOURCE_DENIED' | 'SOURCE_FAILED'>
  readonly hint: string | undefined

  constructor(code: RemoteFault['code'], message: string, hint?: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}
